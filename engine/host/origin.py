# SPDX-License-Identifier: Apache-2.0
"""A result has an origin: revision of the sources, versions of the tools, host and time."""

from __future__ import annotations

import datetime
import functools
import platform
import socket
import subprocess
from typing import Any

from tilepath import __version__
from tilepath.engine.description.block import ROOT
from tilepath.engine.host.build import tools
from tilepath.engine.host.folders import in_checkout
from tilepath.engine.host.verilator import installed_version

_PACKAGES = ("numpy", "numba", "cocotb", "pyuvm")


def now() -> str:
    """The time, to the second, with its zone (UTC): ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@functools.cache
def origin(sim: str) -> dict[str, Any]:
    """What of this process' surroundings a result may depend on.

    ``revision`` is empty outside of a checkout; ``modified``: a file that git knows was changed.
    """
    versions = {"tilepath": __version__, "python": platform.python_version()}
    versions |= {name: installed_version(name) or "" for name in _PACKAGES}
    return {
        "revision": _git("rev-parse", "HEAD"),
        "modified": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "versions": versions,
        "tools": list(tools(sim)),
        "host": socket.gethostname(),
        "system": platform.platform(),
    }


def _git(*arguments: str) -> str:
    if not in_checkout():
        return ""
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:  # there is no git
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
