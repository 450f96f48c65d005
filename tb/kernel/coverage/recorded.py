# SPDX-License-Identifier: Apache-2.0
"""Records as compiled kernels take them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.description.stream import Records, Stream

Rows = NDArray[np.uint32]


def as_recorded(records: Records, stream: Stream) -> Records:
    """``records`` as contiguous and read-only, in the layout that ``stream`` has in a trace.

    A model's records may have more fields. One layout is one compiled kernel: for traces that may
    be written to and for those that may not.
    """
    if records.dtype == stream.dtype:
        found = np.ascontiguousarray(records).view()
    else:
        found = np.zeros(len(records), stream.dtype)
        for name in ("cycle", *(f.name for f in stream.fields)):
            found[name] = records[name]
    found.flags.writeable = False
    return found


def rows_of(records: Records, stream: Stream) -> Rows:
    """``records`` as read-only rows of 32-bit words: the cycle, then the fields in their order."""
    whole = as_recorded(records, stream)
    rows = whole.view(np.uint32).reshape(len(whole), 1 + stream.payload_words)
    rows.flags.writeable = False
    return rows


def column(stream: Stream, field: str) -> int:
    """Where ``field`` begins in the rows of ``stream``."""
    names = stream.dtype.names or ()
    offset = 0
    for name in names[: names.index(field)]:
        offset += stream.dtype[name].itemsize // 4
    return offset
