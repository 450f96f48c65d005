# SPDX-License-Identifier: Apache-2.0
"""Draws a timeline of the flag pipe as SVG.

One lane a core, above each other as data flows; between the cores of a pair the flags that one SETs
and the other waits for, and the slots of the pair's pipes. An arrow leaves a core where it SETs a
flag, and reaches the core that consumes it. What each box stands for is its tooltip as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from tilepath.engine.drawing import CLASSES, LETTER, TEXT, Drawing, cycles, document, fits
from tilepath.isa.boundary.flag_pipe import CORES, FAULTS, OPS, PAIRS, PIPES
from tilepath.tb.flag_pipe.timeline import (
    INIT,
    TFREE,
    TPUSH,
    WAYS,
    Command,
    Signal,
    Span,
    Timeline,
)

_LEFT: Final = 132  # where cycle 0 of the window is, in pixels
_SCALE: Final = 10
_LEGEND_WIDTH: Final = 950
_ROW: Final = 13  # height of a flag's or slot's row
_COLOURS: Final = {
    "PRE": "#c5a3dd", "WAIT": "#f6c244", "XFER": "#7fb2e5", "DONE": "#4c9a5b", "use": "#e8ddc8",
    "flying": "#e3e3e3", "set": "#8a8f98", "free": "#e4f3e2", "writing": "#7fb2e5",
    "ready": "#86c98f", "held": "#eda36b", "error": "#d64545",
}  # fmt: skip
_STYLE: Final = (
    f"{TEXT}{CLASSES}"
    ".SET{stroke:#2c7a3d;stroke-width:1.1}"
    ".WAIT{stroke:#c47f00;stroke-width:1.1;stroke-dasharray:3 2}"
    ".n{paint-order:stroke;stroke:#fff;stroke-width:2.5px}"
    ".mk{stroke:#d64545;stroke-dasharray:1 2}.r{fill:#d64545;font-weight:bold}"
)
_LEGEND: Final = (
    ("command", "PRE WAIT XFER DONE use error", ""),
    ("flag", "flying set", "r ready, f free"),
    ("slot", "free writing ready held", ""),
)
_NAMES: Final = {
    "use": "use of a held slot",
    "writing": "being written",
    "flying": "SET on its way",
}


def describe(command: Command) -> str:
    """A command in words: what it was, and in which cycles it did what."""
    name = OPS[command.op] if command.op < len(OPS) else f"op {command.op}"
    if INIT < command.op < len(OPS):
        name += f" {command.tag}, {WAYS[command.way]}{_of(command.pipe[1])}"
        name += " of both" if command.both else ""
    steps = [f"accepted {command.accepted}"]
    steps += [f"{s.kind} {cycles(s.begin, s.end)}" for s in command.states]
    if command.error:
        steps.append(_error(command))
    return f"{CORES[command.core]} {name}: {', '.join(steps)}"


def _error(command: Command) -> str:
    return FAULTS[command.error - 1].name.upper()


def draw(found: Timeline, first: int, last: int, pairs: Sequence[int] = range(PAIRS)) -> str:
    """The SVG of the cycles ``first`` to ``last``, of ``pairs`` in which a command was accepted."""
    pairs = [pair for pair in pairs if any(pair in c.pairs() for c in found.commands)]
    drawing = Drawing(first, last, _LEFT, _SCALE)
    body = _Body(drawing, found, pairs)
    y = body.head()
    if len(pairs) == PAIRS:  # the cube in the middle, so that no arrow crosses a core
        order: list[tuple[str, int]] = [("core", 1), ("pair", 0), ("core", 0), ("pair", 1)]
        order.append(("core", 2))
    else:
        order = [step for p in pairs for step in (("core", 0), ("pair", p), ("core", p + 1))]
    top = y
    for kind, number in order:
        y = (
            body.lane(number, y)
            if kind == "core"
            else body.pair(number, y, upside=number < len(pairs) - 1)
        )
    body.arrows()
    width, height = max(drawing.x(last + 1) + 16, _LEGEND_WIDTH), y + 6
    back = Drawing(first, last, _LEFT, _SCALE)
    back.axis(top, y, 5)
    markers = "".join(
        f'<marker id="{name}" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="5" markerHeight="5" '
        f'orient="auto"><path d="M0 0L6 3L0 6z" fill="{fill}"/></marker>'
        for name, fill in (("aSET", "#2c7a3d"), ("aWAIT", "#c47f00"))
    )
    parts = (back.parts, drawing.parts, drawing.above)
    defs = f"<defs>{markers}</defs>"
    return document(width, height, _STYLE, 'fill="#fff"', *parts, defs=defs)


class _Body:
    """Draws the parts of the picture from top to bottom; each returns where the next begins."""

    def __init__(self, drawing: Drawing, found: Timeline, pairs: Sequence[int]) -> None:
        self.d, self.found, self.pairs = drawing, found, pairs
        self.core_y: dict[int, int] = {}  # top of a core's boxes
        self.flag_y: dict[tuple[tuple[str, int], int], int] = {}  # top of a flag's row

    def _span(self, s: Span, y: int, height: int, text: str, tip: str, colour: str = "") -> None:
        fill = f'fill="{_COLOURS[colour or s.kind]}"'
        self.d.box(s.begin, s.end, y, height, text, tip, fill)

    def head(self) -> int:
        """Title, what is shown, legend."""
        d, found = self.d, self.found
        d.text(12, 22, f"flag_pipe: {found.title}", "h")
        idle = [name for n, name in enumerate(CORES) if all(c.core != n for c in found.commands)]
        shown = f"cycles {d.first} to {d.last} of {found.cycles}"
        also = f"; no command of {', '.join(idle)}" if idle else ""
        where = {"a5": "rings in the consumers' SRAM", "a2a3": "rings in global memory"}
        d.text(12, 38, f"platform {found.platform}: {where[found.platform]}; {shown}{also}", "g")
        d.text(
            12,
            51,
            f"Cycle 0 is cycle {found.origin} of the run: there the first command is accepted.",
            "g",
        )
        x = 12.0
        for title, kinds, more in _LEGEND:
            d.text(x, 68, f"{title}:")
            x += len(title) * LETTER + 14
            for kind in kinds.split():
                name = _NAMES.get(kind, kind)
                d.parts.append(
                    f'<rect class="bx" x="{x:g}" y="60" width="10" height="9" '
                    f'fill="{_COLOURS[kind]}"/>'
                )
                d.text(x + 13, 68, name)
                x += len(name) * LETTER + 22
            d.text(x, 68, more, "g")
            x += len(more) * LETTER + 18 if more else 12
        for kind, name in (("SET", "SET of a flag"), ("WAIT", "consumed by the core that waits")):
            x = 12 if kind == "SET" else x + 6
            d.line(x, 81, x + 22, 81, kind, f"a{kind}")
            d.text(x + 28, 84, name)
            x += 28 + len(name) * LETTER
        return 112

    def lane(self, core: int, y: int) -> int:
        """A core's commands, named above their boxes (TFREE below), and the slots that it uses."""
        d = self.d
        pairs = {*self.pairs}
        mine = [c for c in self.found.commands if c.core == core and pairs & {*c.pairs()}]
        shown = [c for c in mine if d.shows(c.accepted, c.states[-1].end)]
        top = y + 15
        self.core_y[core] = top
        d.text(12, top + 13, CORES[core], "c")
        for command in shown:
            tip = describe(command)
            accepted = Span((core,), "accepted", command.accepted, command.accepted + 1)
            d.parts.append(f"<g><title>{escape(tip)}</title>")
            if d.shows(accepted.begin, accepted.end):
                d.parts.append(
                    f'<rect class="bx" x="{d.x(accepted.begin)}" y="{top}" width="{d.scale}" '
                    f'height="18" fill="#fff"/>'
                )
            for state in command.states:
                colour = "error" if command.error else ""
                self._span(state, top, 18, _within(command, state), tip, colour)
            d.parts.append("</g>")
        for names, below in ((False, 0), (True, 1)):
            self._names([c for c in shown if (c.op == TFREE) is names], top + (28 if below else -4))
        return self._uses(core, top + 31)

    def _names(self, commands: Sequence[Command], y: int) -> None:
        """The commands' names, as long as there is room before the next."""
        ends = [self.d.x(c.accepted) for c in commands[1:]] + [self.d.x(self.d.last + 1) + 14]
        for command, end in zip(commands, ends, strict=False):
            op = OPS[command.op] if command.op < len(OPS) else f"op {command.op}"
            tag = "" if command.op == INIT or command.op >= len(OPS) else f" {command.tag}"
            text = f"{op} {_error(command)}" if command.error else f"{op}{tag}"
            for choice in (text, op, tag.strip()):
                if choice and fits(choice, end - self.d.x(command.accepted)):
                    self.d.text(
                        self.d.x(command.accepted), y, choice, "r n" if command.error else "n"
                    )
                    self.d.above.append(self.d.parts.pop())
                    break

    def _uses(self, core: int, y: int) -> int:
        """From the response of each TPOP to the TFREE; beneath each other if slots are many."""
        rows: list[int] = []
        for use in sorted(self.found.uses, key=lambda use: use.begin):
            if use.row[0] != core or use.row[1] not in self.pairs:
                continue
            if not self.d.shows(use.begin, use.end):
                continue
            at = next((n for n, end in enumerate(rows) if end <= use.begin), len(rows))
            rows[at : at + 1] = [use.end]
            which = f"{WAYS[use.row[3]]}{_of(use.row[2])}"
            tip = f"{CORES[core]} use {use.tag}, {which}: {cycles(use.begin, use.end)}"
            self._span(use, y + 12 * at, 11, f"use {use.tag}", tip)
        return y + 12 * len(rows) + 8

    def pair(self, pair: int, y: int, upside: bool) -> int:
        """The flags and slots between the two cores of a pair; ``upside``: the vector is above."""
        top = y
        banks = [f"cv{pair}", f"vc{pair}"]
        if upside:
            banks.reverse()
        for pipe in range(PIPES):
            y = self._slots((pair, pipe), self._bank((banks[0], pipe), y))
            y = self._bank((banks[1], pipe), y)
        for mark in self.found.marks:
            if mark.pair == pair and self.d.shows(mark.cycle, mark.cycle + 1):
                x = self.d.x(mark.cycle)
                self.d.line(x, top - 2, x, y, "mk")
                self.d.text(x + 2, top + 4, mark.text, "r")
        return y

    def _bank(self, bank: tuple[str, int], y: int) -> int:
        """The flags of a bank that are set, or on their way, in the window."""
        d = self.d
        spans = [s for s in self.found.flags if s.row[0] == bank and d.shows(s.begin, s.end)]
        if not spans:
            return y
        name = bank[0]
        cores = (CORES[0], CORES[1 + int(name[-1])])
        setter, waiter = cores if name.startswith("cv") else cores[::-1]
        d.heading(y + 9, f"flags {name}{_of(bank[1])}", f"SET by {setter}, awaited by {waiter}")
        y += 14
        for flag in sorted({span.row[1] for span in spans}):
            self.flag_y[bank, flag] = y
            d.text(_LEFT - 6, y + 9, self._meaning(bank, flag), "e")
            d.line(_LEFT, y + 10, d.x(d.last + 1), y + 10, "grid")
            for span in spans:
                if span.row[1] == flag:
                    when = cycles(span.begin, span.end)
                    tip = f"{name}{_of(bank[1])} flag {flag} {span.kind}: {when}"
                    self._span(span, y + 2, 8, "", tip)
            y += _ROW
        return y + 6

    def _meaning(self, bank: tuple[str, int], flag: int) -> str:
        """What a flag stands for, if it is the same in all of the window."""
        means = {
            f": {WAYS[s.way]} {s.means}{s.tag}"
            for s in self.found.signals
            if (s.bank, s.flag) == (bank, flag) and self.d.shows(s.cycle, s.cycle + 1)
        }
        return f"flag {flag}{means.pop() if len(means) == 1 else ''}"

    def _slots(self, pipe: tuple[int, int], y: int) -> int:
        """The slots of a pipe's rings."""
        d, pair = self.d, pipe[0]
        for way, name in enumerate(WAYS):
            spans = [
                s for s in self.found.slots if s.row[:3] == (*pipe, way) and d.shows(s.begin, s.end)
            ]
            if not spans:
                continue
            source, sink = (CORES[1 + pair], CORES[0]) if way else (CORES[0], CORES[1 + pair])
            d.heading(y + 9, f"slots {name}{_of(pipe[1])}", f"{source} to {sink}")
            y += 14
            for slot in sorted({span.tag for span in spans}):
                d.text(_LEFT - 6, y + 9, f"slot {slot}", "e")
                for span in spans:
                    if span.tag == slot:
                        name_ = _NAMES.get(span.kind, span.kind)
                        tip = f"{name} slot {slot} {name_}: {cycles(span.begin, span.end)}"
                        self._span(span, y, 11, span.kind, tip)
                y += _ROW
            y += 6
        return y

    def arrows(self) -> None:
        """From the core that SETs a flag to the flag, and from it to the core that consumes it."""
        for signal in self.found.signals:
            row = self.flag_y.get((signal.bank, signal.flag))
            if row is None or not self.d.shows(signal.cycle, signal.cycle + 1):
                continue
            core = self.core_y[signal.core]
            core += 18 if core < row else 0
            x, flag = self.d.x(signal.cycle + 1), row + (2 if core < row else 10)
            begin, end = (core, flag) if signal.kind == "SET" else (flag, core)
            self.d.parts.append(f"<g><title>{escape(spell(signal))}</title>")
            self.d.line(x, begin, x, end, signal.kind, f"a{signal.kind}")
            self.d.parts.append("</g>")


def _of(pipe: int) -> str:
    """Which pipe, where it is not the first."""
    return f" of pipe {pipe}" if pipe else ""


def spell(signal: Signal) -> str:
    """A SET or a WAIT that ended, in words."""
    flag = f"{signal.means}{signal.tag} ({signal.bank[0]}{_of(signal.bank[1])} flag {signal.flag})"
    return f"{CORES[signal.core]} {signal.kind} {WAYS[signal.way]} {flag}: {signal.cycle}"


def _within(command: Command, state: Span) -> str:
    """What is written into the box of a state."""
    if state.kind == "WAIT":
        return f"WAIT {'f' if command.op == TPUSH else 'r'}{command.tag}"
    if state.kind == "XFER":
        return f"copy → {command.tag}" if command.op == TPUSH else f"load {command.tag}"
    return "PRE" if state.kind == "PRE" else ""
