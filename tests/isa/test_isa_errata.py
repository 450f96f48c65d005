# SPDX-License-Identifier: Apache-2.0
"""Errata and the profiles that have them; what a profile of earlier results is called now."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tilepath.isa import IsaError, errata, profiles, tables
from tilepath.tests.tables import beside

PARAMETERS = profiles.parameters()
REFUSED = beside(__file__, "refused")
# those that there were when results did not say yet what their profile's parameters were
OLDEST = """
replay_count0 mop_b2b_free fifo_depth m_depth r_depth streamwrcfg_prep zw_w nop_enc row_w
upsample_zeros fp8_e5m2_fill zerosrc_neginf_srcb l1_bytes dst_remap packers pack_read_intfs
pack_mask0 pack_max_datums pack_bh_fields pack_relative pack_yzw_shr4 pack_compress_ovrd
pack_tpg_by_intf pack_r10_fp16 pack_e4m3 relu_max_cmp19 fp16_acc_quirk setreg_enc setreg_slots
math_enc implied_fmt math_minus1 nflags flag_lat beat_bytes hold_max platform
""".split()


def test_rows_are_by_block_and_name() -> None:
    every = list(errata.table().values())
    blocks = list(tables.read(tables.DATA / "faults.toml"))
    assert every == sorted(every, key=lambda one: (blocks.index(one.blocks[0]), one.name))
    assert len(every) > 15
    for one in every:
        assert "|" not in one.what + one.clear + one.source
        assert one.decision


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A copy of the rows, to be changed before the table is read."""
    read = copy.deepcopy(tables.read(tables.DATA / "errata.toml"))
    real = tables.read
    monkeypatch.setattr(tables, "read", lambda path: read if "errata" in path.name else real(path))
    errata.table.cache_clear()
    yield read["erratum"]
    errata.table.cache_clear()


@pytest.mark.parametrize(("change", "message"), REFUSED["rows"])
def test_a_wrong_row_is_an_error(
    rows: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    row = {**rows["row_w"], **change}
    rows["row_w"] = {key: value for key, value in row.items() if value != "(none)"}
    with pytest.raises(IsaError) as caught:
        errata.table()
    assert str(caught.value).startswith("errata.toml: ") and message in str(caught.value)


def test_faults_name_their_erratum() -> None:
    assert errata.named("burst") == "burst (erratum srca_burst, docs/silicon.md)"
    assert errata.named("illegal") == "illegal"


@pytest.mark.parametrize(("name", "message"), REFUSED["profiles"].items())
def test_settings_that_cannot_be(name: str, message: str) -> None:
    with pytest.raises(IsaError) as caught:
        profiles.get(name)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["baseline,zerosrc_neginf_srcb=0", "baseline,implied_fmt=1", "blackhole,math_minus1=0"]
)
def test_errata_are_turned_on_where_they_may_be_and_off_everywhere(name: str) -> None:
    profiles.get(name)


def test_every_later_parameter_says_what_was_before_it() -> None:
    """Or results that are older than it would be taken for what they are not."""
    assert [key for key, row in PARAMETERS.items() if "before" not in row] == OLDEST
    for key, row in PARAMETERS.items():
        if "before" in row:
            assert row["before"] in (*profiles.values(key), profiles.NONE), key


def test_a_profile_is_called_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for row in PARAMETERS.values():
        monkeypatch.delitem(row, "before", raising=False)
    now = profiles.readings("blackhole")
    assert profiles.changed("blackhole", now) == profiles.changed("blackhole,row_w=16", "") == []
    assert profiles.changed("blackhole", profiles.readings("blackhole,row_w=16")) == ["row_w=16"]
    older = now.replace(",row_w=32", "")
    assert profiles.changed("blackhole", older) == ["row_w=?"]
    assert profiles.changed("blackhole", f"{now},later=1") == ["later=1"]
    monkeypatch.setitem(PARAMETERS["row_w"], "before", 16)
    monkeypatch.setitem(PARAMETERS["upsample_zeros"], "before", [0, 1, 2, 4])
    assert profiles.changed("blackhole", "") == ["row_w=16", "upsample_zeros=0:1:2:4"]
    assert profiles.changed("blackhole,row_w=32", older) == []
    assert profiles.changed("blackhole", older) == ["row_w=16"]
    monkeypatch.setitem(PARAMETERS["row_w"], "before", 32)
    assert profiles.changed("blackhole", older) == []


def test_wormhole_says_on_whose_word_it_is_not_as_baseline() -> None:
    for key, row in PARAMETERS.items():
        chip = dict(zip(profiles.names(), row["values"], strict=True))
        assert (chip["wormhole"] != chip["baseline"]) is ("wormhole" in row), key
