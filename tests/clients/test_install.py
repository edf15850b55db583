"""`cmake --install` puts everything into its place."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, build_dir  # noqa: E402

EXPECTED = """
bin/proofd bin/proofctl bin/proofcheck
include/proofd/game.h include/proofd/checker.h include/proofd/client.h include/proofd/probe.h
lib/systemd/system/proofd.service
share/man/man1/proofctl.1 share/man/man1/proofcheck.1 share/man/man5/proofd.conf.5 share/man/man8/proofd.8
share/man/man8/proofd-worker.8
share/bash-completion/completions/proofctl share/bash-completion/completions/proofd
share/fish/vendor_completions.d/proofctl.fish
share/doc/proofd/README.md share/doc/proofd/LICENSE share/doc/proofd/CHANGELOG.md share/doc/proofd/METRICS.md
share/doc/proofd/proofd.conf.example share/doc/proofd/plugins/README.md
share/doc/libproofd-dev/libproofd.md share/doc/libproofd-dev/libproofd-probe.md
""".split()


class Install(unittest.TestCase):
    def test_everything_is_there(self):
        with tempfile.TemporaryDirectory() as prefix:
            done = subprocess.run(
                ["cmake", "--install", build_dir(), "--prefix", prefix],
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                stdin=subprocess.DEVNULL,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in EXPECTED:
                self.assertTrue(os.path.isfile(os.path.join(prefix, name)), name)
            there = [os.path.join(root, name) for root, _, names in os.walk(prefix) for name in names]
            for name in ("proofd", "libproofd", "libproofd-probe"):
                self.assertEqual(sum(one.endswith("/pkgconfig/%s.pc" % name) for one in there), 1, name)
            self.assertEqual(sum(name.endswith("/_proofctl") for name in there), 1)
            self.assertFalse([name for name in there if name.endswith((".in", ".pyc"))])
            for page in (name for name in there if name.endswith(".md")):
                with open(page, encoding="utf-8") as file:
                    for link in re.findall(r"\]\((?![a-z]+:|#)([^)#]+)[^)]*\)", file.read()):
                        path = os.path.join(os.path.dirname(page), link)
                        self.assertTrue(os.path.exists(path), "%s has a dead link: %s" % (page, link))
            version = subprocess.run(
                [os.path.join(prefix, "bin", "proofd"), "--version"], capture_output=True, text=True, timeout=TIMEOUT
            )
            self.assertTrue(version.stdout.startswith("proofd "), version)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
