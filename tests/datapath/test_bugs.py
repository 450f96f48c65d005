# SPDX-License-Identifier: Apache-2.0
"""The default regression catches bugs of connections, and its report names block and connection."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import Catalogue

BUGS: Final = Catalogue("datapath", r"C9|C1[67]|contract [124]")
"""``contract`` is docs/datapath.md with its sections."""

SEEN_AT: Final = {
    "threads_swapped": "issue of standin, from control",
    "owner_not_returned": "matrix of unpack, from standin",
    "stale_configuration": "cfg of pack, from control",
    "banks_not_waited_for": "busy of control, from unpack, pack, standin",
    "busy_packers_of_another_thread": "busy of control, from unpack, pack, standin",
    "busy_unpackers_swapped": "busy of control, from unpack, pack, standin",
    "hold_ignored": "hold of control, from unpack",
    "packers_have_other_counters": "",
    "bank_taken_twice": "unpack_bank of standin, from unpack",
    "configuration_of_another_thread": "setc16 of unpack, from control",
    "sums_of_the_packers_lost": "pack of adc, from pack",
    "rows_of_neighbours": "",
    "words_of_nobody": "",
    "second_write_lost": "flop of unpack, from control",
    "ready_swapped": "unit_ready of control, from unpack, pack, standin",
    "word_of_unpacker_0": "u1.issue of unpack, from control",
    "store_of_another_thread": "store of unpack, from control",
    "zeros_of_the_other_file": "unpack_zero of standin, from unpack",
    "lines_of_another_port": "stored of l1, from pack",
    "ports_of_the_other_unpacker": "requested of l1, from unpack",
    "rows_always_narrow": "pack_read of standin, from pack",
    "clears_of_srcb_unseen": "",
    "streams_busy_with_the_cores": "",
    "messages_of_another_thread": "",
    "wait_is_no_work": "",
}
"""Bug → the connection that the headline names; none where a block's own stream or L1 shows it."""


def test_catalogue() -> None:
    BUGS.check(at_least=25, decisions=["C9", "C16", "C17", *(f"contract {n}" for n in (1, 2, 4))])
    assert SEEN_AT.keys() == set(BUGS.names())


@pytest.mark.parametrize("name", BUGS.names())
def test_bug_is_caught(name: str, tmp_path: Path) -> None:
    assert SEEN_AT[name] in BUGS.caught(name, tmp_path).message
