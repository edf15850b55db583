"""effort: how much of its whole work a test does; see effort.h."""

import os

EFFORT = int(os.environ.get("TEST_EFFORT") or 100)  # percent
OF_CI = 30  # run_release in ./dev


def whole():
    """Whether what has no smaller share is done, as it is where CI is set."""
    return EFFORT >= OF_CI
