# SPDX-License-Identifier: Apache-2.0
"""What the names of ports say: which of them are a stream, which one is the clock.

``push_valid_i``, ``push_ready_o``, ``push_word_i`` are a stream ``push`` with the field ``word``;
``tvalid``, ``tready``, ``tdata`` and ``req``, ``gnt`` go together as well. Without anything in
front of them the stream is called ``in`` or ``out`` and has all of its side but controls and
status. A write with ``full`` and a read with ``empty`` are ``push`` and ``pop``. Valid and ready of
N bits are N copies of a stream, whose fields are the elements of arrays.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tilepath.engine.description.boundary import Direction
from tilepath.engine.description.wiring import Event, Fields, Level, Pin, Port, Wiring

_SIDE: Final = re.compile(r"^(?:[io]_)|(?:_(?:i|o|in|out|ni|no))+$")
_CLOCK: Final = re.compile(r"(?:^|_)[ahp]?(?:clk|clock)(?:\d\w*?)?(?:$|_(?!en|gat|sel|div|req))")
_RESET: Final = re.compile(r"(?:^|_)n?[ahps]?(?:rst|reset)_?[nb]?(?:_a?sync)?(?:_n)?$")
_ACTIVE_LOW: Final = re.compile(r"_ni$|(?:^|_)n_?[ahps]?(?:rst|reset)|(?:rst|reset)\w*[nb]$")
_VALID: Final = re.compile(r"(?P<base>(?:.*_)?(?!invalid)\w*?)(?:valid|vld)")
_OFFER: Final = re.compile(r"(?P<base>(?:.*_)?)(?:enable|en|request|req|strobe|stb|v)")
_READY: Final = tuple("ready ready_and ready_then ready_param rdy gnt grant accept yumi".split())
_NOT_READY: Final = ("stall", "waitrequest", "busy", "full")
_PUSH: Final = frozenset("push put enq enqueue wr write wren wen we writeen wrreq winc".split())
_POP: Final = frozenset("pop get deq dequeue rd read rden ren re readen rdreq rinc yumi".split())
_NEARLY: Final = ("almost", "prog", "half", "near", "nearly", "a")
_WORDS: Final = frozenset(
    "data dat payload word item value din dout datain dataout wdata rdata wrdata rddata d q user "
    "id idx index tag last keep strb dest sel addr address resp prot len size burst lock cache "
    "qos region opcode op write we be type info meta".split()
)
_CONTROL: Final = frozenset(
    "flush clear clr mode cfg config prio rr enable en stall chk test full empty usage count cnt "
    "fill level depth busy idle err error irq interrupt overflow underflow status state credit "
    "almost free ready rdy gnt grant ack yumi accept req request valid vld".split()
)
_TIED: Final = frozenset("testmode testen testenable scan scanmode scanen scanenable dft".split())
# what recorders, players and items call something else
_TAKEN: Final = frozenset("cycle origin gap wait valid done flush go clk rst rst_n".split())
_TEXT: Final = re.compile(
    r"(?P<name>\w+)(?::(?:(?P<packed>\d+)\*)?(?P<width>\d+)(?P<unpacked>\[[\d:]+\])?"
    r"(?:\{(?P<members>[\w:,]+)\})?)?"
)


def ports(inputs: str, outputs: str) -> list[Port]:
    """Ports as ``name`` or ``name:width``, with blanks between them.

    ``x:4*8``: a packed array of 4 elements of 8 bits; ``x:8[4]``, ``x:8[3:0]``: an unpacked one;
    ``x:9{op:1,arg:8}``, ``x:4*9{op:1,arg:8}``: a struct, or an array of them.
    """
    found = []
    sides: tuple[tuple[Direction, str], ...] = (("input", inputs), ("output", outputs))
    for direction, text in sides:
        for word in text.split():
            one = _TEXT.fullmatch(word)
            if one is None:
                raise ValueError(f"no port: {word!r}")
            members = [part.split(":") for part in (one["members"] or "").split(",") if part]
            found.append(
                Port(
                    *(one["name"], direction, int(one["width"] or 1), int(one["packed"] or 0)),
                    one["unpacked"] or "",
                    tuple((name, int(bits)) for name, bits in members),
                )
            )
    return found


def text_of(port: Port) -> str:
    """The inverse of :func:`ports`, for one."""
    width = f"{port.packed}*{port.width}" if port.packed else str(port.width)
    members = ",".join(f"{name}:{bits}" for name, bits in port.members)
    text = f"{width}{port.unpacked}" + f"{{{members}}}" * bool(members)
    return port.name if text == "1" else f"{port.name}:{text}"


def proposed(
    block: str,
    given: Sequence[Port],
    dut: str = "",
    *,
    clocks: Sequence[str] | None = None,
    parameters: Mapping[str, str] = {},
    events: Mapping[str, str] = {},
    late: Collection[str] = (),
    gated: Collection[str] = (),
    offers: Collection[str] = (),
) -> Wiring:
    """What the names of ports say.

    Args:
        block: name of the block, and of the module where ``dut`` names none.
        given: all ports of the module.
        dut: the module.
        clocks: its clocks, if names do not tell; all of them are the bench's.
        parameters: values of its parameters, in SystemVerilog.
        events: streams that names do not tell: ``"go_i !busy_o op_i arg_i"``, which are valid,
            ready (``-``: none) and fields; ``!``: it says the opposite.
        late: streams whose fields come a cycle after the handshake.
        gated: streams that the bench asks for only where there is an answer: it pushes nothing
            while the design is full, and pops nothing while that is empty.
        offers: inputs of which a level ``…_offer`` shows the fields as they stand there, taken or
            not; those with copies have it.

    Raises:
        ValueError: no input that is called like a clock, or several of them; a name of no port or
            stream.
    """
    named = {port.name: port for port in given}
    known = " ".join((*(clocks or ()), *events.values())).replace("!", "").split()
    if unknown := [name for name in known if name not in named and name != "-"]:
        raise ValueError(f"{dut or block} has no port {unknown[0]}")
    single = [port for port in given if port.direction == "input" and port.bits == 1]
    ticking = [port.name for port in single if _CLOCK.search(_short(port))]
    if clocks is None and len(ticking) != 1:
        told = ", ".join(ticking) or "none is called like one"
        raise ValueError(f"{dut or block}: want one clock among its ports: {told} (--clock)")
    clocks = ticking if clocks is None else clocks
    rest = [port for port in given if port.name not in clocks]
    resets = {p.name: _is_low(p.name) for p in single if p in rest and _RESET.search(_short(p))}
    rest = [port for port in rest if port.name not in resets]
    tied = [p.name for p in rest if p.direction == "input" and _base(_short(p), _TIED) is not None]
    rest = [port for port in rest if port.name not in tied]
    found = _Events([pin for port in rest for pin in _pins(port)])
    found.typed(events)
    found.shaken(_VALID)
    found.of_fifos()
    found.shaken(_OFFER, alone=True)
    made = [replace(one, late=one.name in late, gated=one.name in gated) for one in found.events]
    if wrong := {*late, *gated, *offers} - {one.name for one in made}:
        there = ", ".join(one.name for one in made)
        raise ValueError(f"{dut or block} has no stream {min(wrong)}; there are: {there}")
    levels = _levels(made, found.pins, offers)
    streams = (tuple(made), levels, tuple(tied), tuple(rest))
    return Wiring(block, dut or block, tuple(clocks), resets, *streams, dict(parameters))


def _short(port: Port) -> str:
    """Its name without the part that says which side it is of."""
    return _SIDE.sub("", port.name.lower())


def _is_low(name: str) -> bool:
    return _ACTIVE_LOW.search(re.sub(r"^i_|_(?:i|in)$", "", name.lower())) is not None


def _base(short: str, words: Collection[str]) -> str | None:
    """What is in front of one of ``words``, which may have ``_`` inside, or ``None``."""
    parts = short.split("_")
    for at in range(len(parts)):
        if "".join(parts[at:]) in words:
            return "".join(f"{part}_" for part in parts[:at])
    return None


def _pins(port: Port) -> list[Pin]:
    """The port as a whole, or the members of a struct."""
    short = _short(port)
    if not port.members:
        return [Pin(port, short, 0, port.bits)]
    if any(re.search(r"(?:valid|ready)$", name) for name, _ in port.members):
        short = re.sub(r"_?(?:req|request|rsp|resp|response|h2d|d2h)$", "", short)
    found, low = [], port.width
    for name, bits in port.members:
        low -= bits
        found.append(Pin(port, f"{short}_{name.lower()}".strip("_"), low, bits))
    return found


def _element(pin: Pin, copies: int) -> Pin | None:
    """The part of it that one of some copies has; ``None``: it has no element for each."""
    port = pin.port
    if not copies:
        return None if port.unpacked or (port.packed and port.members) else pin
    if port.unpacked:
        return pin if port.elements == copies else None
    if port.packed:
        width = pin.width if port.members else port.width
        return pin._replace(width=width, step=port.width) if port.packed == copies else None
    if port.members or pin.width % copies:
        return None
    return pin._replace(width=pin.width // copies, step=pin.width // copies)


class _Events:
    """Events that were found, and the pins that are left."""

    def __init__(self, pins: list[Pin]) -> None:
        self.pins = pins
        self.events: list[Event] = []

    def typed(self, events: Mapping[str, str]) -> None:
        """Those that somebody has told."""
        for name, text in events.items():
            valid, ready, *fields = (self._named(word) for word in text.split())
            assert valid
            told = [(pin, pin.short) for pin in fields if pin]
            self._add(name, valid.direction, valid, ready, told)

    def _named(self, word: str) -> Pin | None:
        name = word.lstrip("!")
        found = next((pin for pin in self.pins if pin.port.name == name), None)
        return found._replace(inverted=word[0] == "!") if found else None

    def shaken(self, names: re.Pattern[str], alone: bool = False) -> None:
        """Events whose valids have such names; ``alone``: it may be all that there is."""
        valids = {pin: one["base"] for pin in self.pins if (one := names.fullmatch(pin.short))}
        for valid, base in valids.items():
            ready = self._ready(valid, base)
            copies = _copies(valid, ready)
            if valid not in self.pins or (valid.width > 1 and not copies):
                continue
            fields = []
            if base or ready or not alone:
                own = [one for one in valids if one.direction == valid.direction]
                longer = [one for one in valids.values() if len(one) > len(base)]
                for pin in self.pins:
                    others = pin in valids or any(map(pin.short.startswith, longer))
                    if others or pin.direction != valid.direction:
                        continue
                    if _element(pin, copies) and _is_field(pin, base, len(own) == 1 and not copies):
                        struct = _short(pin.port) if pin.port.members else ""
                        before = max(base.rstrip("_"), struct, key=len)
                        word = pin.short.removeprefix(before).lstrip("_")
                        fields.append((pin, word or "value"))
            name = re.sub(r"(?:^|_)t$", "", base).rstrip("_")
            side = "in" if valid.direction == "input" else "out"
            name = name or (side if ready or not alone else valid.short)
            if name in {one.name for one in self.events}:
                name = f"{name}_{side}"
            self._add(name, valid.direction, valid, ready, fields)

    def _ready(self, valid: Pin, base: str) -> Pin | None:
        """What answers a valid."""
        others = {
            pin.short.removeprefix(base): pin
            for pin in self.pins
            if pin.short.startswith(base) and pin.direction != valid.direction
            if (pin.width, pin.port.elements) == (valid.width, valid.port.elements)
        }
        for words, inverted in ((_READY, False), (_NOT_READY, True), (("ack",), False)):
            if found := next((others[word] for word in words if word in others), None):
                return found._replace(inverted=inverted)
        return None

    def of_fifos(self) -> None:
        """``full`` with a write, ``empty`` with a read, and the data of that side."""
        for what, words in (("full", _PUSH), ("empty", _POP)):
            for flag in [pin for pin in self.pins if pin.short.endswith(what) and pin.width == 1]:
                base = flag.short.removesuffix(what)
                if base.rstrip("_").rpartition("_")[2] in _NEARLY:
                    continue
                asks = {
                    pin: own
                    for pin in self.pins
                    if pin.direction != flag.direction and pin.width == 1
                    if (own := _base(pin.short, words)) is not None
                }
                same = [pin for pin, own in asks.items() if own == base] or [*asks]
                if len(same) != 1:
                    continue
                own = asks[same[0]]
                valid, ready = same[0], flag._replace(inverted=True)
                if what == "empty":
                    valid, ready = ready, valid
                fields = [
                    (pin, pin.short.removeprefix(own))
                    for pin in self.pins
                    if pin.direction == valid.direction and pin.short.startswith(own)
                    if _base(pin.short, _WORDS) is not None and _element(pin, 0)
                ]
                name = own + ("push" if what == "full" else "pop")
                self._add(name, valid.direction, valid, ready, fields)

    def _add(
        self,
        name: str,
        direction: Direction,
        valid: Pin,
        ready: Pin | None,
        some: Iterable[tuple[Pin, str]],
    ) -> None:
        copies = _copies(valid, ready)
        fields = _fields((_element(pin, copies) or pin, word) for pin, word in some)
        shakes = [_element(pin, copies) or pin for pin in (valid, ready) if pin]
        event = Event(name, direction, shakes[0], shakes[1] if ready else None, fields, copies)
        self.events.append(event)
        used = {(pin.port, pin.short) for pin in event.pins}
        self.pins = [pin for pin in self.pins if (pin.port, pin.short) not in used]


def _is_field(pin: Pin, base: str, only: bool) -> bool:
    """Whether a pin goes with the valid behind ``base``, which may be the only one of its side."""
    if base.endswith("_"):
        return pin.short.startswith(base) or pin.short == base[:-1]
    if base:
        return pin.short.startswith(base) and _base(pin.short[len(base) :], _WORDS) == ""
    if _base(_short(pin.port), _WORDS) == "" or _base(pin.short, _WORDS) == "":
        return True
    return only and not _CONTROL & {*pin.short.split("_")}


def _copies(valid: Pin, ready: Pin | None) -> int:
    """How many streams a valid is of, which has an answer for each."""
    count = valid.port.elements or (0 if valid.port.members or valid.width == 1 else valid.width)
    return count if ready else 0


def _fields(some: Iterable[tuple[Pin, str]]) -> Fields:
    """Pins by names that items and records have no other use for, each once."""
    found: dict[str, Pin] = {}
    for pin, word in some:
        name = f"{word}_value" if word in _TAKEN else word
        found[pin.port.name.lower() if name in found else name] = pin
    return tuple(found.items())


def _levels(
    events: Sequence[Event], rest: Sequence[Pin], offers: Collection[str]
) -> tuple[Level, ...]:
    """Valid and ready of events, what is offered, and what is left of each port."""
    found = []
    for one in events:
        if one.ready:
            for pin, what in ((one.ready, "ready"), (one.valid, "valid")):
                found.append(Level(f"{one.name}_{what}", (("value", pin),), one.copies, one))
            shown = one.copies and one.direction == "input"
            if one.fields and (shown or one.name in offers):
                name = f"{one.name}_offer"
                found.append(Level(name, one.fields, one.copies, one))
    taken = {one.name for one in events} | {one.name for one in found}
    for port in dict.fromkeys(pin.port for pin in rest):
        pins = [pin for pin in rest if pin.port is port]
        copies = port.elements or (port.packed if port.members else 0)
        short = _short(port)
        words = [pin.short.removeprefix(short).lstrip("_") or pin.short for pin in pins]
        fields = _fields(
            (_element(pin, copies) or pin, word if port.members else "value")
            for pin, word in zip(pins, words, strict=True)
        )
        name = port.name.lower() if short in taken else short
        taken.add(name)
        found.append(Level(name, fields, copies))
    return tuple(found)
