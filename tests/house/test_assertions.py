"""Assertions and atomics: an assertion has no effects, and atomics are those of <stdatomic.h>."""

import re
import sys
import unittest

from house import CODE, read, without_comments

ASSERT = re.compile(r"\b(?:PD_ASSERT|PD_DEBUG_ASSERT|CK_ASSERT)\(")
# Assignments, and functions of the system or of <stdatomic.h> that do something.
EFFECT = re.compile(r"\+\+|--|[^=!<>]=(?!=)|\b(?:pthread|sem|uv|mdb)_\w+\(|\batomic_(?!load)\w+\(|"
                    r"\b(?:read|write|open|close|poll|send|recv|unlink|rename|fsync|malloc|realloc|free)\(")
BUILTIN = re.compile(r"\b__(?:atomic|sync)_\w+")


def assertions(text):
    """(line, condition) of each assertion."""
    for match in ASSERT.finditer(text):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text.count("\n", 0, match.start()) + 1, text[match.end():end - 1]


class Assertions(unittest.TestCase):
    def test_assertions_have_no_effects(self):
        faults, count = [], 0
        for name in CODE:
            if not name.startswith("tests/") and name != "proto/base/assert.h":
                for line, condition in assertions(without_comments(read(name))):
                    count += 1
                    if EFFECT.search(condition):
                        faults.append("%s:%d: %s" % (name, line, condition))
        self.assertGreater(count, 500)
        self.assertFalse(faults, "\n".join(faults))

    def test_atomics_are_those_of_the_standard(self):
        faults = ["%s: %s" % (name, BUILTIN.search(read(name))[0]) for name in CODE if BUILTIN.search(read(name))]
        self.assertFalse(faults, "\n".join(faults))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
