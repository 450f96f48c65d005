# SPDX-License-Identifier: Apache-2.0
"""``tilepath new-block NAME --top FILE``: a bench for a design that there is, made of its ports."""

from __future__ import annotations

import os
import re
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.own_rtl import file_list
from tilepath.engine.commands.own_rtl.elaborated import DIRECTIONS, Elaborated
from tilepath.engine.commands.report import make_console, table_of
from tilepath.engine.description.block import DESIGN
from tilepath.engine.description.boundary import Direction
from tilepath.engine.description.naming import proposed, text_of
from tilepath.engine.description.wiring import Port
from tilepath.engine.errors import there_are

_TEMPLATE: Final = Path(__file__).with_name("template")
_PACKAGE: Final = re.compile(r"\b(\w+)::")
_HEADERS: Final = ("include", "inc", "includes")  # folders, beside the design or above it
_AROUND: Final = "tp_top"  # a module around the design, which gives it its parameters


@dataclass(frozen=True)
class Given:
    """What was typed.

    ``top``: file, folder or list with the module; ``rtl``: more files and lists, and folders to
    look in; ``module``: its name; ``params``, ``defines``: ``NAME=VALUE``; ``clocks``: ports, or
    ``none``.
    """

    top: Path
    rtl: Sequence[str] = ()
    module: str = ""
    params: Sequence[str] = ()
    defines: Sequence[str] = ()
    clocks: Sequence[str] = ()


def files_of(name: str, given: Given, root: Path) -> dict[Path, str]:
    """Path below ``root`` → text of what makes a design a block; prints its ports.

    Raises:
        UsageError: no such file, a design that does not compile, no module of the name and several
            others, a port that is no vector or array of them, no clock or several.
    """
    files = _read(given)
    text = "\n".join(path.read_text(errors="replace") for path in files.files)
    packages = _packages(root, text, given.top.parent)
    dut = _module(name, given, text)
    with tempfile.TemporaryDirectory() as folder:
        around = Path(folder).resolve() / f"{_AROUND}.sv"
        values = dict(_assigned(given.params))
        pins = ", ".join(f".{key}({value})" for key, value in values.items())
        around.write_text(f"module {_AROUND}; {dut} #({pins}) u_dut (); endmodule\n")
        more = [around] if values else []
        design = Elaborated([*packages, *more], files, _AROUND if more else dut)
        if wrong := design.wrong():
            if wrong[0].file == str(around):
                raise UsageError(f"{given.top}, module {dut}: {wrong[0].text}")
            raise wrong[0].for_user(len(wrong) - 1)
        body = design.top.find("u_dut").body if more else design.top
        known = [one.name for one in body.parameters if not one.isLocalParam]
        if unknown := [name for name in values if name not in known]:
            raise UsageError(
                f"module {dut} has no parameter {unknown[0]!r}; {there_are(known, unknown[0])}"
            )
        ports = [_port(one) for one in body.portList]
        read = {p: inside for p, inside in design.files().items() if p not in (*packages, around)}
    clocks = [one for one in given.clocks if one != "none"] if given.clocks else None
    with for_user(ValueError):
        made = proposed(name, ports, dut, clocks=clocks, parameters=values)
    if not made.used:
        raise UsageError(f"module {dut} has no port but clocks and resets")
    roles = made.roles()
    table = table_of("port", "direction", ">bits", "is")
    for port in ports:
        bits = f"{port.packed}*{port.width}" if port.packed else str(port.width)
        table.add_row(port.name, port.direction, bits + port.unpacked, roles[port.name])
    make_console().print(table)
    facts = {
        f"{side.upper()}S": _folded(text_of(port) for port in ports if port.direction == side)
        for side in ("input", "output")
    }
    some = ", ".join(f'"{path.relative_to(root / "rtl")}"' for path in packages)
    facts |= {"NAME": name, "DUT": dut, "PACKAGES": f", packages=({some},)" if packages else ""}
    told = f"    clocks={clocks!r},\n" if clocks is not None else ""
    told += f"    parameters={values!r},\n" if values else ""
    facts["MORE"] = told.replace("'", '"') if '"' not in told else told
    block = (_TEMPLATE / "block_of_ports.py.txt").read_text()
    for key, text in facts.items():
        block = block.replace(f"@{key}@", text)
    tests = (_TEMPLATE / "sequences_at_random.py.txt").read_text().replace("@NAME@", name)
    return {
        **_copies(root, f"rtl/{name}", read, files, given),
        root / "tb" / name / "block.py": block,
        root / "sequences" / name / "__init__.py": tests,
    }


