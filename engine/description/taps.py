# SPDX-License-Identifier: Apache-2.0
"""Where in a bench the fields of streams and the state are: ``tb/<block>/hdl/<bench>.taps``.

From a line a stream follow its recorders, from a line ``state:`` what writes an array of the state,
both in ``<bench>_taps.svh``, which the bench includes where it has the names that the lines use::

    cfg       cfg.@
    flop      flop.@; bank = flop.banks[1]
    setc16    setc16_t own = setc16[i]; own.@
    read      lines_t own = read[i]; count = own.count; line# = own.lines[28*#+:28]
    fault     fault[i][#]; valid = any
    state: rows      logic [79:0] own = rows[i]; own[5*j+:5]
    state: counters  live[i][17:0]; live[i][31:19]

Parts are separated by ``;``, and a line that begins with a blank goes on with the one before. One
part is what all fields are that have no part of their own: ``@`` is the field's name, ``#`` the
digits where its part has ``#``, else its number in the stream. ``valid`` is a field of events;
``any`` of the others is set. A part with a type is a signal of the tap's own. ``i`` is the copy; of
a state, ``i``, ``j``, … are the indices, copies first; several values are those of the last index.

``use: pack_bench  u_dut = u_bench.u_dut.u_pack`` takes the lines of another bench, with another
path in the place of theirs, for what this block has and the lines above do not say. An input
without a line is what its player drives, or the ports of the same names (:func:`hdl.players_hdl`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.boundary import StateArray, Stream
from tilepath.engine.description.hdl import players_hdl, recorder_module

_PART: Final = re.compile(r"(?:(?:(\S.*) )?([\w#.]+) = )?(.+)")
# Of Verilator and of Icarus: the file and line, and what is wrong there.
_ERROR: Final = re.compile(
    r"^(?:%Error(?:-\w+)?: )?(?P<place>[\w/.]+:\d+)(?::\d+)?: (?!warning)(?:error: )?(?P<text>.+)$",
    re.MULTILINE,
)
_INDICES: Final = "ijkl"
_HEAD: Final = "`ifndef TP_NO_RECORD\nimport tp_state_pkg::*;\n"
_CLOCKS: Final = {
    True: ".clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush)",
    False: ".clk_i, .rst_ni, .cycle_i, .flush_i",
}


@dataclass(frozen=True)
class Tap:
    """A line of a table: what it is of, its parts, and its place.

    ``kind``: ``stream``, ``state`` or ``use``; ``own``: signals of its own, with type and value;
    ``named``, ``values``: parts with a name, and without.
    """

    kind: str
    name: str
    own: dict[str, tuple[str, str]]
    named: dict[str, str]
    values: list[str]
    place: str

    def problem(self, text: str) -> ValueError:
        """Return the error that says what is wrong with it, and where it is."""
        return ValueError(f"{self.place}: {text}")


def read_taps(path: Path, file: str, moves: Mapping[str, str]) -> Iterator[Tap]:
    """Read a table, with other paths in the place of some (``moves``)."""
    joined: list[tuple[int, str]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.startswith(" ") and joined:
            joined[-1] = (joined[-1][0], f"{joined[-1][1]} {line.strip()}")
        elif line and not line.startswith("#"):
            joined.append((number, line))
    for number, text in joined:
        kind, _, rest = text.partition(": ")
        kind, rest = (kind, rest) if kind in ("state", "use") else ("stream", text)
        name, _, rest = rest.strip().partition(" ")
        for old, new in moves.items():
            rest = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w| = )", new, rest)
        found = (_PART.fullmatch(part.strip()) for part in rest.split(";"))
        parts = [one.groups("") for one in found if one]
        own = {signal: (type_, value) for type_, signal, value in parts if type_}
        named = {key: value for type_, key, value in parts if key and not type_}
        values = [value for _, key, value in parts if not key]
        tap = Tap(kind, name, own, named, values, f"{file}:{number}")
        if len(own) + len(named) + len(values) < len(parts):
            raise tap.problem(f"{kind} {name}: two parts have one name")
        yield tap


def place_of(tap: Tap, name: str, number: int) -> str:
    """Return what a stream's field is connected to."""
    for key, value in tap.named.items():
        found = re.fullmatch(key.replace("#", r"(\d+)"), name)
        if found:
            return value.replace("#", found[1] if "#" in key else str(number))
    if not tap.values:
        raise tap.problem(f"nothing says what {name} of {tap.name} is")
    return tap.values[0].replace("@", name).replace("#", str(number))


