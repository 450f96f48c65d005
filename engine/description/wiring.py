# SPDX-License-Identifier: Apache-2.0
"""A bench from a list of ports: streams, players, and the harness that joins them with the DUT.

``naming.py`` says which ports go together; here is what becomes of it. An event is a cycle in which
a stream is valid and ready, at inputs with a player of its items; valid and ready are streams of
their own, levels: what is offered may be taken late, or decide what else is. What is no part of an
event is a level. A stream with ``copies`` has one for each element of its ports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from tilepath.engine.description.boundary import Boundary, Direction, Field, Kind, Stream
from tilepath.engine.description.player import Player, plays

PREFIX: Final = "p"
"""What instances of streams with copies begin with: ``p0.in``, ``p1.in``."""


class Port(NamedTuple):
    """A port of the DUT.

    ``width``: bits of an element. ``packed``: how many elements a packed array has; 0: it is none.
    ``unpacked``: the range of an unpacked one, ``[4]`` or ``[3:0]``. ``members``: of a packed
    struct, name and bits of each, from the highest bit on.
    """

    name: str
    direction: Direction
    width: int
    packed: int = 0
    unpacked: str = ""
    members: tuple[tuple[str, int], ...] = ()

    @property
    def bits(self) -> int:
        """All bits, of an unpacked array those of an element."""
        return self.width * max(1, self.packed)

    @property
    def elements(self) -> int:
        """How many an unpacked array has; 0: it is none."""
        return max(
            (int(n) + (":" in self.unpacked) for n in re.findall(r"\d+", self.unpacked)), default=0
        )

    def declared(self, kind: str) -> str:
        """Its declaration, as a net or as a port."""
        bits = "" if self.bits == 1 else f"[{self.bits - 1}:0] "
        return f"{kind} logic {bits}{self.name} {self.unpacked}".rstrip()


class Pin(NamedTuple):
    """A part of a port: all of it or a member of a struct; of each copy where a stream has some.

    ``low``, ``width``: its place in an element, in bits. ``step``: bits from an element to the next
    one. ``inverted``: it says the opposite, as ``full`` does of a FIFO that is ready.
    """

    port: Port
    short: str
    low: int
    width: int
    step: int = 0
    inverted: bool = False

    @property
    def direction(self) -> Direction:
        """Of its port."""
        return self.port.direction

    @property
    def net(self) -> str:
        """Where it is in the harness, in the copy ``i``."""
        name = self.port.name + "[tp_i]" * bool(self.port.unpacked)
        if self.step:
            return f"{name}[tp_i*{self.step}+{self.low}+:{self.width}]"
        return name if self.width == self.port.bits else f"{name}[{self.low}+:{self.width}]"

    @property
    def value(self) -> str:
        """What it says."""
        return "!" * self.inverted + self.net


Fields = tuple[tuple[str, Pin], ...]


@dataclass(frozen=True)
class Event:
    """The pins of a stream of events: its valid, its ready if any, and one for each field.

    ``late``: the fields are there a cycle after the handshake. ``gated``: the bench does not ask
    for it, by valid of an input or ready of an output, in cycles in which there is no answer.
    """

    name: str
    direction: Direction
    valid: Pin
    ready: Pin | None
    fields: Fields
    copies: int = 0
    late: bool = False
    gated: bool = False

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All of them."""
        return (self.valid, *([self.ready] if self.ready else []), *(pin for _, pin in self.fields))


@dataclass(frozen=True)
class Level:
    """The pins of a stream of levels.

    ``shakes``: it is of this event: its valid, its ready, or the fields as they stand there.
    """

    name: str
    fields: Fields
    copies: int = 0
    shakes: Event | None = None

    @property
    def direction(self) -> Direction:
        """Of its pins."""
        return self.fields[0][1].direction


