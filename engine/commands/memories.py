# SPDX-License-Identifier: Apache-2.0
"""The memories that ``make synth`` leaves as black boxes, and ports of instances that do not fit.

A macro is taken for the one memory that is in it, with as many ports as there are addresses; more
than one, or none, as in a module around another macro, is an error. So none is counted twice.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tilepath.engine.commands import depth

# What read_slang says before it cuts or pads what is connected to a port, and what it shows of the
# source: the column is that of what is connected.
CHANGED = ("-Wport-width-trunc", "-Wport-width-expand")
_CHANGED = re.compile(
    r"^(.+):(\d+): Warning: implicit conversion of port connection \w+ from (\d+) to (\d+) bits"
    r".*\n.*\n( *)[\^~]",
    re.MULTILINE,
)
# What Yosys says before it does the same to the ports of a black box, which it takes from another.
_RESIZED = re.compile(
    r"Resizing cell port (\S+)\.([^.\s]+)\.([^.\s]+) from (\d+) bits to (\d+) bits\.$", re.MULTILINE
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PAIR = re.compile(r"\([^()]*\)")
# Behind a text without the brackets that it closes: module, instance, port.
_PORT = re.compile(r"(\w+)(?:\s*#\s*|\s+)(\w+)\s*\([^()]*\.(\w+)\s*(?:\([^()]*)?$")
_MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, order=True)
class Memory:
    """Memories at one place of a design: ``instances`` of ``words`` of ``bits``.

    ``place``: instances from the top, those of a loop as one; ``reads``, ``writes``: ports;
    ``registered``: what is read is out in the cycle after its address, and not in the same.
    """

    place: str
    module: str
    words: int
    bits: int
    writes: int
    reads: int
    registered: bool
    instances: int = 1

    @property
    def all_bits(self) -> int:
        """Bits of all instances."""
        return self.instances * self.words * self.bits


def memories(inside: str, arcs: depth.Arcs) -> dict[str, Memory]:
    """The memory in each elaborated macro, by its name.

    Args:
        inside: what ``write_json`` wrote about the macros.
        arcs: what they do within a cycle.

    Raises:
        ValueError: a macro is not one memory.
    """
    modules = json.loads(inside)["modules"]
    return {name: _memory(name, module, arcs[name]) for name, module in modules.items()}


def _memory(name: str, module: Mapping[str, Any], arcs_of: Mapping[str, frozenset[str]]) -> Memory:
    kind, _, path = name.partition("$")
    inside = list(module.get("memories", {}).values())
    if len(inside) != 1:
        raise ValueError(f"macro {name} has {len(inside)} memories in it, and not one")
    addresses: dict[str, set[tuple[object, ...]]] = {"$memwr_v2": set(), "$memrd_v2": set()}
    for cell in module["cells"].values():
        if cell["type"] in addresses:
            addresses[cell["type"]].add(tuple(cell["connections"]["ADDR"]))
    return Memory(
        place=_INDEX.sub("[*]", path.partition(".")[2]),
        module=kind,
        words=inside[0]["size"],
        bits=inside[0]["width"],
        writes=len(addresses["$memwr_v2"]),
        reads=len(addresses["$memrd_v2"]),
        registered=not any(arcs_of.values()),
    )


def listed(boxes: Mapping[str, int], found: Mapping[str, Memory]) -> tuple[Memory, ...]:
    """The memories of a netlist by their places, alike ones as one.

    Args:
        boxes: instances of each elaborated macro in it.
        found: the memory in each.
    """
    numbers = Counter[Memory]()
    for name, number in boxes.items():
        numbers[found[name]] += number
    return tuple(replace(one, instances=number) for one, number in sorted(numbers.items()))


def misfits(log: str, root: Path) -> list[str]:
    """Ports of instances that get what has another width than they have, a line each.

    Args:
        log: what Yosys said.
        root: where it was started.
    """
    found = [
        f"{_port(root / file, int(line), len(indent))} from {has} to {gets} bits ({file}:{line})"
        for file, line, has, gets, indent in _CHANGED.findall(log)
    ]
    found += [
        f"in {module}: instance {instance}, port {port}: from {has} to {gets} bits"
        for module, instance, port, has, gets in _RESIZED.findall(log)
    ]
    return list(dict.fromkeys(found))


def _port(source: Path, line: int, column: int) -> str:
    """Module, instance and port of what is connected at a place of a source file."""
    lines = source.read_text().splitlines()
    end = re.compile(r"\w*").match(lines[line - 1], column)
    text = "\n".join([*lines[: line - 1], lines[line - 1][: end.end() if end else column]])
    text = _COMMENT.sub("", text)
    around = _MODULE.findall(text)[-1:]
    length = 0
    while len(text) != length:
        length, text = len(text), _PAIR.sub("", text)
    found = _PORT.search(text)
    if found is None or not around:
        return "a port:"
    module, instance, port = found.groups()
    return f"in {around[0]}: instance {instance} of {module}, port {port}:"
