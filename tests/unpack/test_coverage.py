# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: against the golden arithmetic, cut anywhere, with bad input."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from tilepath.isa import profiles
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage import UnpackCoverage, datums
from tilepath.tb.unpack.coverage.derive import COUNTERS, Instructions, Regular
from tilepath.tb.unpack.coverage.layout import COLUMN, N_COLUMNS, WORDS
from tilepath.tb.unpack.streams import FAULTS
from tilepath.tests.coverage_runs import hits, streams
from tilepath.tests.unpack.model_cycle_helpers import Program
from tilepath.tests.unpack.model_helpers import UnpackState, random_setup, randomize
from tilepath.tests.unpack.unpack_cover import TABLE, covered, played, tile

PROFILES = (
    "baseline", "blackhole", "baseline,row_w=16", "baseline,upsample_zeros=0:1:2:4",
)  # fmt: skip
GAP = 800


def random_word(rng: np.random.Generator) -> int:
    """An UNPACR that is Regular, or a NOP of any kind."""
    word = int(rng.integers(0, 1 << 24))
    if rng.random() < 0.25:
        return 0x43000000 | word
    return 0x42000000 | word & ~0x2002


def random_state(rng: np.random.Generator, profile: str) -> UnpackState:
    state = UnpackState(profile)
    randomize(state, rng)
    random_setup(state, rng)
    for part in (state.src_owner, state.src_bank, state.src_row, state.context_counter):
        part[:] = 0
    return state


@cache
def random_run(seed: int) -> tuple[dict[str, Records], int, str]:
    """Streams of a few random instructions, which have time enough; cycles; profile."""
    profile = PROFILES[seed % len(PROFILES)]
    rng = np.random.default_rng(seed)
    program = Program(random_state(rng, profile), profile)
    for number in range(8):
        word, thread = random_word(rng), int(rng.integers(3))
        program.issue(GAP * number, word, thread)
        for bank in range(4):
            program.matrix(GAP * number + GAP - 8 + bank, 1, bank >> 1, bank & 1, 0)
    seen, end = played(program, 8 * GAP)
    return seen, end, profile


# -- against the golden arithmetic


def sampled(state: UnpackState, word: int, thread: int) -> Instructions:
    """The table of one instruction that samples ``state``."""
    table = np.zeros((1, N_COLUMNS), np.int64)
    u = word >> 23 & 1
    bank = int(state.thread_config[thread, 0]) & 1
    values = {"u": u, "thread": thread, "word": word, "state": bank}
    values |= {"src_set": state.thread_config[thread, 5 + u]}
    values |= {"contexts": state.thread_config[thread, 41]}
    values |= {"bank": state.src_bank[u], "row": state.src_row[u, thread]}
    values |= {"context": state.context_counter[u, thread]}
    for name, value in values.items():
        table[0, COLUMN[name]] = int(value)
    for place, index in enumerate(WORDS[u]):
        table[0, COLUMN["alu"] + place] = int(state.config[0 if index >= 180 else bank, index])
    named = word >> 8 & 3
    which = (0 if named == 3 else named) if word >> 7 & 1 else thread
    live = state.adc.live[:, u].reshape(3, 8)
    adc = {name: np.array([int(live[which, n])]) for n, name in enumerate(COUNTERS)}
    own = {name: np.array([int(live[thread, n])]) for n, name in enumerate(COUNTERS)}
    return Instructions(table, adc, own)


SAME = {
    "ctx": "ctx", "code": "in_format", "out": "out_format", "quarters": "quarters",
    "compressed": "compressed", "bounded": "bounded", "tilize": "tilize", "want": "want",
    "row_w": "row_w", "read_exponents": "reads_exponents", "all_zero": "all_zero",
    "interleave": "interleave", "transpose": "transposes", "out_address": "out_addr",
    "colshift": "col_shift",
}  # fmt: skip
UNCOMPRESSED = {"first": "first", "count": "count"}
COMPRESSED = {"rsi_first": "rsi_first"}


@pytest.mark.parametrize("profile", PROFILES)
def test_what_an_instruction_means_is_what_the_golden_model_says(profile: str) -> None:
    rng = np.random.default_rng(PROFILES.index(profile))
    values = profiles.get(profile)
    kinds = set()
    for _ in range(150):
        state = random_state(rng, profile)
        word, thread = random_word(rng) & 0xFFFFFF | 0x42000000, int(rng.integers(3))
        word &= ~0x2002
        r = Regular(sampled(state, word, thread), values)
        plan = golden_plan(state, word, thread)
        compressed = bool(r.compressed[0])
        kinds.add((compressed, int(r.dest[0])))
        for name, place in (SAME | (COMPRESSED if compressed else UNCOMPRESSED)).items():
            assert int(getattr(r, name)[0]) == plan[place], name
        assert (r.dest[0] == 2) == plan["to_dst"]
        if not compressed and plan["count"]:
            datum = r.wrap(r.datum_raw)[0][0]
            assert datum == 4 * plan["datum"]
            if plan["reads_exponents"]:
                assert r.exponent[0] == plan["exponent"]
    assert len(kinds) == 6


