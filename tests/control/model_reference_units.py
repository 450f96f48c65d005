# SPDX-License-Identifier: Apache-2.0
"""The units of ``control`` taken literally: what each does in one cycle. See control_reference."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tilepath import isa

M32 = 0xFFFFFFFF
UNITS = ("unpack0", "unpack1", "pack", "math", "sfpu", "xmov")
ADC = (0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E)
UNSUPPORTED = (*bytes.fromhex("44 46 49 57 59 5B 5C 5D 61 62 63 64 66 67 68"),)
FAULTS = (
    "illegal unsupported cfg_oob state_reset sem_cond mutex_index mutex_owner flop_target flop_size"
).split()
MUTEXES = (0, 2, 3, 4)
WAITS = {"STALLWAIT": 1, "SEMWAIT": 2, "STREAMWAIT": 3}
CONFIG = ("WRCFG", "RDCFG", "RMWCIB0", "RMWCIB1", "RMWCIB2", "RMWCIB3", "CFGSHIFTMASK")
SCALAR = ("SETDMAREG", "ADDDMAREG", "MULDMAREG", "REG2FLOP", "DMANOP")
SYNC = (*WAITS, "SEMINIT", "SEMPOST", "SEMGET")
NO_ORIGIN = -(1 << 63)

Row = tuple[int, ...]


def rotate(value: int, amount: int) -> int:
    return (value >> amount | value << 32 - amount) & M32


def shift_mask(f: Mapping[str, int], old: int, scratch: int) -> int:
    """The seed's functional model of CFGSHIFTMASK."""
    mask = (2 << f["mask_width"]) - 1
    scratch = rotate(scratch & mask, f["rotate"])
    if f["mask_mode"] == 0:
        old &= ~rotate(mask, f["rotate"])
    results = (
        old | scratch,
        old & scratch,
        old ^ scratch,
        old + scratch,
        old | ~scratch,
        old & ~scratch,
        old ^ ~scratch,
        old - scratch,
    )
    return results[f["alu"]] & M32


@dataclasses.dataclass
class Word:
    """A word at a gate, in a stage or in the scalar unit; or an access (``thread`` 3)."""

    thread: int
    word: int
    origin: int
    name: str = ""
    f: Mapping[str, int] = dataclasses.field(default_factory=dict)
    issued: int = 0
    s: dict[str, Any] = dataclasses.field(default_factory=dict)  # what was sampled

    def __post_init__(self) -> None:
        if self.thread < 3:
            instruction = isa.decode(self.word)
            self.name, self.f = instruction.mnemonic, instruction.fields


class Plan:
    """A port on which an offer stands until it is taken."""

    def __init__(self, rows: Iterable[Sequence[int]]) -> None:
        self.rows = deque(tuple(row) for row in rows)
        self.standing: tuple[int, ...] | None = None
        self.count = -1
        self.free = 0

    def look(self, t: int) -> bool:
        """Whether an offer is new on the port in cycle t."""
        if self.standing is None and self.rows and max(self.rows[0][0], self.free) <= t:
            self.standing = self.rows.popleft()[1:]
            self.count += 1
            return True
        return False

    def take(self, t: int) -> None:
        """The offer is answered in cycle t; the next may come in the one after."""
        self.standing = None
        self.free = t + 1


@dataclasses.dataclass
class Latch:
    kind: int
    block: int
    what: int
    low: int
    origin: int
    target: int = 0
    first: bool = True


