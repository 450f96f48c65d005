# SPDX-License-Identifier: Apache-2.0
"""Make ``python -m tilepath`` work."""

from __future__ import annotations

from tilepath.cli.main import main

if __name__ == "__main__":
    main()
