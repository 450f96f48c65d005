# SPDX-License-Identifier: Apache-2.0
"""Compiled loops on disk, found by the content of all that they are made of.

Numba's own cache goes by place and age of the one file that defines a function. Here a folder
stands for a file's content, that of all files it imports from its package or from ``tilepath``,
one from another, the versions of Python and its packages, and Numba's settings. So what one
checkout has compiled any other of the same user finds, and a change in a part that stands in
another file compiles its loops again. Within the folder, a file's name stands for the function,
the types of its arguments, the processor and the function's own constants. The file says which
other loops are called (``jit.shared``): they are loaded first, from files of their own.

The folders are in ``TILEPATH_BUILD`` where that is given, else in the user's cache; where there is
none and none can be made, in ``build/`` beside ``models/``. What cannot be read or written, or is
damaged, is compiled as if it were not there.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import importlib
import os
import pickle
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, Final

import numba
from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import compiler, serialize
from numba.core.caching import _Cache

from tilepath.engine.compiled.jit_parts import LoopLibrary

BUILD_VARIABLE: Final = "TILEPATH_BUILD"
"""Environment variable: folder of what is compiled, which several checkouts may share."""

COMPILED: Final[list[str]] = []
"""Loops that this process has compiled, ``module.function``, in the order in which it did."""

_ROOT: Final = Path(__file__).parents[2]
_PACKAGE: Final = __name__.partition(".")[0]
# What has been changed since may not be what this process has loaded.
_BEGAN: Final = time.time_ns()
_DIGEST_BYTES: Final = 32
# of Numba's settings those that change the code it makes
_SETTINGS: Final = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
_FROM: Final = re.compile(r"^\s*from\s+([\w.]+)\s+import\s+(?:\(([^)]*)\)|([^\n#]*))", re.MULTILINE)
_IMPORT: Final = re.compile(r"^\s*import\s+([^\n#]+)", re.MULTILINE)
_COMMENT: Final = re.compile(r"#[^\n]*")
# never done, so no loop is made of it
_TYPES: Final = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)+", re.MULTILINE)


def cache_folder() -> Path:
    """The user's folder for what can be made again at any time."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # the XDG rules say to ignore a relative path
    home = Path(base) if base.startswith("/") else Path.home() / ".cache"
    return home / "tilepath"


def compiled_folder() -> Path:
    """Folder of all compiled loops; not made where it cannot be."""
    given = os.environ.get(BUILD_VARIABLE)
    if given:
        return Path(given).resolve() / "kernels"
    with contextlib.suppress(OSError, RuntimeError):  # no HOME, or one that cannot be written
        folder = cache_folder() / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    return _ROOT / "build" / "kernels"


def sources_of(file: Path, module: str) -> dict[str, Path]:
    """A file and all that it imports, one from another, by the modules' names.

    Followed are imports by full name from its own package and from ``tilepath``, but for those
    of type checkers.

    Args:
        file: the file of a module.
        module: its name.
    """
    parts = module.split(".")
    roots = {_PACKAGE: _ROOT}
    if len(parts) > 1:
        roots.setdefault(parts[0], file.parents[len(parts) - 2])
    found = {module: file}
    new = [file]
    while new:
        for name in _imported(new.pop()):
            top, _, rest = name.partition(".")
            if name in found or top not in roots:
                continue
            path = _file_of(roots[top], rest)
            if path is not None:
                found[name] = path
                new.append(path)
    return found


@functools.cache
def _file_of(root: Path, name: str) -> Path | None:
    """File of a module or package below ``root``, if there is one."""
    place = root.joinpath(*name.split("."))
    for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if name and path.is_file():
            return path
    return None


@functools.cache
def _imported(file: Path) -> tuple[str, ...]:
    """Names of what a file imports: modules, and what may be modules."""
    return tuple(_names(_TYPES.sub("", file.read_text(encoding="utf-8"))))


def _names(text: str) -> Iterator[str]:
    for module, within, after in _FROM.findall(text):
        yield module
        for name in _COMMENT.sub("", within or after).split(","):
            if name.strip():
                yield f"{module}.{name.split()[0]}"
    for names in _IMPORT.findall(text):
        yield from (name.split()[0] for name in names.split(",") if name.strip())


