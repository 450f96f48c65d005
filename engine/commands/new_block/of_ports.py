# SPDX-License-Identifier: Apache-2.0
"""``tilepath new-block NAME --top FILE``: a bench for a design that there is, made of its ports."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.own_rtl import file_list
from tilepath.engine.commands.own_rtl.elaborated import Elaborated, Port
from tilepath.engine.commands.report import make_console, table_of
from tilepath.engine.description import wiring
from tilepath.engine.description.boundary import Direction

_TEMPLATE: Final = Path(__file__).with_name("template")
_BITS: Final = re.compile(r"(\d+) bits?")
_PACKAGE: Final = re.compile(r"\b(\w+)::")


def files_of(name: str, top: Path, root: Path) -> dict[Path, str]:
    """Path below ``root`` → text of what makes the design in ``top`` a block; prints its ports.

    Raises:
        UsageError: no such file, a design that does not compile, no module of the name and several
            others, a port that is no vector, no clock or several.
    """
    given = file_list.read([str(top)])
    texts = {path: path.read_text(errors="replace") for path in given.files}
    packages = _packages(root, "\n".join(texts.values()))
    own = re.findall(r"^\s*module\s+(\w+)", "\n".join(texts.values()), re.MULTILINE)
    dut = name if name in own else own[0] if len(own) == 1 else top.stem
    if dut not in own:
        there = ", ".join(own) or "none"
        raise UsageError(f"{top}: which module? there are: {there}; call the block like it")
    design = Elaborated(packages, given, dut)
    if wrong := design.wrong():
        raise wrong[0].for_user(len(wrong) - 1)
    copies = _copies(design, given, packages, top)
    ports = [_port(port) for port in design.ports()]
    with for_user(ValueError):
        made = wiring.proposed(name, ports, dut)
    roles = made.roles()
    table = table_of("port", "direction", ">bits", "is")
    for port in ports:
        table.add_row(port.name, port.direction, str(port.width), roles[port.name])
    make_console().print(table)
    lists = {
        side.upper() + "S": " ".join(
            port.name + (f":{port.width}" if port.width > 1 else "")
            for port in ports
            if port.direction == side
        )
        for side in ("input", "output")
    }
    some = ", ".join(f'"{path.relative_to(root / "rtl")}"' for path in packages)
    named = f", packages=({some},)" if packages else ""
    facts = {"NAME": name, "DUT": dut, "PACKAGES": named}
    block = (_TEMPLATE / "block_of_ports.py.txt").read_text()
    for key, text in (facts | {key: _folded(text) for key, text in lists.items()}).items():
        block = block.replace(f"@{key}@", text)
    tests = (_TEMPLATE / "sequences_at_random.py.txt").read_text().replace("@NAME@", name)
    return {
        **{root / "rtl" / name / file: text for file, text in copies.items()},
        root / "tb" / name / "block.py": block,
        root / "sequences" / name / "__init__.py": tests,
    }


def _copies(
    design: Elaborated, given: file_list.FileList, packages: Sequence[Path], top: Path
) -> dict[str, str]:
    """Name → text of what is copied: all that was read but the project's own packages."""
    read = {path: inside for path, inside in design.files().items() if path not in packages}
    if given.defines or any(read.values()):
        raise UsageError(
            f"{top}: headers and macros from outside do not come along: leave them out"
        )
    named = {path.with_suffix(".sv").name: path for path in read}  # also of a .v file
    if len(named) < len(read):
        raise UsageError(f"{top}: two files have the same name")
    return {name: path.read_text(errors="replace") for name, path in named.items()}


def _folded(text: str) -> str:
    """Words on several lines of the template."""
    return "\n            ".join(textwrap.wrap(text, 84))


def _packages(root: Path, text: str) -> list[Path]:
    """The project's packages that a design names, each behind those that it names itself."""
    found: dict[Path, None] = {}

    def add(text: str, own: str) -> None:
        for package in dict.fromkeys(_PACKAGE.findall(text)):
            for path in sorted((root / "rtl").glob(f"*/{package}.sv")):
                if path not in found and package != own:
                    add(path.read_text(), package)
                    found[path] = None

    add(text, "")
    return list(found)


def _port(port: Port) -> wiring.Port:
    bits = _BITS.fullmatch(port.shape)
    direction: Direction = "input" if port.kind == "input" else "output"
    if bits is None or port.kind != direction:
        raise UsageError(
            f"port {port.name} is {port.kind} {port.shape}: want inputs and outputs of bits"
        )
    return wiring.Port(port.name, direction, int(bits[1]))
