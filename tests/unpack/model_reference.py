# SPDX-License-Identifier: Apache-2.0
"""The unpackers once more, in plain Python after the specification: fractions, one datum at a time.

Slow.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from tilepath.tests.unpack import model_formats as F
from tilepath.tests.unpack.model_reference_nop import CYCLE, Nops


def ceil16(number: int) -> int:
    return ceil(number / 16) * 16


class Reference(Nops):
    """State of both unpackers; ``execute`` returns fault names, met, overlay and setreg event."""

    def execute(self, thread: int, word: int) -> tuple[set[str], bool, Any, Any]:
        self.thread, self.word, self.unit = thread, word, word >> 23 & 1
        self.bank_of_config = int(self.thread_config[thread, 0]) & 1
        self.faults, self.met, self.overlay, self.setreg = set(), True, None, None
        self.file = self.src_b if self.unit else self.src_a
        self.owner = self.src_owner[self.unit]
        self.bank = int(self.src_bank[self.unit])
        if word >> 24 == 0x43:
            self.nop_bh() if self.profile.nop_enc == "BH" else self.nop_wh()
        else:
            self.flag("reserved_bit", word & 0x4020)
            self.flag("not_last", not word & 1)
            count = 1 << self.cfg("THCON_SEC#_REG2_Context_count")
            counter = int(self.context_counter[self.unit, thread])
            if word & 2:
                pass
            elif word & 0x2000:
                n = (counter + 1) & 7
                self.context_counter[self.unit, thread] = n if n < count else 0
            else:
                self.regular(counter, count)
        return self.faults, self.met, self.overlay, self.setreg

    def regular(self, counter: int, count: int) -> None:
        w = self.word
        multi = w >> 7 & 1
        ctx, adc = 0, self.thread
        if multi:
            ctx = counter if w & 8 else w >> 10 & 7
            ctx = (ctx + self.cfg("UNPACK_MISC_CFG_CfgContextOffset_#")) & 7
            adc = w >> 8 & 3
            self.flag("context_adc", adc == 3)
            adc %= 3
            if w & 8:
                n = (ctx + 1) & 7
                self.context_counter[self.unit, self.thread] = n if n < count else 0
        self.multi, self.ctx, self.adc = multi, ctx, adc
        self.flag("context_range", self.unit and ctx >= 2)
        self.choose()
        self.flag_formats()
        src_row = int(self.src_row[self.unit, self.thread])
        self.out_addr = self.output()
        self.flag_modes(src_row)
        datums, exponents, rsi = self.sections()
        items = self.items(datums, exponents, rsi)
        self.write(items, src_row)
        self.flag("burst", self.unit == 0 and not self.to_dst and not self.compressed
                  and self.count > 16 and self.first_row(src_row) % self.burst_rows())  # fmt: skip
        base = self.cfg("SRC@_SET_Base") << 4
        if w & 0x40:
            self.flip()
        elif self.cfg("THCON_SEC#_REG2_Unpack_Src_Reg_Set_Upd"):
            self.src_row[self.unit, self.thread] = (src_row + 16 + base) & 63
        for number in range(3):
            if number in (self.thread, adc):
                for (channel, which), shift in zip(
                    ((0, 2), (0, 1), (1, 2), (1, 1)), (15, 17, 19, 21), strict=True
                ):
                    at = self.live[number, self.unit, channel]
                    at[which] = (int(at[which]) + (w >> shift & 3)) % (1 << self.widths[which])

    def choose(self) -> None:
        """Modes and formats."""
        reg2, ctx = "THCON_SEC#_REG2_", self.ctx
        half = "0_3" if ctx < 4 else "4_7"
        if self.multi:
            raw = self.cfg(f"{reg2}Disable_zero_compress_cntx{half}") >> ctx % 4 & 1
            to_dst = self.cfg(f"{reg2}Unpack_if_sel_cntx{half}") >> ctx % 4 & 1
        else:
            raw = self.cfg("THCON_SEC#_REG0_TileDescriptor_IsUncompressed")
            to_dst = self.cfg(f"{reg2}Unpack_If_Sel")
        if self.multi and self.cfg(f"{reg2}Ovrd_data_format"):
            self.code = self.cfg(f"THCON_SEC#_REG7_Unpack_data_format_cntx{ctx}")
            self.out = self.cfg(f"THCON_SEC#_REG7_Unpack_out_data_format_cntx{ctx}")
        else:
            self.code = self.cfg("THCON_SEC#_REG0_TileDescriptor_InDataFormat")
            self.out = self.cfg(f"{reg2}Out_data_format")
        self.to_dst = bool(to_dst) and self.unit == 0
        self.size = Fraction(F.QUARTERS[self.code], 4)
        bfp2 = self.code in (F.BFP2, F.BFP2A)
        self.flag("compressed_bfp2", not raw and bfp2)
        self.compressed = not raw and not bfp2
        rate = self.cfg(f"{reg2}Upsample_rate")
        self.zeros = self.profile.upsample_zeros[rate]
        self.tileize = self.cfg(f"{reg2}Tileize_mode")
        odd = self.compressed or rate or self.size < 1
        self.flag("tilize_combo", self.tileize and odd)
        self.tilize = bool(self.tileize) and not odd
        self.haloize = self.cfg(f"{reg2}Haloize_mode")
        self.throttle = self.cfg(f"{reg2}Throttle_mode")
        self.forced = self.cfg(f"{reg2}Force_shared_exp")
        self.row_width = self.profile.row_w if self.size > 1 else 16
        self.shift = self.cfg(f"{reg2}Shift_amount_cntx{ctx % 4}")
        self.ovrd = self.unit == 0 and self.cfg("SRCA_SET_SetOvrdWithAddr")

    def flag_formats(self) -> None:
        code, out, reserved = self.code, self.out, (12, 13)
        self.flag("format_code", code in reserved or out in reserved)
        if code not in reserved and out not in reserved:
            self.flag("format_pair", code not in (out, F.FP32))
        if code == F.FP32:
            legal = (F.FP32, F.TF32, F.BF16, F.FP16)
            self.flag("format_fp32", out not in (*legal, *reserved))
        converts = not self.to_dst and not self.word >> 4 & 1
        self.flag("format_src", converts and code == out and code in F.WIDE)
        no_exponents = self.cfg("THCON_SEC#_REG0_TileDescriptor_NoBFPExpSection")
        self.flag("bfp_alias", self.size < 1 and no_exponents and not self.forced)

    def flag_modes(self, src_row: int) -> None:
        self.flag("dst_modes", self.to_dst and (self.haloize or (not self.tilize and self.shift)))
        self.flag("dst_ovrd", self.to_dst and self.ovrd)
        self.flag("throttle", self.throttle == 3)
        self.flag("transpose_srcb", self.unit and self.haloize)
        self.flag("out_row", self.out_addr % 16)
        self.flag("out_low", self.unit == 0 and self.out_addr < 64)

    def burst_rows(self) -> int:
        want = [1, 2, 4, 4][self.throttle]
        if self.tilize:
            want = 4
        elif self.zeros >= 3 or self.code in (F.BFP2, F.BFP2A):
            want = 1
        elif self.zeros:
            want = min(want, 2)
        return min(8, max(1, floor(want / self.size)))

    def first_row(self, src_row: int) -> int:
        return (self.out_addr // 16 - 4 + (0 if self.ovrd else src_row)) % 64

    def output(self) -> int:
        counters = self.live[self.thread, self.unit, 1].tolist()
        address = self.cfg("UNP#_ADDR_BASE_REG_1_Base")
        for letter, pair, value in zip("YZW", ("XY", "ZW", "ZW"), counters[1:], strict=True):
            address += value * self.cfg(f"UNP#_ADDR_CTRL_{pair}_REG_1_{letter}stride")
        unit = 4 if self.out in F.WIDE else 2 if self.out in (F.FP16, F.BF16, F.INT16) else 1
        odd = address % unit
        address = address % CYCLE // unit
        if self.multi and self.unit == 0:
            dest = self.cfg(f"THCON_SEC0_REG5_Dest_cntx{self.ctx % 4}_address")
            if self.to_dst or self.cfg("UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr"):
                address += dest
            else:
                address = dest
        self.flag("out_align", odd)
        return address % CYCLE

    def sections(self) -> tuple[int, int, int]:
        tile = "THCON_SEC#_REG0_TileDescriptor_"
        ctx = self.ctx
        self.x_dim = self.cfg(f"{tile}XDim")
        if self.multi and self.unit == 0:
            self.x_dim = self.cfg(f"THCON_SEC0_REG5_Tile_x_dim_cntx{ctx % 4}")
        self.y_dim, blobs = self.cfg(f"{tile}YDim"), self.cfg(f"{tile}BlobsPerXYPlane")
        self.z_dim = self.cfg(f"{tile}ZDim") or 1
        w_dim = self.cfg(f"{tile}WDim") or 1
        base = ["REG3_Base", *[f"REG{3 + (k > 3)}_Base_cntx{k}" for k in range(1, 8)]][ctx]
        offset = ["Offset", *[f"Offset_cntx{k}" for k in range(1, 4)]][ctx % 4]
        line = self.cfg(f"THCON_SEC#_{base}_address")
        line += self.cfg(f"THCON_SEC#_REG7_{offset}_address")
        address = rsi = (line + 1 + self.cfg(f"{tile}DigestSize")) * 16
        if self.compressed:
            address += ceil16(2 * ((blobs or self.y_dim) * self.z_dim * w_dim + 1))
        exponents = address
        kept = self.size == 1 or not self.cfg(f"{tile}NoBFPExpSection")
        if self.code in F.BFP_SHIFT and not self.forced and kept:
            elements = self.x_dim * self.y_dim * self.z_dim * w_dim
            address += ceil16(-(-elements // 16))
        return address % CYCLE, exponents % CYCLE, rsi % CYCLE

    def byte(self, address: int, kind: str) -> int:
        if address // 16 * 16 >= self.l1.size:
            self.faults.add(kind)
            return 0
        return int(self.l1[address])

    def rsi_entry(self, rsi: int, index: int) -> int:
        address = (rsi + 2 * index) % CYCLE
        return self.byte(address, "rsi") + 256 * self.byte(address + 1, "rsi")

    def wrap(self, address: Fraction) -> Fraction:
        limit = 16 * self.cfg("THCON_SEC#_REG2_Unpack_limit_address")
        fifo = 16 * self.cfg("THCON_SEC#_REG2_Unpack_fifo_size")
        return (address - fifo) % CYCLE if address > limit else address

    def window(self) -> tuple[int, int, int]:
        """First datum, begin and end of the X window; uncompressed."""
        xy = self.live[self.adc, self.unit]
        x, y, x1 = int(xy[0, 0]), int(xy[0, 1]), int(xy[1, 0])
        z, w = (int(v) % 256 for v in self.live[self.thread, self.unit, 0, 2:])
        self.flag("y_range", y > 255)
        begin, row, end = x, y % 256, x1 + 1
        if self.word & 4:
            blobs = self.cfg("THCON_SEC#_REG0_TileDescriptor_BlobsPerXYPlane")
            if blobs:
                n = x % 8 + 1
                begin, row = 16 * self.starts()[y % 8], 0
                end = self.x_dim & 0x1F0 if n == blobs else 16 * self.starts()[n]
                self.flag("blobs_index", n == 8)
            else:
                begin, end = 0, x1
        limit = 8192 / max(1, self.size)
        self.flag("x_window", begin >= limit or end > limit)
        self.flag("x_order", end < begin)
        return ((w * self.z_dim + z) * self.y_dim + row) * self.x_dim + begin, begin, end

    def starts(self) -> list[int]:
        if self.multi and self.unit == 0:
            value = self.cfg(f"UNP0_BLOBS_Y_START_CNTX_{'23' if self.ctx & 2 else '01'}")
        else:
            tile = "THCON_SEC#_REG0_TileDescriptor_BlobsYStart"
            value = self.cfg(f"{tile}_lo") + (self.cfg(f"{tile}_hi") << 16)
        return [value >> 4 * k & 15 for k in range(8)] + [0]

    def rows(self, rsi: int) -> tuple[int, int | None, int, int | None]:
        """First datum, datums, items to drop, items to emit; compressed."""
        xy = self.live[self.adc, self.unit]
        x, y, x1 = int(xy[0, 0]), int(xy[0, 1]) % 256, int(xy[1, 0])
        z, w = (int(v) % 256 for v in self.live[self.thread, self.unit, 0, 2:])
        blobs = self.cfg("THCON_SEC#_REG0_TileDescriptor_BlobsPerXYPlane")
        search = self.word & 4
        plane = (w * self.z_dim + z) * (blobs if search and blobs else self.y_dim)
        first = self.rsi_entry(rsi, plane + y)
        if search:
            return first, self.rsi_entry(rsi, plane + x % 256 + 1) - first, 0, None
        if x == 0 and x1 + 1 == self.x_dim:
            return first, self.rsi_entry(rsi, plane + y + 1) - first, 0, None
        self.flag("x_order", x1 + 1 < x)
        return first, None, x, max(0, x1 + 1 - x)

    def items(self, datums: int, exponents: int, rsi: int) -> list[int]:
        """Values to be emitted, in order, without those of upsampling."""
        size, drop, want = self.size, 0, None
        delta = Fraction(0)
        if self.compressed:
            first, count, drop, want = self.rows(rsi)
            group = datums + first // 32 * (32 * size + 16)
            datum = group + first % 32 * size
            delta = self.wrap((group + 32 * size + Fraction(first % 32, 2)) % CYCLE)
            empty = want == 0 or (count is not None and count <= 0)
            self.flag("empty_flip", empty and self.word & 0x40)
            transposed = self.haloize and self.unit == 0 and not self.to_dst
            self.flag("start_align", transposed and not empty and datum % 16)
        else:
            first, begin, end = self.window()
            first, count = first % CYCLE, end - begin
            datum = (datums + first * size) % CYCLE
            self.flag("empty_flip", count <= 0 and self.word & 0x40)
            transposed = self.haloize and self.unit == 0 and not self.to_dst
            self.flag("start_align", (transposed or self.tileize) and datum % 16)
            if self.tilize:
                datum = Fraction(floor(datum / 16) * 16)
        self.count = count
        datum = self.wrap(Fraction(datum) % CYCLE)
        exponent = self.wrap((exponents + Fraction(first, 16)) % CYCLE)
        reads = self.code in F.BFP_SHIFT and not self.forced
        row = datum
        shifts = [self.cfg(f"THCON_SEC#_REG2_Shift_amount_cntx{k}") for k in range(3)]
        stride = sum(v << 4 + 4 * k for k, v in enumerate(shifts))
        unsigned = bool(self.cfg("ALU_FORMAT_SPEC_REG0_Src@Unsigned"))
        e4m3 = bool(self.cfg("THCON_SEC#_REG1_Unp_LF8_4b_exp"))
        raw, powers, found = [], [], []  # found: index into raw, or -1 for a zero
        done = 0
        while (len(found) < drop + want) if want is not None else done < (count or 0):
            if want == 0:
                break
            address = floor(datum)
            data = sum(self.byte(address + k, "datum") << 8 * k for k in range(ceil(size)))
            raw.append(data >> int((datum - address) * 8) & (1 << int(8 * size)) - 1)
            powers.append(self.byte(floor(exponent), "exponent") if reads
                          else self.cfg("UNP#_FORCED_SHARED_EXP_shared_exp"))  # fmt: skip
            found.append(done)
            done += 1
            datum = (datum + size) % CYCLE
            if done % self.row_width == 0:
                if self.tilize:
                    datum = (row + stride) % CYCLE
                datum = row = self.wrap(datum)
            if reads:
                exponent = (exponent + Fraction(1, 16)) % CYCLE
                if exponent % 16 == 0:
                    exponent = self.wrap(exponent)
            if self.compressed:
                nibble = self.byte(floor(delta), "delta") >> (4 if delta % 1 else 0) & 15
                found += [-1] * (0 if self.word & 16 else nibble)
                delta = (delta + Fraction(1, 2)) % CYCLE
                if delta % 16 == 0:
                    datum = (datum + 16) % CYCLE
                    delta = self.wrap((delta + 32 * size) % CYCLE)
        bits = np.array(raw or [0], dtype=np.int64)
        power = np.array(powers or [0], dtype=np.int64)
        fill = bool(self.profile.fp8_e5m2_fill)
        values = F.convert(self.code, self.out, self.to_dst, bits, power, unsigned, e4m3, fill)
        zero = self.word & 16
        end = None if want is None else drop + want
        kept = [k for k in found[drop:end] if k >= 0]
        self.flag("bfpa", raw and F.bad_exponent(self.code, bits, power)[kept].any())
        emitted = [0 if k < 0 or zero else int(values[k]) for k in found][drop:]
        return emitted if want is None else emitted[:want]

    def write(self, items: list[int], src_row: int) -> None:
        interleave = self.cfg("THCON_SEC#_REG2_Upsample_and_interleave")
        address = self.out_addr
        wrote = False
        for value in items:
            for k in range(1 + self.zeros):
                if k == 0 or not interleave:
                    wrote |= self.put(address, 0 if k else value, src_row)
                address = (address + 1) % CYCLE
        if wrote:
            self.met = not self.owner[self.bank]
            if self.to_dst:
                self.stale[self.bank] = 1

    def storage(self, row: int) -> int:
        """Row of storage of a row of Dst, bit by bit."""
        bits = [row >> k & 1 for k in range(10)]
        if self.profile.dst_remap and self.cfg("DEST_ACCESS_CFG_remap_addrs"):
            bits[5], bits[4], bits[3] = bits[3], bits[5], bits[4]
        if self.out not in F.WIDE:
            return sum(bit << k for k, bit in enumerate(bits))
        if self.profile.dst_remap and self.cfg("DEST_ACCESS_CFG_swizzle_32b"):
            bits[3], bits[2] = bits[4] ^ bits[2], bits[3]
        low, middle, top = bits[:3], bits[3:9], bits[9]
        placed = [*low, 0, *middle]
        placed[9] |= top
        return sum(bit << k for k, bit in enumerate(placed))

    def put(self, address: int, value: int, src_row: int) -> bool:
        row, column = divmod(address, 16)
        if self.unit == 1:
            self.flag("srcb_row", row + src_row >= 64)
            self.file[self.bank, (row + src_row) % 64, column] = value
        elif self.to_dst:
            row = self.storage((row - 4) % (16 if self.ovrd else 1024))
            if self.out in F.WIDE:
                self.dst[row + 8, column] = value & 0xFFFF
                value >>= 16
            self.dst[row, column] = value & 0xFFFF
            self.dst_valid[row] = 1
        else:
            skip = 0 if self.tilize else self.shift
            if row < 4 or column < skip:
                return False
            row, column = row - 4, column - skip
            if not self.ovrd:
                self.flag("srca_row", row >= 16)
                row += src_row
            if self.haloize:
                row, column = row & ~15 | column, row & 15
            self.file[self.bank, row % 64, column] = value
        return True
