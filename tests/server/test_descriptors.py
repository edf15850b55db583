"""Programs that the server starts (proofcheck, that of --on-finish) have nothing of it but what they are given: no
connection, no file of the data directory, and proofcheck not even what the server itself was given."""

import os
import re
import select
import socket
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from inside import Inside  # noqa: E402
from pyproofd import TIMEOUT, Server  # noqa: E402
from web import Raw, Socket  # noqa: E402

CLOEXEC = 0o2000000
LIST = "#!/bin/sh\n/bin/ls -l /proc/self/fd >%s.part\n/bin/mv %s.part %s\n"


class Heir(Server):
    """A proofd that is started with a descriptor 9 that it does not know of."""

    def command(self):
        return ["/bin/sh", "-c", 'exec 9</dev/null; exec "$@"', "sh"] + super().command()


def opened(pid):
    """Number, target and flags of the descriptors of a process."""
    for number in map(int, os.listdir("/proc/%d/fd" % pid)):
        try:
            target = os.readlink("/proc/%d/fd/%d" % (pid, number))
            with open("/proc/%d/fdinfo/%d" % (pid, number)) as file:
                flags = int(re.search(r"^flags:\s*(\d+)$", file.read(), re.M)[1], 8)
        except FileNotFoundError:  # closed meanwhile
            continue
        yield number, target, flags


class Descriptors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()

    def lister(self, name):
        """A program that writes what it has open to a file; both paths."""
        path = os.path.join(self.certificates.dir, name)
        with open(path, "w") as file:
            file.write(LIST % ((path + ".list",) * 3))
        os.chmod(path, 0o755)
        return path, path + ".list"

    def listed(self, path):
        """The numbers there, without that of the directory which was listed."""
        end = time.monotonic() + TIMEOUT
        while not os.path.exists(path):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        with open(path) as file:
            rows = re.findall(r" (\d+) -> (.*)$", file.read(), re.M)
        return sorted(int(number) for number, target in rows if not target.startswith("/proc/"))

    def test_what_the_server_opens_is_for_itself(self):
        """Connections of all kinds, the data directory, a log file, a job that searches and one that is being
        exported."""
        certificates, context = self.certificates, self.certificates.client()
        log = os.path.join(certificates.dir, "log")
        with Server("--threads", "2", "--http", "127.0.0.1:0", "--monitor", "127.0.0.1:0", "--log-file", log,
                    *certificates.options()) as server, server.connect(unix=True) as owner:
            host, port = server.ready["monitor"].rsplit(":", 1)
            owner.wait_job(owner.rpc("job.submit", game="connect4:4x4", memory="8M")["job"])
            owner.rpc("job.submit", game="connect4:7x6", memory="8M")
            with Inside(server, context) as line, Socket(server, context) as client, Raw(server, context) as raw, \
                    socket.create_connection((host, int(port)), TIMEOUT) as page:
                line.step(line.tls.do_handshake)
                client.rpc("server.hello")
                raw.get("/healthz")
                page.sendall(b"GET /healthz HT")
                export = owner.ask("proof.export", game="connect4:4x4")
                seen = {}
                while not select.select([owner.socket], [], [], 0)[0]:
                    for number, target, flags in opened(server.pid):
                        seen[number, target] = flags
                owner.reply(export)
                for number, target, flags in opened(server.pid):
                    seen[number, target] = flags
            kinds = [target for number, target in seen if number > 2]
            self.assertGreaterEqual(sum(target.startswith("socket:") for target in kinds), 8)
            self.assertTrue(any(target.startswith(server.data) for target in kinds), kinds)
            self.assertIn(log, kinds)
            inherited = [which for which, flags in seen.items() if which[0] > 2 and not flags & CLOEXEC]
            self.assertEqual(inherited, [])
            self.assertEqual(server.terminate(), 0)

    def test_what_is_started_has_nothing(self):
        """proofcheck has not even what the server was started with."""
        (checker, by_checker), (hook, by_hook) = self.lister("checker"), self.lister("hook")
        with Heir("--threads", "1", "--http", "127.0.0.1:0", "--monitor", "127.0.0.1:0", "--proofcheck", checker,
                  "--on-finish", hook) as server, server.connect(unix=True) as owner:
            self.assertEqual([number for number, _, flags in opened(server.pid) if not flags & CLOEXEC and number > 2],
                             [9])
            owner.wait_job(owner.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"])
            self.assertEqual(self.listed(by_hook), [0, 1, 2, 9])
            owner.ask("proof.verify", proof=owner.rpc("proof.export", game="mnk:3,3,3")["proof"])
            self.assertEqual(self.listed(by_checker), [0, 1, 2])
            self.assertEqual(server.terminate(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
