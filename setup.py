# SPDX-License-Identifier: Apache-2.0
"""Names the packages: the folders of the checkout, each below the one import name ``tilepath``."""

from __future__ import annotations

from setuptools import find_namespace_packages, setup

FOLDERS = ("isa", "models", "tb", "sequences", "cli", "rtl")

setup(
    packages=[
        "tilepath",
        *(
            f"tilepath.{name}"
            for name in find_namespace_packages(".", include=[f"{f}*" for f in FOLDERS])
            if not name.endswith("__pycache__")
        ),
    ]
)
