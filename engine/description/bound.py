# SPDX-License-Identifier: Apache-2.0
"""Writes the recorder that a bench of other people binds to a design of its own.

It looks at the ports of the DUT alone. What a stream is there, ``tb/<block>/hdl/<dut>.taps`` says,
and else the tables of our own benches, as far as their lines name ports. In the tables
``first(valid, ready)`` is the first cycle of an offer. What no port shows of an input is a port
``bench_<stream>_<field>_i`` that the bench may connect; outputs that no port shows are left out.
Of a block that is made of its ports the wiring says all.
``docs/traces.md`` describes what it writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.boundary import Field, Stream
from tilepath.engine.description.hdl import generated_hdl
from tilepath.engine.description.taps import own_tap, place_of, read_taps, recorder_tap

VERSION: Final = 1
"""Of the format; ``docs/traces.md``."""

_PORT: Final = re.compile(
    r"^ +(?:in|out)put +wire +(?P<type>\S.*?) +(?P<name>\w+)(?P<array> \[.+?\])?,?(?: *//.*)?$",
    re.MULTILINE,
)
_PARAMETER: Final = re.compile(r"^ +(parameter|localparam) int (\w+) *= ([^,/\n]+)", re.MULTILINE)
_NAME: Final = re.compile(r"(?<![\w.'$])[A-Za-z_]\w*")
_OURS: Final = re.compile(r"\b(?:u_units\.)?u_dut\.")  # what our own benches call the DUT
_FIRST: Final = re.compile(r"( begin : \w+ )(.*)\bfirst\((.+?), (.+?)\)\)")
_BEGUN: Final = (
    r"\1logic begun_q; always @(posedge clk_i) begun_q <= tp_recording && \3 && !\4; "
    r"\2\3 && !begun_q)"
)
_CLOCKS: Final = ".clk_i({}), .rst_ni(tp_recording), .cycle_i(tp_cycle), .flush_i(tp_flush)"
_TEMPLATE: Final = Path(__file__).with_name("bound.sv.txt")


def stream_line(stream: Stream) -> str:
    """Return the line of a manifest that says how a stream is laid out."""
    fields = (f" {f.name}:{f.width}" + f"x{f.count}" * (f.count > 1) for f in stream.fields)
    copies = f" {stream.prefix}*{stream.copies}" if stream.copies else ""
    return f"stream {stream.name} {stream.kind}{copies}{''.join(fields)}"


def bound_recorder(block: Block, profile: str, root: Path = ROOT) -> str:
    """Write the recorder of a block; ``ValueError`` for one that has no DUT of its own."""
    if not block.dut or block.borrows:
        raise ValueError(f"block {block.name} has no RTL of its own: choose one that has")
    return _of_ports(block, profile) if block.wiring else _Writer(block, profile, root).recorder()


def _of_ports(block: Block, profile: str) -> str:
    if not (wiring := block.wiring) or not wiring.clocks:
        raise ValueError(f"block {block.name} has no clock by which it could be recorded")
    clock = wiring.clocks[0]
    clocks = _CLOCKS.format(clock)
    recorders = wiring.recorders(lambda name: _module(block, name), clocks, clock)
    taps = {one: recorders[one.name].strip() for one in block.streams}
    reset = next((f"{'' if low else '!'}{name}" for name, low in wiring.resets.items()), "")
    ports = [f"  input wire logic {name}" for name in (clock, *list(wiring.resets)[:1])]
    ports += [f"  {port.declared('input wire')}" for port in wiring.used]
    names = [clock, *list(wiring.resets)[:1], *(port.name for port in wiring.used)]
    body = list(taps.values())
    if not reset:  # the first cycle is one of it
        reset = "tp_started"
        start = f"initial tp_started = 1'b0; always @(posedge {clock}) tp_started <= 1'b1;"
        body.insert(0, f"logic tp_started; {start}")
    given = ", ".join(f".{name}({name})" for name in names)
    text = {"ports": ",\n".join(ports), "clock": clock, "reset": reset, "given": given}
    return _written(block, profile, taps, "\n  ".join(body), [], text)


def _module(block: Block, stream: str) -> str:
    """Name of the module that records a stream, another one than in our own benches."""
    return f"{block.dut}_recorder_{stream}"


def _written(
    block: Block,
    profile: str,
    taps: Iterable[Stream],
    body: str,
    told: Sequence[str],
    text: Mapping[str, str],
) -> str:
    """The recorder; ``told``: names of parameters that the manifest has."""
    dut = block.dut
    facts = [f'    $fwrite(tp_fd, "parameter {name} %0d\\n", {name});' for name in told]
    facts += [f'    $fwrite(tp_fd, "{stream_line(one)}\\n");' for one in taps]
    streams = tuple(replace(one, module=_module(block, one.name)) for one in taps)
    some = replace(block, streams=streams, players=(), _tables={})
    modules = re.sub(r"^ *(//|`timescale).*\n", "", generated_hdl(some), flags=re.MULTILINE)
    left = [one.name for one in block.streams if one not in taps]
    return _TEMPLATE.read_text().format(
        block=block.name,
        upper=dut.upper(),
        dut=dut,
        profile=profile,
        version=VERSION,
        left=", ".join(left) or "none",
        facts="\n".join(facts),
        taps=body,
        streams=modules.replace("tp_recorder", f"{dut}_stream_recorder"),
        **{"packages": "none", "imports": "", "parameters": "", **text},
    )


class _Writer:
    """What is known of the DUT, and what is written of the streams."""

    def __init__(self, block: Block, profile: str, root: Path) -> None:
        self._block, self._root = block, root
        self._profile = profile
        sources = block.rtl_sources(root)
        text = next(path for path in sources if path.stem == block.dut).read_text()
        header = text[text.index(f"\nmodule {block.dut}") :].partition("\n);")[0]
        self._ports = {one["name"]: one for one in _PORT.finditer(header)}
        of_profile = block.parameters(profile)
        self._parameters = {
            name: (kind, of_profile.get(name, default.strip()))
            for kind, name, default in _PARAMETER.findall(header)
        }
        self._imported = {
            one[1]: one[0] for one in re.finditer(r"(?<=import )(\w+)::\S+(?=;)", header)
        }
        self._packages = {p.stem: p.read_text() for p in sources if p.stem in self._imported}
        self._bench: dict[str, str] = {}  # port → its width, of what the bench may connect

    def recorder(self) -> str:
        """Return the text."""
        taps = {one: text for one in self._block.streams if (text := self._recorded(one))}
        body = "\n  ".join(taps.values())
        words = set(_NAME.findall(body)) | {"clk_i", "rst_ni"}
        ports = [one for name, one in self._ports.items() if name in words]
        lines = [f"  input wire {one['type']} {one['name']}{one['array'] or ''}" for one in ports]
        lines += [f"  input wire logic {width}{name}" for name, width in self._bench.items()]
        words |= set(_NAME.findall("\n".join(lines)))
        # types and constants that the ports of the DUT have from packages
        types = {word for word in words if word.endswith("_t") or word[0].isupper()}
        packages = [
            name
            for name, text in self._packages.items()
            if any(re.search(rf"\b{word}\b", text) for word in types - self._parameters.keys())
        ]
        told = [name for name, (kind, _) in self._parameters.items() if kind == "parameter"]
        parameters = (
            f"  {kind} int {n} = {value}" for n, (kind, value) in self._parameters.items()
        )
        facts = {
            "packages": ", ".join(packages) or "none",
            "imports": "".join(f"\n  import {self._imported[one]};" for one in packages),
            "parameters": " #(\n" + ",\n".join(parameters) + "\n)" if self._parameters else "",
            "ports": ",\n".join(lines),
            "clock": "clk_i",
            "reset": "rst_ni",
            "given": ".*" + "".join(f", .{port}('0)" for port in self._bench),
        }
        return _written(self._block, self._profile, taps, body, told, facts)

    def _recorded(self, stream: Stream) -> str:
        """Write the recorders of a stream; nothing if ports do not show it, and it is an output."""
        tables = self._block.taps(self._root)
        taps = (
            tap
            for bench in sorted(tables, key=lambda bench: bench != self._block.dut)
            for tap in read_taps(tables[bench], bench, {})
        )
        ours = (one for one in taps if (one.kind, one.name) == ("stream", stream.name))
        tap = next(ours, own_tap(stream))
        known = {"i", "any", "first", *self._ports, *self._parameters}
        own = {name: (type_, _OURS.sub("", value)) for name, (type_, value) in tap.own.items()}
        own = {name: one for name, one in own.items() if _known(one[1], known)}
        known |= own.keys()
        fields = [*stream.fields, *[Field("valid")] * (stream.kind == "event")]
        places: dict[str, str] = {}
        bench: dict[str, str] = {}
        for number, field in enumerate(fields):
            places[field.name] = _OURS.sub("", place_of(tap, field.name, number))
            if not _known(places[field.name], known):
                port = f"bench_{stream.name}_{field.name}_i"
                copies = f"[{stream.copies - 1}:0]" if stream.copies else ""
                bits = field.width * field.count
                bench[port] = f"{copies}[{bits - 1}:0] " if copies or bits > 1 else ""
                places[field.name] = port + "[i]" * bool(copies)
        if bench and stream.direction == "output":
            return ""
        self._bench |= bench
        made = replace(tap, own=own, named=places, values=[])
        text = recorder_tap(
            made, stream, _module(self._block, stream.name), _CLOCKS.format("clk_i")
        )
        return _FIRST.sub(_BEGUN, text)


def _known(text: str, names: set[str]) -> bool:
    """Whether there is no other name in an expression."""
    return not set(_NAME.findall(text)) - names
