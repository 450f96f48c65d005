# SPDX-License-Identifier: Apache-2.0
"""The command as it is started: with its packages, and in an environment that lacks one."""

from __future__ import annotations

import pytest

from tilepath import __main__ as command
from tilepath.cli import main as module
from tilepath.tests.commands import python, refused


@pytest.mark.parametrize("package", ["typer", "cocotb_tools"])
def test_a_missing_package_is_one_line_and_status_2(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; sys.argv[1:] = ['list']; "
    code += "from tilepath.__main__ import main; main()"
    refused(python("-c", code), package, "pip install 'tilepath[sim]'")


def test_a_module_of_the_users_own_that_is_missing_is_no_such_thing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> None:
        raise ModuleNotFoundError("No module named 'mine'", name="mine")

    monkeypatch.setattr(module, "main", broken)
    with pytest.raises(ModuleNotFoundError, match="mine"):
        command.main()
