# SPDX-License-Identifier: Apache-2.0
"""What is read out of Yosys' answers: longest paths, memories, and ports that do not fit.

The longest path is that of a flat netlist of gates that ``write_blif -icells -conn -cname`` wrote.
Each net has a level: one more than the highest input of the gate that drives it. The work is linear
in the gates. Yosys' own ``ltp`` gives the same length where there are no memories; it takes each
output of a memory for a function of each input, which joins the path of data that are written to
that of data that are read, and makes a loop of many a queue.

Here an output of a macro follows the inputs that it does follow in the same cycle, in one gate;
all others begin and end paths like flip-flops.

A macro is a memory that ``make synth`` leaves as a black box. It is taken for the one memory that
is in it, with as many ports as there are addresses; more than one, or none, as in a module around
another macro, is an error. So none is counted twice.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

# module → output port → input ports that it follows in the same cycle
Arcs = Mapping[str, Mapping[str, frozenset[str]]]

_STATE = re.compile(r"\$_?(A|AL|S|D)?(D?FF|DLATCH|SR).*|FFBOX|\$mem(wr|init).*", re.IGNORECASE)
_CONSTANTS = frozenset({"$false", "$true", "$undef"})
_INDEX = re.compile(r"\[\d+\]$")


class SynthError(RuntimeError):
    """A block does not synthesize; the message says why, and names the log if there is one."""


@dataclass(frozen=True)
class LongestPath:
    """A longest path: its length in gates, its ends and its nets, with their instances."""

    length: int = 0
    ends: tuple[str, str] = ("", "")
    nets: tuple[str, ...] = ()  # from its first to that of its last gate


def arcs(text: str) -> dict[str, dict[str, frozenset[str]]]:
    """What macros do within a cycle.

    Args:
        text: what ``write_json`` wrote about them, without processes.
    """
    return {name: _arcs_of(module) for name, module in json.loads(text)["modules"].items()}


def _arcs_of(module: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    drivers: dict[int, list[int]] = {}
    for cell in module["cells"].values():
        if _STATE.fullmatch(cell["type"]) or int(cell["parameters"].get("CLK_ENABLE", "0"), 2):
            continue
        pins: dict[str, list[int]] = {"input": [], "output": [], "inout": []}
        for port, bits in cell["connections"].items():
            pins[cell["port_directions"][port]] += [bit for bit in bits if isinstance(bit, int)]
        drivers |= dict.fromkeys(pins["output"], pins["input"])
    ports = module["ports"]
    inputs = {
        bit: name
        for name, port in ports.items()
        if port["direction"] == "input"
        for bit in port["bits"]
    }
    found = {}
    for name, port in ports.items():
        if port["direction"] == "output":
            reached = set(port["bits"])
            waiting = list(reached)
            while waiting:
                further = set(drivers.get(waiting.pop(), ())) - reached
                reached |= further
                waiting += further
            found[name] = frozenset(inputs[bit] for bit in reached if bit in inputs)
    return found


@dataclass
class _Graph:
    """Nets by number."""

    numbers: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    same: list[int] = field(default_factory=list)  # another name of the net, or itself
    drivers: dict[int, list[int]] = field(default_factory=dict)  # inputs of a net's gate
    into: dict[int, str] = field(default_factory=dict)  # what holds state behind a net

    def net(self, name: str) -> int:
        number = self.numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
            self.same.append(number)
        while self.same[number] != number:
            number = self.same[number] = self.same[self.same[number]]
        return number

    def join(self, one: str, other: str) -> None:
        """One net of two names; it goes by one that the design has given."""
        a, b = self.net(one), self.net(other)
        if self.names[a].startswith("$"):
            a, b = b, a
        self.same[b] = a


def longest(netlist: Path, macros: Arcs) -> LongestPath:
    """The longest path of a netlist.

    Args:
        netlist: the file.
        macros: the black boxes in it.

    Raises:
        SynthError: gates drive each other.
    """
    graph = _read(netlist, macros)
    levels, through = _levels(graph)
    if not levels:
        return LongestPath()
    length = max(levels.values())
    deepest = [net for net in graph.drivers if levels[net] == length]
    net = end = next((net for net in deepest if net in graph.into), deepest[0])
    nets = [end]
    while net in through:
        net = through[net]
        nets.append(net)
    names = tuple(_INDEX.sub("", graph.names[net]).replace("\\", "") for net in reversed(nets))
    last = _INDEX.sub("", graph.into.get(end, names[-1])).replace("\\", "")
    return LongestPath(length, (names[0], last), names)


def _read(netlist: Path, macros: Arcs) -> _Graph:
    graph = _Graph()
    with netlist.open() as file:
        for words in map(str.split, file):
            if words[:1] == [".conn"] and words[1] not in _CONSTANTS:
                graph.join(words[1], words[2])
    with netlist.open() as file:
        box: list[str] = []  # the last cell, where it is one
        for words in map(str.split, file):
            if words[:1] == [".subckt"]:
                box = words[1:] if words[1] in macros else []
                if not box:
                    _add_cell(graph, words[1], words[2:])
            elif words[:1] == [".cname"] and box:
                _add_box(graph, macros[box[0]], words[1], box[1:])
    return graph


def _add_cell(graph: _Graph, kind: str, pins: list[str]) -> None:
    outputs, inputs = [], []
    for pin in pins:
        port, _, net = pin.partition("=")
        if port.partition("[")[0] in ("Y", "Q"):
            outputs.append(net)
        elif net not in _CONSTANTS:
            inputs.append(graph.net(net))
    if _STATE.fullmatch(kind):
        graph.into |= dict.fromkeys(inputs, graph.names[graph.net(outputs[0])])
    else:
        for output in outputs:
            graph.drivers[graph.net(output)] = inputs


def _add_box(
    graph: _Graph, arcs_of: Mapping[str, frozenset[str]], name: str, pins: list[str]
) -> None:
    ports: dict[str, list[str]] = {}
    for pin in pins:
        port, _, net = pin.partition("=")
        if net not in _CONSTANTS:
            ports.setdefault(port.partition("[")[0], []).append(net)
    for port, nets in ports.items():
        numbers = [graph.net(net) for net in nets]
        if port not in arcs_of:
            graph.into |= dict.fromkeys(numbers, f"{name}.{port}")
            continue
        inputs = [graph.net(net) for source in arcs_of[port] for net in ports.get(source, ())]
        for number in numbers:
            if inputs:
                graph.drivers[number] = inputs
            elif graph.names[number].startswith("$"):
                graph.names[number] = f"{name}.{port}"  # a path begins here


def _levels(graph: _Graph) -> tuple[dict[int, int], dict[int, int]]:
    """Return the level of each net, and the net before it on a longest path to it."""
    levels: dict[int, int] = {}
    through: dict[int, int] = {}
    try:
        order = [*TopologicalSorter(graph.drivers).static_order()]
    except CycleError as error:
        raise SynthError(f"a combinational loop through {graph.names[error.args[1][0]]}") from None
    for net in order:
        if inputs := graph.drivers.get(net):
            through[net] = max(inputs, key=levels.__getitem__)
        levels[net] = levels[through[net]] + 1 if inputs else int(inputs is not None)
    return levels, through


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
_INDICES = re.compile(r"\[\d+\]")


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


def memories(inside: str, arcs: Arcs) -> dict[str, Memory]:
    """The memory in each elaborated macro, by its name.

    Args:
        inside: what ``write_json`` wrote about the macros.
        arcs: what they do within a cycle.

    Raises:
        SynthError: a macro is not one memory.
    """
    modules = json.loads(inside)["modules"]
    return {name: _memory(name, module, arcs[name]) for name, module in modules.items()}


def _memory(name: str, module: Mapping[str, Any], arcs_of: Mapping[str, frozenset[str]]) -> Memory:
    kind, _, path = name.partition("$")
    inside = list(module.get("memories", {}).values())
    if len(inside) != 1:
        raise SynthError(f"macro {name} has {len(inside)} memories in it, and not one")
    addresses: dict[str, set[tuple[object, ...]]] = {"$memwr_v2": set(), "$memrd_v2": set()}
    for cell in module["cells"].values():
        if cell["type"] in addresses:
            addresses[cell["type"]].add(tuple(cell["connections"]["ADDR"]))
    return Memory(
        place=_INDICES.sub("[*]", path.partition(".")[2]),
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
