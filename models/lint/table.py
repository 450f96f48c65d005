# SPDX-License-Identifier: Apache-2.0
"""The table of rules: ``rules.toml``, checked and typed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tilepath.engine.errors import there_are
from tilepath.isa import Instruction, IsaError, Profile, tables


@dataclass(frozen=True)
class Rule:
    """A row.

    ``wrong``, ``right``: texts of kernels, for ``profile``. ``faults``: of a machine, each of which
    it tells; ``words``: mnemonics with fields that it tells of, where ``parameter`` of the profile
    is as it says. ``needs``: fields of configuration that must be known, some to be a value; # is
    the unpacker, % a block of the packers.
    """

    number: str
    name: str
    meaning: str
    hint: str
    reason: str
    wrong: str
    right: str
    profile: str = "baseline"
    faults: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    parameter: str = ""
    needs: tuple[str, ...] = ()

    def is_about(self, word: Instruction, profile: Profile) -> bool:
        """Whether a word is one of ``words``."""
        name, _, value = self.parameter.partition("=")
        return (not name or str(getattr(profile, name)) == value) and any(
            word.mnemonic == mnemonic and all(str(word[field]) in some for field, some in fields)
            for mnemonic, fields in map(_pattern, self.words)
        )


@cache
def _pattern(text: str) -> tuple[str, list[tuple[str, list[str]]]]:
    """``MNEMONIC field=value|value …``."""
    mnemonic, *fields = text.split()
    parts = (field.partition("=") for field in fields)
    return mnemonic, [(name, some.split("|")) for name, _, some in parts]


@cache
def table() -> dict[str, Rule]:
    """All rules by number."""
    rows = tables.read(Path(__file__).with_name("rules.toml"))
    return {number: Rule(number, **row) for number, row in rows.items()}


def chosen(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> list[Rule]:
    """Rules of these numbers or names, or all, but for others; ``IsaError``: there is none."""
    known = {key: rule for rule in table().values() for key in (rule.number, rule.name)}
    wanted, unwanted = [*select], [*ignore]
    for name in (*wanted, *unwanted):
        if name not in known:
            raise IsaError(f"there is no rule {name!r}; {there_are(known, name)}")
    some = [known[name] for name in wanted] or [*table().values()]
    return [rule for rule in some if rule not in [known[name] for name in unwanted]]