@dataclass(frozen=True)
class Wiring:
    """What becomes of each port of a DUT; see :func:`naming.proposed`.

    Attributes:
        block: name of the block.
        dut: name of the module.
        clocks: its clock ports.
        resets: its reset ports, and whether each is low active.
        events: streams of events.
        levels: streams of levels.
        tied: inputs that are 0.
        ports: all other ports, as they are declared.
        parameters: values of the module's parameters as SystemVerilog, types among them.
    """

    block: str
    dut: str
    clocks: tuple[str, ...]
    resets: Mapping[str, bool]
    events: tuple[Event, ...]
    levels: tuple[Level, ...]
    tied: tuple[str, ...] = ()
    ports: tuple[Port, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)

    def boundary(self) -> Boundary:
        """All streams: inputs first, so that their numbers in an origin stay."""
        made = [_stream(one, "event") for one in self.events]
        made += [_stream(one, "level") for one in self.levels]
        return Boundary(self.block, tuple(sorted(made, key=lambda one: one.direction)))

    def players(self) -> tuple[Player, ...]:
        """A player for each input; of levels none has to come to an end."""
        found = []
        levels = {one.name: one for one in self.levels}
        for stream in (one for one in self.boundary().streams if one.direction == "input"):
            event = levels[stream.name].shakes if stream.name in levels else None
            if event and event.direction == "input":
                continue
            player = plays(stream, essential=stream.kind == "event")
            if event and event.gated:
                text = "what is recorded of it is 0 where there is nothing to take"
                player = replace(player, records=(), unrecorded=text)
            found.append(player)
        return tuple(found)

    def roles(self) -> dict[str, str]:
        """Port → what it is, for a table."""
        found = dict.fromkeys(self.clocks, "clock")
        found |= {n: f"reset, {'low' if low else 'high'} active" for n, low in self.resets.items()}
        found |= dict.fromkeys(self.tied, "tied to 0")
        told: dict[str, list[str]] = {}
        for event in self.events:
            copies = f", {event.copies} copies" if event.copies else ""
            named = [("valid", event.valid), *([("ready", event.ready)] if event.ready else [])]
            for what, pin in named:
                text = f"{'not ' * pin.inverted}{what} of {event.name}"
                text += f", level {event.name}_{what}" * bool(event.ready) + copies
                told.setdefault(pin.port.name, []).append(text)
            for name, pin in event.fields:
                told.setdefault(pin.port.name, []).append(f"{event.name}.{name}{copies}")
        for level in self.levels:
            copies = f", {level.copies} copies" if level.copies else ""
            for name, pin in () if level.shakes else level.fields:
                text = f"level {level.name}" + f".{name}" * (name != "value") + copies
                told.setdefault(pin.port.name, []).append(text)
        return found | {name: "; ".join(what) for name, what in told.items()}

    @property
    def used(self) -> list[Port]:
        """Ports that a stream is of."""
        used = {pin.port for event in self.events for pin in event.pins}
        used |= {pin.port for level in self.levels for _, pin in level.fields}
        return [port for port in self.ports if port in used]

    def recorders(
        self, module: Callable[[str], str], clocks: str, clock: str = "tp_clk"
    ) -> dict[str, str]:
        """Stream → what records it where the ports' nets are, by modules of these names.

        ``clocks``: connections of their clock and reset; ``clock``: the clock alone.
        """
        found = {}
        for event in self.events:
            ready = f" && {event.ready.value}" if event.ready else ""
            happens, late = f"{event.valid.value}{ready}", ""
            if event.late:
                happens = f"tp_late <= tp_rst_n && {happens}"
                late = f"logic tp_late; always @(posedge {clock}) {happens}; "
                happens = "tp_late"
            ports = f", .valid_i({happens})" + _connected(event.fields, "i")
            made = f"{late}{_instance(module, event)} u_rec ({clocks}{ports});"
            found[event.name] = _scope("rec", event, made)
        for level in self.levels:
            made = f"{_instance(module, level)} u_rec ({clocks}{_connected(level.fields, 'i')});"
            found[level.name] = _scope("rec", level, made)
        return found

    def harness(self) -> str:
        """The SystemVerilog of the harness: clock, players, DUT and recorders."""
        lines = [f"  {port.declared('wire')};" for port in self.used] + [""]
        lines += self.recorders(lambda name: f"{self.block}_rec_{name}", _RECORDING).values()
        for event in self.events:
            if event.direction == "input":
                ready = event.ready.value if event.ready else "1'b1"
                ports = f", .done_i({ready}), .valid_o(tp_offer)" + _connected(event.fields, "o")
                made = f"wire logic tp_offer; assign {event.valid.net} = "
                offer = f"(tp_offer && {ready})" if event.gated else "tp_offer"
                made += f"{'!' * event.valid.inverted}{offer}; {self._player(event, ports)}"
                lines.append(_scope("play", event, made))
        for level in self.levels:
            of = level.shakes
            if level.direction == "output" or (of and of.direction == "input"):
                continue
            made = self._player(level, _connected(level.fields, "o"))
            if of:
                ((_, pin),) = level.fields
                value = f"(tp_value && {of.valid.value})" if of.gated else "tp_value"
                made = f"assign {pin.net} = {'!' * pin.inverted}{value}; "
                made = f"wire logic tp_value; {made}{self._player(level, ', .value_o(tp_value)')}"
            lines.append(_scope("play", level, made))
        joined = [f".{name}(tp_clk)" for name in self.clocks]
        joined += [f".{n}({'tp_rst_n' if low else '!tp_rst_n'})" for n, low in self.resets.items()]
        joined += [f".{name}('0)" for name in self.tied]
        joined += [f".{port.name}({port.name})" for port in self.used]
        values = ", ".join(f".{name}({value})" for name, value in self.parameters.items())
        dut = self.dut + f" #({values})" * bool(values)
        parts = {"body": "\n".join(lines), "ports": ", ".join(joined)}
        return _HARNESS.format(block=self.block, name=self.dut, dut=dut, **parts)

    def _player(self, one: Event | Level, ports: str) -> str:
        made = _instance(lambda name: f"{self.block}_play_{name}", one)
        return f"{made} u_play ({_PLAYING}{ports});"


