# SPDX-License-Identifier: Apache-2.0
"""The boundary of ``frontend+control``: that of both blocks (docs/control.md section 10).

``offer`` is an output here: when it must happen follows from the front end's streams. ``ready``
stays an input of the check, because it is recorded between the two.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.description.boundary import Boundary, Stream
from tilepath.isa.boundary import control, frontend

# control's name of a stream → its name here, where the front end has a stream of that name
RENAMED: Final = {"issue": "dispatch", "fault": "gate_fault", "sticky": "control_sticky"}


def _renamed(stream: Stream) -> Stream:
    return replace(
        stream,
        name=RENAMED.get(stream.name, stream.name),
        direction="output" if stream.name == "offer" else stream.direction,
        module=f"control_rec_{stream.name}",
    )


STREAMS: Final = (
    *(replace(stream, module=f"frontend_rec_{stream.name}") for stream in frontend.STREAMS),
    *(_renamed(stream) for stream in control.STREAMS),
)
FAULTS: Final = (
    *frontend.BOUNDARY.faults,
    *(replace(f, stream=RENAMED.get(f.stream, f.stream)) for f in control.BOUNDARY.faults),
)
BOUNDARY: Final = Boundary(
    "frontend_control", STREAMS, FAULTS, frontend.BOUNDARY.state + control.BOUNDARY.state
)
