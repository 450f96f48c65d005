# SPDX-License-Identifier: Apache-2.0
"""Rules of this repository that no general tool knows: licence lines, import direction, no z.

And of what people read: decisions exist and are cited, documents have no endless lines. A decision
is an entry ``### F12 — title`` of ``docs/decisions``. A citation is a family's letter and a number
from 1 on, or a range (C1-C5, C1 to C5), where somebody explains something: in a comment or a string
of a program, in what a table says of an entry, in a document.
"""

from __future__ import annotations

import ast
import fnmatch
import io
import re
import subprocess
import tokenize
from collections import Counter
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


DECISIONS = "docs/decisions"
WIDEST = 160
"""Columns of a line of a document, outside of tables and code."""
_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")  # those at the root

_ENTRY = re.compile(r"### ([ACFMPTU][1-9]\d?) — \S")
# Not a citation: 0xA5, 8'hA5, A0_addr, E5M2 (no boundary), §A1, A1.5, F05 (leading 0), A0.
_CITED = re.compile(
    r"(?<![\w.§$'#])(?P<family>[ACFMPTU])(?P<first>[1-9]\d?)"
    r"(?:(?:\s*(?:-|–|…|\.{2,3}|\bto\b|\bthrough\b)\s*(?P=family)|[-–])(?P<last>[1-9]\d?))?"
    r"(?!\w|\.\d)"
)
# Opcodes ("opcodes A2, A6 and A7") and names of types look like citations too.
_NONE = re.compile(
    r"\b(?:[Oo]pcodes?|hex)\b(?:[ :=`,;–-]|…|\b(?:and|or|to|[\dA-F]{2,3})\b)+|\bF(?:32|64)\b"
)
# T1 is a thread, a timeline or a template too: a citation only by itself in brackets.
_ALONE = re.compile(r"\((?:[ACFMPTU]\d+(?:, |; | and | to |[-–])?)+\)")
_TOML_KEY = re.compile(r"^\s*(?:source|meaning|title|note|reason|breaks)\s*=(.*)$")
_SV_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FENCE = ("```", "~~~")


def decisions(root: Path) -> Counter[str]:
    """How often each number has an entry in docs/decisions."""
    found: Counter[str] = Counter()
    for path in sorted((root / DECISIONS).glob("*.md")):
        for line in path.read_text().splitlines():
            if entry := _ENTRY.match(line):
                found[entry[1]] += 1
    return found


def citations(path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """Every decision that a file cites, with the line; of a range the first to the last."""
    thread_or_timeline = "flag_pipe" not in path.relative_to(root).as_posix()
    for number, text in _explanations(path):
        if not _CITED.search(text):
            continue
        bare = thread_or_timeline and not text.lstrip().startswith("source")
        alone = [match.span() for match in _ALONE.finditer(text)]
        for match in _CITED.finditer(_NONE.sub(lambda found: " " * len(found[0]), text)):
            inside = any(begin < match.start() < end for begin, end in alone)
            if match["family"] == "T" and bare and not inside:
                continue
            line = number + text.count("\n", 0, match.start())
            first, last = int(match["first"]), int(match["last"] or match["first"])
            for k in range(first, last + 1) if first <= last else (first, last):
                yield line, f"{match['family']}{k}"


def citation_problems(root: Path) -> Iterator[str]:
    """Name every cited decision without an entry, every number with two, every entry uncited."""
    known = decisions(root)
    cited = set()
    for number, times in known.items():
        if times > 1:
            yield f"{DECISIONS}: {number} has {times} entries"
    for path in project_files(root):
        for line, number in citations(path, root):
            if path.parent != root / DECISIONS:
                cited.add(number)
            if number not in known:
                yield f"{path.relative_to(root)}:{line}: {number} is not in {DECISIONS}"
    for number in sorted(known.keys() - cited):
        yield f"{DECISIONS}: {number} is cited nowhere"


def long_lines(root: Path) -> Iterator[str]:
    """Name every line of a document that is too long and is neither of a table nor code."""
    for path in project_files(root):
        name = path.relative_to(root)
        if path.suffix == ".md" and (name.parts[0] == "docs" or name.as_posix() in _PAGES):
            for number, line in _prose(path.read_text()):
                if len(line) > WIDEST and not line.lstrip().startswith("|"):
                    yield f"{name}:{number}: {len(line)} columns; {WIDEST} at most"


def _explanations(path: Path) -> Iterator[tuple[int, str]]:
    """Parts of a file in which somebody explains something, each with the line it begins in."""
    kind = "Makefile" if path.name == "Makefile" else path.suffix
    if kind == ".py":
        yield from _of_python(path.read_text())
    elif kind in (".sv", ".svh"):
        text = path.read_text()
        for match in _SV_COMMENT.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[0]
    elif kind == ".md":
        yield from _prose(path.read_text())
    elif kind in (".toml", ".tt", ".pipe", "Makefile"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if kind == ".toml" and _TOML_KEY.match(line):
                yield number, line
            elif "#" in line:
                yield number, line[line.index("#") :]


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    """Comments and strings, of f-strings the literal parts; none if nothing could be a citation."""
    if not _CITED.search(text):
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in kinds:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):  # ruff says so
        return


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a document outside of code blocks."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(_FENCE):
            code = not code
        elif not code:
            yield number, line
