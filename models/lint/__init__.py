# SPDX-License-Identifier: Apache-2.0
"""A lint over the words of kernels: what can be told to be wrong before anything runs.

- ``rules.toml``, ``table``: the rules; ``stream``: the words of a thread as they issue;
- ``walk``: rules that one thread is enough for; ``semaphores``: those that all are needed for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from tilepath.models.kernels.play import machine_of
from tilepath.models.kernels.program import Kernel, Where
from tilepath.models.lint import semaphores
from tilepath.models.lint.stream import StreamError, steps_of
from tilepath.models.lint.table import Rule, chosen, table
from tilepath.models.lint.walk import Walk, by_others

__all__ = ["Finding", "Rule", "StreamError", "chosen", "findings", "table"]

_MEANT: Final = re.compile(r"#.*\blint-ignore:([^#]*)")
_WHOLE: Final = 0xFFFFFFFF


class Finding(NamedTuple):
    """``where``: the place of a word in a text, or thread and number; ``about``: what it is."""

    where: object
    rule: Rule
    about: str

    def __str__(self) -> str:
        rule = self.rule
        return f"{self.where}: {rule.number} {rule.meaning} ({self.about}); {rule.hint}"


def findings(kernel: Kernel, rules: Iterable[Rule] | None = None) -> list[Finding]:
    """What rules, all by default, tell of the programs of a kernel: each place once a rule.

    What a comment ``# lint-ignore: W04`` in its line says is meant is left out. Where nothing is
    configured before the threads start, nothing is known of the configuration then.

    Raises:
        StreamError: a stream that ends in the middle of a recording.
    """
    some = {rule.name: rule for rule in (table().values() if rules is None else rules)}
    threads = [
        [*steps_of(thread, program, kernel.profile)]
        for thread, program in enumerate(kernel.programs)
    ]
    machine = machine_of(replace(kernel, tiles={}))
    everyone = all(threads) and len(threads) == 3
    known = all(s.item or (s.is_known and isinstance(s.where, Where)) for x in threads for s in x)
    told = [*semaphores.tell(threads)] if everyone and known else []
    for thread, steps in enumerate(threads):
        begin = _WHOLE if kernel.config else 0
        walk = Walk(machine, thread, begin, by_others(threads, thread))
        told += walk.tell(steps, [*some.values()])
    found = {
        (name, str(w)): Finding(w, some[name], about) for name, w, about in told if name in some
    }
    return sorted((one for one in found.values() if not _is_meant(one)), key=_order)


def _order(finding: Finding) -> list[str | int]:
    parts = re.split(r"(\d+)", str(finding.where))
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def _is_meant(finding: Finding) -> bool:
    where = finding.where
    if not isinstance(where, Where) or not Path(where.file).is_file():
        return False
    lines = Path(where.file).read_text(errors="replace").split("\n")
    meant = _MEANT.search("".join(lines[where.line - 1 : where.line]))
    return meant is not None and finding.rule.number in re.findall(r"\w+", meant[1])
