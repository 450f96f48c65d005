# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tilepath.cli import jobs
from tilepath.cli.main import app
from tilepath.tests.cli.fakes import FakeCatalogue, FakeKernel, Invoke


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    """Put the fake kernel in place of the real one."""
    fake = FakeKernel()
    monkeypatch.setattr(jobs, "make_catalogue", FakeCatalogue)
    monkeypatch.setattr(jobs, "make_runner", fake.make_runner)
    return fake


@pytest.fixture
def invoke() -> Invoke:
    """Call the command line inside this process."""

    def call(*arguments: str | Path) -> Result:
        return CliRunner().invoke(
            app, [str(argument) for argument in arguments], catch_exceptions=False
        )

    return call
