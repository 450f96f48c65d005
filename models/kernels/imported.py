# SPDX-License-Identifier: Apache-2.0
"""Kernels from elsewhere: what three cores gave their threads, as a log has it, as a kernel file.

``docs/import-a-kernel.md`` describes the forms of a log.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from tilepath import isa
from tilepath.isa.boundary.frontend import THREADS
from tilepath.isa.registers import elsewhere
from tilepath.models.kernels.moved_registers import CannotError, Stream
from tilepath.models.machine.addresses import PUSH

_BITS: Final = 1 << 32
_NUMBER: Final = re.compile(r"\d{1,20}|0[xX][0-9a-fA-F]{1,16}")
_DOES: Final = re.compile(r"(poll|post|get)\s.+|sync")
_LINE: Final = re.compile(
    r"((?P<cycle>\d\w*)[\s,:]+)?(?P<thread>\d\w*)[\s,:]+"
    r"((?P<word>\d\w*)|store[\s,:]+(?P<address>\d\w*)[\s,:]+(?P<value>\d\w*)"
    rf"|(?P<does>{_DOES.pattern}))"
)
_SHOWN: Final = 5  # unknown words that a message names


class LogError(ValueError):
    """One line, ``file:line: what is wrong`` with a log, or which of its words nobody knows."""


class Given(NamedTuple):
    """What a core did: pushed a word of 32 bits, or with ``does`` that statement of a kernel."""

    thread: int
    word: int
    does: str = ""


def from_lines(lines: Iterable[str], file: str) -> list[Given]:
    """What a log says: text or JSON, one word or store a line, in the order of each thread.

    Raises:
        LogError: a line that is neither, a number that does not fit, a cycle before the one of the
            same thread's line above.
    """
    found, last = [], [0] * THREADS
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        where = f"{file}:{number}"
        given, cycle = (_of_json if text[0] == "{" else _of_text)(text, where)
        if cycle is not None:
            if cycle < last[given.thread]:
                before = last[given.thread]
                raise LogError(f"{where}: cycle {cycle} of thread {given.thread} after {before}")
            last[given.thread] = cycle
        found.append(given)
    return found


def from_bytes(thread: int, data: bytes, file: str) -> list[Given]:
    """Words of a thread as in memory, four bytes each, the lowest first; ``LogError``: a rest."""
    if len(data) % 4:
        raise LogError(f"{file}: {len(data)} bytes are no whole number of words")
    words = (int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4))
    return [Given(thread, word) for word in words]


def _of_text(text: str, where: str) -> tuple[Given, int | None]:
    """``[CYCLE] THREAD`` and ``WORD``, ``store ADDRESS VALUE``, or a poll, post, get or sync."""
    form = _LINE.fullmatch(text)
    if not form:
        raise LogError(
            f"{where}: {text!r} is neither '[CYCLE] THREAD WORD' nor "
            "'[CYCLE] THREAD store ADDRESS VALUE' nor a poll, post, get or sync"
        )
    stored = [form["address"], form["value"]] if form["address"] else None
    return _given(form["thread"], form["word"], stored, form["does"], where), _cycle(form, where)


def _of_json(text: str, where: str) -> tuple[Given, int | None]:
    """``{"thread": 0, "word": "0x…"}``, or ``store``: [address, value], or ``does``; ``cycle``."""
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        raise LogError(f"{where}: column {error.colno} is no JSON: {error.msg}") from None
    kinds = row.keys() - {"cycle", "thread"}
    if "thread" not in row or len(kinds) != 1 or kinds - {"word", "store", "does"}:
        raise LogError(f"{where}: want thread, one of word, store and does, and perhaps cycle")
    row = {"cycle": None, "store": None, "does": None, **row}
    stored, does = row["store"], row["does"]
    if "store" in kinds and not (isinstance(stored, list) and len(stored) == 2):
        raise LogError(f"{where}: store is [ADDRESS, VALUE]")
    if "does" in kinds and not (isinstance(does, str) and _DOES.fullmatch(does)):
        raise LogError(f"{where}: does is a poll, post, get or sync, as text")
    return _given(row["thread"], row.get("word"), stored, does, where), _cycle(row, where)


def _cycle(row: Any, where: str) -> int | None:
    return None if row["cycle"] is None else _integer(row["cycle"], "cycle", where, 1 << 64)


def _given(thread: Any, word: Any, stored: list[Any] | None, does: str | None, where: str) -> Given:
    number = _integer(thread, "thread", where, THREADS)
    if does:
        return Given(number, 0, does)
    if stored is None:
        return Given(number, _integer(word, "word", where))
    address, value = (_integer(part, "number", where) for part in stored)
    if address == PUSH:
        return Given(number, value)
    return Given(number, 0, _store(address, value))


def _integer(value: Any, what: str, where: str, limit: int = _BITS) -> int:
    number = value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        number = int(value, 16 if value[:2].lower() == "0x" else 10)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < limit:
        raise LogError(f"{where}: {what} {value!r} is none from 0 to {limit - 1:#x}")
    return number


def to_text(
    given: Sequence[Given],
    profile: str,
    source: str,
    includes: Sequence[str] = (),
    *,
    rotated: bool = False,
    as_here: bool = False,
) -> str:
    """The kernel file: what each thread got, repetitions as such.

    Args:
        given: in the order of each thread.
        profile: that says what words are.
        source: where they come from, for the first line.
        includes: files beside the kernel with tiles, configuration, and what is expected.
        rotated: words are as RISC-V programs have them (``.ttinsn``).
        as_here: registers are where they are here, and not where the profile's chip has them.

    Raises:
        LogError: words that are no instructions or cannot be said here, by thread and position.
        IsaError: an unknown profile.
    """
    isa.profiles.get(profile)
    registers = None if as_here else elsewhere(profile)
    lost: set[str] = set()
    lines = [f"# Imported from {source}, for profile {profile}."]
    lines += [""] * bool(includes) + [f'include "{name}"' for name in includes]
    unknown: list[str] = []
    for thread in range(THREADS):
        own = [one for one in given if one.thread == thread]
        statements: list[str] = []
        stream = Stream(profile, registers) if registers else None
        for place, one in enumerate(own):
            where = f"thread {thread}, position {place}"
            try:
                texts = _statements(one, profile, rotated, stream)
            except CannotError as error:
                what = one.does or f"{one.word:#010x}"
                raise LogError(f"{source}: {what} ({where}): {error}") from None
            if texts is None:
                unknown.append(f"{one.word:#010x} ({where})")
            statements += texts or ()
        lost |= stream.lost if stream else set()
        if own:
            lines += ["", f"thread {thread} {{", *_folded(statements), "}"]
    if unknown:
        rest = f", and {len(unknown) - _SHOWN} more" if unknown[_SHOWN:] else ""
        form = ".ttinsn forms of instructions" if rotated else "instructions"
        raise LogError(f"{source}: no {form} of {profile}: {', '.join(unknown[:_SHOWN])}{rest}")
    if lost:
        lines.insert(1, f"# Nothing here has what it sets in {', '.join(sorted(lost))}.")
    return "\n".join(lines) + "\n"


def _statements(
    one: Given, profile: str, rotated: bool, stream: Stream | None
) -> Sequence[str] | None:
    """``None``: a word that nobody knows."""
    if stream and one.does.startswith("store "):
        stored = stream.store(*(int(text, 16) for text in one.does.split()[1::2]))
        return [_store(*stored)] if stored else ()
    if one.does:
        return [one.does]
    try:
        word = isa.from_ttinsn(one.word) if rotated else one.word
    except isa.IsaError:
        return None
    if not isa.decode(word, profile).known:
        return None
    words = stream.words(word) if stream else [word]
    return [isa.disassemble(one, profile) for one in words]


def _store(address: int, value: int) -> str:
    return f"store {address:#x} = {value:#x}"


def _folded(statements: Iterable[str]) -> Iterator[str]:
    """Lines of a thread: equal statements that follow one another are a ``repeat``."""
    for text, group in groupby(statements):
        count = sum(1 for _ in group)
        yield from (
            [f"    {text}"] * count
            if count < 3
            else [f"    repeat {count} {{", f"        {text}", "    }"]
        )
