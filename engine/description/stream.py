# SPDX-License-Identifier: Apache-2.0
"""What a recorder writes around the records: markers and fillers.

The last record that a recorder writes in a block of cycles is a *marker*: cycle ``MARKER``, and in
the next word how many records the stream has had so far (modulo 2**32). Recorders write ``BATCH``
records at a time; behind the marker, what is left of a batch is filled with records whose cycle is
``FILLER``. A trace whose markers are missing or do not add up is not a trace.
"""

from __future__ import annotations

from tilepath.engine.description.boundary import Field, Records, Stream, stream_table

MARKER = 0xFFFF_FFFF
FILLER = 0xFFFF_FFFE
BATCH = 32

__all__ = ["BATCH", "FILLER", "MARKER", "Field", "Records", "Stream", "stream_table"]
