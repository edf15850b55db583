"""Transcripts: tests/data/transcripts/*.txt, each played against a proofd of its own.

    # a comment
    > a line that is sent, byte for byte
    < the reply that is expected, as JSON
    ? a line that is sent again and again until its reply is the expected one

What may stand in an expected reply tests/support/matching.py says. In a line that is sent "$name" with its quotes is replaced by what was
remembered. A `<` line with a method waits for such a notification; notifications that are
not expected are skipped. Every result is held to the schema that rpc.discover gives for its method. A `<` line that holds nothing but "closed" expects the end of the connection.
"""

import glob
import json
import os
import re
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from matching import match  # noqa: E402
from pyproofd import TIMEOUT, Closed, Server, data_dir  # noqa: E402


class Schemas:
    """The results' schemas of rpc.discover: the subset of JSON schema that it uses."""

    TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}

    def __init__(self, document):
        self.named = document["components"]["schemas"]
        self.results = {method["name"]: method["result"]["schema"] for method in document["methods"]}
        self.seen = set()

    def check_reply(self, method, reply):
        if "result" in reply:
            self.seen.add(method)
            wrong = self.wrong(self.results[method], reply["result"], method)
            if wrong:
                raise AssertionError("%s\n%s" % (wrong, json.dumps(reply)))

    def wrong(self, schema, value, place):
        """None when the value is valid, else what is not."""
        if "$ref" in schema:
            return self.wrong(self.named[schema["$ref"].split("/")[-1]], value, place)
        for key in ("anyOf", "oneOf"):
            if key in schema and all(self.wrong(one, value, place) for one in schema[key]):
                return "%s is none of %s" % (place, key)
        for one in schema.get("allOf", []):
            if self.wrong(one, value, place):
                return self.wrong(one, value, place)
        if "const" in schema and value != schema["const"]:
            return "%s is not %r" % (place, schema["const"])
        if "enum" in schema and value not in schema["enum"]:
            return "%s is none of %s" % (place, schema["enum"])
        kind = schema.get("type")
        if kind and (not isinstance(value, self.TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
            return "%s is no %s" % (place, kind)
        if kind == "array":
            return next(filter(None, (self.wrong(schema["items"], item, "%s[%d]" % (place, i)) for i, item in enumerate(value))), None)
        return self.wrong_members(schema, value, place) if "properties" in schema else None

    def wrong_members(self, schema, value, place):
        missing = [name for name in schema["required"] if name not in value]
        surplus = [name for name in value if name not in schema["properties"]]
        if missing or surplus:
            return "%s lacks %s and has %s as well" % (place, missing, surplus)
        return next(filter(None, (self.wrong(schema["properties"][name], value[name], "%s.%s" % (place, name)) for name in value)), None)


def play(path, server, seen):
    with server.connect() as client, open(path, encoding="utf-8") as lines:
        player = Player(client, Schemas(client.rpc("rpc.discover")))
        player.schemas.seen = seen
        for number, line in enumerate(lines, 1):
            player.place = "%s:%d" % (path, number)
            player.step(line.rstrip("\n"))


class Player:
    def __init__(self, client, schemas):
        self.client = client
        self.schemas = schemas
        self.methods = {}  # of the calls that were sent, by id
        self.names = {}
        self.again = None  # the line of a `?`
        self.place = ""

    def step(self, line):
        if line.startswith("> ") or line.startswith("? "):
            text = re.sub(r'"(\$\w+)"', self.known, line[2:])
            self.again = text if line[0] == "?" else None
            self.note(text)
            self.client.send(text)
        elif line == "< closed":
            try:
                raise AssertionError("%s: %r instead of the end" % (self.place, self.client.line()))
            except Closed:
                pass
        elif line.startswith("< "):
            self.expect(json.loads(line[2:]))
        elif line and not line.startswith("#"):
            raise AssertionError("%s: a line begins with >, ?, < or #" % self.place)

    def note(self, text):
        """Remembers which method each id of a line asked for."""
        try:
            line = json.loads(text)
        except ValueError:
            return
        for one in line if isinstance(line, list) else [line]:
            if isinstance(one, dict) and isinstance(one.get("id"), (str, int)) and isinstance(one.get("method"), str):
                self.methods[one["id"]] = one["method"]

    def check_schema(self, reply):
        for one in reply if isinstance(reply, list) else [reply]:
            if isinstance(one, dict) and isinstance(one.get("id"), (str, int)) and one["id"] in self.methods:
                self.schemas.check_reply(self.methods[one["id"]], one)
            elif isinstance(one, dict) and one.get("method") == "job.progress":
                wrong = self.schemas.wrong(self.schemas.results["job.get"], one["params"], "job.progress")
                if wrong:
                    raise AssertionError("%s: %s" % (self.place, wrong))

    def known(self, found):
        name = found.group(1)
        return json.dumps(self.names[name]) if name in self.names else found.group(0)

    def expect(self, expected):
        start = time.monotonic()
        while True:
            raw = self.client.line()
            actual = json.loads(raw)
            self.check_schema(actual)
            trial = dict(self.names)
            wrong = match(expected, actual, trial)
            if not wrong:
                self.names.update(trial)
                return
            if isinstance(actual, dict) and "method" in actual:
                continue
            if not self.again or time.monotonic() - start > TIMEOUT:
                raise AssertionError("%s: %s\n%s" % (self.place, wrong, raw.decode()))
            self.client.send(self.again)


class Transcripts(unittest.TestCase):
    def test_transcripts(self):
        paths = sorted(glob.glob(data_dir("transcripts", "*.txt")))
        self.assertTrue(paths)
        seen = set()
        for path in paths:
            with self.subTest(os.path.basename(path)):
                with Server("--threads", "1", "--checkpoint", "0.2", "--graphs", data_dir("andor")) as server:
                    play(path, server, seen)

        with Server("--threads", "1") as server, server.connect(unix=True) as client:
            server.wait_job(server.rpc("job.submit", game="mnk:3,3,3")["job"])
            # test_methods.c has the result of server.shutdown, and test_experiments.py those of experiments
            self.call_examples(client, seen | {"server.shutdown"} | {
                method["name"] for method in client.rpc("rpc.discover")["methods"] if method["name"].startswith("experiment.")})

    def call_examples(self, client, seen):
        """The methods that no transcript calls, by the examples of the method table."""
        document = client.rpc("rpc.discover")
        schemas = Schemas(document)
        for method in document["methods"]:
            if method["name"] not in seen:
                schemas.check_reply(method["name"], {"result": client.rpc(method["name"], **method["x-example"])})

    def test_match_finds_what_is_wrong(self):
        names = {}
        self.assertIsNone(match({"a": "*", "...": "..."}, {"a": 1, "b": 2}, names))
        self.assertIsNone(match([1, "..."], [1, 2, 3], names))
        self.assertIsNone(match(["$x", "$x"], [5, 5], names))
        self.assertIsNotNone(match("$x", 6, names))
        self.assertIsNotNone(match({"a": 1}, {"a": 1, "b": 2}, names))
        self.assertIsNotNone(match({"a": 1}, {}, names))
        self.assertIsNotNone(match([1], [1, 2], names))
        self.assertIsNotNone(match(1, True, names))
        self.assertIsNotNone(match({"a": {"b": 1}}, {"a": {"b": 2}}, names))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
