# SPDX-License-Identifier: Apache-2.0
"""What cycle-exact models are made of: records, compiled loops, what they leave as an account."""
