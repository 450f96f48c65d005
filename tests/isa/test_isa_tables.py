# SPDX-License-Identifier: Apache-2.0
"""Block classes, configuration registers, formats, profiles, and the generated files."""

from __future__ import annotations

import dataclasses
import functools
import re
import subprocess
from pathlib import Path

import pytest

from tilepath import isa
from tilepath.isa import constants, formats, generate, registers, symbols, tables, words
from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.tables import beside

# frontend-config §3, end, written out a second time: class bits -> opcodes
CLASSES: dict[tuple[int, ...], list[tuple[int, int]]] = {
    (0, 5): [(0x45, 0x46), (0x48, 0x49), (0x58, 0x5D), (0x60, 0x64), (0x66, 0x68)],
    (0,): [(0x44, 0x44), (0x50, 0x57), (0x5E, 0x5E)],
    (0, 2): [(0x41, 0x41), (0x4A, 0x4A)],
    (0, 3): [(0x42, 0x43)],
    (0, 4): [(0x40, 0x40)],
    (1,): [(0xA0, 0xA1), (0xA3, 0xA5)],
    (6,): [(0x08, 0x0C), (0x10, 0x18), (0x1A, 0x1E), (0x21, 0x29), (0x30, 0x3A)],
    (7,): [(0xB0, 0xB8)],
    (8,): [(0x70, 0x99)],
}
FRONT_END = {0x01, 0x03, 0x04, 0x05}
WAITS = {0xA2, 0xA6, 0xA7}


def test_block_classes() -> None:
    expected = [0] * 256
    for bits, ranges in CLASSES.items():
        for first, last in ranges:
            for opcode in range(first, last + 1):
                expected[opcode] = sum(1 << bit for bit in bits)
    assert list(tables.block_class()) == expected
    for opcode in range(256):
        known = expected[opcode] != 0 or opcode in FRONT_END | WAITS | {0x02}
        assert tables.assigned()[opcode] == known
        assert tables.must_not_issue()[opcode] == (not known or opcode in FRONT_END)


def test_waits_and_nop_have_no_class() -> None:
    """C12, C21: the gate tests both apart."""
    assert {opcode for opcode, wait in enumerate(tables.is_wait()) if wait} == WAITS
    for opcode in (*WAITS, constants.OP_NOP):
        assert tables.block_class()[opcode] == 0
        assert not tables.must_not_issue()[opcode]


@functools.cache
def _package() -> dict[str, int]:
    """The constants that the RTL's package may have."""
    every = {symbol.name for section in symbols.sections() for symbol in section.symbols}
    found = re.findall(
        r"localparam (?:logic \[7:0\] |int )?(\w+) = (?:8'h([0-9A-F]{2})|(\d+));",
        generate.render_sv(every),
    )
    values = {name: int(code, 16) if code else int(number) for name, code, number in found}
    assert len(values) == len(found)
    return values


def test_constants_follow_the_tables() -> None:
    assert constants.OP_REPLAY == 0x04
    assert constants.FMT_INT8 == 14
    package = _package()
    assert (package["REPLAY_INDEX_MSB"], package["REPLAY_INDEX_LSB"]) == (18, 14)
    assert (package["REPLAY_COUNT_MSB"], package["REPLAY_COUNT_LSB"]) == (9, 4)
    assert (package["UNPACR_NOP_WH_NO_OP_MSB"], package["UNPACR_NOP_BH_SET_DVALID_MSB"]) == (22, 8)
    assert (package["PACR_SETREG_WH_VALUE10_MSB"], package["PACR_SETREG_BH_ADDR_SEL_MSB"]) == (
        21,
        9,
    )
    assert package["CFG_THCON_SEC0_REG1_L1_DEST_ADDR_ADDR32"] == 69
    assert (package["BASELINE_REPLAY_COUNT0"], package["BLACKHOLE_REPLAY_COUNT0"]) == (64, 32)


def test_position_of_a_field() -> None:
    for symbol, msb, lsb in (("REPLAY_INDEX", 18, 14), ("UNPACR_NOP_BH_SET_DVALID", 8, 8)):
        field = tables.position(symbol)
        assert (field.msb, field.lsb) == (msb, lsb)
    with pytest.raises(isa.IsaError, match="no instruction has a field 'PACR_FIRST'"):
        tables.position("PACR_FIRST")


PLACES = [
    (name, space, *place)
    for space, fields in beside(__file__, "registers").items()
    for name, place in fields.items()
]


@pytest.mark.parametrize(("name", "space", "addr32", "msb", "lsb"), PLACES)
def test_config_field(name: str, space: str, addr32: int, msb: int, lsb: int) -> None:
    field = isa.config_field(name)
    assert (field.space, field.addr32, field.msb, field.lsb) == (space, addr32, msb, lsb)
    assert field.is_global == (space == "Config" and addr32 >= 180)
    symbols = [f"{field.symbol}_{what}" for what in ("ADDR32", "MSB", "LSB")]
    assert [_package()[symbol] for symbol in symbols] == [addr32, msb, lsb]
    word = field.insert(0, (1 << field.width) - 1)
    assert word == field.mask
    assert field.extract(word) == (1 << field.width) - 1


