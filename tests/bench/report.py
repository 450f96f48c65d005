# SPDX-License-Identifier: Apache-2.0
"""Tables and targets of the benchmark."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tilepath.engine.host.spent import PARTS
from tilepath.tb.unpack.items import LINE_BYTES
from tilepath.tests.bench import rates as packer_rates
from tilepath.tests.bench.golden import Speed
from tilepath.tests.bench.kernels import LONG
from tilepath.tests.bench.measure import CHECKED, ORDINARY, REPLAY, WHOLE, Comparison
from tilepath.tests.bench.rates import Rate
from tilepath.tests.bench.tiers import LEAST, Tier

PER_REPLAY: Final = {
    **{"frontend": 0.6, "adc": 0.45, "control": 0.55},
    **{"unpack": 0.55, "pack": 0.65, "flag_pipe": 0.6, "datapath": 0.4},
    LONG: 0.5,
}
"""Least rate of a whole run by that of its replay, under Verilator."""
PER_REPLAY_ICARUS: Final = 0.75
"""The same under Icarus, for every block: RTL, players and recorders take most of the time."""
STIMULUS: Final = 0.25
"""What stimulus may take of the replay's time, under Verilator."""
PER_ORDINARY: Final = {"adc": 20.0, "unpack": 10.0}
"""Of blocks with an ordinary bench; under Icarus the same RTL takes most of the time in either."""
LONG_RUN_MEGABYTES: Final = 500.0
KERNELS_A_MINUTE: Final = 100.0
"""Of those drawn at random, on two cores."""


