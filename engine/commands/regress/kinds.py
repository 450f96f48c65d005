# SPDX-License-Identifier: Apache-2.0
"""What jobs of a regression can be of, beside a simulator and the project's own tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilepath.engine.project import project

MODEL: Final = "model"
"""What stands in the place of a simulator's name where a job is the project's own."""


def own_suffixes() -> tuple[str, ...]:
    """How the names of the user's files end that stand for tests."""
    return tuple(project().program_files)


def with_whole_paths(tests: Sequence[str]) -> list[str]:
    """``tests`` with files by their whole paths, and what the project puts in a folder's place."""
    if any(Path(test).is_dir() for test in tests):
        found: list[str] = project().extension("scheduled").with_folders(tests)
        return found
    suffixes = own_suffixes()
    return [str(Path(test).resolve()) if test.endswith(suffixes) else test for test in tests]
