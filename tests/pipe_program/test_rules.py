# SPDX-License-Identifier: Apache-2.0
"""Every rule fires with its message at its place, and does not for a neighbour that is right."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tilepath.models.pipe_program import Kpn
from tilepath.tests.pipe_program.texts import BASES, brief, changed, checked, place

Expected = tuple[str, str, str]
"""Code, what stands at the place, message."""


@dataclass(frozen=True)
class Case:
    """A base program, what is changed of it, and the errors and warnings that there must be."""

    base: str
    changes: tuple[tuple[str, str], ...]
    errors: tuple[Expected, ...] = ()
    warnings: tuple[Expected, ...] | None = ()
    kpn: Kpn | None = None


CUBE = "initialize_pipe C2V slot_size=64 c2v_buf=ring"
VECTOR = "initialize_pipe C2V c2v_buf=ring slot_size=64"
RESERVE = "reserve_buffer ring size=512 base=0x1000"
IMPORT = "import_peer_buffer ring peer_func=@vector"
BODY = "    tpop %in\n    use %in\n    tfree\n"
ALLOC = "alloc %tmp size=64 base=0x0"
NOT_A_MASK = "invalid (1=C2V,2=V2C,3=both; enum 0/1 is not a mask)"


def uni(change: tuple[str, str], *errors: Expected) -> Case:
    return Case("uni", (change,), errors)


def body(text: str, *errors: Expected, head: str = "") -> Case:
    """The vector's three turns replaced by something else, and the cube's by enough pushes."""
    turns = f"  loop 3 {{\n{BODY}  }}\n"
    pushes = ("  loop 3 {\n    tpush %out\n  }\n", "  loop 6 {\n    tpush %out\n  }\n")
    changes = (turns, text), pushes, ("platform a5\n", f"platform a5\n{head}")
    return Case("uni", changes, errors, None)


def two(change: tuple[str, str], *errors: Expected) -> Case:
    return Case("two", (change,), errors)


def gm(change: tuple[str, str], *errors: Expected) -> Case:
    return Case("gm", (change,), errors)


ORPHAN = (("C17", RESERVE, "reserve 'ring' never imported"),)
UNBALANCED = "tpop/tfree unbalanced in loop"
AFTER = "use of 'in' after tfree (slot may be overwritten)"

CASES: dict[str, Case] = {
    "passes uni": Case("uni", ()),
    "passes gm": Case("gm", ()),
    "passes two": Case("two", ()),
    "C01 four": Case(
        "uni",
        ((CUBE, CUBE.replace("C2V", "4")),),
        (
            ("C01", "initialize_pipe 4", f"dir_mask 0x4 {NOT_A_MASK}"),
            ("C04", VECTOR, "pair 0: dir_mask differs: 4 vs 1"),
        ),
        kpn=Kpn.UNDECIDED,
    ),
    "C01 zero on both sides": Case(
        "uni",
        ((CUBE, CUBE.replace("C2V", "0x0")), (VECTOR, VECTOR.replace("C2V", "0"))),
        (
            ("C01", "initialize_pipe 0x0", f"dir_mask 0x0 {NOT_A_MASK}"),
            ("C01", "initialize_pipe 0 ", f"dir_mask 0x0 {NOT_A_MASK}"),
        ),
    ),
    "C01 one is a mask": uni((CUBE, CUBE.replace("C2V", "1"))),
    "C02 not aligned": Case(
        "uni",
        ((CUBE, CUBE.replace("64", "48")), (VECTOR, VECTOR.replace("64", "48")), ("512", "384")),
        (
            ("C02", "initialize_pipe C2V s", "slot_size 48 must be a positive multiple of 32"),
            ("C02", "initialize_pipe C2V c", "slot_size 48 must be a positive multiple of 32"),
        ),
    ),
    "C02 zero": Case(
        "uni",
        ((CUBE, CUBE.replace("64", "0")), (VECTOR, VECTOR.replace("64", "0"))),
        (
            ("C02", "initialize_pipe C2V s", "slot_size 0 must be a positive multiple of 32"),
            ("C02", "initialize_pipe C2V c", "slot_size 0 must be a positive multiple of 32"),
            ("C09", RESERVE, "reserve 'ring' size 512, ring needs 0"),
        ),
    ),
    "C02 too large": Case(
        "uni",
        (
            (CUBE, CUBE.replace("64", "0x10020")),
            (VECTOR, VECTOR.replace("64", "0x10020")),
            ("alloc %out size=64", "alloc %out size=65568"),
            (RESERVE, "reserve_buffer ring size=512 base=0x80"),
        ),
        (
            (
                *("C02", "initialize_pipe C2V s"),
                "slot_size 65568 must be a positive multiple of 32, at most 65536",
            ),
            ("C09", "reserve_buffer", "reserve 'ring' size 512, ring needs 524544"),
            (
                *("C02", "initialize_pipe C2V c"),
                "slot_size 65568 must be a positive multiple of 32, at most 65536",
            ),
        ),
    ),
    "C02 another beat": Case(
        "uni", (("platform a5", "platform a5\nbeat_bytes 64"),)
    ),
    "C03 before": uni(
        (f"{VECTOR}\n", f"tpop %in\n  {VECTOR}\n  use %in\n  tfree\n"),
        ("C03", "tpop %in\n  init", "tpop before initialize_pipe"),
    ),
    "C03 in one arm": Case(
        "two",
        (("  initialize_pipe V2C v2c_buf=ring1 slot_size=32", "  if taken {\n"
          "    initialize_pipe V2C v2c_buf=ring1 slot_size=32\n  }"),),
        (("C03", "tpush %y", "tpush before initialize_pipe"),),
    ),
    "C03 twice": uni(
        (f"{VECTOR}\n", f"{VECTOR}\n  initialize_pipe C2V c2v_buf=ring slot_size=0x40\n"),
        ("C03", "initialize_pipe C2V c2v_buf=ring slot_size=0x40", "duplicate initialize_pipe"),
    ),
    "C03 in a loop": uni(
        (f"  {VECTOR}\n", f"  loop 2 {{\n    {VECTOR}\n  }}\n"),
        ("C03", VECTOR, "duplicate initialize_pipe"),
    ),
    "C03 in a loop of one turn": uni((f"  {VECTOR}\n", f"  loop 1 {{\n    {VECTOR}\n  }}\n")),
    "C04 mask": Case(
        "uni",
        ((CUBE, CUBE.replace("C2V", "BOTH").replace("64", "128")),),
        (
            ("C07", "initialize_pipe BOTH", "V2C: missing reserve_buffer"),
            ("C24", "tpush", "tile 'out' has 64 B, a slot 128 B"),
            ("C04", VECTOR, "pair 0: dir_mask differs: 3 vs 1"),
            ("C04", VECTOR, "pair 0: slot_size differs: 128 vs 64"),
        ),
        kpn=Kpn.UNDECIDED,
    ),
    "C04 base": uni(
        (CUBE, CUBE.replace("=ring", "=0x800")),
        ("C07", "initialize_pipe C2V s", "C2V: init argument is not the resolved base"),
        ("C04", VECTOR, "pair 0: c2v_buf differs: 0x800 vs 0x1000"),
    ),
    "C04 same base as a number": uni((CUBE, CUBE.replace("=ring", "=0x1000"))),
    "C04 gm": gm(
        ("BOTH gm=slots", "BOTH gm=slots+0x20"),
        ("C04", "initialize_pipe BOTH gm", "pair 0: gm_base differs: 0x1000 vs 0x1020"),
    ),
    "C05": Case(
        "two",
        (("  initialize_pipe V2C slot_size=32 v2c_buf=ring1 peer=1\n", ""),
         ("  tpop %a peer=1\n  tfree peer=1\n", "")),
        (("C05", "initialize_pipe V2C v2c_buf=ring1", "pair 1: no peer initialize_pipe"),
         ("C22", "tpush %y", "STARVED: AIV1 waits for a free slot for tile 0, consumer finished")),
    ),
    "C06 push": uni(
        ("    use %in\n", "    use %in\n    tpush %tmp\n"),
        ("C06", "tpush %tmp", "tpush on AIV0: V2C not in dir_mask"),
    ),
    "C06 free": uni(
        ("    tpush %out\n", "    tpush %out\n    tfree peer=0\n"),
        ("C06", "tfree peer=0", "tfree on AIC: V2C not in dir_mask"),
        ("C20", "tfree peer=0", "tfree without tpop"),
    ),
    "C07 reserve": uni(
        (f"  {RESERVE}\n", ""),
        ("C08", IMPORT, "import 'ring': no reserve_buffer in @vector"),
        ("C07", VECTOR, "C2V: missing reserve_buffer"),
    ),
    "C07 import": Case(
        "uni",
        ((f"  {IMPORT}\n", ""),),
        (("C07", CUBE, "C2V: missing import_peer_buffer"),),
        ORPHAN,
    ),
    "C07 no argument": uni(
        (CUBE, "initialize_pipe C2V slot_size=64"),
        ("C07", "initialize_pipe C2V s", "C2V: init argument is not the resolved base"),
        ("C04", VECTOR, "pair 0: c2v_buf differs: 0x0 vs 0x1000"),
    ),
    "C07 no argument and base 0": Case(
        "uni",
        ((CUBE, "initialize_pipe C2V slot_size=64"), ("0x1000", "0"), (f"  {ALLOC}\n", "")),
    ),
    "C08 twice": uni(
        (f"  {ALLOC}\n", "  alloc %ring size=64 base=0x0\n"),
        ("C08", RESERVE, "'ring' declared twice"),
    ),
    "C08 another name": Case(
        "uni",
        ((RESERVE, RESERVE.replace("ring", "rong")),),
        (
            ("C08", IMPORT, "import 'ring': no reserve_buffer in @vector"),
            ("C07", VECTOR, "C2V: missing reserve_buffer"),
        ),
        (("C17", "reserve_buffer rong", "reserve 'rong' never imported"),),
    ),
    "C08 no function": Case(
        "uni",
        ((IMPORT, IMPORT.replace("@vector", "@nobody")),),
        (
            ("C08", "import_peer", "import 'ring': no reserve_buffer in @nobody"),
            ("C07", CUBE, "C2V: missing import_peer_buffer"),
        ),
        ORPHAN,
    ),
    "C08 no buddy": two(
        ("reserve_buffer ring1 size=256", "reserve_buffer ring1 size=256\n"
         "  import_peer_buffer ring2 peer_func=@cube\n  reserve_buffer ring2 size=32 base=0x9000"),
        ("C08", "import_peer_buffer ring2", "import 'ring2': @cube is not the buddy core"),
        ("C08", "import_peer_buffer ring2", "'ring2' declared twice"),
    ),
    "C09": uni(
        ("size=512", "size=480"), ("C09", "reserve", "reserve 'ring' size 480, ring needs 512")
    ),
    "C10": uni(
        ("size=512", "size=512 memory_space=L1"), ("C10", "reserve", "reserve 'ring': L1 on AIV0")
    ),
    "C10 right": uni(("size=512", "size=512 memory_space=UB")),
    "C11": uni(
        (IMPORT, f"{IMPORT} base=0x1020"),
        ("C11", "import", "import 'ring' base 0x1020 != 0x1000"),
        ("C04", VECTOR, "pair 0: c2v_buf differs: 0x1020 vs 0x1000"),
    ),
    "C11 right": uni((IMPORT, f"{IMPORT} base=0x1000")),
    "C12": uni(
        ("0x1000", "0x3fe20"),
        ("C12", "reserve", "reserve 'ring' [0x3fe20,0x40020) exceeds UB (262144)"),
    ),
    "C12 last": uni(("0x1000", "0x3fe00")),
    "C12 less sram": uni(
        ("platform a5", "platform a5\nsram UB=4096"),
        ("C12", RESERVE, "reserve 'ring' [0x1000,0x1200) exceeds UB (4096)"),
    ),
    "C12 aligned": uni(
        ("0x1000", "0x1010"),
        ("C12", "reserve", "reserve 'ring' [0x1010,0x1210) is not aligned to 32"),
    ),
    "C12 alloc": uni(
        (ALLOC, "alloc %tmp size=64 base=0x40000"),
        ("C12", "alloc %tmp", "alloc 'tmp' [0x40000,0x40040) exceeds UB (262144)"),
    ),
    "C12 tile that moves": uni(
        ("alloc %out size=64 base=0x0", "alloc %out size=64 base=0x10"),
        ("C12", "alloc %out", "alloc 'out' [0x10,0x50) is not aligned to 32"),
    ),
    "C12 temporary": uni((ALLOC, "alloc %tmp size=3 base=0x3")),
    "C13": Case(
        "two",
        (("reserve_buffer ring0 size=256", "reserve_buffer ring0 size=256 base=0x100"),
         ("reserve_buffer ring1 size=256", "reserve_buffer ring1 size=256 base=0x1e0")),
        (("C13", "reserve_buffer ring1", "reserve 'ring1' overlaps 'ring0'"),),
    ),
    "C13 touch": Case(
        "two",
        (("reserve_buffer ring0 size=256", "reserve_buffer ring0 size=256 base=0x100"),
         ("reserve_buffer ring1 size=256", "reserve_buffer ring1 size=256 base=0x200")),
    ),
    "C14": uni(
        (ALLOC, "alloc %tmp size=64 base=0x11e0"),
        ("C14", "alloc %tmp", "'tmp' allocated inside reserved 'ring'"),
    ),
    "C14 touch": uni((ALLOC, "alloc %tmp size=64 base=0x1200")),
    "C15": Case(
        "uni",
        (("base=0x1000", "base=auto"), (ALLOC, "alloc %tmp size=64 base=0x100"),
         ("platform a5", "platform a5\nsram UB=736")),
        (("C15", "reserve", "no hole of 512 B in UB"),),
    ),
    "C15 fits": Case(
        "uni",
        (("base=0x1000", "base=auto"), (ALLOC, "alloc %tmp size=64 base=0x100"),
         ("platform a5", "platform a5\nsram UB=832")),
    ),
    "C15 tile": uni(
        (ALLOC, "alloc %tmp size=262144"), ("C15", "alloc %tmp", "no hole of 262144 B in UB")
    ),
    "C16": gm(
        ("gm slots base=0x1000 size=0x800", "gm slots base=0x1000 size=480"),
        ("C16", "initialize_pipe BOTH s", "GM_SLOT_BUFFER 480 B < 512 B"),
        ("C16", "initialize_pipe BOTH g", "GM_SLOT_BUFFER 480 B < 512 B"),
    ),
    "C16 null": Case(
        "gm",
        (("gm=slots peer=0", "gm=null peer=0"), ("BOTH gm=slots", "BOTH")),
        (("C16", "initialize_pipe BOTH slot_size=64 g", "GM_SLOT_BUFFER 0 B < 512 B"),
         ("C16", "initialize_pipe BOTH slot_size=64\n", "GM_SLOT_BUFFER 0 B < 512 B")),
    ),
    "C16 offset": Case(
        "gm",
        (("gm=slots peer=0", "gm=slots+0x601 peer=0"), ("BOTH gm=slots", "BOTH gm=slots+0x601")),
        (("C16", "initialize_pipe BOTH s", "GM_SLOT_BUFFER 511 B < 512 B"),
         ("C16", "initialize_pipe BOTH s", "GM_SLOT_BUFFER 0x1601 is not aligned to 32"),
         ("C16", "initialize_pipe BOTH g", "GM_SLOT_BUFFER 511 B < 512 B"),
         ("C16", "initialize_pipe BOTH g", "GM_SLOT_BUFFER 0x1601 is not aligned to 32")),
    ),
    "C16 exactly": gm(("gm slots base=0x1000 size=0x800", "gm slots base=0x1000 size=512")),
    "C17 gm": Case(
        "uni",
        (("platform a5", "platform a5\ngm g base=0x100 size=512"), (VECTOR, f"{VECTOR} gm=g")),
        (),
        (("C17", VECTOR, "GM_SLOT_BUFFER ignored on A5"),),
    ),
    "C17 never imported": Case(
        "uni",
        ((RESERVE, f"{RESERVE}\n  reserve_buffer idle size=32"),),
        (),
        (("C17", "reserve_buffer idle", "reserve 'idle' never imported"),),
    ),
    "C17 a2a3": Case(
        "gm",
        (("  alloc %out size=64 base=0x0", "  reserve_buffer r size=1 base=1\n"
          "  import_peer_buffer i peer_func=@nobody"),),
        (),
        (("C17", "reserve_buffer r", "reserve 'r' ignored on A2A3"),
         ("C17", "import_peer_buffer i", "import 'i' ignored on A2A3")),
    ),
    "C18": gm(
        ("gm more base=0x2000", "gm more base=0x11e0"),
        ("C18", "initialize_pipe V2C s", "GM rings of AIV0 and AIV1 overlap"),
    ),
    "C18 touch": gm(("gm more base=0x2000", "gm more base=0x1200")),
    "C19": Case(
        "two",
        (("v2c_buf=ring1 peer=1", "v2c_buf=ring0 peer=1"), ("reserve_buffer ring1 size=256", ""),
         ("import_peer_buffer ring1", "import_peer_buffer ring0"),
         ("v2c_buf=ring1 slot", "v2c_buf=ring0 slot")),
        (("C19", "initialize_pipe V2C slot_size=32 v2c_buf=ring0 peer=1",
          "V2C ring 'ring0' shared by two producers"),),
    ),
    "C20 never freed": body(
        "  tpop %in\n  use %in\n", ("C20", "tpop", "tpop without tfree"),
    ),
    "C20 second": body(
        "  tpop %in\n  tpop %two\n  tfree\n  tfree\n",
        ("C20", "tpop %two", "second tpop while 1 held"),
    ),
    "C20 second allowed": body(
        "  tpop %in\n  tpop %two\n  tfree\n  tfree\n", head="hold_max 2\n"
    ),
    "C20 free first": body("  tfree\n", ("C20", "tfree", "tfree without tpop")),
    "C20 loop": body(
        "  loop 2 {\n    tpop %in\n  }\n  tfree\n", ("C20", "loop 2", UNBALANCED),
    ),
    "C20 loop of frees": body(
        "  tpop %in\n  loop 2 {\n    tfree\n  }\n", ("C20", "loop 2", UNBALANCED),
    ),
    "C20 inner loop": body(
        "  loop 2 {\n    loop 3 {\n      tpop %in\n    }\n    tfree\n  }\n",
        ("C20", "loop 3", UNBALANCED),
    ),
    "C20 outer loop": body(
        "  loop 2 {\n    loop 1 {\n      tpop %in\n    }\n  }\n  tfree\n",
        ("C20", "loop 2", UNBALANCED),
    ),
    "C20 loop of one turn": body("  loop 1 {\n    tpop %in\n  }\n  tfree\n"),
    "C20 no turn": body("  loop 0 {\n    tfree\n  }\n  tpop %in\n  tfree\n"),
    "C20 across turns": body(
        "  tpop %in\n  loop 4 {\n    tfree\n    tpop %in\n  }\n  tfree\n",
    ),
    "C20 many turns": body(
        "  tpop %in\n  loop 3 {\n    tfree\n    tpop %in\n  }\n  tfree\n  loop 0xf0000 {\n"
        "    use %tmp\n  }\n",
    ),
    "C20 pop in one arm": body(
        "  if taken {\n    tpop %in\n  }\n  tfree\n", ("C20", "tfree", "tfree without tpop"),
    ),
    "C20 free in one arm": body(
        "  tpop %in\n  if not-taken {\n    use %in\n  } else {\n    tfree\n  }\n",
        ("C20", "tpop", "tpop without tfree"),
    ),
    "C20 both arms": body(
        "  tpop %in\n  if taken {\n    use %in\n    tfree\n  } else {\n    tfree\n  }\n",
    ),
    "C20 pairs apart": two(
        ("  tfree peer=0\n  tpop %a peer=1\n", "  tpop %b peer=1\n  tfree peer=0\n")
    ),
    "C21 after": body(
        "  tpop %in\n  tfree\n  use %in\n", ("C21", "use", AFTER),
    ),
    "C21 after in one arm": body(
        "  tpop %in\n  if taken {\n    tfree\n  } else {\n    tfree\n    use %in\n  }\n",
        ("C21", "use", AFTER),
    ),
    "C21 in the next turn": body(
        "  tpop %in\n  tfree\n  loop 2 {\n    tpop %in\n    use %in\n    tfree\n  }\n  use %in\n",
        ("C21", "use %in\n}", AFTER),
    ),
    "C21 before": body(
        "  use %in\n  tpop %in\n  tfree\n", ("C21", "use", "use of 'in' before tpop"),
    ),
    "C21 bound again": two(
        ("  tfree peer=0\n  tpop %a peer=1\n  tfree peer=1\n",
         "  tpop %a peer=1\n  use %a 1\n  tfree peer=1\n  tfree peer=0\n"),
        ("C21", "tpop %a peer=1", "'a' bound again while held"),
    ),
    "C21 a copy on a2a3": gm(("  use %in\n", "  use %in 5\n")),
    "C22 starved": uni(
        ("loop 3 {\n    tpush", "loop 2 {\n    tpush"),
        ("C22", "tpop", "STARVED: AIV0 waits for tile 2, producer finished"),
    ),
    "C22 full": uni(
        ("loop 3 {\n    tpush", "loop 12 {\n    tpush"),
        ("C22", "tpush", "STARVED: AIC waits for a free slot for tile 11, consumer finished"),
    ),
    "C22 too long": uni(
        ("    tpush %out\n", "    tpush %out\n    loop 4000000000 {\n    use %out\n    }\n"),
        ("C22", "@cube on", "undecided: more than 1048576 operations"),
    ),
    "C23": Case(
        "uni",
        (("loop 3 {\n    tpush", "loop 5 {\n    tpush"),),
        (),
        (("C23", CUBE, "pair 0 C2V: 2 tiles never popped"),),
        kpn=Kpn.DONE,
    ),
    "C24 a view": two(
        ("  tfree peer=0\n", "  tpush %a peer=0\n  tfree peer=0\n"),
        ("C06", "tpush %a peer=0", "tpush on AIC: C2V not in dir_mask"),
        ("C24", "tpush %a peer=0", "tile 'a' overlaps ring"),
    ),
    "C24 inside": Case(
        "two",
        (("  tpush %x", "  alloc %x size=32 base=0x20\n  reserve_buffer ring9 size=64 base=0\n"
          "  tpush %x"),),
        (("C24", "tpush %x", "tile 'x' overlaps ring"),
         ("C14", "alloc %x", "'x' allocated inside reserved 'ring9'")),
        (("C17", "reserve_buffer ring9", "reserve 'ring9' never imported"),),
    ),
    "C24 too small": uni(
        ("alloc %out size=64", "alloc %out size=32"),
        ("C24", "tpush", "tile 'out' has 32 B, a slot 64 B"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str) -> None:
    case = CASES[name]
    text = changed(BASES[case.base], *case.changes)
    report = checked(text)
    for found, expected in ((report.errors, case.errors), (report.warnings, case.warnings)):
        if expected is None:  # of tiles that are left over
            continue
        wanted = [(code, place(text, fragment), message) for code, fragment, message in expected]
        assert sorted(map(brief, found)) == sorted(wanted)
        assert [diag.where for diag in found] == sorted(diag.where for diag in found)
    assert report.verdict == ("ERROR" if case.errors else "OK")
    if case.kpn:
        assert report.kpn == case.kpn


def test_every_rule_has_a_case() -> None:
    found = [(*case.errors, *(case.warnings or ())) for case in CASES.values()]
    codes = {code for diags in found for code, _, _ in diags}
    assert codes == {f"C{k:02d}" for k in range(1, 25)}