@functools.cache
def _content(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def content_of(file: Path, module: str) -> str:
    """16 hexadecimal digits that stand for all that loops in ``file`` are made of."""
    digest = hashlib.sha256(repr(_surroundings()).encode())
    sources = sources_of(file, module)
    data = {path for source in set(sources.values()) for path in _data(source.parent)}
    for name, path in sorted((*sources.items(), *((path.name, path) for path in data))):
        digest.update(name.encode() + b"\0" + _content(path))
    return digest.hexdigest()[:16]


@functools.cache
def _data(folder: Path) -> tuple[Path, ...]:
    """Tables that the modules of a folder read."""
    return tuple(path for path in sorted((folder / "data").glob("*")) if path.is_file())


@functools.cache
def _surroundings() -> tuple[str, ...]:
    versions = [version(package) for package in ("numba", "llvmlite", "numpy")]
    settings = [repr(getattr(numba.config, name, None)) for name in _SETTINGS]
    return (sys.version, *versions, *settings)


# Numba has few types
_CompileResult: Any = compiler.CompileResult
_dumps: Any = serialize.dumps


def _is_there(target_context: Any, module: str, name: str, sig: Any, symbol: str) -> bool:
    """Load a loop that another one calls, or compile it; whether it is the one that is called."""
    getattr(importlib.import_module(module), name).compile(sig)
    return bool(target_context.codegen()._engine.is_symbol_defined(symbol))


on_compile: Callable[[str], object] | None = None
"""Called, if it is set, with the name of each loop that is not found and is compiled."""


class KernelCache(_Cache):
    """What Numba asks for the compiled forms of one loop."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._enabled = True
        self._held: IO[str] | None = None

    @functools.cached_property
    def _folder(self) -> Path | None:
        """Folder of the loops of its file, noted as used; None when a source has changed."""
        module = self._function.__module__
        file = Path(self._function.__code__.co_filename)
        try:
            paths = sources_of(file, module).values()
            if any(path.stat().st_ctime_ns > _BEGAN for path in paths):
                return None
            name = module.removeprefix(f"{_PACKAGE}.")
            folder = compiled_folder() / f"{name}-{content_of(file, module)}"
        except OSError:  # typed in, not from a file
            return None
        with contextlib.suppress(OSError):
            os.utime(folder / "used")
        return folder

    @property
    def cache_path(self) -> str:
        """The folder's path; empty when nothing is kept."""
        return str(self._folder or "")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for the types of a call; None when there is none.

        Numba's own cache calls ``target_context.refresh`` first, which imports half of Numba.
        What is loaded needs none of it, and compiling does it by itself.
        """
        found = self._found(sig, target_context)
        if found is None and self._alone(sig, target_context):
            found = self._found(sig, target_context)
        if found is None:
            name = f"{self._function.__module__}.{self._function.__qualname__}"
            COMPILED.append(name.removeprefix(f"{_PACKAGE}."))
            if on_compile is not None:
                on_compile(COMPILED[-1].removeprefix("models."))
        return found

    def _alone(self, sig: Any, target_context: Any) -> bool:
        """Wait until no other process compiles this form; then keep others from it.

        Until :meth:`release`. ``False`` where there is nothing to keep it in.
        """
        folder = self._folder
        if not self._enabled or folder is None:
            return False
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            path = self._path(folder, sig, target_context.codegen()).with_suffix(".lock")
            self._held = path.open("w")
            fcntl.flock(self._held, fcntl.LOCK_EX)
            return True
        return False

    def release(self) -> None:
        """Let other processes have what was compiled, or compile it themselves."""
        if self._held is not None:
            with contextlib.suppress(OSError):
                Path(self._held.name).unlink()
            self._held.close()
            self._held = None

    def _found(self, sig: Any, target_context: Any) -> Any:
        folder = self._folder
        if not self._enabled or folder is None:
            return None
        try:
            content = self._path(folder, sig, target_context.codegen()).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(content[_DIGEST_BYTES:]).digest() != content[:_DIGEST_BYTES]:
            return None
        loops, *parts = pickle.loads(content[_DIGEST_BYTES:])
        # Machine code that is not there when it is called ends the process.
        if not all(_is_there(target_context, *one) for one in loops):
            return None
        found = _CompileResult._rebuild(target_context, *parts)
        found.library.__class__ = LoopLibrary
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled form, where it can be written; it appears whole or not at all."""
        folder = self._folder
        if not self._enabled or folder is None:
            return
        if data.lifted or data.library.has_dynamic_globals:  # Numba says it cannot be kept
            return
        (name, kind, (code, _)), *rest = data._reduce()
        # Intermediate code is for merging it into others, which a kernel never is: where it is read
        # it takes twenty times as much memory as the machine code. What counts is what it defines.
        module = data.library._final_module
        named = {
            one.name
            for one in (*module.functions, *module.global_variables)
            if not one.is_declaration
        }
        text = "".join(f'@"{one}" = common global i64 0\n' for one in sorted(named))
        shared = binding.parse_assembly(text).as_bitcode()
        loops = [one.kernel for one in data.library.loops]
        content = _dumps((loops, (name, kind, (code, shared)), *rest))
        path = self._path(folder, sig, data.codegen)
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            for name in ("lock", "used"):  # what a store of builds has in each of its folders
                (folder / name).touch()
            with tempfile.TemporaryDirectory(dir=folder) as beside:
                whole = Path(beside, path.name)
                whole.write_bytes(hashlib.sha256(content).digest() + content)
                whole.replace(path)

    def _path(self, folder: Path, sig: Any, codegen: Any) -> Path:
        cells = [cell.cell_contents for cell in self._function.__closure__ or ()]
        code = self._function.__code__
        facts = (repr(sig), codegen.magic_tuple(), code.co_firstlineno, code.co_code)
        key = hashlib.sha256(repr(facts).encode() + (_dumps(cells) if cells else b""))
        return folder / f"{code.co_name}-{key.hexdigest()[:16]}.nbc"

    def enable(self) -> None:
        """Use the cache, as at first."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor write."""
        self._enabled = False

    def flush(self) -> None:
        """Forget this function's compiled forms."""
        if self._folder is not None:
            for path in self._folder.glob(f"{self._function.__code__.co_name}-*.nbc"):
                path.unlink(missing_ok=True)
