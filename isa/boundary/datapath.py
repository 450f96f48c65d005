# SPDX-License-Identifier: Apache-2.0
"""The boundary of ``datapath``: items of the cores, L1, and the streams of every block inside.

Streams of front end and control are called as in ``frontend+control``, those of the other blocks
with the block's name in front (``u0.unpack_issue``). What a block gets is an input here, recorded
at its own port, and what its neighbour gave is compared with that: ``connection`` has a record
for each difference, which no RTL ever has (docs/datapath.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.description.boundary import Boundary, Fault, Field, StateArray, Stream
from tilepath.isa.boundary import adc, control, frontend, frontend_control, pack, standin, unpack

THREADS: Final = 3
OPS: Final = (
    "push", "mop", "store", "poll >=", "poll <", "poll =", "post", "get", "sync", "stream",
)  # fmt: skip
ITEM: Final = (Field("op", 4, values=OPS), Field("index", 16), Field("value", 32))
_STORED: Final = (Field("line", 17), Field("data", 32, count=pack.LINE_WORDS))
PACK_PORTS: Final = pack.PACKERS + 1  # that read L1: the last one is packer 0's source
_FETCHED: Final = pack.BOUNDARY.stream("read").fields
_ANSWER: Final = (Field("sum", 32),)  # of word x of the lines (2 x its number there + 1)
L1_CHUNK: Final = 256  # words of 32 bits that share a sum in the state
L1_CHUNKS: Final = 1536  # of the largest L1; what a profile does not have is 0

# Where the streams of a block that are left out here have their records
STAND_FOR: Final = {
    part: {f"t{t}.counter": f"t{t}.adc_issue" for t in range(THREADS)}
    | {name: name for name in ("l1_write", "l1_latency")}
    for part in ("unpack", "pack")
}
_LEFT_OUT: Final = {
    "unpack": ("counter", "l1_write", "l1_latency", "unpacker0", "unpacker1", "counter_fault",
               "counter_conflict"),
    "pack": ("counter", "l1_write", "l1_latency", "dst_write", "dst_zero", "dst_read",
             "packers",
             "counter_fault", "counter_conflict"),
    "standin": ("load",),
}  # fmt: skip
PARTS: Final[dict[str, Boundary]] = {
    "adc": adc.BOUNDARY,
    "unpack": unpack.BOUNDARY,
    "standin": standin.BOUNDARY,
    "pack": pack.BOUNDARY,
}

# What a block gets, and whose it is
CONNECTIONS: Final = (
    *(f"t{t}.busy of control, from unpack, pack, standin" for t in range(THREADS)),
    "hold of control, from unpack",
    "unit_ready of control, from unpack, pack, standin",
    *(f"t{t}.issue of adc, from control" for t in range(THREADS)),
    "flop of adc, from control",
    "unpack of adc, from unpack",
    "pack of adc, from pack",
    *(f"u{u}.issue of unpack, from control" for u in range(2)),
    "issue of standin, from control",
    "issue of pack, from control",
    *(f"cfg of {unit}, from control" for unit in ("unpack", "standin", "pack")),
    *(f"flop of {unit}, from control" for unit in ("unpack", "pack")),
    *(f"store of {unit}, from control" for unit in ("unpack", "standin", "pack")),
    *(f"t{t}.setc16 of {u}, from control" for u in ("unpack", "standin", "pack") for t in range(3)),
    *(f"{name} of unpack, from standin" for name in ("matrix", "matrix_write", "matrix_bank")),
    *(f"{name} of standin, from unpack" for name in ("owner", "implied", "stale", "pause")),
    *(f"{name} of standin, from unpack" for name in ("unpack_bank", "answer_a", "answer_b")),
    "answer_d of standin, from unpack",
    "unpack_zero of standin, from unpack",
    "pack_read of standin, from pack",
    "hist of pack, from standin",
    *(f"w{port}.stored of l1, from pack" for port in range(pack.SLOTS)),
    *(f"u{u}.requested of l1, from unpack" for u in range(2)),
    *(f"p{port}.fetched of l1, from pack" for port in range(PACK_PORTS)),
    *(f"u{u}.answer of unpack, from l1" for u in range(2)),
    *(f"p{port}.answer of pack, from l1" for port in range(PACK_PORTS)),
)


def joined_name(part: str, instance: str) -> str:
    """Name here of stream ``instance`` of block ``part``."""
    copy, dot, name = instance.rpartition(".")
    return f"{copy}{dot}{part}_{name}"


def _renamed(part: str, stream: Stream) -> Stream:
    module = f"{part}_rec_{stream.name}"
    return replace(stream, name=f"{part}_{stream.name}", module=module)


STREAMS: Final = (
    Stream("item", "input", fields=ITEM, copies=THREADS),
    Stream("item_done", "input", copies=THREADS),
    unpack.BOUNDARY.stream("l1_write"),
    unpack.L1_LATENCY,
    Stream("stored", "input", fields=_STORED, copies=pack.SLOTS, prefix="w"),
    replace(unpack.BOUNDARY.stream("read"), name="requested", direction="input"),
    Stream("fetched", "input", fields=_FETCHED, copies=PACK_PORTS, prefix="p"),
    Stream("unpack_answer", "input", fields=_ANSWER, copies=unpack.UNPACKERS, prefix="u"),
    Stream("pack_answer", "input", fields=_ANSWER, copies=PACK_PORTS, prefix="p"),
    *(s for s in frontend_control.STREAMS if not s.name.startswith("view_")),
    *(
        _renamed(part, stream)
        for part, boundary in PARTS.items()
        for stream in boundary.streams
        if stream.name not in _LEFT_OUT.get(part, ())
    ),
    Stream("raised", "output"),
    Stream(
        "connection",
        "output",
        fields=(Field("where", 8, values=CONNECTIONS), Field("got", 32), Field("want", 32)),
    ),
)


def _faults() -> tuple[Fault, ...]:
    names = {stream.name for stream in STREAMS}
    own = [
        replace(fault, stream=f"{part}_{fault.stream}")
        for part, boundary in PARTS.items()
        for fault in boundary.faults
    ]
    return (*frontend_control.FAULTS, *(fault for fault in own if fault.stream in names))


STATE: Final = (
    *frontend.STATE,
    *control.STATE,
    *adc.STATE,
    *(unpack.BOUNDARY.state[n] for n in (4, 5)),  # src_owner, src_bank
    *standin.STATE[4:],  # rwc, matrix_bank
    # of each KiB of L1 the sum of word x (2 x its number there + 1), modulo 2^32
    StateArray("l1_sum", "u4", (L1_CHUNKS,)),
)
BOUNDARY: Final = Boundary("datapath", STREAMS, _faults(), STATE)
