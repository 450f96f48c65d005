# SPDX-License-Identifier: Apache-2.0
"""CFGSHIFTMASK vectors of frontend-config §6: scratch 12345678, configuration word DEADBEEF."""

from __future__ import annotations

from collections.abc import Iterator

from tilepath import isa

SCRATCH, OLD = 0x12345678, 0xDEADBEEF
# (mask width - 1, rotation, mode): results of Alu 0 to 7
_TABLE = {
    (7, 4, 0): "8EADBEE7 00000000 8EADBEE7 8EADBEE7 7FFFFFF8 0EADBEE0 71524118 8EADBED9",
    (7, 4, 1): "DEADBEEF 80000007 5EADBEE8 5EADBEF6 FFFFFFFF 5EADBEE8 A1524117 5EADBEE8",
    (31, 0, 0): "12345678 00000000 12345678 12345678 EDCBA987 00000000 EDCBA987 EDCBA988",
    (31, 0, 1): "DEBDFEFF 12241668 CC99E897 F0E21567 FFEFBFEF CC89A887 33661768 CC796877",
    (0, 1, 0): "5EADBEEF 00000000 5EADBEEF 5EADBEEF FFFFFFFF 5EADBEEF A1524110 5EADBEEF",
    (31, 31, 1): "FEEDBEFF 0428ACE0 FAC5121F 03166BDF DFBFFFEF DA85120F 053AEDE0 BA4511FF",
    (17, 20, 0): "C5678EEF 00000000 C5678EEF C5678EEF FA987FFF C0000EEF 3A987110 BA988EEF",
    (17, 20, 1): "DFEFBEEF 04258000 DBCA3EEF E4153EEF FEBDFFFF DA883EEF 2435C110 D9463EEF",
}
# LLK's tilize word: scratch 40 (hex), old FFFFFFF0, thread of the scratch register
LLK_WORD, LLK_SCRATCH, LLK_OLD, LLK_NEW = 0xB8BF834C, 0x40, 0xFFFFFFF0, 0x30


def shift_masks(scratch: int, index: int) -> Iterator[tuple[int, int]]:
    """Word, with this scratch selector and configuration index, and its result: 64 pairs."""
    for (width, amount, mode), results in _TABLE.items():
        for alu, result in enumerate(results.split()):
            word = isa.encode(
                "CFGSHIFTMASK",
                mask_mode=mode,
                alu=alu,
                mask_width=width,
                rotate=amount,
                scratch=scratch,
                cfg_index=index,
            )
            yield word, int(result, 16)
