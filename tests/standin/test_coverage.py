# SPDX-License-Identifier: Apache-2.0
"""The coverage model: single words that hit what they should."""

from __future__ import annotations

from tilepath import isa
from tilepath.tb.standin.block import BLOCK
from tilepath.tests.coverage_runs import counted, hits
from tilepath.tests.standin.port_memory import Given, Memory
from tilepath.tests.standin.standin_cover import own, random_run, seen, settings


def test_every_word_is_counted() -> None:
    streams, end, profile = random_run(0)
    model = counted(BLOCK, profile, streams, end)
    assert sum(model.report().points["word.op_x_thread"].values()) == len(streams["issue"])


def covered(*given: Given, loads: tuple[tuple[int, int], ...] = ()) -> dict[str, dict[str, int]]:
    """Points that a short run hits; ``loads``: target and datum of all columns of rows 0 to 15."""
    memory = Memory()
    for target, datum in loads:
        for row in range(16):
            load = {"target": target, "row": row, "data": (datum,) * 16, "row_valid": 1}
            memory.run([(0, "load", load)], 1)
    memory.run(given, 60)
    return hits(counted(BLOCK, "baseline", seen(memory), memory.model.now))


def word(mnemonic: str, cycle: int = 10, thread: int = 1, **fields: int) -> Given:
    return cycle, "issue", {"thread": thread, "word": isa.encode(mnemonic, **fields)}


ONE, TWO = 0x7F, 0x80


def test_a_sum_of_equal_exponents() -> None:
    given = (*settings(a=5, b=5), word("ELWADD"))
    found = covered(*given, loads=((0, ONE), (1, ONE | 1 << 18)))
    assert found["word.op_x_thread"] == {"ELWADD*t1": 1}
    assert found["sum.op_x_signs_x_distance"] == {"ELWADD*opposite*0": 128}
    assert found["sum.cancels_x_accumulates_x_kind"] == {"ELWADD*no*e8": 128}
    assert found["result.op_x_form_x_result"] == {"ELWADD*BF16*0": 128}
    assert found["format.op_x_classes"] == {"ELWADD*e8/e8": 1}
    assert "product.zeros_x_phase" not in found and "dot.op_x_groups" not in found


def test_a_product_and_what_it_is_added_to() -> None:
    given = (*settings(a=5, b=5, fp32=1), *own(1, phase=2), word("ELWMUL", dest_accum_en=1))
    found = covered(*given, loads=((0, ONE), (1, 0), (2, TWO)))
    assert found["product.zeros_x_phase"] == {"B*2": 128}
    assert "accumulate.op_x_old" in found  # only SrcB's datum is 0
    assert found["phase.op_x_phase"] == {"ELWMUL*2": 1}


def test_kept_zeros_of_b() -> None:
    given = (*settings(a=5, b=5, fp32=1, keep_zero=1), word("ELWSUB"))
    for exponent, label in ((0, "0"), (10, "1 to 10"), (11, "11"), (12, "12")):
        found = covered(*given, loads=((0, exponent), (1, 0)))
        name = "sum.op_x_kept_zero_of_b_x_width_x_exponent"
        assert found[name] == {f"ELWSUB*32*{label}": 128}


def test_rows_that_are_not_aligned() -> None:
    found = covered(
        word("MOVD2A", rows4=1, src=7, dst=11),
        word("MOVB2A", 20, rows4=1, srca=6, srcb=8),
        word("MOVA2D", 30, src=2, dst=4, addr_mode=1),
    )
    assert found["block.four_rows_x_written_x_read"] == {"MOVD2A*3*no": 1, "MOVB2A*2*yes": 1}
    assert found["block.one_row_of_a_x_modifier_x_rows"] == {"yes*2*yes": 1}


def test_blocks_that_carry_into_the_other_half() -> None:
    found = covered(
        *own(1, offset=488), word("ZEROACC", mode=1, dst=31), word("ZEROACC", 20, mode=1, dst=15),
        *((c + 10, *what) for c, *what in own(2, offset=1000)),
        word("ZEROACC", 30, thread=2, mode=1, dst=24),
        word("ZEROACC", 40, mode=0, dst=8, addr_mode=3),
    )  # fmt: skip
    assert found["zeroacc.half_x_carry"] == {"0*yes": 1, "0*no": 1, "1*yes": 1}
    assert found["zeroacc.row_x_odd_modifier_x_wide_x_place"] == {"yes*no*0 to 7": 1}


def test_moves_with_fp32_enabled() -> None:
    given = (*settings(a=1, b=1, fp32=1), word("MOVA2D", dest_32b_lo=1), word("MOVD2B", 20))
    found = covered(*given, word("MOVB2A", 30))
    assert found["move.into_dst_x_fp32_x_class_x_low"] == {"MOVA2D*yes*e5*yes": 1}
    assert found["move.movd2b_x_fp32_x_integers_x_low"] == {"yes*no*no": 1}
    assert found["move.movb2a_x_class_x_zero_flag"] == {"e5*flushed": 1}


def test_groups_of_a_dot_product() -> None:
    found = covered(*settings(a=5, b=5), word("GAPOOL", pool_addr_mode=1), loads=((0, ONE),))
    assert found["dot.op_x_groups"] == {"GAPOOL*both 0": 64}
    assert found["dot.op_x_phase_x_zero_factors"] == {"GAPOOL*0*all": 64}


def test_a_pause_in_each_part_of_a_move() -> None:
    pauses = [(c, "pause", {"value": v}) for c, v in ((11, 1), (12, 0), (13, 1), (15, 0))]
    found = covered(word("MOVA2D", rows8=1), *pauses)  # type: ignore[arg-type]
    assert found["pause.op_x_before"] == {"MOVA2D*sampling": 1, "MOVA2D*read and write": 2}
    assert found["pause.cycles_x_row_kept"] == {"1*no": 1, "2*yes": 1}


def test_a_bank_given_back_that_is_not_there() -> None:
    found = covered(word("SETRWC", clear_dvalid=2), *own(1, keep_a=1))
    assert found["giveback.op_x_files"] == {"SETRWC*B": 1}
    assert found["giveback.file_x_disabled_x_owner"] == {"SrcB*no*Unpackers": 1}
    assert found["fault.flag_x_op"] == {"release_owner*SETRWC": 1}


def test_writes_around_sampling() -> None:
    written = [(c, "cfg", {"banks": 1, "index": 40}) for c in (10, 11, 12)]
    found = covered(word("MOVA2D"), *written, (11, "t1.setc16", {"index": 60}))
    assert found["sampling.cfg_written"] == {"cycle before": 1, "that cycle": 1, "later": 1}
    assert found["sampling.setc16_of_thread_written"] == {"that cycle": 1}


def test_threads_that_follow_each_other() -> None:
    found = covered(word("GATESRCRST"), word("CLREXPHIST", 12, thread=2), word("INCRWC", 20))
    assert found["issue.first_x_second_thread"] == {"t1*t2": 1, "t2*t1": 1}
    assert found["issue.op_x_next"] == {"GATESRCRST*at once": 1, "CLREXPHIST*later": 1}