_RECORDING: Final = ".clk_i(tp_clk), .rst_ni(tp_rst_n), .cycle_i(ctl_cycle), .flush_i(tp_flush)"
_PLAYING: Final = ".clk_i(tp_clk), .rst_ni(tp_rst_n), .flush_i(tp_flush)"
_HARNESS: Final = """\
// SPDX-License-Identifier: Apache-2.0
// Made from the ports of {name}; see engine/description/wiring.py.
`timescale 1ns / 1ps
`default_nettype none

module {block}_harness;
  logic tp_clk, tp_rst_n, tp_flush;
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  tp_control u_control (.clk_o(tp_clk), .rst_no(tp_rst_n), .cycle_o(ctl_cycle), .flush_o(tp_flush),
                        .block_o(ctl_block));

{body}
  {dut} u_dut ({ports});
endmodule

`default_nettype wire
"""


def _stream(one: Event | Level, kind: Kind) -> Stream:
    fields = tuple(Field(name, pin.width) for name, pin in one.fields)
    return Stream(one.name, one.direction, kind, fields, one.copies, prefix=PREFIX)


def _connected(fields: Fields, side: str) -> str:
    """Connections of a recorder's or a player's ports, which end in ``side``."""
    return "".join(
        f", .{name}_{side}({pin.value if side == 'i' else pin.net})" for name, pin in fields
    )


def _instance(module: Callable[[str], str], one: Event | Level) -> str:
    return module(one.name) + " #(.Index(tp_i))" * bool(one.copies)


def _scope(what: str, one: Event | Level, text: str) -> str:
    """An item of a module with a scope of its own, of each copy."""
    loop = f"for (genvar tp_i = 0; tp_i < {one.copies}; tp_i++)" if one.copies else "if (1)"
    return f"  {loop} begin : tp_{what}_{one.name} {text} end"
