# SPDX-License-Identifier: Apache-2.0
"""Tables of all blocks' tests: who has them, and which of them make faults."""

from __future__ import annotations

import pytest

from tilepath.engine.commands.draws import aimed_at
from tilepath.engine.description import registry
from tilepath.engine.stimulus.tables import Tables

_FREE_BY_LUCK = {
    f"frontend/{name}" for name in ("random_mop", "loop_ends", "bug_ends", "zero_masks")
}


@pytest.mark.parametrize("block", registry.block_names())
def test_every_endless_test_draws_from_tables(block: str) -> None:
    tests = [test for test in registry.tests_of(block).values() if test.endless]
    assert tests and all(isinstance(test.tables, Tables) for test in tests)


@pytest.mark.parametrize("block", registry.block_names())
def test_a_test_of_illegal_tables_declares_faults(block: str) -> None:
    for test in registry.tests_of(block).values():
        if isinstance(test.tables, Tables):
            # legal traffic of some raises warnings; a preset may be free of faults by luck
            named = f"{block}/{test.name}"
            warned = ("unpack", "pack", "control", "frontend_control")
            assert test.tables.legal or test.faults or named in _FREE_BY_LUCK
            assert not test.tables.legal or not test.faults or block in warned


@pytest.mark.parametrize("block", registry.block_names())
def test_columns_name_points_of_the_coverage_plan(block: str) -> None:
    tests = registry.tests_of(block).values()
    presets = [test.tables for test in tests if isinstance(test.tables, Tables)]
    for table in {id(table): table for preset in presets for table in preset.values()}.values():
        assert all(aimed_at(block, table, column) for column in table.aims)
