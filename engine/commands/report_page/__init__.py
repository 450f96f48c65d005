# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath report`` makes of a regression: one page, JUnit XML, a summary in Markdown."""
