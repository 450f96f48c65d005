# SPDX-License-Identifier: Apache-2.0
"""The longest path of a flat netlist of gates that ``write_blif -icells -conn -cname`` wrote.

Each net has a level: one more than the highest input of the gate that drives it. The work is linear
in the gates. Yosys' own ``ltp`` gives the same length where there are no memories; it takes each
output of a memory for a function of each input, which joins the path of data that are written to
that of data that are read, and makes a loop of many a queue.

Here an output of a macro follows the inputs that it does follow in the same cycle, in one gate;
all others begin and end paths like flip-flops.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# module → output port → input ports that it follows in the same cycle
Arcs = Mapping[str, Mapping[str, frozenset[str]]]

_STATE = re.compile(r"\$_?(A|AL|S|D)?(D?FF|DLATCH|SR).*|FFBOX|\$mem(wr|init).*", re.IGNORECASE)
_CONSTANTS = frozenset({"$false", "$true", "$undef"})
_INDEX = re.compile(r"\[\d+\]$")


class LoopError(ValueError):
    """There is a combinational loop; the message names a net of it."""


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
        LoopError: gates drive each other.
    """
    graph = _read(netlist, macros)
    levels, through = _levels(graph)
    if not levels:
        return LongestPath()
    length = max(levels.values())
    deepest = [net for net, level in levels.items() if level == length]
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
    drivers = graph.drivers
    begun: set[int] = set()
    for root in drivers:
        stack = [root]
        while stack:
            net = stack[-1]
            if net in levels:
                stack.pop()
                continue
            inputs = drivers.get(net)
            if not inputs:
                levels[net] = 0 if inputs is None else 1
                continue
            missing = [one for one in inputs if one not in levels]
            if missing and net in begun:
                raise LoopError(f"a combinational loop through {graph.names[net]}")
            begun.add(net)
            if missing:
                stack += missing
                continue
            before = max(inputs, key=levels.__getitem__)
            levels[net] = levels[before] + 1
            through[net] = before
    return levels, through
