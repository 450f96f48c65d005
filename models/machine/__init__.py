# SPDX-License-Identifier: Apache-2.0
"""The golden model's one public face, ``Machine``: all blocks together, without time.

- ``machine``: what a machine has, and the words that go through it;
- ``cores``: what the RISC cores and the Matrix Unit do to it without an instruction word;
- ``addresses``: where the cores have all that in their address space;
- ``items``: what a core does, item after item; ``run``: the three threads and their cores at once;
- ``state``: all of it as one record, which compiled functions work on: ``step``, what a word does,
  ``waits``, what would wait, ``hazards``, and around them ``loop``;
- ``records``: what it tells: events, faults, the words that issued;
- ``arrays``: how its arrays are written, and what is refused.
"""

from __future__ import annotations

from tilepath.models.machine.machine import Machine
from tilepath.models.machine.records import Event, Fault
from tilepath.models.machine.run import Run, Waiting

__all__ = ["Event", "Fault", "Machine", "Run", "Waiting"]