class Units:
    """Config unit, scalar unit, sync unit; what the gates and ports see of them."""

    def __init__(self, stall: Callable[[int], int]) -> None:
        self.stall = stall
        self.risc: Plan
        self.risc_sem: Plan
        self.streams: dict[tuple[int, int], int] = {}
        self.config = [[0] * 224, [0] * 224]
        self.thd = [[0] * 68 for _ in range(3)]
        self.gpr = [[0] * 64 for _ in range(3)]
        self.sem = [[0, 0] for _ in range(8)]
        self.mutex: dict[int, int | None] = dict.fromkeys(MUTEXES)
        self.stage: dict[int, Word | None] = dict.fromkeys(range(-4, 2))
        self.access: Word | None = None  # a RISC access in stage 0
        self.setc16: list[Word | None] = [None, None, None]
        self.scalar: Word | None = None
        self.semop: Word | None = None
        self.viewers: list[Word | None] = [None, None, None]
        self.sticky = 0
        self.shown: dict[str, Row] = {}
        self.inputs: dict[str, list[Row]] = {}
        self.outputs: dict[str, list[Row]] = {}
        self.later: list[Callable[[], None]] = []
        self.thcon_written = False

    # --- recording

    def event(self, stream: str, *values: int) -> None:
        self.outputs.setdefault(stream, []).append(values)

    def level(self, stream: str, t: int, *values: int, store: str = "outputs") -> None:
        if self.shown.get(stream, (0,) * len(values)) != values:
            self.shown[stream] = values
            getattr(self, store).setdefault(stream, []).append((t, *values))

    def given(self, stream: str, *values: int) -> None:
        self.inputs.setdefault(stream, []).append(values)

    def state_id(self, thread: int) -> int:
        return self.thd[thread][0] & 1

    def cfg(self, bank: int, index: int) -> int:
        return self.config[bank][index] if index < 224 else 0

    def put_config(self, banks: int, index: int, data: Sequence[int]) -> None:
        def edge() -> None:
            for bank in (0, 1):
                if banks >> bank & 1:
                    self.config[bank][index : index + len(data)] = data

        self.later.append(edge)

    # --- config unit

    def write0(self, t: int, word: Word, banks: int, index: int, data: list[int]) -> None:
        """The write of stage 0, unless it is dropped."""
        if index >= 224 or (index == 4 and not word.name.startswith("RMWCIB")):
            return
        if index >= 180:
            banks = 3
        four = [*data, 0, 0, 0][:4]
        self.event(
            "config_write", t, word.thread, banks, index, int(len(data) == 4), *four, word.origin
        )
        self.put_config(banks, index, data)
        self.thcon_written = 64 <= index < 180

    def risc_access(self, t: int, access: Word) -> None:
        write, address, data = access.s["request"]
        self.later.append(lambda: setattr(self, "access", None))
        read = 0
        oob = reset = 0
        if address < 672:
            bank, index = divmod(address, 224)
            if not write:
                read = self.config[bank % 2][index]
            elif index == 4:
                reset = 1
        elif address < 876:
            thread, index = divmod(address - 672, 68)
            if write:
                self.event("risc_thread_write", t, thread, index, data & 0xFFFF, access.origin)
                place = self.thd[thread]
                self.later.append(lambda: place.__setitem__(index, data & 0xFFFF))
            else:
                read = self.thd[thread][index]
        else:
            oob = 1
        self.event("risc_done", t, read, access.origin)
        if oob or reset:
            self.event("risc_fault", t, oob, reset, access.origin)
            if oob:
                self.later.append(lambda: setattr(self, "sticky", 1))
        self.risc.take(t)

    def stages(self, t: int) -> None:
        """Each instruction does what it does in its stage, then moves on at the edge."""
        self.thcon_written = False
        moved: dict[int, Word | None] = dict.fromkeys(range(-4, 2))
        access = self.access
        if access is not None:
            write, address, data = access.s["request"]
            if write and address < 672:
                banks, index = divmod(address, 224)
                self.write0(t, access, banks + 1, index, [data])
        done: list[Word] = []
        for stage, word in self.stage.items():
            if word is None or word in done:
                continue
            done.append(word)
            if word.issued == t - 1:
                word.s["bank"] = self.state_id(word.thread)
                if word.name == "STREAMWRCFG":
                    word.s["stream"] = self.thd[word.thread][59 + word.f["stream_sel"]] & 63
            if word.name == "CFGSHIFTMASK":
                if stage == -1:
                    f = word.f
                    scratch = f["scratch"] if f["scratch"] < 3 else word.thread
                    old = self.cfg(word.s["bank"], f["cfg_index"])
                    word.s["data"] = [shift_mask(f, old, self.config[0][209 + scratch])]
                    moved[0] = word
                else:
                    self.write_word(t, word)
                continue
            if stage == -4 and self.stall(t):
                moved[-4] = word
                continue
            if stage == -3:
                word.s["data"] = [self.streams.get((word.s["stream"], word.f["reg_index"]), 0)]
            if stage == -1 and word.name == "WRCFG":
                first, count = word.f["gpr"], 1
                if word.f["is128"]:
                    first, count = first & ~3, 4
                word.s["data"] = self.gpr[word.thread][first : first + count]
            if stage == 0:
                if word.name.startswith("RMWCIB"):
                    shift = 8 * int(word.name[-1])
                    mask, new = word.f["mask"] << shift, word.f["data"] << shift
                    old = self.cfg(word.s["bank"], word.f["cfg_index"])
                    word.s["data"] = [old & ~mask | new & mask]
                if word.name == "RDCFG":
                    word.s["data"] = [self.cfg(word.s["bank"], word.f["cfg_index"])]
                    moved[1] = word
                else:
                    self.write_word(t, word)
            elif stage == 1:
                gpr, data = word.f["gpr"], word.s["data"][0]
                self.event(f"t{word.thread}.rdcfg", t, gpr, data, word.origin)
                self.later.append(lambda w=word, g=gpr, d=data: self.set_gpr(w.thread, g, d, 3))
            else:
                assert moved[stage + 1] is None
                moved[stage + 1] = word
        self.later.append(lambda: self.stage.update(moved))

    def write_word(self, t: int, word: Word) -> None:
        index = word.f["cfg_index"]
        if len(word.s["data"]) == 4:
            index &= ~3
        self.write0(t, word, 1 << word.s["bank"], index, word.s["data"])

    def set_gpr(self, thread: int, gpr: int, data: int, halves: int) -> None:
        mask = (0xFFFF if halves & 1 else 0) | (0xFFFF0000 if halves & 2 else 0)
        self.gpr[thread][gpr] = self.gpr[thread][gpr] & ~mask | data & mask

    # --- scalar unit

    def scalar_unit(self, t: int) -> bool:
        """Does the work of the cycle; whether the unit is available, and its thread free again."""
        word = self.scalar
        if word is None:
            return True
        n, f, gpr = t - word.issued, word.f, self.gpr[word.thread]
        length = 1
        if word.name == "SETDMAREG" and f["mode"] == 0:
            half, register = f["half_reg"] & 1, f["half_reg"] >> 1
            self.put_gpr(t, word, register, f["value"] << 16 * half, 1 << half)
        elif word.name in ("ADDDMAREG", "MULDMAREG"):
            together = f["imm"] or f["a"] // 4 == f["b"] // 4
            length = 3 if together else 4
            if n == 2:
                word.s["a"] = gpr[f["a"]]
            if n == length - 1:
                word.s["b"] = f["b"] if f["imm"] else gpr[f["b"]]
            if n == length:
                a, b = word.s["a"], word.s["b"]
                product = a % 0x10000 * (b % 0x10000)
                result = product if word.name == "MULDMAREG" else (a + b) & M32
                self.put_gpr(t, word, f["result"], result, 3)
        elif word.name == "REG2FLOP":
            length = 2
            if f["target"] == 0 and isa.decode(word.word)["flop_cfg"] < 116:
                if n >= 2 and self.thcon_written:
                    return False
                length = max(n, 2)
                if n >= 2:
                    self.flop_config(t, word)
            elif n == 2 and f["target"] >= 2:
                self.flop_counter(t, word)
        if n == length:
            self.later.insert(0, lambda: setattr(self, "scalar", None))
        return n == length

    def put_gpr(self, t: int, word: Word, gpr: int, data: int, halves: int) -> None:
        self.event(f"t{word.thread}.gpr", t, gpr, halves, data, word.origin)
        # The list of ``later`` has a RDCFG before this: the stages come first.
        self.later.append(lambda: self.set_gpr(word.thread, gpr, data, halves))

    def flop_config(self, t: int, word: Word) -> None:
        flop, gpr, count = isa.decode(word.word)["flop_cfg"], word.f["gpr"], 1
        if word.f["size"] == 0:
            flop, gpr, count = flop & ~3, gpr & ~3, 4
        bank = self.state_id(word.thread)
        data = self.gpr[word.thread][gpr : gpr + count]
        four = [*data, 0, 0, 0][:4]
        self.event(
            "flop_write", t, word.thread, bank, 64 + flop, int(count == 4), *four, word.origin
        )
        self.put_config(1 << bank, 64 + flop, data)

    def flop_counter(self, t: int, word: Word) -> None:
        i = isa.decode(word.word)
        thread = word.thread if i["target"] == 2 else i["ctx"]
        if i["flop_adc_sel"] == 3 or thread == 3:
            return
        source, offset = self.gpr[word.thread][i["gpr"]], i["byte_ofs"]
        value = 0
        if i["size"] == 1 and offset == 0:
            value = source
        elif i["size"] == 2 and offset in (0, 2):
            value = source >> (16 if offset else 0) & 0xFFFF
        elif i["size"] == 3:
            value = source >> 8 * offset & 0xFF
        self.event(
            "flop_adc", t, thread, i["flop_adc_sel"], i["flop_channel"], i["flop_xyzw"],
            i["flop_cr"], value & 0x3FFFF, word.origin,
        )  # fmt: skip

    # --- sync unit, SETC16, views

    def act_sem(self, t: int) -> None:
        word = self.semop
        if word is None:
            return
        if word.thread == 3:
            self.event("risc_sem_done", t, 0, word.origin)
            self.risc_sem.take(t)
            name, mask = word.name, 1 << word.word
        else:
            name, mask = word.name, word.f["sem_mask"]

        def edge() -> None:
            for n in range(8):
                if mask >> n & 1:
                    if name == "SEMPOST":
                        self.sem[n][0] = min(15, self.sem[n][0] + 1)
                    elif name == "SEMGET":
                        self.sem[n][0] = max(0, self.sem[n][0] - 1)
                    else:
                        self.sem[n] = [word.f["value"], word.f["max"]]

        self.later.append(edge)
        self.semop = None

    def act_setc16(self, t: int) -> None:
        for thread, word in enumerate(self.setc16):
            if word is None:
                continue
            index, value = word.f["cfg_index"], word.f["value"]
            self.event(f"t{thread}.setc16", t, index, value, word.origin)
            place = self.thd[thread]
            self.later.append(lambda p=place, i=index, v=value: p.__setitem__(i, v))
            self.setc16[thread] = None

    def view(self, t: int) -> None:
        for unit, word in enumerate(self.viewers):
            if word is None:
                continue
            index = word.word & 0x1FF
            if index < 256:
                data = self.cfg(self.state_id(word.thread), index)
            else:
                data = self.thd[word.thread][index - 256] if index - 256 < 68 else 0
            self.event(f"view_{UNITS[unit]}", t, word.thread, index, data, word.origin)
            self.viewers[unit] = None

    # --- faults of the units' words

    def config_faults(self, word: Word) -> set[str]:
        index = word.f["cfg_index"]
        if index >= 224:
            return {"cfg_oob"}
        hit = index // 4 == 1 if word.f.get("is128") else index == 4
        writes = word.name in ("WRCFG", "CFGSHIFTMASK", "STREAMWRCFG")
        return {"state_reset"} if hit and writes else set()

    def scalar_faults(self, word: Word) -> set[str]:
        if word.name == "SETDMAREG":
            return {"unsupported"} if word.f["mode"] else set()
        if word.name != "REG2FLOP":
            return set()
        i = isa.decode(word.word)
        if i["target"] == 0:
            return {"cfg_oob"} if i["flop_cfg"] >= 116 else set()
        found = set()
        if i["target"] >= 2:
            if i["flop_adc_sel"] == 3 or (i["target"] == 3 and i["ctx"] == 3):
                found.add("flop_target")
            bad_offset = (i["size"], i["byte_ofs"]) in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 3))
            if i["size"] == 0 or bad_offset:
                found.add("flop_size")
        return found