def own_tap(stream: Stream) -> Tap:
    """Return the line of an input that has none."""
    value = f"{stream.name}_@_i" + "[i]" * bool(stream.copies)
    return Tap("stream", stream.name, {}, {}, [value], stream.name)


def recorder_tap(tap: Tap, stream: Stream, module: str, clocks: str) -> str:
    """Write the recorders of a stream's copies, which get ``clocks``."""
    fields = [field.name for field in stream.fields]
    known = ["valid", *fields] if stream.kind == "event" else fields
    for key in tap.named:
        if not any(re.fullmatch(key.replace("#", r"\d+"), name) for name in known):
            raise tap.problem(f"stream {tap.name} has no {key}; there are: {', '.join(known)}")
    if len(tap.values) > 1:
        raise tap.problem(f"stream {tap.name}: two parts are for all fields")
    places = {name: place_of(tap, name, number) for number, name in enumerate(fields)}
    if stream.kind == "event":
        valid = place_of(tap, "valid", 0)
        places["valid"] = f"|{{{', '.join(places.values())}}}" if valid == "any" else valid
    own = "".join(f"wire {type_} {n} = {value}; " for n, (type_, value) in tap.own.items())
    ports = "".join(f", .{name}_i({place})" for name, place in places.items())
    loop = f"for (genvar i = 0; i < {stream.copies}; i++)" if stream.copies else "if (1)"
    index = " #(.Index(i))" if stream.copies else ""
    return f"{loop} begin : tap_{module} {own}{module}{index} u_rec ({clocks}{ports}); end"


def _loops(tap: Tap, shape: Sequence[int], level: int, own: Mapping[str, str]) -> str:
    """Write out the elements, each signal of the tap's own in the loop of its last index."""
    later = "|".join(_INDICES[level : len(shape)]) or "$."
    ready = [n for n in own if not re.search(rf"\b({later})\b", own[n])]
    text = "".join(f"{name} = {own[name]}; " for name in ready)
    rest = {name: value for name, value in own.items() if name not in ready}
    if level == len(shape):
        return text + "".join(f"tp_state_put(fd, 32'({value})); " for value in tap.values)
    index = _INDICES[level]
    inner = _loops(tap, shape, level + 1, rest)
    if not re.search(rf"\[[^\[\]]*\b{index}\b[^\[\]]*\]\.", inner):
        return f"{text}for (int {index} = 0; {index} < {shape[level]}; {index}++) begin {inner}end "
    return text + "".join(re.sub(rf"\b{index}\b", str(n), inner) for n in range(shape[level]))


def _state(tap: Tap, array: StateArray, harness: bool) -> str:
    """Write the code that stores an array of the state when a block of cycles ends."""
    shape = list(array.shape)
    if len(tap.values) != 1 and (not shape or shape.pop() != len(tap.values)):
        raise tap.problem(f"state {tap.name} has no {len(tap.values)} values")
    first = 1 if array.copies else 0
    own = {name: value for name, (_, value) in tap.own.items()}
    text = "".join(f"{type_} {name}; " for name, (type_, _) in tap.own.items())
    index = "i" if array.copies else "-1"
    text += f'fd = tp_state_open({index}, "{array.name}"); '
    text += _loops(tap, [array.copies, *shape] if first else shape, first, own)
    flush = "flush" if harness else "flush_i"
    block = f"always @(posedge {flush}) begin : at_end integer fd; {text}$fclose(fd); end"
    loop = f"for (genvar i = 0; i < {array.copies}; i++)" if array.copies else "if (1)"
    return f"{loop} begin : state_{tap.name} {block} end"


