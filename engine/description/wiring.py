# SPDX-License-Identifier: Apache-2.0
"""A bench from a list of ports: streams, players, and the harness that joins them with the DUT.

What goes together is told by names. ``push_valid_i``, ``push_ready_o`` and ``push_word_i`` are a
stream ``push`` with the field ``word``: an event in each cycle in which it is valid and ready, at
inputs with a player of its items. ``push_ready`` and ``push_valid`` are streams of their own,
levels: what is offered may be taken late, or decide what else is. An enable (``…_en``, ``…_req``,
``…_strobe``) is a ``valid`` without ``ready``. What goes with none of them is a level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tilepath.engine.description.boundary import Boundary, Direction, Field, Stream
from tilepath.engine.description.player import Player, plays

_SIDE: Final = re.compile(r"^(?:[io]_)|_(?:i|o|in|out|ni|no)$")
_CLOCK: Final = re.compile(r"(?:^|_)(?:clk|clock|aclk)(?:$|_)")
_RESET: Final = re.compile(r"(?:^|_)a?(?:rst|reset|arst)(?:n|_?n)?(?:$|_)")
_ACTIVE_LOW: Final = re.compile(r"(?:n|_n|_ni|_n_i|_b)$")
_VALID: Final = re.compile(r"^(?P<base>(?:.*_)?t?)(?:valid|vld|enable|en|req|strobe|stb)$")
_TAKEN: Final = ("cycle", "origin", "gap", "wait")
_READY: Final = ("ready", "rdy", "ack")


class Port(NamedTuple):
    """A port of the DUT; ``width`` in bits."""

    name: str
    direction: Direction
    width: int

    @property
    def short(self) -> str:
        """Its name without the part that says which side it is of."""
        return _SIDE.sub("", self.name.lower())


def ports(inputs: str, outputs: str) -> list[Port]:
    """Ports as ``name`` or ``name:width``, with blanks between them."""
    found = []
    sides: tuple[tuple[Direction, str], ...] = (("input", inputs), ("output", outputs))
    for direction, text in sides:
        for word in text.split():
            name, _, width = word.partition(":")
            found.append(Port(name, direction, int(width or 1)))
    return found


@dataclass(frozen=True)
class Handshake:
    """The ports of a stream of events: its valid, its ready if any, and a port for each field."""

    name: str
    direction: Direction
    valid: Port
    ready: Port | None
    fields: tuple[tuple[str, Port], ...]


@dataclass(frozen=True)
class Wiring:
    """What becomes of each port of a DUT; see :func:`proposed`.

    Attributes:
        block: name of the block.
        dut: name of the module.
        clock: its clock port.
        reset: its reset port, low or high active by its name; ``""``: it has none.
        events: streams of events.
        levels: name of a stream with one field ``value`` → its port.
    """

    block: str
    dut: str
    clock: str
    reset: str
    events: tuple[Handshake, ...]
    levels: Mapping[str, Port]

    def boundary(self) -> Boundary:
        """All streams: inputs first, so that their numbers in an origin stay."""
        made = [_event(one) for one in self.events]
        made += [_level(name, port) for name, port in self.levels.items()]
        return Boundary(self.block, tuple(sorted(made, key=lambda one: one.direction)))

    def players(self) -> tuple[Player, ...]:
        """A player for each input; of levels none has to come to an end."""
        played = [s for s in self.boundary().streams if s.direction == "input"]
        played = [stream for stream in played if stream.name not in self._offers]
        return tuple(plays(stream, essential=stream.kind == "event") for stream in played)

    @property
    def _offers(self) -> frozenset[str]:
        """Levels that the players of events drive."""
        return frozenset(f"{one.name}_valid" for one in self.events if one.direction == "input")

    def roles(self) -> dict[str, str]:
        """Port → what it is, for a table."""
        found = {self.clock: "clock"}
        if self.reset:
            low = _ACTIVE_LOW.search(self.reset)
            found[self.reset] = f"reset, {'low' if low else 'high'} active"
        for name, port in self.levels.items():
            found[port.name] = f"level {name}"
        for one in self.events:
            found[one.valid.name] = f"valid of {one.name}" + f", level {one.name}_valid" * bool(
                one.ready
            )
            found |= {port.name: f"{one.name}.{name}" for name, port in one.fields}
        return found

    def harness(self) -> str:
        """The SystemVerilog of the harness: clock, players, DUT and recorders."""
        ports = [port for one in self.events for port in _ports(one)]
        ports += [port for port in self.levels.values() if port not in ports]
        nets = [f"  wire logic {_bits(port)}{port.name};" for port in ports]
        joined = [f".{port.name}({port.name})" for port in ports]
        if self.reset:
            low = _ACTIVE_LOW.search(self.reset)
            joined.insert(0, f".{self.reset}({'rst_n' if low else '!rst_n'})")
        joined.insert(0, f".{self.clock}(clk)")
        parts = [*map(self._event, self.events), *map(self._level, self.levels.items())]
        lines = [*nets, "", *(text for part in parts for text in part), ""]
        return _HARNESS.format(
            block=self.block, dut=self.dut, body="\n".join(lines), ports=", ".join(joined)
        )

    def _event(self, one: Handshake) -> list[str]:
        ready = one.ready.name if one.ready else "1'b1"
        found = [
            f"  {self.block}_rec_{one.name} u_rec_{one.name} ({_RECORDING}, "
            f".valid_i({one.valid.name} && {ready})"
            + "".join(f", .{name}_i({port.name})" for name, port in one.fields)
            + ");"
        ]
        if one.direction == "input":
            found.append(
                f"  {self.block}_play_{one.name} u_play_{one.name} ({_PLAYING}, .done_i({ready}), "
                f".valid_o({one.valid.name})"
                + "".join(f", .{name}_o({port.name})" for name, port in one.fields)
                + ");"
            )
        return found

    def _level(self, named: tuple[str, Port]) -> list[str]:
        name, port = named
        found = [f"  {self.block}_rec_{name} u_rec_{name} ({_RECORDING}, .value_i({port.name}));"]
        if port.direction == "input" and name not in self._offers:
            found.append(
                f"  {self.block}_play_{name} u_play_{name} ({_PLAYING}, .value_o({port.name}));"
            )
        return found


_RECORDING: Final = ".clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush)"
_PLAYING: Final = ".clk_i(clk), .rst_ni(rst_n), .flush_i(flush)"
_HARNESS: Final = """\
// SPDX-License-Identifier: Apache-2.0
// Made from the ports of {dut}; see engine/description/wiring.py.
`timescale 1ns / 1ps
`default_nettype none

