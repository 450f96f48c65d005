# SPDX-License-Identifier: Apache-2.0
"""The whole data path: all blocks joined, with the math stand-in in the Matrix Unit's place."""
