# SPDX-License-Identifier: Apache-2.0
"""Environment of ``frontend+control``: the front end's issue ports feed the wait gates."""