def _lines(
    tables: Mapping[str, Path], root: Path, path: tuple[str, ...], moves: Mapping[str, str]
) -> Iterator[tuple[Tap, str, bool]]:
    """Yield the taps of the last bench of ``path``, in which each bench uses the next.

    Each comes with the recorder or the array that it is of, and whether another bench uses it.
    """
    table = tables[path[-1]]
    for tap in read_taps(table, table.relative_to(root).as_posix(), moves):
        owner, _, name = tap.name.rpartition(".")
        if tap.kind != "use":
            module = f"{owner or table.parent.parent.name}_rec_{name}"
            yield tap, name if tap.kind == "state" else module, len(path) > 1
        elif name not in tables:
            raise tap.problem(f"there is no bench {name} with taps")
        elif name in path:
            raise tap.problem(f"bench {name} uses itself")
        else:
            yield from _lines(tables, root, (*path, name), tap.named)


def taps_hdl(block: Block, root: Path = ROOT) -> dict[str, str]:
    """Write the text of ``<bench>_taps.svh``, for each bench of the block that has taps.

    And of ``<block>_harness_players.svh``, if the benches leave players out.
    ``ValueError`` for a line with something that there is not, with its file and line, and for what
    no line is of.
    """
    tables = block.taps(root)
    streams = {recorder_module(block.name, stream): stream for stream in block.streams}
    arrays = {one.name: one for one in block.state if one.name not in block.left_out}
    made: dict[str, str] = {}
    done: set[str] = set()
    for source in (path for path in block.harness_sources(root) if path.stem in tables):
        bench = source.stem
        if f'`include "{bench}_taps.svh"' not in source.read_text():
            file = source.relative_to(root).as_posix()
            raise ValueError(f"{file}: does not include {bench}_taps.svh")
        harness, text = bench == block.harness, _HEAD
        for tap, what, used in _lines(tables, root, (bench,), {}):
            known = what in (arrays if tap.kind == "state" else streams)
            if known and what not in done:
                done.add(what)
                hdl = (
                    _state(tap, arrays[what], harness)
                    if tap.kind == "state"
                    else recorder_tap(tap, streams[what], what, _CLOCKS[harness])
                )
                file, line = tap.place.rsplit(":", 1)
                text += f'`line {line} "{file}" 0\n{hdl}\n'
            elif not used and what not in block.left_out:
                raise tap.problem(
                    f"{tap.kind} {tap.name} is recorded twice"
                    if known
                    else f"the boundary has no {tap.kind} {tap.name}"
                )
        made[f"{bench}_taps.svh"] = text
    players = players_hdl(block, "".join(one.read_text() for one in block.harness_sources(root)))
    for what, stream in streams.items():
        if made and what not in done and f": play_{stream.name} " in players:
            done.add(what)
            text = recorder_tap(own_tap(stream), stream, what, _CLOCKS[True])
            made[f"{block.harness}_taps.svh"] += f"{text}\n"
    bare = [stream.name for what, stream in streams.items() if what not in done]
    bare += [name for name in arrays if name not in done]
    if made and bare:
        raise ValueError(f"block {block.name}: no table of taps has {', '.join(bare)}")
    made = {name: f"{text}`endif\n" for name, text in made.items()}
    return made | ({f"{block.harness}_players.svh": players} if made and players else {})


def error_in_taps(log: str) -> str:
    """Return the first error of a compiler, in a line, if it is in a table of taps."""
    found = _ERROR.search(log)
    return f"{found['place']}: {found['text']}" if found and ".taps:" in found["place"] else ""