def _read(given: Given) -> file_list.FileList:
    """The files that were named, and where others are looked for."""
    folders = [Path(one).resolve() for one in given.rtl if Path(one).is_dir()]
    named = [one for one in given.rtl if not Path(one).is_dir()]
    found = file_list.read([str(given.top), *named])
    top = given.top.resolve()
    folders.append(top.parent if top.is_file() else top)
    found.libraries |= dict.fromkeys(folders)
    above = [up / name for one in folders for up in (one, *one.parents[:2]) for name in _HEADERS]
    found.folders |= dict.fromkeys([*folders, *(path for path in above if path.is_dir())])
    found.defines |= {f"{name}={value}": None for name, value in _assigned(given.defines, "1")}
    return found


def _assigned(words: Sequence[str], usual: str = "") -> Iterator[tuple[str, str]]:
    for word in words:
        name, given, value = word.partition("=")
        value = value if given else usual
        if not re.fullmatch(r"[A-Za-z_]\w*", name) or not (value or usual):
            raise UsageError(f"{word!r} is not NAME=VALUE")
        yield name, value


def _module(name: str, given: Given, text: str) -> str:
    """The module that the block is of."""
    own = re.findall(r"^\s*module\s+(?:automatic\s+)?(\w+)", text, re.MULTILINE)
    wanted = given.module or (name if name in own else own[0] if len(own) == 1 else given.top.stem)
    if wanted not in own:
        there = ", ".join(own) or "none"
        raise UsageError(f"{given.top}: which module? there are: {there}; name it (--module)")
    return wanted


def _copies(
    root: Path,
    folder: str,
    read: Mapping[Path, bool],
    files: file_list.FileList,
    given: Given,
) -> dict[Path, str]:
    """All that was read, and a list of it in order of compilation; packages come first."""
    common = Path(os.path.commonpath([path.parent for path in read]))

    def place(path: Path) -> str:
        return f"{folder}/{path.relative_to(common).as_posix()}".removesuffix("/.")

    modules = [path for path, included in read.items() if not included]
    found = [path for path in modules if path not in files.files]
    listed = given.top.is_file() and given.top.suffix in file_list.LISTS
    order = [*file_list.in_order(found), *files.files] if listed else file_list.in_order(modules)
    headers = [path for path, included in read.items() if included]
    searched = [one for one in files.folders if any(path.is_relative_to(one) for path in headers)]
    searched = [one for one in searched if one.is_relative_to(common)]
    searched += [path.parent for path in headers]
    lines = [f"+incdir+{place(path)}" for path in dict.fromkeys(searched)]
    lines += [f"+define+{one}" for one in files.defines]
    lines += [place(path) for path in order]
    texts = {root / place(path): path.read_text(errors="replace") for path in read}
    return {**texts, root / folder / DESIGN: "".join(f"{line}\n" for line in lines)}


def _folded(words: Iterator[str]) -> str:
    """Words on several lines of the template."""
    lines = textwrap.wrap(" ".join(words), 84, break_long_words=False, break_on_hyphens=False)
    return "\n            ".join(lines)


def _packages(root: Path, text: str, beside: Path) -> list[Path]:
    """The project's packages that a design names, each behind those that it names itself."""
    found: dict[Path, None] = {}

    def add(text: str, own: str) -> None:
        for package in dict.fromkeys(_PACKAGE.findall(text)):
            if (beside / f"{package}.sv").exists():
                continue
            for path in sorted((root / "rtl").glob(f"*/{package}.sv")):
                if path not in found and package != own and not (path.parent / DESIGN).exists():
                    add(path.read_text(), package)
                    found[path] = None

    add(text, "")
    return list(found)


def _port(one: Any) -> Port:
    """A port of slang's."""
    kind = DIRECTIONS.get(getattr(getattr(one, "direction", None), "name", ""), "interface")
    direction: Direction = "input" if kind == "input" else "output"
    if kind != direction:
        raise UsageError(f"port {one.name} is {kind}: want inputs and outputs of bits")
    of, unpacked, packed = one.type.canonicalType, "", 0
    if of.isUnpackedArray and hasattr(of, "range"):
        left, right = of.range.left, of.range.right
        if min(left, right):
            raise UsageError(f"port {one.name} is an array [{left}:{right}]: want one from 0 on")
        unpacked = f"[{left}:{right}]" if left else f"[{right + 1}]"
        of = of.elementType.canonicalType
    if not of.isIntegral:
        raise UsageError(f"port {one.name} is {one.type}: want bits, or an array of them")
    if of.isPackedArray and not of.elementType.isScalar and of.range.left >= of.range.right:
        packed, of = of.range.width, of.elementType.canonicalType
    members = _members(of) if of.isStruct else []
    return Port(one.name, direction, of.bitWidth, packed, unpacked, tuple(members))


def _members(of: Any, before: str = "") -> Iterator[tuple[str, int]]:
    """Names and widths in a packed struct, from the highest bit on."""
    for one in of:
        inner = one.type.canonicalType
        if inner.isStruct:
            yield from _members(inner, f"{before}{one.name}_")
        else:
            yield f"{before}{one.name}", inner.bitWidth
