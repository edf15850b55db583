"""certs: certificates for a test, made by `openssl req` in a directory of its own."""

import os
import shutil
import ssl
import subprocess
import tempfile


class Certificates:
    """A certificate of 127.0.0.1 and localhost that vouches for itself: `cert`, `key`."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-test-")
        self.cert, self.key = os.path.join(self.dir, "cert.pem"), os.path.join(self.dir, "key.pem")
        self.make("proofd")

    def make(self, name):
        """Another certificate in the same files."""
        fresh = [self.cert + ".new", self.key + ".new"]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
             "-keyout", fresh[1], "-out", fresh[0]],
            check=True, capture_output=True, stdin=subprocess.DEVNULL)
        os.replace(fresh[0], self.cert)
        os.replace(fresh[1], self.key)

    def options(self):
        """Of proofd."""
        return ["--tls-cert", self.cert, "--tls-key", self.key]

    def client(self):
        """A context of a client that trusts the certificate."""
        return ssl.create_default_context(cafile=self.cert)

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)
