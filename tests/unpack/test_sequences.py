# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the unpackers: repeatable, well formed, legal where it says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from tilepath.engine.description.player import GAP_MASK
from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stimulus import Context
from tilepath.engine.stimulus.tables import TableError, Tables
from tilepath.isa import IsaError, config_field, profiles
from tilepath.models.adc import AddressCounters
from tilepath.models.format_codes import ALL
from tilepath.models.unpack import UnpackState
from tilepath.models.unpack.untimed import Effect
from tilepath.sequences.adc.words import set_words
from tilepath.sequences.unpack import checks
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.plan import bits
from tilepath.sequences.unpack.random_scene import Scenes
from tilepath.sequences.unpack.script import FENCE, Script
from tilepath.sequences.unpack.setup_table import NO_LIMIT, area, setup_of
from tilepath.sequences.unpack.tables import PRESETS
from tilepath.sequences.unpack.tile_image import DST_KINDS, TILE, Kind, image, values
from tilepath.sequences.unpack.tiles import datums, specials
from tilepath.sequences.unpack.view import Memory
from tilepath.tb.unpack.streams import PLAYERS

PLAYER = {name: player for player in PLAYERS for name in player.instances}
LEGAL = [name for name, preset in PRESETS.items() if preset.legal]
PROFILES = profiles.names()


def scripted(
    tables: Tables, count: int, rng: Callable[[str], np.random.Generator], profile: str = "baseline"
) -> Script:
    """A script of ``count`` scenes, with its history."""
    script = Script(profile)
    script.history = []
    make = Scenes(tables, rng, profile)
    for _ in range(count):
        make(script)
    return script


# -- legality


@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.parametrize("profile", PROFILES)
def test_legal_traffic_raises_nothing_but_warnings(name: str, profile: str) -> None:
    script = scripted(PRESETS[name], 120, lambda stream: derive(3, name, stream), profile)
    found = list(checks.faults(script))
    assert found == []
    kinds = Counter(f[0] >> 24 for p, f in script.history or () if p.endswith("issue"))
    assert kinds[w.OPCODE] > 400 and kinds[w.NOP_OPCODE] > 20


