# SPDX-License-Identifier: Apache-2.0
"""Names the packages: the folders of the checkout, each below the one import name ``tilepath``."""

from __future__ import annotations

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

FOLDERS = ("engine", "isa", "models", "tb", "sequences", "cli", "rtl")


class BuildPackage(build_py):
    """Leaves this file out, which stands where the package begins."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Package, name and file of each module of ``package``."""
        found: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [module for module in found if module[:2] != ("tilepath", "setup")]


setup(
    cmdclass={"build_py": BuildPackage},
    packages=[
        "tilepath",
        *(
            f"tilepath.{name}"
            for name in find_namespace_packages(".", include=[f"{f}*" for f in FOLDERS])
            if not name.endswith("__pycache__")
        ),
    ],
)
