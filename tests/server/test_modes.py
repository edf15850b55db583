"""Who may read what: data directories, certificates and the configuration file."""

import grp
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import OPEN_PROBE, TIMEOUT, Client, Server, build_has, program  # noqa: E402

SANITIZED = build_has("fsanitize=")  # its library cannot be loaded by Python
ROOT = os.geteuid() == 0
OTHER = 65534
GROUP = grp.getgrgid(OTHER).gr_name if ROOT else grp.getgrgid(os.getegid()).gr_name


def modes(directory):
    """Mode, owner and group of a directory and of all that is in it, sockets apart."""
    found = {}
    for where, _, names in os.walk(directory):
        for path in [where] + [os.path.join(where, name) for name in names]:
            state = os.lstat(path)
            if not stat.S_ISSOCK(state.st_mode):
                found[os.path.relpath(path, directory)] = (state.st_mode & 0o777, state.st_uid, state.st_gid)
    return found


class Masked(Server):
    """A proofd with a umask, as some user."""

    def __init__(self, umask, *options, user=None):
        self.umask, self.user = umask, user
        super().__init__(*options)

    def start(self):
        if self.user is not None:
            os.chmod(self.dir, 0o755)
            if not os.path.exists(self.data):
                os.mkdir(self.data, 0o700)
                os.chown(self.data, self.user, self.user)
        super().start()

    def command(self):
        user = ["setpriv", "--reuid=%d" % self.user, "--regid=%d" % self.user, "--clear-groups"] if self.user else []
        command = super().command()
        if self.user:  # the socket is in the data directory
            at = command.index("--socket")
            del command[at:at + 2]
        return ["/bin/sh", "-c", 'umask %03o; exec "$@"' % self.umask, "sh"] + user + command


class Backed(Masked):
    """One that can make a backup."""

    def start(self):
        place = os.path.join(self.dir, "backups")
        if not os.path.exists(place):
            os.mkdir(place)
            os.chown(place, self.user, self.user)
            self.options += ["--backup-dir", place]
        super().start()

    def backup(self):
        with Client(os.path.join(self.data, "proofd.sock")) as client:
            state = client.rpc("server.backup", name="b")
            while state["state"] == "running":
                state = client.rpc("server.backup")
        assert state["state"] == "complete", state


def run(*command, user=None, umask=0o022, **more):
    """A program, as some user of no other group than `groups`."""
    prefix = ["setpriv", "--reuid=%d" % user, "--regid=%d" % user, "--clear-groups"] if user else []
    return subprocess.run(["/bin/sh", "-c", 'umask %03o; exec "$@"' % umask, "sh"] + prefix + list(command),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT, **more)


def solve(server):
    job = server.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"]
    assert server.wait_job(job)["state"] == "solved"


