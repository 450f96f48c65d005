# SPDX-License-Identifier: Apache-2.0
"""Tables and targets of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass

from rich.box import SIMPLE
from rich.table import Table

from tilepath.tb.unpack.items import LINE_BYTES
from tilepath.tests.bench.golden import Speed
from tilepath.tests.bench.measure import VARIANTS, Series
from tilepath.tests.bench.tiers import LEAST, Tier

CHECKED_PER_UNCHECKED = {"verilator": 0.5}
CHECKED_PER_ORDINARY = {"verilator": 20.0, "icarus": 8.0}
CHECKED_PER_ORDINARY_OF = {"unpack": {"verilator": 10.0, "icarus": 10.0}}
"""Blocks whose RTL is so large that it takes most of the time in either bench."""
LONG_RUN_MEGABYTES = 500.0


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

    def __str__(self) -> str:
        sign = "<" if self.below else "≥"
        unit = f" {self.unit}" if self.unit else ""
        verdict = "met" if self.met else "missed"
        note = f" ({self.note})" if self.note else ""
        return f"{self.what}: target {sign} {self.bound:g}{unit}: {self.value:.3g} {verdict}{note}"


def speed_table(block: str, sim: str, series: dict[str, Series]) -> Table:
    """One row for each variant."""
    table = Table(title=f"{block}, {sim}: cycles per second", title_justify="left", box=SIMPLE)
    table.add_column("variant", no_wrap=True)
    headings = ("cycles", "CPU best", "CPU worst", "wall best", "÷ unchecked", "÷ ordinary")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    unchecked, ordinary = series[VARIANTS[0]].rate, series[VARIANTS[3]].rate
    for variant, one in series.items():
        table.add_row(
            variant,
            f"{one.rounds[0].cycles:,}",
            f"{one.rate:,.0f}",
            f"{one.slowest:,.0f}",
            f"{one.wall_rate:,.0f}",
            f"{one.rate / unchecked:.3f}",
            f"{one.rate / ordinary:.1f}",
        )
    return table


def speed_targets(block: str, sim: str, series: dict[str, Series]) -> list[Target]:
    """The targets that a block has under ``sim``."""
    ordinary = CHECKED_PER_ORDINARY_OF.get(block, CHECKED_PER_ORDINARY)
    wanted = ((VARIANTS[0], CHECKED_PER_UNCHECKED), (VARIANTS[3], ordinary))
    return [
        _ratio(f"{block}, {sim}", series["checked"], series[variant], bounds[sim])
        for variant, bounds in wanted
        if sim in bounds
    ]


def _ratio(where: str, checked: Series, other: Series, bound: float) -> Target:
    """The ratio of the best rounds is what counts; those of the single rounds show the noise."""
    each = [a / b for a, b in zip(checked.rates(), other.rates(), strict=True)]
    note = f"single rounds {min(each):.3g} … {max(each):.3g}"
    name = f"{where}, checked / {other.variant}"
    return Target(name, checked.rate / other.rate, bound, note=note)


def model_table(speeds: list[Speed]) -> Table:
    """One row for each model and unit."""
    table = Table(title="golden models alone", title_justify="left", box=SIMPLE)
    table.add_column("model")
    table.add_column("unit")
    table.add_column("size", justify="right")
    table.add_column("million per second of CPU", justify="right")
    for speed in speeds:
        table.add_row(speed.what, speed.units, f"{speed.count:,}", f"{speed.rate / 1e6:.2f}")
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
    table = Table(title="unpack: bytes per cycle from L1", title_justify="left", box=SIMPLE)
    for heading in ("wants u0", "wants u1", "u0", "of", "u1", "of"):
        table.add_column(heading, justify="right", no_wrap=True)
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