@dataclass(frozen=True)
class Target:
    """A figure that must be at least, or with ``below`` less than, a bound."""

    what: str
    value: float
    bound: float
    below: bool = False
    unit: str = ""
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the figure is good enough."""
        return self.value < self.bound if self.below else self.value >= self.bound

    @property
    def failed(self) -> bool:
        """Whether it is not."""
        return not self.met

    def __str__(self) -> str:
        sign = "<" if self.below else "≥"
        unit = f" {self.unit}" if self.unit else ""
        verdict = "met" if self.met else "missed"
        text = f"{self.what}: target {sign} {self.bound:g}{unit}: {self.value:.3g} {verdict}"
        return f"{text} ({self.note})" if self.note else text


class Reporter:
    """Prints what is being done, since when, and tables."""

    def __init__(self) -> None:
        self.console = Console(highlight=False)
        self.console.width = max(self.console.width, 100)
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        """A line of progress."""
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        self.console.print(f"{minutes:3}:{seconds:02}  {text}", style="dim", soft_wrap=True)

    def judged(self, targets: list[Target], quick: bool) -> int:
        """Print what was reached of the targets; the exit status."""
        for target in targets:
            style = "" if quick else ("red" if target.failed else "green")
            self.console.print(str(target), style=style, soft_wrap=True)
        if quick:
            self.console.print("quick: too short to judge any of these")
            return 0
        return 1 if any(target.failed for target in targets) else 0


def _table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    """A table without rows; its columns by their headings, those of text and those of numbers."""
    table = Table(title=title, title_justify="left", box=SIMPLE)
    for heading in left:
        table.add_column(heading, no_wrap=True)
    for heading in right:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def speed_table(found: Comparison, base: str) -> Table:
    """One row for each variant, with the ratios of its rounds to those of ``base``."""
    title = f"{found.block}, {found.sim}: seconds of CPU time; ratio: by {base}"
    headings = ("runs", "cycles", "events", "start", "cycles/s", "ratio", "from … to")
    table = _table(title, ("variant",), headings)
    for variant, runs in found.runs.items():
        each = found.ratios(variant, base)
        table.add_row(
            variant,
            str(len(runs)),
            f"{runs[0].cycles:,}",
            f"{runs[0].events:,}" if runs[0].events else "–",
            f"{median(run.start for run in runs):.1f}",
            f"{found.rate(variant):,.0f}",
            *(("1", "") if variant == base else (f"{median(each):.3g}", _span(each))),
        )
    return table


def _span(ratios: list[float]) -> str:
    return f"{min(ratios):.3g} … {max(ratios):.3g}"


def parts_table(found: Comparison) -> Table:
    """What a cycle costs, part by part, in a whole run and in its replay: medians."""
    title = f"{found.block}, {found.sim}: microseconds of CPU time a cycle"
    parts = [part for part in PARTS if part != "start"]
    table = _table(title, ("variant",), (*parts, "together"))
    for variant in (WHOLE, REPLAY):
        runs = found.runs[variant]
        each = [median(run.micros(part) for run in runs) for part in parts]
        together = median(1e6 / run.rate for run in runs)
        table.add_row(variant, *(f"{micros:.2f}" for micros in (*each, together)))
    return table


def replay_targets(found: Comparison) -> list[Target]:
    """How fast a whole run must be, and under Verilator its stimulus."""
    if found.sim != "verilator":
        return [_ratio(found, WHOLE, REPLAY, PER_REPLAY_ICARUS)]
    each = found.stimulus()
    name = f"{found.block}, {found.sim}, stimulus / {REPLAY}"
    return [
        _ratio(found, WHOLE, REPLAY, PER_REPLAY[found.block]),
        Target(name, median(each), STIMULUS, below=True, note=f"rounds {_span(each)}"),
    ]


def ordinary_targets(found: Comparison) -> list[Target]:
    """How much faster than the ordinary bench a checked run must be, where that is judged."""
    if found.sim != "verilator":
        return []
    return [_ratio(found, CHECKED, ORDINARY, PER_ORDINARY[found.block])]


def _ratio(found: Comparison, one: str, other: str, bound: float) -> Target:
    name = f"{found.block}, {found.sim}, {one} / {other}"
    note = f"rounds {_span(found.ratios(one, other))}"
    return Target(name, found.ratio(one, other), bound, note=note)


def model_table(speeds: list[Speed]) -> Table:
    """One row for each model and unit."""
    headings = ("size", "million per second of CPU")
    table = _table("golden models alone, and tables", ("model", "unit"), headings)
    for speed in speeds:
        table.add_row(speed.what, speed.units, f"{speed.count:,}", f"{speed.rate / 1e6:.2f}")
    return table


def machine_table(speeds: list[Speed], seconds: float) -> Table:
    """One row for each figure; ``seconds``: of the loop by which machines are compared."""
    title = f"the machine without time; its loop takes {1e3 * seconds:.1f} ms"
    table = _table(title, ("what", "unit"), ("thousand per second of CPU", "while the loop runs"))
    for speed in speeds:
        row = f"{speed.rate / 1e3:,.1f}", f"{speed.rate * seconds:,.1f}"
        table.add_row(speed.what, speed.units, *row)
    return table


def model_targets(speeds: list[Speed]) -> list[Target]:
    """The targets of those that have one."""
    return [
        Target(s.what, s.rate / 1e6, s.bound / 1e6, unit=f"million {s.units}/s")
        for s in speeds
        if s.bound is not None
    ]


def tier_table(tiers: list[Tier]) -> Table:
    """One row for each phase: what each unpacker wants and gets, in bytes per cycle."""
    headings = ("wants u0", "wants u1", "u0", "of", "u1", "of")
    table = _table("unpack: bytes per cycle from L1", (), headings)
    phases: dict[tuple[int, int], dict[int, Tier]] = {}
    for tier in tiers:
        phases.setdefault(tier.wants, {})[tier.unpacker] = tier
    for wants, both in phases.items():
        row = [f"{LINE_BYTES * want}" if want else "–" for want in wants]
        for unpacker in (0, 1):
            tier = both.get(unpacker)
            row += [f"{tier.bytes_per_cycle:.2f}", str(tier.most)] if tier else ["–", "–"]
        table.add_row(*row)
    return table


def tier_targets(tiers: list[Tier]) -> list[Target]:
    """One for each tier of an unpacker alone, and one for the worst of both together."""
    alone = [tier for tier in tiers if 0 in tier.wants]
    together = [tier for tier in tiers if 0 not in tier.wants]
    targets = [
        Target(f"unpack, u{t.unpacker} alone, share of {t.most} bytes per cycle", t.share, LEAST)
        for t in alone
    ]
    worst = min(together, key=lambda tier: tier.share)
    wants = " and ".join(str(LINE_BYTES * want) for want in worst.wants)
    note = f"u{worst.unpacker} when they want {wants}"
    what = "unpack, both together, least share of what the arbiter grants"
    return [*targets, Target(what, worst.share, LEAST, note=note)]


def rate_table(rates: list[Rate]) -> Table:
    """One row for each format: bytes per cycle of each packer, and what there is of them."""
    title = f"pack, {rates[0].profile}: bytes per cycle to L1, tile behind tile"
    table = _table(title, (), ("tiles of", "cycles", "each packer", "of", "port"))
    phases: dict[str, list[Rate]] = {}
    for rate in rates:
        phases.setdefault(rate.phase.name, []).append(rate)
    for name, each in phases.items():
        least = min(each, key=lambda rate: rate.bytes_per_cycle)
        most = f"{least.bytes_per_cycle / least.share:.2f}"
        row = (str(least.cycles), f"{least.bytes_per_cycle:.2f}", most)
        table.add_row(name, *row, str(packer_rates.WHOLE[least.profile]))
    return table


def rate_targets(rates: list[Rate]) -> list[Target]:
    """Return the target of the worst packer and format of a profile."""
    worst = min(rates, key=lambda rate: rate.share)
    what = f"pack, {worst.profile}, least share of the contract's bytes per cycle"
    return [Target(what, worst.share, 1.0, note=f"{worst.phase.name}, packer {worst.packer}")]
