# SPDX-License-Identifier: Apache-2.0
"""Views for viewers of waves: the ports of a block, a group a stream, beside the waves of a run.

Each recorder says in ``SCOPES`` where it is in the hierarchy; what its ports are is known from the
block's description. ``waves.gtkw`` is a save file of GTKWave, whose lines ``@flags`` are the hex
sums of the constants below (TraceEntFlagBits of its source), ``waves.sucl`` a command file of
Surfer: a command a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tilepath.engine.description.block import Block
from tilepath.engine.description.stream import Stream
from tilepath.engine.host.files import read_text, write_whole

SCOPES: Final = "scopes.txt"
"""In the folder of a run with waves: a line ``<stream instance> <scope of its recorder>`` each."""

_HEX, _DEC, _BIN, _RIGHT = 1 << 1, 1 << 2, 1 << 3, 1 << 5
_BLANK, _CLOSED, _BEGIN, _END = 1 << 9, 1 << 22, 1 << 23, 1 << 24
_FEW: Final = 6  # groups of more signals are shown closed

Signal = tuple[str, int]
"""Name of a port, and its width in bits."""
Group = tuple[str, str, list[Signal]]
"""What signals belong to, the scope they are in, and the signals."""


def write_views(block: Block, waves: Path) -> None:
    """Write ``waves.gtkw`` and ``waves.sucl`` beside ``waves``; nothing where there are no scopes.

    Streams are in the order of the description, and in front of them the cycle.
    """
    scopes = waves.with_name(SCOPES)
    if not (scopes.is_file() and waves.is_file()):
        return
    found = dict(line.split(" ", 1) for line in read_text(scopes).splitlines())
    places = {name: found[name] for name in block.stream_table if name in found}
    if not places:
        return
    first = next(iter(places.values()))
    groups = [("time", first, [("clk_i", 1), ("rst_ni", 1), ("cycle_i", 32)])]
    for name, scope in places.items():
        groups.append((name, scope, list(_signals(block.stream_table[name]))))
    write_whole(waves.with_suffix(".gtkw"), "".join(_gtkwave(waves.name, groups)).encode())
    write_whole(waves.with_suffix(".sucl"), "".join(_surfer(waves.name, groups)).encode())


def _signals(stream: Stream) -> Iterator[Signal]:
    """Ports of a recorder (``description.hdl``)."""
    if stream.kind == "event":
        yield "valid_i", 1
    for field in stream.fields:
        yield f"{field.name}_i", field.width * field.count


def _gtkwave(waves: str, groups: list[Group]) -> Iterator[str]:
    yield f"[*] Groups: the streams of the block. To open: gtkwave {waves} <this file>\n"
    yield f'[dumpfile] "{waves}"\n'
    for name, scope, signals in groups:
        closed = _CLOSED if len(signals) > _FEW else 0
        yield f"@{_BLANK | _BEGIN | closed:x}\n-{name}\n"
        for port, width in signals:
            flags = _RIGHT | (_BIN if width == 1 else _DEC if port == "cycle_i" else _HEX)
            # vectors are named with their range, in VCD as in FST
            yield f"@{flags:x}\n{scope}.{port}{f'[{width - 1}:0]' if width > 1 else ''}\n"
        yield f"@{_BLANK | _END | closed:x}\n-{name}\n"


def _surfer(waves: str, groups: list[Group]) -> Iterator[str]:
    yield f"# The streams of the block. To open: surfer --command-file <this file> {waves}\n"
    for name, scope, signals in groups:
        yield f"divider_add {name}\n"
        for port, _ in signals:
            yield f"variable_add {scope}.{port}\n"
    yield "zoom_fit\n"
