# SPDX-License-Identifier: Apache-2.0
"""What a block, its streams, players and tests are: data that everything else follows from."""

from __future__ import annotations
