# SPDX-License-Identifier: Apache-2.0
"""Rules of this repository that no general tool knows: licence lines, import direction, no z."""

from __future__ import annotations

import ast
import fnmatch
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

SPDX = "SPDX-License-Identifier: Apache-2.0"

# Each folder may import itself and what stands before it, the engine none of the design. cli, the
# command line, sits on top.
LAYERS = ("engine", "isa", "models", "tb", "sequences", "tests")
# The golden model is usable without a simulator, and without the packages that talk to one.
_SIMULATING = ("cocotb", "cocotb_bus", "cocotb_tools", "pyuvm")
# What of the engine is usable so, too, and may be imported from below the environments.
_WITHOUT_SIMULATOR = {
    "isa": ("errors", "description.boundary"),
    "models": ("errors", "description.boundary", "compiled", "text"),
}
# What the engine's own tests leave alone: they have designs of their own.
_DESIGNS = ("isa", "models", "tb", "sequences", "cli")

_SUFFIXES = {".py", ".sv", ".svh", ".taps", ".v", ".toml", ".sh", ".yml", ".yaml", ".cpp", ".S"}
_NAMES = {"Makefile", "run"}

_Z = re.compile(r"'[sS]?(?:[bBoOdDhH]\s*[\da-fA-FxX_]*[zZ?]|[zZ]\b)")
# Where z and ? mean any bit: items of casez (in case Verilator warns of them), inside, ==?, !=?
_ANY_BIT = re.compile(r"\s*\d*'[sS]?[bBoOhH][\w?]+\s*[,:]|.*(\binside\b|[=!]=\?)")


def project_files(root: Path) -> list[Path]:
    """Every file that git tracks, or would track; without git, what is not ignored by its name."""
    names = _known_to_git(root)
    if names is None:
        ignored = _ignored(root)
        relative = [path.relative_to(root) for path in root.rglob("*")]
        names = [str(path) for path in relative if not any(map(ignored, path.parts))]
    return sorted({path for path in (root / name for name in names) if path.is_file()})


def _known_to_git(root: Path) -> list[str] | None:
    """``None`` without git, or where it has no repository."""
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return [name for name in listing.stdout.split("\0") if name]


def _ignored(root: Path) -> Callable[[str], object]:
    """Tells whether a part of a name is one of the patterns that ``.gitignore`` has."""
    listed = root / ".gitignore"
    lines = listed.read_text().splitlines() if listed.is_file() else [".venv", "build", "runs"]
    patterns = [".git", *(line.rstrip("/") for line in lines if line and line[0] != "#")]
    return re.compile("|".join(map(fnmatch.translate, patterns))).match


def source_files(root: Path) -> list[Path]:
    """Every source file among them."""
    return [p for p in project_files(root) if p.suffix in _SUFFIXES or p.name in _NAMES]


def missing_spdx(root: Path) -> Iterator[str]:
    """Name every source file without the licence line among its first three."""
    for path in source_files(root):
        head = path.read_text(errors="replace").splitlines()[:3]
        if not any(SPDX in line for line in head):
            yield f"{path.relative_to(root)}: no line '{SPDX}' at the top"


def import_problems(files: Iterable[Path], root: Path) -> Iterator[str]:
    """Name every import that points the wrong way, or at a package its layer must not know."""
    for path in files:
        layer = path.relative_to(root).parts[0]
        if path.suffix != ".py" or layer not in LAYERS:
            continue
        own = ".".join(path.relative_to(root).with_suffix("").parts)
        for line, name in _imports(path):
            if not _is_allowed(own, name):
                yield f"{path.relative_to(root)}:{line}: {layer} must not import {name}"


def _is_allowed(own: str, name: str) -> bool:
    """Whether a module of a layer, by its name below the package, may import ``name``."""
    layer, _, inner = own.partition(".")
    package, _, inside = name.partition(".")
    folder, _, rest = inside.partition(".")
    known = _WITHOUT_SIMULATOR.get(layer)
    is_part = layer == "engine" and any(_within(inner, one) for one in _WITHOUT_SIMULATOR["models"])
    if package != "tilepath":
        return package not in _SIMULATING or not (known or is_part)
    if folder == "engine" and known:
        return any(_within(rest, one) for one in known)
    if layer == "tests":
        return not (_within(inner, "engine") and folder in _DESIGNS)
    return folder not in (*LAYERS[LAYERS.index(layer) + 1 :], "cli")


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def row_problems(
    path: Path, kinds: Mapping[str, Iterable[str] | None], root: Path
) -> Iterator[str]:
    """Name every field that a model's file sets in a row whose kind has other ones."""
    rows: dict[str, str] = {}
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if hasattr(node, "lineno")]
    for node in sorted(nodes, key=lambda node: node.lineno):
        match node:
            case ast.FunctionDef():
                rows = {}
            case ast.Assign(
                [ast.Name(name)], ast.Call(ast.Name("new_row"), [ast.Attribute(_, kind), _])
            ):
                rows[name] = kind.removesuffix("_")
            case ast.Attribute(ast.Name(name), field, ast.Store()) if name in rows:
                if field not in (kinds.get(rows[name]) or ()):
                    place = f"{path.relative_to(root)}:{node.lineno}"
                    yield f"{place}: rows of {rows[name]} have no field {field}"


def z_problems(root: Path) -> Iterator[str]:
    """Name every line of RTL and bench with a z, which Verilator reads as 0 without a warning."""
    for path in source_files(root):
        folder = path.relative_to(root).parts[0]
        if path.suffix not in {".sv", ".svh", ".taps", ".v"} or folder not in (
            "rtl",
            "tb",
            "engine",
        ):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.partition("//")[0]
            if _Z.search(code) and not _ANY_BIT.match(code):
                yield f"{path.relative_to(root)}:{number}: a z in a number is 0 in Verilator"


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "tilepath":
                for alias in node.names:
                    yield node.lineno, f"tilepath.{alias.name}"
            else:
                yield node.lineno, node.module
