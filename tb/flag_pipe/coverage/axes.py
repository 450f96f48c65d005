# SPDX-License-Identifier: Apache-2.0
"""Names of the axes of points that their own names do not tell."""

from __future__ import annotations

from typing import Final

AXES: Final = {
    "pairs.mask_x_mask": "pair0 pair1",
    "error.then_legal": "error then",
    "ring.push_tag_x_free_tag": "pipe push_tag free_tag",
    "ring.wraps": "pipe pointer wraps",
    "ring.occupancy": "pipe op occupancy",
    "wait.set_against_first_wait": "flag way cycles",
    "wait.cube_holds_up_other_pair": "pair op occupancy",
    "port.refused": "port cycles",
    "port.latency": "port cycles",
    "port.cores_at_once": "port cores",
    "launch.mask_x_next_mask": "before mask next_mask",
}
