"""`pip install` of the Python library, from checkout and build, in a virtual environment without network."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, build_dir, data_dir  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(data_dir()))
USE = """
import importlib.metadata, proofd
with proofd.Client() as client:
    print(client.solve("mnk:3,3,3")["result"]["value"]["text"], importlib.metadata.version("proofd"))
"""


class Pip(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="proofd-pip-")
        self.addCleanup(shutil.rmtree, self.place)
        if subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode:
            self.skipTest("there is no ensurepip: apt-get install python3-venv")

    def run_python(self, *words, **more):
        python = os.path.join(self.place, "venv", "bin", "python")
        return subprocess.run([python, *words], capture_output=True, text=True, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, cwd=self.place, **more)

    def install(self, package):
        subprocess.run([sys.executable, "-m", "venv", "--clear", os.path.join(self.place, "venv")], check=True)
        return self.run_python("-m", "pip", "install", "-q", "--no-build-isolation", "--no-index",
                               "--disable-pip-version-check", package)

    def test_the_build_and_the_checkout(self):
        packages = [os.path.join(build_dir(), "clients", "python")]
        if os.path.dirname(os.path.realpath(build_dir())) == os.path.join(os.path.realpath(ROOT), "build"):
            packages.append(os.path.join(ROOT, "clients", "python"))
        with Server("--threads", "1", "--log", "warn") as server:
            for package in packages:
                done = self.install(package)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = self.run_python("-c", USE, env=dict(os.environ, PROOFD_SERVER=server.socket_path))
                self.assertEqual((done.stdout, done.stderr), ("draw 0.1.0\n", ""), package)

    def test_a_checkout_without_a_build_says_what_to_do(self):
        package = os.path.join(self.place, "clients", "python")
        shutil.copytree(os.path.join(ROOT, "clients", "python"), package)
        done = self.install(package)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("run ./dev build first", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