def golden_plan(state: UnpackState, word: int, thread: int) -> dict[str, int]:
    """Numbers of the golden plan of a Regular UNPACR, which is carried out."""
    state.execute(thread, word)
    plan = state._states[0].plan
    parts = (plan, plan.source, plan.target)
    return {
        name: int(part[name])
        for part in parts
        for name in part.dtype.names
        if name not in ("source", "target", "access")
    }


# -- walks


# those of the first ones whose instructions have time enough
SEEDS = (0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 17, 19, 20, 23)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_request_and_every_step_belongs_to_an_instruction(seed: int) -> None:
    seen, end, profile = random_run(seed)
    busy = seen["busy"]["value"]
    assert busy[-1] == 0, "the run is too short for its instructions"
    model = covered(seen, end, profile)
    assert model.contradicted() == []
    assert model.left() == (0, 0)


@pytest.mark.parametrize("seed", (1, 5, 8, 10))
def test_counts_do_not_depend_on_the_cuts(seed: int) -> None:
    seen, end, profile = random_run(seed)
    whole = covered(seen, end, profile).report().points
    busy = sorted({int(c) for name, some in seen.items() if name[0] == "u" for c in some["cycle"]})
    near = sorted({min(max(c + d, 1), end - 1) for c in busy[:60] for d in (0, 1)})
    for cuts in ([end // 2], sorted(Random(seed).sample(range(1, end), 30)), near):
        assert covered(seen, end, profile, cuts).report().points == whole


# -- by hand


def test_one_tile_hits_what_it_should() -> None:
    """16 BF16 datums of 0 to SrcA: a few points at random, and what must stay empty."""
    seen, end = played(tile())
    found = hits(covered(seen, end))
    assert found["unpacr.unpacker_x_thread_x_form"] == {"u0*t0*regular": 1}
    assert found["datum.float_x_file_x_class"] == {"bf16*srca*+0": 16}
    assert found["geometry.count_x_unpacker"] == {"16*u0": 1}
    assert found["timing.stall_x_flip_x_next"] == {"0*no*nothing": 1}
    empty = [p for p in found if p.split(".")[0] in ("nop", "fault")]
    assert not empty and "compressed.empty_row" not in found


def test_a_fault_counts_only_where_it_was_recorded() -> None:
    seen, end = played(tile(word={"last": 0}))
    found = hits(covered(seen, end))
    assert found["fault.flag_x_unpacker"] == {"not_last*u0": 1}
    quiet = hits(covered({**seen, "u0.fault": seen["u0.fault"][:0]}, end))
    assert "fault.flag_x_unpacker" not in quiet


def test_l1_is_read_as_it_was_in_the_cycle_of_the_request() -> None:
    """A write in the cycle of the request comes too late; one of the cycle before does not."""
    data = np.full(16, 0x80008000, np.uint32)
    first = tile()
    at = int(played(first)[0]["u0.read"]["cycle"][0]) - first.start
    for cycle, datum in ((at, "+0"), (at - 1, "-0")):
        seen, end = played(tile().add("l1_write", cycle, 0x400, data))
        counts = hits(covered(seen, end))["datum.float_x_file_x_class"]
        assert counts == {f"bf16*srca*{datum}": 16}


# -- the whole


@pytest.mark.parametrize("profile", PROFILES[:2])
def test_bins_are_declared_before_the_first_sample(profile: str) -> None:
    before = UnpackCoverage(profile).report().points
    seen, end, _ = random_run(PROFILES.index(profile))
    after = covered(seen, end, profile).report().points
    assert {p: list(b) for p, b in before.items()} == {p: list(b) for p, b in after.items()}
    assert 2500 < sum(map(len, before.values())) < 4000


def test_what_is_impossible_and_happens_is_reported() -> None:
    flag = 1 << FAULTS.index("context_range")
    model = covered(streams(TABLE, u0_fault=[(3, 0, flag)]), 9)
    (found,) = model.contradicted()
    assert found[:2] == ("fault.flag_x_unpacker", "context_range*u0")


def test_the_axes_of_datums_fit_their_formats() -> None:
    assert len(datums.LEGAL) == 19
    assert {*datums.FLOATS, *datums.BFPS} < set(datums.LEGAL)