def test_config_errors() -> None:
    with pytest.raises(isa.IsaError, match="unknown configuration field 'SRCC_SET_Base'"):
        isa.config_field("SRCC_SET_Base")
    with pytest.raises(isa.IsaError, match="value 0x4 does not fit in 2 bits"):
        isa.config_field("SRCA_SET_Base").insert(0, 4)


def test_formats() -> None:
    decisions = (generate.ROOT / "docs/decisions/unpack.md").read_text(encoding="utf-8")
    told = decisions.partition("### U45")[2].partition("###")[0].upper()
    rows = isa.formats.formats()
    assert dict(re.findall(r"(\d+)\s(\w+\d\w*)[,;]", told)) == {
        str(code): row.name for code, row in rows.items()
    }
    # P28: the low two bits of a code say how wide a datum is, but for 3, 7 (4 bits), 11, 15 (2)
    for code, row in rows.items():
        assert row.bits == (32, 16, 8, 4 if code < 8 else 2)[code & 3]
    # RTL and model have these from the table alone: here they follow from the names
    exponents = {"FP32": 8, "TF32": 8, "BF16": 8, "FP16": 5, "FP8": 5, "E4M3": 4}
    for name, row in isa.formats.named().items():
        assert row.shared == name.startswith("BFP")
        of_bfp = row.shared * (5 if name.endswith("A") else 8)
        assert row.exponent == exponents.get(name, of_bfp)
        assert row.register == (5 if name == "E4M3" else row.exponent)
    none = min({*range(16)} - rows.keys())
    with pytest.raises(isa.IsaError, match=f"{none} is no data-format code"):
        isa.formats.get(none)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"inner": "FP9"}, "'FP9'"),
        ({"inner": "FP8", "bits": {"broad": 1}}, "'broad'"),
        ({"inner": "FP8", "bits": {}, "goes": 1}, ".*unexpected keyword argument 'goes'"),
    ],
)
def test_a_cell_of_the_packers_that_cannot_be(
    row: dict[str, object], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "read", lambda _path: {"cell": [{"bits": {}, **row}]})
    monkeypatch.setattr(formats, "pack_cells", formats.pack_cells.__wrapped__)
    with pytest.raises(isa.IsaError, match=f"cell 0: what is wrong: {told}$"):
        formats.pack_cells()


