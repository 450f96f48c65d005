# SPDX-License-Identifier: Apache-2.0
"""Somebody's own RTL in the place of a block's: how it is named, read, held against the ports."""
