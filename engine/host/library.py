# SPDX-License-Identifier: Apache-2.0
"""C that the bench has generated, compiled once for each content and loaded into this process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tilepath.engine.compiled.jit_cache import kernel_folder
from tilepath.engine.host import children, store
from tilepath.engine.host.files import NO_ROOM, check_room

_OPTIONS: Final = ("-x", "c", "-O1", "-fwrapv", "-fPIC", "-shared")
_PRODUCT: Final = "library.so"


def library(source: str) -> ctypes.CDLL | None:
    """The functions of ``source``; ``None`` where there is no C compiler.

    The product is kept beside the compiled models; of several processes that ask at once one
    compiles it. Where nothing can be kept, this process compiles its own.

    Raises:
        OSError: there is no room for what was compiled.
        RuntimeError: the compiler refused the source; with its first error.
    """
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        return None
    folder = kernel_folder() / f"library-{store.content_key([*_OPTIONS, source], {})}"
    try:
        with store.locked(folder):
            store.mark_used(folder)
            return _loaded(compiler, source, folder / _PRODUCT)
    except OSError as error:  # the folder cannot be written
        if error.errno in NO_ROOM:
            raise
    with tempfile.TemporaryDirectory() as own:  # once loaded, it needs no file any more
        return _loaded(compiler, source, Path(own, _PRODUCT))


def _loaded(compiler: str, source: str, product: Path) -> ctypes.CDLL:
    """What is there, or else, or if it is damaged, what is compiled now."""
    with contextlib.suppress(OSError):
        return ctypes.CDLL(str(product))
    _compile(compiler, source, product)
    return ctypes.CDLL(str(product))


def _compile(compiler: str, source: str, product: Path) -> None:
    """Make ``product``, which appears whole or not at all."""
    half = product.with_suffix(".half")
    done = subprocess.run(
        children.guarded([compiler, *_OPTIONS, "-o", str(half), "-"]),
        input=source.encode(),
        capture_output=True,
        check=False,
        pass_fds=children.inherited(),
    )
    if done.returncode:
        check_room(product.parent)
        lines = done.stderr.decode(errors="replace").splitlines()
        said = next((line for line in lines if "error" in line), "no reason given")
        raise RuntimeError(f"{compiler} refuses what the bench has generated: {said}")
    half.replace(product)
