# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath shrink`` makes of a run that failed: the least that fails in the same way."""
