# SPDX-License-Identifier: Apache-2.0
"""Programs that pass, to be broken by the tests, and how to break them."""

from __future__ import annotations

from tilepath.models.pipe_program import Diag, Report, check, parse

UNI = """platform a5
func @cube on AIC {
  import_peer_buffer ring peer_func=@vector
  alloc %out size=64 base=0x0
  initialize_pipe C2V slot_size=64 c2v_buf=ring
  loop 3 {
    tpush %out
  }
}
func @vector on AIV0 {
  reserve_buffer ring size=512 base=0x1000
  alloc %tmp size=64 base=0x0
  initialize_pipe C2V c2v_buf=ring slot_size=64
  loop 3 {
    tpop %in
    use %in
    tfree
  }
}
"""
"""C2V on A5."""

GM = """platform a2a3
gm slots base=0x1000 size=0x800
gm more base=0x2000 size=0x800
func @cube on AIC {
  alloc %out size=64 base=0x0
  initialize_pipe BOTH slot_size=64 gm=slots peer=0
  initialize_pipe V2C slot_size=64 gm=more peer=1
  tpush %out peer=0
  tpop %in peer=0
  tfree peer=0
  use %in
  tpop %in peer=1
  tfree peer=1
}
func @vector0 on AIV0 {
  initialize_pipe BOTH gm=slots slot_size=64
  tpop %in
  tfree
  tpush %in
}
func @vector1 on AIV1 {
  initialize_pipe V2C gm=more slot_size=64
  tpush %out
}
"""
"""Both directions with vector 0 and V2C with vector 1, on A2A3."""

TWO = """platform a5
func @cube on AIC {
  reserve_buffer ring0 size=256
  reserve_buffer ring1 size=256
  initialize_pipe V2C slot_size=32 v2c_buf=ring0 peer=0
  initialize_pipe V2C slot_size=32 v2c_buf=ring1 peer=1
  tpop %a peer=0
  use %a
  tfree peer=0
  tpop %a peer=1
  tfree peer=1
}
func @vector0 on AIV0 {
  import_peer_buffer ring0 peer_func=@cube
  initialize_pipe V2C v2c_buf=ring0 slot_size=32
  tpush %x
}
func @vector1 on AIV1 {
  import_peer_buffer ring1 peer_func=@cube
  initialize_pipe V2C v2c_buf=ring1 slot_size=32
  tpush %y
}
"""
"""V2C from both vectors, on A5."""

BASES = {"uni": UNI, "gm": GM, "two": TWO}


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The text with each first of a pair, which must be there once, replaced by the second."""
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return text


def place(text: str, fragment: str) -> tuple[int, int]:
    """Line and column of a fragment that is in the text once."""
    assert text.count(fragment) == 1, (fragment, text.count(fragment))
    at = text.index(fragment)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def brief(diag: Diag) -> tuple[str, tuple[int, int], str]:
    """Code, place and message."""
    return diag.code, (diag.where.line, diag.where.column), diag.msg


def checked(text: str) -> Report:
    """What the checker says of a text."""
    return check(parse(text, "p.pipe"))
