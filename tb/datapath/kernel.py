# SPDX-License-Identifier: Apache-2.0
"""Plays a kernel on the joined RTL, and reads L1 back.

The three cores play the items of the kernel's threads in order, with whatever time the hardware
takes; configuration is written in front, by core 0 and, of a thread's own, by SETC16.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa import registers, tables
from tilepath.models.kernels import Kernel
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine import items
from tilepath.tb.datapath.compile import compile_kernel_bench
from tilepath.tb.kernel.description.block import ROOT

LINE: Final = 16  # bytes
CONFIG: Final = 0xFFEF0000  # byte address of Config and ThreadConfig, as the cores see them
_CONFIG_WORDS: Final = 3 * tables.CFG_WORDS + 3 * tables.THD_WORDS
_END, _PUSH, _MOP_CFG, _STORE, _POLL, _POST, _GET, _SYNC, _GO = range(9)
_RELATIONS: Final = tuple(items.RELATIONS)
_VERDICT: Final = re.compile(
    r"^(end|stands) (\d+) faults (\d+)(?: items (\d+) (\d+) (\d+))?$", re.M
)


@dataclass(frozen=True)
class Outcome:
    """What came of a kernel on RTL.

    Attributes:
        ended: all programs are done, and nothing is under way.
        cycles: from reset to the end, or until it was given up.
        faults: cycles in which a block or the stand-in raised a fault.
        items: if it stands, the item at which each core is, from 0 on; else ().
        l1: bytes of L1 at the end.
    """

    ended: bool
    cycles: int
    faults: int
    items: tuple[int, ...]
    l1: npt.NDArray[np.uint8]


def run(
    kernel: Kernel, sim: str, latency: int = 4, most: int = 1_000_000, root: Path = ROOT
) -> Outcome:
    """Play ``kernel`` on ``sim``, with L1's latency in cycles (1 to 31).

    Raises:
        BuildError: the HDL below ``root`` does not compile.
        ValueError: a store that is none of configuration, or a simulator that is not there.
    """
    bench = compile_kernel_bench(kernel.profile, sim, root)
    lines = np.array(machine_of(kernel).l1, np.uint8).reshape(-1, LINE)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        for thread, program in enumerate(programs(kernel)):
            (where / f"core{thread}.hex").write_text("".join(f"{item}\n" for item in program))
        used = np.flatnonzero(lines.any(axis=1))
        text = (f"@{line:x} {lines[line, ::-1].tobytes().hex()}\n" for line in used)
        (where / "l1.hex").write_text("".join(text))
        command: list[str | Path] = ["vvp", bench] if sim == "icarus" else [bench]
        told = subprocess.run(
            [*command, f"+dir={where}", f"+latency={latency}", f"+most={most}"],
            cwd=where,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        found = _VERDICT.search(told.stdout)
        if found is None:
            raise RuntimeError(f"datapath: no end\n{told.stdout[-1000:]}{told.stderr[-1000:]}")
        for line in (where / "l1.out").read_text().splitlines():
            number, data = line.split()
            lines[int(number, 16)] = np.frombuffer(bytes.fromhex(data)[::-1], np.uint8)
    at = tuple(int(group) for group in found.groups()[3:] if group is not None)
    return Outcome(found[1] == "end", int(found[2]), int(found[3]), at, lines.reshape(-1))


def programs(kernel: Kernel) -> list[list[str]]:
    """The items of the three cores as the bench reads them: 18 hexadecimal digits each."""
    made: list[list[str]] = [[] for _ in kernel.programs]
    for given in kernel.config:
        if given.space == "Config":
            for bank in range(1 if given.word >= registers.GLOBAL_BASE else 2):
                made[0].append(_item(_STORE, given.word + tables.CFG_WORDS * bank, given.value))
    made[0].append(_item(_GO))
    for given in kernel.config:
        if given.space == "Thread":
            for program in made:
                program.append(_item(_PUSH, isa.assemble(f"SETC16 {given.word}, {given.value}")))
    for thread, own in enumerate(kernel.programs):
        made[thread] += [text for item in own for text in _items(item)]
        made[thread].append(_item(_END))
    return made


def _item(operation: int, a: int = 0, b: int = 0) -> str:
    return f"{operation:02x}{a:08x}{b & 0xFFFFFFFF:08x}"


def _items(item: items.Item) -> Iterator[str]:
    match item:
        case items.Push():
            yield from (_item(_PUSH, word) for word in item.words)
        case items.MopCfg():
            yield _item(_MOP_CFG, item.index, item.value)
        case items.Store():
            word, odd = divmod(item.address - CONFIG, 4)
            if odd or not 0 <= word < _CONFIG_WORDS:
                raise ValueError(f"{item}: on the RTL cores store to the configuration only")
            yield _item(_STORE, word, item.value)
        case items.Poll():
            relation = _RELATIONS.index(item.relation)
            yield _item(_POLL, item.semaphore | relation << 3, item.value)
        case items.Post():
            yield _item(_POST, item.semaphore)
        case items.Get():
            yield _item(_GET, item.semaphore)
        case items.Sync():
            yield _item(_SYNC)