@pytest.mark.parametrize(
    ("seed", "profile"), [(7, "baseline"), (127, "baseline"), (260, "baseline"), (7, "blackhole")]
)
def test_the_plan_says_what_the_model_says(
    seed: int, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Faults of the plans of legal and illegal UNPACRs, asked for and executed; whether they write.

    One that hands over and writes nothing does not wait for its bank (U42): it needs a condition.
    Of a bank that is handed over twice the Matrix Unit would wait for the second time for ever.
    """
    script = Script(profile)
    script.history = []
    name = "random_faults"
    make = Scenes(PRESETS[name], lambda stream: derive(seed, name, stream), profile)
    planned: dict[int, list[tuple[int, bool]]] = {0: [], 1: [], 2: []}
    found: dict[int, list[int]] = {0: [], 1: [], 2: []}
    told, execute = script.issued, UnpackState.execute
    empty = []

    def faults(state: UnpackState, word: int) -> int:
        return 0 if word & (1 << 1 | 1 << 13) else int(state.model.states["plan"]["faults"][0])

    def issued(
        thread: int, words: Iterable[int], gap: int = 0, after: int = 0, idle: int = 0
    ) -> Script:
        given = tuple(words)
        for one in given:
            if one >> 24 == w.OPCODE:
                planned[thread].append((faults(script.view.machine, one), after != 0))
        return told(thread, given, gap, after, idle)

    def executed(state: UnpackState, thread: int, word: int) -> Effect:
        writes = state.writes(thread, word)
        effect = execute(state, thread, word)
        if word >> 24 == w.OPCODE:
            if word >> 6 & 1 and not writes and not word & (1 << 1 | 1 << 13):
                assert planned[thread][len(found[thread])][1], f"{word:08X} of thread {thread}"
                empty.append(word)
            found[thread].append(faults(state, word))
        return effect

    script.issued = issued  # type: ignore[method-assign]
    monkeypatch.setattr(UnpackState, "execute", executed)
    for _ in range(60):
        make(script)
    assert list(checks.effects(script))
    for thread in range(3):
        assert [flags for flags, _ in planned[thread]] == found[thread]
    assert sum(flags != 0 for flags in found[0]) > 10 and len(empty) > 5


def test_what_is_put_into_l1_behind_a_plan_does_not_change_it() -> None:
    """Of this seed an UNPACR's deltas wrapped to where exponents were put afterwards."""
    stimulus = Context("unpack", "random_default", 2595740314, "baseline", 500)
    tables = PRESETS["random_default"]
    script = scripted(tables, 40, lambda name: stimulus.rng(f"scenes {name}"))
    assert list(checks.faults(script)) == []


def test_threads_that_share_an_unpacker_use_counters_of_their_own() -> None:
    """Faulty words too: another thread sets its counters meanwhile."""
    tables = PRESETS["random_faults"].weighted(lanes={"same": 1})
    script = scripted(tables, 40, lambda stream: derive(2, stream))
    issued = [(int(p[1]), f[0]) for p, f in script.history or () if p.endswith("issue")]
    unpacrs = [(t, word) for t, word in issued if word >> 24 == w.OPCODE and not word & 0x2002]
    multi = [(thread, word) for thread, word in unpacrs if word >> 7 & 1]
    assert len(multi) > 100
    assert all(word >> 8 & 3 == thread for thread, word in multi)


def test_words_that_all_hand_a_bank_over_are_an_error() -> None:
    tables = PRESETS["random_faults"].adjusted((), "nop.thin & 3 == 1")
    with pytest.raises(TableError, match="table nop: in 1,000 rows no word of thin"):
        scripted(tables, 40, lambda stream: derive(2, stream))


# -- tables


def test_what_is_asked_of_set_ups_is_what_is_written() -> None:
    where = 'rows <= 4 and pair == "BFP8->BF16"'
    asked = PRESETS["random_default"].adjusted(["kinds=tilize:3,plain:1", "wrap=0.9"], where)
    for name in ("setup0", "setup1"):
        rows = asked[name].rows(derive(1, name), 2000)
        setups = [setup_of(row, area(0, 1)) for row in asked[name].tuples(rows)]
        assert {(s.in_format, s.out_format) for s in setups} == {(6, 6)}
        assert max(s.y_dim for s in setups) == 4
        assert 0.6 < np.mean([s.tilize for s in setups]) < 0.85
        assert 0.85 < np.mean([s.limit != NO_LIMIT for s in setups]) < 0.95
    script = scripted(asked, 20, lambda stream: derive(3, stream))
    assert list(checks.faults(script)) == []
    words = [f[0] for p, f in script.history or () if p.endswith("issue")]
    assert sum(word >> 24 == w.OPCODE for word in words) > 60


# -- parts


def test_words() -> None:
    assert w.unpacr(1, multi=1, flip=1) == 0x428000C1
    assert w.setdvalid("baseline", 1) == 0x43800007
    assert w.zerosrc("blackhole", 1, valid=1) == 0x43800101
    assert w.nop("baseline", 0) == w.nop("blackhole", 0) == 0x43000002
    assert w.setreg("baseline", 0, 5, 1, 3, 1) == 0x4343005C
    assert w.inc_context(1) >> 13 & 1 and w.flush_cache(0) & 2
    with pytest.raises(ValueError, match="older encoding"):
        w.zerosrc("baseline", 0, 2)
    with pytest.raises(ValueError, match="count 8"):
        w.overlay_stream("blackhole", 0, 1, 8)


def test_setups_become_words() -> None:
    setup = Setup(in_format=6, x_dim=0x1234, base=tuple(range(8)), shift=(1, 2, 3, 4))  # type: ignore[arg-type]
    for unpacker, first in ((0, 64), (1, 112)):
        found = setup.words(unpacker)
        assert found[first] == 0x1234_0016
        assert [found[first + 12 + k] for k in range(8)] == list(range(8))
        assert found[first + 8] >> 16 == 0x4321
        for name in ("REG2_Unpack_limit_address", "REG7_Offset_cntx3_address"):
            assert config_field(f"THCON_SEC{unpacker}_{name}").addr32 in found
    assert Thread(1, (2, 3), 1, (4, 5), (1, 0), (6, 7)).words() == {
        0: 1, 5: 6, 6: 3, 41: 0x514, 42: 6, 43: 7,
    }  # fmt: skip
    with pytest.raises(ValueError, match="StateID: 2"):
        Thread(state=2).words()
    with pytest.raises(IsaError):
        config_field("no such field")


def test_set_words_reach_any_set() -> None:
    own = AddressCounters()
    for thread in (None, 0, 1, 2):
        for number, value in ((0, 5), (4, 61), (2, 200), (5, 8191)):
            for word in set_words(1, {number: value}, thread):
                own.execute(0, word)
            assert own.live[thread or 0, 1, number >> 2, number & 3] == value
    before = own.live.copy()
    own.execute(2, FENCE)
    assert np.array_equal(before, own.live)


def test_memory_places_datums_and_says_what_changed() -> None:
    memory = Memory(np.zeros(1 << 20, np.uint8))
    memory.put_datums(4 * 100 + 2, 4, np.array([1, 2, 3], np.int64))
    assert memory.bytes[100:103].tolist() == [0x10, 0x32, 0]
    memory.put_datums(4 * 100 + 1, 2, np.array([3], np.int64))
    assert memory.bytes[100] == 0x1C
    memory.put_datums(4 * 130, 16, np.array([0x1234], np.int64))
    assert memory.bytes[130:132].tolist() == [0x34, 0x12]
    lines, data = memory.flush()
    assert lines.tolist() == [4, 8] and data[0, 9] == 0x321C
    assert memory.flush()[0].size == 0
    memory.put(memory.size - 1, np.array([7, 8], np.uint8))
    memory.put_datums(4 * memory.size, 4, np.array([1], np.int64))
    assert memory.flush()[0].tolist() == [memory.size // 16 - 4]


def test_datums_have_their_size_and_classes() -> None:
    for code in ALL:
        drawn = datums(derive(1, str(code)), code, 500, {"special": 1.0, "random": 1.0})
        assert drawn.min() >= 0
        assert int(drawn.max()) >> bits(code) == 0
        only = datums(derive(1, "s"), code, 5000, {"special": 1.0})
        assert {int(v) for v in only} == set(specials(code))


def test_phases_wait_for_all_that_came_before() -> None:
    script = Script("baseline")
    script.word(0, FENCE, FENCE).config(1, 64, 5)
    script.phase(idle=False)
    script.word(1, FENCE, FENCE).setc16(0, 5, 1)
    script.phase()
    script.word(2, FENCE)
    script.view.memory.put(0, np.ones(130, np.uint8))
    script.memory_before()
    made = script.take()
    found = {name: PLAYER[name].unpack(items) for name, items in made.items()}

    def after(player: str) -> list[tuple[int, int]]:
        conditions = found[player]
        columns = (conditions[f"after_{part}"].tolist() for part in ("source", "count"))
        return list(zip(*columns, strict=True))

    every = 13  # source: all players
    assert after("t0.issue") == [(0, 0), (0, 0)]
    assert after("t1.issue") == [(every, 3), (0, 0)]
    assert after("t0.setc16") == [(every, 3)]
    # six items, then three writes of the phase before, then the one that waits for idleness
    assert after("l1_write") == [(every, 3), (0, 0), (0, 0)]
    assert after("matrix")[0] == (every, 9) and found["matrix"]["idle"][0] == 0x3F
    assert after("t2.issue") == [(every, 10)]
    assert script.total == 11 and script.take() == {}
    assert all((items[:, 0] & GAP_MASK == 0).all() for items in made.values())


@pytest.mark.parametrize("kind", DST_KINDS, ids=lambda kind: kind.name)
def test_tiles_have_many_numbers_and_the_right_size(kind: Kind) -> None:
    numbers = values(kind, 7)
    assert len(image(kind, numbers)) == kind.tile_bytes
    assert (numbers == values(kind, 7)).all() and (numbers != values(kind, 8)).any()
    assert (numbers == 0).sum() < TILE / 4 or kind.digits < 4
    assert len(np.unique(numbers)) > 40
    assert kind.unsigned or (numbers < 0).sum() > TILE / 8
    assert not np.signbit(numbers[numbers == 0]).any()
