# SPDX-License-Identifier: Apache-2.0
"""The command ``tilepath``, also ``python -m tilepath``.

The golden model needs little; the command line needs the packages of the extra ``sim``, which are
not there when only the model was asked for.
"""

from __future__ import annotations

import sys
from typing import NoReturn

from tilepath.engine.project import ProjectError

_EXTRA = {"cocotb", "cocotb_bus", "cocotb_tools", "find_libpython", "pyuvm", "rich", "typer"}


def main() -> None:
    """Run the command line; without its packages say in one line what to install, status 2."""
    try:
        from tilepath.cli.main import main as command

        command()
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        _refuse(
            f"the command line needs {error.name}, which is not installed: "
            "pip install 'tilepath[sim]'"
        )
    except ProjectError as error:
        _refuse(str(error))


def _refuse(text: str) -> NoReturn:
    print(f"tilepath: {text}", file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    main()
