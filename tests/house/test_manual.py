"""The manual pages through mandoc's lint, where it is installed."""

import os
import shutil
import subprocess
import unittest

from house import FILES, ROOT

PAGES = [name for name in FILES if name[-2:] in (".1", ".5", ".8")]
IGNORED = "input text line longer than 80 bytes"  # a matter of the source's layout, not of the page


class Manual(unittest.TestCase):
    def test_there_are_pages(self):
        self.assertGreaterEqual(len(PAGES), 4)

    @unittest.skipUnless(shutil.which("mandoc"), "there is no mandoc")
    def test_mandoc_finds_nothing(self):
        command = ["mandoc", "-Tlint", "-W", "style"] + [os.path.join(ROOT, name) for name in PAGES]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        found = [line for line in done.stdout.splitlines() if IGNORED not in line]
        self.assertEqual((found, done.stderr), ([], ""))


if __name__ == "__main__":
    unittest.main(argv=["test_manual"])
