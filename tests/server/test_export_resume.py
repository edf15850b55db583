"""An export that is killed, stopped, or whose disk is full is resumed when it is ordered again, and writes the same
bytes as one that nothing interrupted; whatever else its log may hold changes nothing."""

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from effort import EFFORT  # noqa: E402
from pyproofd import RpcError, Server, program  # noqa: E402

GAME = "mnk:5,4,4"
FEW = 2 << 20  # bytes that a file may have: less than the log of an export of the game needs


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, **more)


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def limit_files():
    """The disk is full: a file that grows beyond a limit is refused as one on a full disk is."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FEW, FEW))


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp()
        cls.data = os.path.join(cls.dir, "data")
        done = run([program("proofctl"), "solve", GAME, "--data", cls.data, "-O", "knowledge=no", "--memory", "64M"])
        assert done.returncode == 0, done.stderr
        cls.whole, cls.seconds = {}, {}
        for detail in ("full", "frontier"):
            cls.whole[detail] = cls.file("whole." + detail)
            begin = time.monotonic()
            done = run(cls.command(cls.whole[detail], detail))
            cls.seconds[detail] = time.monotonic() - begin
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir)

    @classmethod
    def file(cls, name):
        return os.path.join(cls.dir, name)

    @classmethod
    def command(cls, file, detail="full", data=None):
        return [program("proofctl"), "export", GAME, file, "--data", data or cls.data, "--cards", "no", "--detail",
                detail, "--json"]

    def is_whole(self, file, detail="full"):
        self.assertEqual(content_of(file), content_of(self.whole[detail]))
        self.assertFalse(os.path.exists(file + ".work"))
        self.assertFalse(os.path.exists(file + ".part"))
        os.remove(file)

    def stopped(self, file, detail="full", data=None):
        """Stops an export in the middle, by a full disk. Returns its log."""
        done = run(self.command(file, detail, data), preexec_fn=limit_files, restore_signals=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no-space", done.stderr)
        self.assertFalse(os.path.exists(file))
        log = content_of(file + ".work")
        self.assertGreater(len(log), FEW // 4)
        return log

    def finished(self, file, detail="full"):
        done = run(self.command(file, detail))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.is_whole(file, detail)

    def test_killed_at_random_moments(self):
        file, dice = self.file("killed"), random.Random(20)
        for detail in ("full", "frontier"):
            tries = kills = resumed = 0
            while tries < max(3, 40 * EFFORT // 100) or (not resumed and tries < 100):
                tries += 1
                export = subprocess.Popen(self.command(file, detail), stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
                resumed += os.path.exists(file + ".work")
                try:
                    self.assertEqual(export.wait(dice.uniform(0, 1.1 * self.seconds[detail])), 0)
                    self.is_whole(file, detail)
                except subprocess.TimeoutExpired:
                    export.kill()
                    export.wait()
                    kills += 1
            self.finished(file, detail)
            self.assertGreater(kills, 0, detail)
            self.assertGreater(resumed, 0, detail)

    def test_any_number_of_threads(self):
        file = self.file("threads")
        for threads in ("1", "2", "5"):
            for detail in ("full", "frontier"):
                done = run(self.command(file, detail) + ["--threads", threads])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.is_whole(file, detail)

    def test_stopped_by_a_signal(self):
        file = self.file("signal")
        for _ in range(20):
            export = subprocess.Popen(self.command(file), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while export.poll() is None and not os.path.exists(file + ".work"):
                pass
            export.terminate()
            if export.wait() == 128 + 15:
                break
            os.remove(file)
        self.assertTrue(os.path.exists(file + ".work"))
        self.finished(file)

    def test_a_full_disk(self):
        file = self.file("disk")
        for _ in range(3):  # it does not lose what it has
            self.stopped(file)
        self.finished(file)

    def test_a_log_that_is_not_whole(self):
        file, dice = self.file("torn"), random.Random(21)
        log = self.stopped(file)
        os.remove(file + ".work")
        at = dice.randrange(200, len(log))
        damages = (log + b"\0" * 100, log[:-1], log[:at], log[:at] + bytes([log[at] ^ 1]) + log[at + 1:],
                       log[:len(log) // 2] + os.urandom(1000), log[:50], b"", b"proofd export 1\n" * 1000)
        for broken in dice.sample(damages, max(2, len(damages) * min(EFFORT, 30) // 30)):
            with open(file + ".work", "wb") as out:
                out.write(broken)
            done = run(self.command(file))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(content_of(file), content_of(self.whole["full"]))
            if os.path.exists(file + ".work"):  # not this export's: it was left alone or replaced
                os.remove(file + ".work")

    def test_the_log_of_another_export(self):
        file = self.file("other")
        self.stopped(file)
        done = run(self.command(file, "frontier"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.is_whole(file, "frontier")

    def test_the_log_of_another_directory(self):
        """The facts have changed: the certificate is true all the same."""
        other, file = self.file("data2"), self.file("foreign")
        done = run([program("proofctl"), "solve", GAME, "--data", other, "-O", "knowledge=no", "--seed", "7"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.stopped(file, data=other)
        done = run(self.command(file))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(file + ".work"))
        self.assertEqual(run([program("proofcheck"), file]).returncode, 0)

    def test_two_at_once(self):
        file = self.file("twice")
        exports = [subprocess.Popen(self.command(file), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                   for _ in range(2)]
        told = [export.communicate()[1] for export in exports]
        codes = sorted(export.returncode for export in exports)
        self.assertIn(codes, ([0, 0], [0, 1]))
        if codes == [0, 1]:
            self.assertTrue(any(b"another export" in text for text in told), told)
        self.is_whole(file)

    def test_the_server_goes_on(self):
        """Cancelled, and killed, while a certificate is made: the next request goes on with it."""
        data = self.file("served")
        shutil.copytree(self.data, data)
        shelf, cancelled = os.path.join(data, "proofs"), False
        ask = {"game": GAME, "claim": "value", "cards": False}
        for end in ("cancel", "kill"):
            with Server("--threads", "1", data=data) as server:
                with server.connect() as asking, server.connect() as watching:
                    request = asking.ask("proof.export", **ask)
                    while not any(name.endswith(".work") for name in
                                  (os.listdir(shelf) if os.path.isdir(shelf) else [])):
                        making = watching.rpc("proof.list")["making"]
                        self.assertTrue(all(0 <= row["done"] <= 1 for row in making), making)
                    if end == "kill":
                        server.kill()
                        continue
                    asking.ask("proof.cancel")
                    try:
                        asking.reply(request)
                    except RpcError as error:
                        cancelled = True
                        self.assertIn("stopped", error.message)
        with Server("--threads", "1", data=data) as server:
            made = server.rpc("proof.export", **ask)
            self.assertEqual(content_of(made["file"]), content_of(self.whole["full"]))
            self.assertEqual(os.listdir(shelf), [os.path.basename(made["file"])], cancelled)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
