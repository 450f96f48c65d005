# SPDX-License-Identifier: Apache-2.0
"""A lint over the words of kernels: what can be told to be wrong before anything runs.

- ``rules.toml``, ``table``: the rules; ``stream``: the words of a thread as they issue;
- ``walk``: rules that one thread is enough for; ``semaphores``: those that all are needed for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from tilepath.engine.text import Where
from tilepath.isa import IsaError
from tilepath.models.kernels.play import machine_of
from tilepath.models.kernels.program import Kernel
from tilepath.models.lint import semaphores
from tilepath.models.lint.stream import StreamError, steps_of
from tilepath.models.lint.table import Rule, chosen, table
from tilepath.models.lint.walk import Walk, by_others

__all__ = ["Finding", "Rule", "StreamError", "chosen", "findings", "table"]

_MEANT: Final = re.compile(r"#.*\blint-ignore:\s*([^#;]*)")
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
        TextError: such a comment with a rule that there is not.
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
    files = {kernel.file, *(s.where.file for x in threads for s in x if isinstance(s.where, Where))}
    meant = {one for file in files for one in _meant(file)}
    found = {
        (name, str(w)): Finding(w, some[name], about)
        for name, w, about in told
        if name in some and (str(w).rpartition(":")[0], name) not in meant
    }
    return sorted(found.values(), key=_order)


def _order(finding: Finding) -> list[str | int]:
    parts = re.split(r"(\d+)", str(finding.where))
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def _meant(file: str) -> Iterator[tuple[str, str]]:
    """Lines of a text, and the rules of which a comment there says that it is meant."""
    text = Path(file).read_text(errors="replace") if Path(file).is_file() else ""
    for line, comment in enumerate(map(_MEANT.search, text.split("\n")), 1):
        if comment:
            try:
                # without a name it would be all of them
                rules = chosen(re.findall(r"[\w-]+", comment[1]) or [""])
            except IsaError as error:
                raise Where(file, line, comment.start(1) + 1).error(error) from None
            yield from ((f"{file}:{line}", rule.name) for rule in rules)
