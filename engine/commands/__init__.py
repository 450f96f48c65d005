# SPDX-License-Identifier: Apache-2.0
"""Commands that know no design: run, regress, report, shrink, mutate, cover, trace, watch, prove."""