def test_profiles() -> None:
    base, black = isa.profiles.get("baseline"), isa.profiles.get("blackhole")
    assert isa.profiles.get() is base
    assert (base.replay_count0, black.replay_count0) == (64, 32)
    assert (base.mop_b2b_free, black.mop_b2b_free) == (1, 1)
    assert (base.fifo_depth, base.m_depth, base.r_depth) == (32, 8, 2)
    assert (base.zw_w, black.zw_w) == (8, 13)
    assert (base.nop_enc, black.nop_enc) == ("WH", "BH")
    assert (base.pack_mask0, black.pack_mask0) == (1, 15)
    assert base.upsample_zeros == (0, 1, 3, 7)
    assert base.rtl_parameters()["UPSAMPLE_ZEROS"] == 0x7310
    assert (base.rtl_parameters()["NOP_ENC"], black.rtl_parameters()["NOP_ENC"]) == (0, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        base.zw_w = 9  # type: ignore[misc]
    with pytest.raises(AttributeError, match="there is no parameter 'row_width' of profiles"):
        _ = base.row_width
    for row in isa.profiles.parameters().values():
        assert row["meaning"] and row["source"]


def test_unknown_profile() -> None:
    with pytest.raises(
        ValueError, match=r"^unknown profile 'wh'; there are: baseline, blackhole, wormhole$"
    ):
        isa.profiles.get("wh")


def test_parameters_set_by_hand() -> None:
    base = isa.profiles.get("baseline")
    narrow = isa.profiles.get("baseline,row_w=16")
    assert narrow == isa.Profile("baseline,row_w=16", base.values | {"row_w": 16})
    several = isa.profiles.get("blackhole,nop_enc=WH,upsample_zeros=0:1:2:4")
    assert (several.nop_enc, several.upsample_zeros, several.zw_w) == ("WH", (0, 1, 2, 4), 13)
    assert isa.profiles.base(several.name) == "blackhole"


def test_the_package_has_the_constants_that_hdl_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "rtl/x/x.sv": "assign x = OP_NOP; // RMWCIB_ADDR_LSB\n",
        "tests/x/bugs.toml": "new = 'word[31:24] == OP_MOP;'\n",
        str(generate.SV_PATH): "OP_PACR",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    text = generate.outputs()[generate.SV_PATH]
    assert re.findall(r"localparam .*?(\w+) =", text) == ["OP_MOP", "OP_NOP"]


def test_stale_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = ["--root", str(tmp_path)]
    assert generate.main(["--check", *root]) == 1
    assert len(capsys.readouterr().err.splitlines()) == len(generate.outputs()) == 9
    assert generate.main(root) == 0
    assert generate.main(["--check", *root]) == 0
    package = tmp_path / generate.SV_PATH
    package.write_text(package.read_text().replace("OP_REPLAY = 8'h04", "OP_REPLAY = 8'h05"))
    assert generate.main(["--check", *root]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "rtl/isa/tilepath_isa_pkg.sv is stale: run python -m isa.generate"
    ]
    assert generate.main(root) == 0
    assert generate.main(["--check", *root]) == 0


def test_python_has_constants_of_the_package_but_those_that_only_the_rtl_names() -> None:
    values = _package()
    python = {
        name: value
        for name, value in vars(constants).items()
        if isinstance(value, int) and name.isupper()
    }
    assert len(values) > 1000
    assert python.items() <= values.items()
    of_rtl = re.compile(
        r"\w+_(MSB|LSB|ADDR32)|(BASELINE|BLACKHOLE|WORMHOLE|NOP_ENC|SETREG_ENC|MATH_ENC|PLATFORM|ADC)_\w+"
        r"|UNPACR_NOP_(MODE|POP|CLR)_\w+"
    )
    assert {name for name in values if not of_rtl.fullmatch(name)} == python.keys()


def test_the_package_has_the_place_of_each_field() -> None:
    values = _package()
    fields = {field.symbol: field for field in registers.config_fields()}
    for layout in tables.layouts():
        for field in (*layout.fields, *layout.views):
            assert tables.position(f"{layout.prefix}_{field.name.upper()}") is field
            fields[f"{layout.prefix}_{field.name.upper()}"] = field
    for symbol, field in fields.items():
        assert (values[f"{symbol}_MSB"], values[f"{symbol}_LSB"]) == (field.msb, field.lsb)
    for config_field in registers.config_fields():
        assert values[f"{config_field.symbol}_ADDR32"] == config_field.addr32


def test_structs_of_words_have_each_field_where_it_is() -> None:
    rows = {row["type"]: row for row in tables.read(tables.DATA / "rtl_words.toml")["word"]}
    found = re.findall(r"struct packed \{\n(.*?)\n  \} (\w+);", generate.render_words(), re.DOTALL)
    assert [name for _, name in found] == list(rows)
    member = re.compile(r"    logic(?: \[(\d+):0\])? (\w+);  // \d+(?::\d+)?")
    for text, name in found:
        row = rows[name]
        word_bits = 16 if row.get("thread") else 32
        fields = {
            (word_bits * (field.addr32 - row["first"]) + field.lsb, field.width): field.name
            for field in registers.config_fields()
            if field.space == ("Thread" if row.get("thread") else "Config")
            and 0 <= field.addr32 - row["first"] < row.get("words", 1)
        }
        low = 0
        for line in reversed(text.splitlines()):
            match = member.fullmatch(line)
            assert match
            width = int(match[1] or 0) + 1
            known = fields.pop((low, width), None)
            assert (known is None) == match[2].startswith("unused_")
            assert known is None or known.lower().endswith(match[2])
            low += width
        assert low == word_bits * row.get("words", 1)
        assert not fields


def test_a_struct_whose_fields_overlap_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    over = dataclasses.replace(isa.config_field("INT_DESCALE_Mode"), msb=1, lsb=0)
    both = (isa.config_field("INT_DESCALE_Mode"), over)
    monkeypatch.setattr(registers, "config_fields", lambda: both)
    with pytest.raises(isa.IsaError, match="int_descale_word_t: mode lies over another field"):
        words.structs()


BENCH = """
module bench import tilepath_isa_pkg::*; ();
  logic [7:0] opcode;
  integer i;
  initial begin
    for (i = 0; i < 256; i = i + 1) begin
      opcode = i[7:0];
      $display("%0d %0d %0d", op_block_class(opcode), op_is_wait(opcode),
               op_must_not_issue(opcode));
    end
    $finish(0);
  end
endmodule
"""


@needs_icarus
def test_package_functions(tmp_path: Path) -> None:
    bench, binary = tmp_path / "bench.sv", tmp_path / "bench.vvp"
    bench.write_text(BENCH)
    package = generate.ROOT / generate.SV_PATH
    files = ["-o", str(binary), str(package), str(bench)]
    subprocess.run(["iverilog", "-g2012", "-Wall", "-s", "bench", *files], check=True)
    result = subprocess.run(["vvp", "-n", binary], check=True, capture_output=True, text=True)
    rows = [tuple(map(int, line.split())) for line in result.stdout.splitlines()]
    table = zip(tables.block_class(), tables.is_wait(), tables.must_not_issue(), strict=True)
    assert rows == list(table)


def test_the_matrix_unit_waits_for_the_banks_that_it_reads() -> None:
    waits = dict(enumerate(isa.tables.src_waits()))
    both, a, b = (0x26, 0x27, 0x28, 0x30, 0x33, 0x34), (0x12,), (0x13, 0x0B, 0x16)
    assert {op: bits for op, bits in waits.items() if bits} == {
        **dict.fromkeys(both, 3),
        **dict.fromkeys(a, 1),
        **dict.fromkeys(b, 2),
    }
