"""The dashboard and the alert rules of the package: each expression names metrics that there are, and Prometheus, where
it is installed, evaluates it on a server that it scrapes; the alerts fire when they should and only then."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from pyproofd import TIMEOUT, Server, data_dir  # noqa: E402

ALERTS = os.path.join(ROOT, "server", "package", "alerts.yml")
CLUSTER = "proofd_cluster_"  # those of a server without workers have no samples
SCRAPE = """
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [alerts.yml]
scrape_configs:
  - job_name: proofd
    static_configs: [{targets: ["%s"]}]
"""


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def panels():
    """(title, expression) of the dashboard."""
    board = json.loads(read("server", "package", "grafana.json"))
    return [(panel["title"], target["expr"]) for panel in board["panels"] for target in panel["targets"]]


def alerts():
    return re.findall(r"alert: (\w+)\n +expr: (.*)", read("server", "package", "alerts.yml"))


def evaluable(expression):
    """With what Grafana puts in for its variables."""
    return expression.replace("$__rate_interval", "10s").replace("$instance", ".*")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Prometheus:
    """A prometheus that scrapes a server."""

    def __init__(self, program, server):
        self.dir = tempfile.mkdtemp(prefix="proofd-test-")
        shutil.copy(ALERTS, self.dir)
        with open(os.path.join(self.dir, "prometheus.yml"), "w") as file:
            file.write(SCRAPE % server.ready["monitor"])
        self.address = "127.0.0.1:%d" % free_port()
        self.log = open(os.path.join(self.dir, "log"), "w+")
        self.process = subprocess.Popen(
            [program, "--config.file=prometheus.yml", "--storage.tsdb.path=data",
             "--web.listen-address=" + self.address], cwd=self.dir, stdout=self.log, stderr=self.log)

    def query(self, expression):
        """The samples of an expression; None while it does not answer."""
        query = urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen("http://%s/api/v1/query?%s" % (self.address, query), timeout=TIMEOUT) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            if error.code == 503:  # it is starting
                return None
            raise AssertionError("%s: %s" % (expression, error.read().decode()))
        except OSError:
            assert self.process.poll() is None, self.said()
            return None

    def wait(self, expression):
        """Waits for samples."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            found = self.query(expression)
            if found:
                return found
            time.sleep(0.2)
        raise AssertionError("no samples: " + expression)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)


class Dashboards(unittest.TestCase):
    def test_names(self):
        metrics = re.findall(r"^METRIC\((\w+), (\w+), \"([\w,]*)\"", read("server", "net", "metrics.def"), re.M)
        labels = {name + end: set(text.split(",")) | {"instance", "job"} for name, kind, text in metrics
                  for end in (("_bucket", "_sum", "_count") if kind == "histogram" else ("",))}
        used = set()
        for title, expression in panels() + alerts():
            for name, selected in re.findall(r"((?:proofd|process)_\w+)(?:{([^}]*)})?", expression):
                self.assertIn(name, labels, title)
                used.add(name)
                for label in re.findall(r'(\w+)(?:=|!=|=~|!~)"', selected):
                    self.assertIn(label, labels[name], title)
        self.assertGreater(len(used), 30)
        self.assertEqual(len({name for name, _ in alerts()}), len(alerts()))

    def test_alerts_fire(self):
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("promtool is not installed (Debian: prometheus)")
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as folder:
            for path in (ALERTS, data_dir("prometheus", "alerts_test.yml")):
                shutil.copy(path, folder)
            for words in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
                done = subprocess.run([promtool] + words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name, _ in alerts():
                self.assertIn(name, read("tests", "data", "prometheus", "alerts_test.yml"))

    def test_each_expression_on_a_server(self):
        program = shutil.which("prometheus")
        if not program:
            self.skipTest("prometheus is not installed")
        with Server("--threads", "1", "--monitor", "127.0.0.1:0") as server:
            server.rpc("job.submit", game="connect4:7x6", memory="16M")
            with Prometheus(program, server) as prometheus:
                prometheus.wait('rate(proofd_nodes_total[10s]) > 0 and on () proofd_job_facts')
                prometheus.wait("proofd_commit_seconds_count > 0")
                for title, expression in panels():
                    found = prometheus.query(evaluable(expression))
                    self.assertIsNotNone(found, title)
                    if CLUSTER not in expression and 'result!="ok"' not in expression:
                        self.assertTrue(found, "%s: no samples of %s" % (title, expression))
                for name, expression in alerts():
                    self.assertIsNotNone(prometheus.query(expression), name)
                self.assertEqual(prometheus.query('ALERTS{alertstate="firing"}'), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