module {block}_harness;
  import tp_profile_pkg::*;
  logic clk, rst_n, flush;
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  tp_control u_control (.clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush),
                        .block_o(ctl_block));

{body}
  {dut} u_dut ({ports});
endmodule

`default_nettype wire
"""


def _bits(port: Port) -> str:
    return "" if port.width == 1 else f"[{port.width - 1}:0] "


def _ports(one: Handshake) -> list[Port]:
    ready = [one.ready] if one.ready else []
    return [one.valid, *ready, *(port for _, port in one.fields)]


def _event(one: Handshake) -> Stream:
    fields = tuple(Field(name, port.width) for name, port in one.fields)
    return Stream(one.name, one.direction, "event", fields)


def _level(name: str, port: Port) -> Stream:
    return Stream(name, port.direction, "level", (Field("value", port.width),))


def proposed(block: str, given: Sequence[Port], dut: str = "") -> Wiring:
    """What the names of ports say.

    Args:
        block: name of the block, and of the module where ``dut`` names none.
        given: all ports of the module.
        dut: the module.

    Raises:
        ValueError: no input that is called like a clock, or several of them.
    """
    inputs = [port for port in given if port.direction == "input" and port.width == 1]
    clocks = [port for port in inputs if _CLOCK.search(port.short)]
    if len(clocks) != 1:
        named = ", ".join(port.name for port in clocks) or "none is called like one"
        raise ValueError(f"{dut or block}: want one clock among its ports: {named}")
    resets = [port for port in inputs if _RESET.search(port.short) or _RESET.search(port.name)]
    rest = [port for port in given if port not in clocks and port not in resets[:1]]
    events: list[Handshake] = []
    levels: dict[str, Port] = {}
    for valid in list(rest):
        if valid in rest and _is_valid(valid):
            event = _handshake(valid, rest, [one.name for one in events])
            events.append(event)
            rest = [port for port in rest if port not in _ports(event)]
            if event.ready:
                levels[f"{event.name}_ready"] = event.ready
                levels[f"{event.name}_valid"] = valid
    for port in rest:
        taken = port.short in levels or any(port.short == event.name for event in events)
        levels[port.name.lower() if taken else port.short] = port
    reset = resets[0].name if resets else ""
    return Wiring(block, dut or block, clocks[0].name, reset, tuple(events), levels)


def _field(port: Port, base: str) -> str:
    """The name of a field, which items and records have no other use for."""
    name = port.short.removeprefix(base) or "value"
    return f"{name}_value" if name in _TAKEN else name


def _is_valid(port: Port) -> bool:
    return port.width == 1 and _VALID.fullmatch(port.short) is not None


def _handshake(valid: Port, ports: Iterable[Port], taken: Sequence[str]) -> Handshake:
    """The ports that go with a valid: those of its name, on its side."""
    base = _VALID.sub(r"\g<base>", valid.short)
    others = [port for port in ports if port.short.startswith(base) and not _is_valid(port)]
    back = [port for port in others if port.direction != valid.direction and port.width == 1]
    ready = next((port for port in back if port.short.removeprefix(base) in _READY), None)
    mine = [port for port in others if port.direction == valid.direction]
    fields = tuple((_field(port, base), port) for port in mine if base)
    name = base.removesuffix("_t").rstrip("_") or valid.short
    name = valid.name.lower() if name in taken else name
    return Handshake(name, valid.direction, valid, ready, fields)
