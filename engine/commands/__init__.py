# SPDX-License-Identifier: Apache-2.0
"""Commands that know no design: to run, regress, report, shrink, mutate, cover, watch, prove."""
