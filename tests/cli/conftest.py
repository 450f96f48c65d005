# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.engine.commands import jobs
from tilepath.tests.cli.fakes import FakeKernel, pretend


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeKernel:
    """Put the fake kernel in place of the real one."""
    fake = FakeKernel(out=tmp_path)
    pretend(monkeypatch.setattr)
    monkeypatch.setattr(jobs, "make_runner", fake.make_runner)
    return fake
