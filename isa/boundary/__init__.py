# SPDX-License-Identifier: Apache-2.0
"""What crosses each block's boundary: the one description of streams, fields and faults.

A module a block, each with ``BOUNDARY``. Golden model, bench and RTL constants follow from it.
"""
