# SPDX-License-Identifier: Apache-2.0
"""Event streams from and to plain lists, and random words, for the tests of the control block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tilepath import isa
from tilepath.isa import tables
from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.models.control import ControlModel
from tilepath.sequences.control import words as makers
from tilepath.tests.model_runs import Records as Records
from tilepath.tests.model_runs import as_offered, level, random_level, run_in_pieces
from tilepath.tests.model_runs import rows as rows
from tilepath.tests.model_runs import streams as streams_of

NOP = 0x02000000


def origin(stream: str, index: int) -> int:
    """The number that stands for record ``index`` of an input stream."""
    return Origin(stream, index).encode(BOUNDARY.inputs)


def streams(given: Mapping[str, Iterable[Sequence[int]]]) -> dict[str, Records]:
    """Records of input streams from rows; ``busy``: of each thread that is not given one itself."""
    rest = dict(given)
    everyone = list(rest.pop("busy", ()))
    return streams_of(BOUNDARY, {f"t{n}.busy": everyone for n in range(3)} | rest)


setc16, set_gpr = makers.setc16, makers.setgpr


def model_run(
    inputs: Mapping[str, Records], cuts: Iterable[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    return run_in_pieces(ControlModel(profile), inputs, cuts)


_ANSWERS = {
    **{f"t{n}.offer": f"t{n}.issue" for n in range(3)},
    "risc": "risc_done", "risc_sem": "risc_sem_done",
}  # fmt: skip


def seen(inputs: Mapping[str, Records], cycles: int) -> dict[str, Records]:
    """Every stream of a run of the model, offers as they stand on the ports."""
    outputs = model_run(inputs, [cycles])
    return as_offered(inputs, outputs, _ANSWERS, cycles) | outputs


def words(*entries: int | tuple[int, int]) -> list[tuple[int, int]]:
    """Offer rows: each word as early as can be, or from a cycle on: (cycle, word)."""
    out: list[tuple[int, int]] = []
    for entry in entries:
        cycle, word = entry if isinstance(entry, tuple) else (0, entry)
        out.append((max(cycle, out[-1][0] + 1 if out else 0), word))
    return out


# --- random words

_INDICES = (0, 3, 4, 5, 60, 63, 64, 65, 66, 67, 70, 100, 176, 179, 180, 181, 209, 210, 211, 223)
_PLAIN = (0x40, 0x41, 0x4A, 0x42, 0x43, 0x26, 0x37, 0x70, 0x8F, 0x99)
_ODD = (0x00, 0x01, 0x03, 0x04, 0x05, 0x06, 0x47, 0xFF, 0x9A, 0xB9)
_UNSUPPORTED = (0x44, 0x46, 0x49, 0x57, 0x59, 0x5D, 0x61, 0x64, 0x66, 0x68)
_ADC = (0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E)
_THD = (0, 0, 57, 58, 59, 60, 61, 62, 67, 68, 255)
MIXES: dict[str, dict[str, float]] = {
    "all": dict.fromkeys(
        "config setc16 scalar sem wait mutex unit adc nop odd unsupported junk".split(), 1.0
    ),
    "config": {"config": 12, "setc16": 2, "scalar": 3, "unit": 1, "nop": 1},
    "stream": {"stream": 10, "config": 3, "setc16": 3, "wait": 1, "nop": 2},
    "sync": {"sem": 8, "wait": 5, "mutex": 3, "unit": 2, "nop": 1, "config": 1},
    "scalar": {"scalar": 10, "config": 5, "setc16": 1, "unit": 1},
    "waits": {"wait": 8, "unit": 4, "adc": 1, "setc16": 3, "nop": 2, "sem": 2, "config": 2},
}


def _index(rng: np.random.Generator, limit: int = 0x7FF) -> int:
    if rng.random() < 0.9:
        return int(rng.choice(_INDICES))
    return int(rng.integers(0, limit + 1))


def _config(rng: np.random.Generator, stream: bool = False) -> int:
    name = str(rng.choice(["WRCFG", "RDCFG", "RMWCIB", "CFGSHIFTMASK", "STREAMWRCFG"]))
    if stream:
        name = "STREAMWRCFG"
    if name == "RMWCIB":
        return isa.encode(
            f"RMWCIB{rng.integers(0, 4)}",
            mask=int(rng.choice([0, 255, rng.integers(0, 256)])),
            data=int(rng.integers(0, 256)),
            cfg_index=_index(rng, 255),
        )
    if name == "CFGSHIFTMASK":
        low = int(rng.integers(0, 1 << 24))
        return 0xB8 << 24 | low & 0xFFFF00 | _index(rng, 255)
    if name == "STREAMWRCFG":
        register = int(rng.choice([29, 259, 5]))
        select = int(rng.integers(0, 4))
        return (
            isa.encode(name, stream_sel=select, reg_index=register, cfg_index=_index(rng))
            | int(rng.integers(0, 2)) << 23
        )
    gpr = int(rng.integers(0, 8))
    if name == "RDCFG":
        return isa.encode(name, gpr=gpr, cfg_index=_index(rng))
    return isa.encode(name, gpr=gpr, is128=int(rng.integers(0, 2)), cfg_index=_index(rng))


def _setc16(rng: np.random.Generator) -> int:
    index = int(rng.choice(_THD)) if rng.random() < 0.9 else int(rng.integers(0, 256))
    value = int(rng.integers(0, 4)) if rng.random() < 0.95 else int(rng.integers(0, 1 << 16))
    return isa.encode("SETC16", cfg_index=index, value=value)


def _scalar(rng: np.random.Generator) -> int:
    names = ["SETDMAREG", "ADDDMAREG", "MULDMAREG", "REG2FLOP", "REG2FLOP", "DMANOP"]
    name = str(rng.choice(names))
    if name == "SETDMAREG":
        return isa.encode(
            name,
            value=int(rng.integers(0, 1 << 16)),
            mode=int(rng.random() < 0.1),
            half_reg=int(rng.integers(0, 16)),
        )
    if name in ("ADDDMAREG", "MULDMAREG"):
        return isa.encode(
            name,
            imm=int(rng.random() < 0.3),
            result=int(rng.integers(0, 8)),
            b=int(rng.integers(0, 8)),
            a=int(rng.integers(0, 8)),
        )
    if name == "REG2FLOP":
        flop = int(rng.integers(0, 8)) if rng.random() < 0.6 else int(rng.integers(0, 1 << 10))
        return isa.encode(
            name,
            size=int(rng.integers(0, 4)),
            target=int(rng.choice([0, 0, 0, 1, 2, 3])),
            byte_ofs=int(rng.integers(0, 4)),
            ctx=int(rng.integers(0, 4)),
            flop=flop,
            gpr=int(rng.integers(0, 8)),
        )
    return isa.encode(name)


def _sem(rng: np.random.Generator) -> int:
    name = str(rng.choice(["SEMINIT", "SEMPOST", "SEMPOST", "SEMGET", "SEMGET"]))
    mask = int(rng.choice([1, 2, 4, 128, rng.integers(0, 256)]))
    if name == "SEMINIT":
        limit = 16 if rng.random() < 0.5 else 3
        value, most = (int(x) for x in rng.integers(0, limit, 2))
        return isa.encode(name, value=value, max=most, sem_mask=mask)
    return isa.encode(name, sem_mask=mask)


def _wait(rng: np.random.Generator) -> int:
    name = str(rng.choice(["STALLWAIT", "SEMWAIT", "STREAMWAIT"]))
    block = int(rng.choice([0, 0x1FF, 1 << int(rng.integers(0, 9)), rng.integers(0, 512)]))
    if name == "STALLWAIT":
        bits = [0, 1 << 10, 1 << 12, 1 << int(rng.integers(0, 13)), rng.integers(0, 1 << 13)]
        return isa.encode(name, block=block, cond=int(rng.choice(bits)))
    if name == "SEMWAIT":
        mask = int(rng.choice([0, 1, 2, 4, 128, 3]))
        cond = int(rng.choice([0, 1, 1, 1, 1, 2, 3]))
        return isa.encode(name, block=block, sem_mask=mask, cond=cond)
    low = int(rng.choice([0, 1, 2, 3, 1023]))
    return isa.encode(
        name,
        block=block,
        target_lo=low,
        cond_idx=int(rng.integers(0, 2)),
        stream_sel=int(rng.integers(0, 4)),
    )


def _mutex(rng: np.random.Generator) -> int:
    index = int(rng.choice([0, 0, 0, 2, 3, 4, 1, 5, 0x8000]))
    return isa.encode(str(rng.choice(["ATGETM", "ATRELM", "ATRELM"])), index=index)


def random_word(rng: np.random.Generator, mix: Mapping[str, float]) -> int:
    """A word drawn from ``mix``: kind of word -> weight."""
    kinds = list(mix)
    weights = np.array(list(mix.values()))
    kind = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))]
    low = int(rng.integers(0, 1 << 24))
    makers = {
        "config": _config,
        "setc16": _setc16,
        "scalar": _scalar,
        "sem": _sem,
        "wait": _wait,
        "mutex": _mutex,
    }
    if kind in makers:
        return makers[kind](rng)
    if kind == "stream":
        return _config(rng, stream=True)
    if kind == "nop":
        return NOP | low
    if kind == "junk":
        return int(rng.choice(np.flatnonzero(tables.assigned()))) << 24 | low
    table = {"unit": _PLAIN, "adc": _ADC, "odd": _ODD, "unsupported": _UNSUPPORTED}[kind]
    return int(rng.choice(table)) << 24 | low


def random_risc(rng: np.random.Generator) -> tuple[int, int, int]:
    """write, address, data of a configuration access."""
    bases = (0, 224, 448)
    address = int(rng.choice(bases)) + int(rng.choice(_INDICES))
    if rng.random() < 0.4:
        address = 672 + 68 * int(rng.integers(0, 3)) + int(rng.choice(_THD[:9]))
    if rng.random() < 0.1:
        address = int(rng.integers(0, 1024))
    data = int(rng.integers(0, 4)) if rng.random() < 0.3 else int(rng.integers(0, 1 << 32))
    return int(rng.integers(0, 2)), address, data


def random_inputs(rng: np.random.Generator, cycles: int) -> dict[str, Records]:
    """Random density of every kind of input."""
    offers = []
    for _ in range(3):
        mix = MIXES[str(rng.choice(list(MIXES)))]
        gap = int(rng.choice([1, 1, 2, 4]))
        words = [(0, isa.encode("SEMINIT", max=15, value=1, sem_mask=255))]
        t = 1
        while t < cycles:
            t += int(rng.integers(0, gap)) if rng.random() < 0.95 else int(rng.integers(0, 60))
            words.append((t, random_word(rng, mix)))
            t += 1
        offers.append(words)
    shares = [
        float(rng.choice(some)) for some in ([0, 0.02, 0.3, 1], [0.02, 0.2, 1], [0.1, 0.3, 1])
    ]
    hits = rng.random((3, cycles)) < np.array(shares)[:, np.newaxis]
    accesses = [(int(t), *random_risc(rng)) for t in np.flatnonzero(hits[0])]
    sems = [
        (int(t), *(int(x) for x in rng.integers(0, (2, 8, 2)))) for t in np.flatnonzero(hits[1])
    ]
    writes = [
        (
            int(t),
            int(rng.integers(0, 4)),
            int(rng.choice([29, 259, 5])),
            int(
                rng.choice([0, 1, 2, 1024, 1 << 17, 1 << 20, 0xFFFFFFFF, rng.integers(0, 1 << 32)])
            ),
        )
        for t in np.flatnonzero(hits[2])
    ]
    levels = {
        **{
            f"t{n}.busy": random_level(rng, cycles, 13, float(rng.choice([0.02, 0.1, 0.3])))
            for n in range(3)
        },
        "hold": random_level(rng, cycles, 3, float(rng.choice([0, 0.05, 0.2]))),
        "unit_ready": random_level(rng, cycles, 6, float(rng.choice([0.2, 0.6, 1]))),
        "stream_busy": random_level(rng, cycles, 1, float(rng.choice([0, 0.1, 0.6]))),
    }
    return streams(
        {
            **{f"t{n}.offer": words for n, words in enumerate(offers)},
            "risc": accesses, "risc_sem": sems, "stream_write": writes,
            **{name: level(value, cycles) for name, value in levels.items()},
        }
    )  # fmt: skip


# --- directed runs


def control_run(
    *threads: Iterable[int | tuple[int, int]],
    cycles: int = 80,
    profile: str = "baseline",
    **others: Iterable[Sequence[int]],
) -> dict[str, Records]:
    """Output streams for programs (see ``words``) of threads 0, 1, …; units are ready if not given.

    ``others``: rows of the other input streams (``t1_busy``: of thread 1's).
    """
    given: dict[str, Iterable[Sequence[int]]] = {"unit_ready": [(0, 63)]}
    given |= {f"t{n}.offer": words(*program) for n, program in enumerate(threads)}
    given |= {name.replace("_busy", ".busy") if name[0] == "t" else name: some
              for name, some in others.items()}  # fmt: skip
    return model_run(streams(given), [cycles], profile)


def issues(out: Mapping[str, Records], thread: int = 0) -> list[int]:
    """Cycles in which the thread's words issue."""
    return out[f"t{thread}.issue"]["cycle"].tolist()


def faults(out: Mapping[str, Records], thread: int = 0) -> list[tuple[int, str]]:
    """(cycle, name) of each fault of the thread."""
    records = out[f"t{thread}.fault"]
    names = (records.dtype.names or ())[1:-1]
    return [(int(r["cycle"]), name) for r in records for name in names if r[name]]


def reader(index: int) -> int:
    """Word of unpacker 0 whose entry cycle shows Config word ``index`` (256 on: ThreadConfig)."""
    return 0x42000000 | index


def first_with(records: Records, value: int) -> int:
    """First cycle in which a view shows ``value``; the cycles before it must be there, too."""
    hits = records["cycle"][records["data"] == value]
    assert hits.size and records["cycle"][0] < hits[0]
    return int(hits[0])
