# SPDX-License-Identifier: Apache-2.0
"""Stimulus, one package a block; each exposes ``TESTS``, name → :class:`TestSpec`."""

from __future__ import annotations