class Modes(unittest.TestCase):
    def test_a_new_directory_is_private(self):
        for umask in (0o000, 0o022, 0o077):
            with self.subTest(umask=umask), Masked(umask, "--threads", "1") as server:
                solve(server)
                server.admin("proof.export", game="mnk:3,3,3")
                wide = {name: "%o" % mode for name, (mode, _, _) in modes(server.data).items() if mode & 0o077}
                self.assertEqual({name for name in wide if not name.startswith("proofs/")}, set())
                self.assertNotIn("can read", server.log())
                backup, repaired, compact = (os.path.join(server.dir, name) for name in ("b", "repaired", "compact"))
                self.assertEqual(server.terminate(), 0)
                for command in (["compact", server.data], ["repair", server.data, repaired],
                                ["solve", "mnk:3,3,3", "--data", compact]):
                    done = run(program("proofctl"), *command, umask=umask)
                    self.assertEqual(done.returncode, 0, done)
                for directory in (server.data, repaired, compact):
                    wide = {name for name, (mode, _, _) in modes(directory).items() if mode & 0o077}
                    self.assertEqual({name for name in wide if not name.startswith("proofs/")}, set())
                self.assertFalse(os.path.exists(backup))

    def test_certificates_are_not_for_all_to_write(self):
        with tempfile.TemporaryDirectory() as place:
            data, proof = os.path.join(place, "data"), os.path.join(place, "proof")
            for umask, mode in ((0o000, 0o644), (0o022, 0o644), (0o027, 0o640), (0o077, 0o600)):
                for command in (["solve", "mnk:3,3,3", "--data", data], ["export", "mnk:3,3,3", proof, "--data", data]):
                    done = run(program("proofctl"), *command, umask=umask)
                    self.assertEqual(done.returncode, 0, done)
                self.assertEqual(os.stat(proof).st_mode & 0o777, mode)
                os.unlink(proof)

    def test_a_wide_directory_is_told_about_and_left_alone(self):
        with Server("--threads", "1") as server:
            self.assertEqual(server.terminate(), 0)
            os.chmod(server.data, 0o755)
            os.chmod(os.path.join(server.data, "work.mdb"), 0o644)
            before = modes(server.data)
            server.start()
            self.assertRegex(server.log(), r"warn other users can read .* \(mode 755\)")
            after = modes(server.data)
            self.assertEqual({name: after[name] for name in (".", "work.mdb")},
                             {name: before[name] for name in (".", "work.mdb")})
            self.assertEqual(server.terminate(), 0)
            done = run(program("proofctl"), "compact", server.data)
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual({name: modes(server.data)[name] for name in (".", "work.mdb")},
                             {name: before[name] for name in (".", "work.mdb")})

    def test_a_group_may_read(self):
        group = grp.getgrnam(GROUP).gr_gid
        for umask in (0o000, 0o077):
            with Masked(umask, "--threads", "1", "--data-group", GROUP) as server:
                solve(server)
                wanted = {".": 0o750, "work.mdb": 0o640, "facts.mdb": 0o640, "work.mdb-lock": 0o660,
                          "facts.mdb-lock": 0o660, "lock": 0o640}
                found = modes(server.data)
                self.assertEqual({name: found[name][::2] for name in wanted},
                                 {name: (mode, group) for name, mode in wanted.items()})
                self.assertNotIn("stays as it is", server.log())
                if ROOT and not SANITIZED and run(sys.executable, "-c", "", user=OTHER).returncode == 0:
                    os.chmod(server.dir, 0o711)
                    library = shutil.copy(program("libproofd-probe.so"), server.dir)
                    os.chmod(library, 0o755)
                    for user, works in ((OTHER, True), (OTHER - 1, False)):
                        done = run(sys.executable, "-c", OPEN_PROBE, library, server.data, user=user)
                        self.assertEqual(done.returncode == 0, works, done)
                    self.assertIsNone(server.process.poll())
                self.assertEqual(server.terminate(), 0)
                for command in (["compact", server.data], ["repair", server.data, os.path.join(server.dir, "new")]):
                    done = run(program("proofctl"), *command, umask=umask)
                    self.assertEqual(done.returncode, 0, done)
                server.start()
                found = modes(server.data)
                self.assertEqual({name: found[name][::2] for name in wanted},
                                 {name: (mode, group) for name, mode in wanted.items()})
                self.assertEqual(modes(os.path.join(server.dir, "new"))["facts.mdb"][::2], (0o640, group))
        with Server("--threads", "1") as server:
            server.options += ["--data-group", GROUP]
            self.assertEqual(server.terminate(), 0)
            server.start()
            self.assertIn("exists and is left unchanged (mode 700", server.log())
            self.assertEqual(modes(server.data)["."][0], 0o700)
        done = run(program("proofd"), "--data", "/nowhere", "--data-group", "no such group")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "proofd: --data-group: there is no group 'no such group'\n"))

    @unittest.skipUnless(ROOT, "root may do what others may not")
    def test_others_cannot_lock(self):
        with Server("--threads", "1") as server:
            os.chmod(server.dir, 0o711)
            self.assertEqual(server.terminate(), 0)
            done = run("flock", "-s", "-n", os.path.join(server.data, "work.mdb"), "true", user=OTHER)
            self.assertNotEqual(done.returncode, 0)
            server.start()

    @unittest.skipUnless(ROOT, "root may do what others may not")
    def test_root_leaves_all_to_the_owner(self):
        with Backed(0o022, "--threads", "1", user=OTHER) as server:
            solve(server)
            server.backup()
            self.assertEqual(server.terminate(), 0)
            names = ["backups/b", "repaired", "restored"]
            backup, repaired, restored = (os.path.join(server.dir, name) for name in names)
            for command in (["compact", server.data], ["repair", server.data, repaired],
                            ["restore", backup, restored], ["solve", "mnk:3,3,3", "--data", server.data]):
                done = run(program("proofctl"), *command)
                self.assertEqual(done.returncode, 0, done)
            for directory in (server.data, backup, repaired, restored):
                self.assertEqual({name: owner for name, owner in modes(directory).items()
                                  if owner[1:] != (OTHER, OTHER) or owner[0] & 0o077}, {})
            for directory in (server.data, repaired, restored):
                server.data = directory
                server.start()
                self.assertEqual(server.rpc("fact.query", game="mnk:3,3,3")["facts"][0]["lo"], 0)
                self.assertEqual(server.terminate(), 0)

    def test_a_configuration_file(self):
        with tempfile.NamedTemporaryFile("w", prefix="proofd-test-") as file:
            for url, mode, said in (("nats://user:secret@127.0.0.1:1", 0o600, None),
                                    ("nats://user:secret@127.0.0.1:1", 0o640, "may read"),
                                    ("nats://user:secret@127.0.0.1:1", 0o604, "may read"),
                                    ("nats://127.0.0.1:1", 0o644, None), ("nats://127.0.0.1:1", 0o620, "may write"),
                                    ("nats://user:secret@127.0.0.1:1", 0o666, "may write")):
                file.seek(0)
                file.truncate()
                file.write("workers = %s\n" % url)
                file.flush()
                os.chmod(file.name, mode)
                with self.subTest(mode="%o" % mode), Server("--threads", "0", "--config", file.name) as server:
                    self.assertEqual("--config: other users" in server.log(), said is not None)
                    self.assertIn(said or "", server.log())
                    self.assertNotIn("secret", server.log())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
