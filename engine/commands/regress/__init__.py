# SPDX-License-Identifier: Apache-2.0
"""``tilepath regress``: regressions of any length, remembered in one SQLite file."""

from __future__ import annotations
