"""The client libraries in the build have what rpc.discover says, and the libraries' types are right."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, build_dir, data_dir, package  # noqa: E402

CLIENTS = os.path.join(os.path.dirname(os.path.dirname(data_dir())), "clients")


def stubs():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("stubs", os.path.join(CLIENTS, "stubs.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Stubs(unittest.TestCase):
    def test_no_method_or_type_is_missing(self):
        """The build makes them from its own document; what a server says is the same."""
        with Server("--threads", "0", data=False) as server:
            document = server.rpc("rpc.discover")
        for path, text in stubs().generated(document).items():
            with open(package(path), encoding="utf-8") as file:
                self.assertEqual(file.read(), text, path)
        for method in document["methods"]:
            word = method["name"].split(".")[1]
            for path, pattern in (("python/proofd/_methods.py", "^    def %s\\("), ("python/proofd/_async_methods.py",
                                  "^    async def %s\\("), ("node/lib/types.d.ts", "^  %s\\("),
                                  ("node/lib/methods.js", '^ +"%s"')):
                with open(package(path), encoding="utf-8") as file:
                    self.assertRegex(file.read(), re.compile(pattern % word, re.M), path)

    def test_names_that_clash_are_refused(self):
        model = stubs().Model({"components": {"schemas": {}, "errors": {}}, "methods": []})
        thing = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
        model.object(thing, "Thing")
        model.object(thing, "Thing")
        with self.assertRaises(ValueError):
            model.object({"properties": {"b": {"type": "integer"}}}, "Thing")
        self.assertEqual(model.choice(["x"], "OneState"), "State")
        self.assertEqual(model.choice(["x"], "OtherState"), "State")
        self.assertEqual(model.choice(["y"], "OtherState"), "OtherState")

    def test_no_type_hides_one_of_typescript_that_the_file_uses(self):
        for path, told in (("index.d.ts", {"Promise", "Record"}), ("lib/types.d.ts", {"AbortSignal", "Promise"})):
            with open(os.path.join(package("node"), path), encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"", "", file.read(), flags=re.S)
            own = re.findall(r"\b(?:type|interface|class|enum) (\w+)", text)
            for names in re.findall(r"\bimport type \{(.*?)\}", text, re.S):
                own += re.findall(r"\w+", names)
            # No type of the libraries takes parameters: those that do are TypeScript's.
            used = set(re.findall(r"\b([A-Z]\w*)<", text)) | {"AbortSignal"} & set(re.findall(r"\w+", text))
            self.assertEqual(used & told, told, path)  # it is seen at all
            self.assertEqual(used & set(own), set(), path)

    @unittest.skipUnless(shutil.which("mypy"), "there is no mypy here (Debian: mypy)")
    def test_the_types_of_python(self):
        self.run_in("python", "mypy", "--strict", "--cache-dir", os.devnull, "proofd")

    @unittest.skipUnless(shutil.which("tsc"), "there is no tsc here (Debian: node-typescript)")
    def test_the_types_of_node(self):
        self.run_in("node", "tsc", "--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022",
                    "--module", "nodenext", "--moduleResolution", "nodenext", "lib/types.d.ts")

    def run_in(self, folder, *command):
        done = subprocess.run(command, cwd=package(folder), capture_output=True, text=True,
                              timeout=10 * TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    build_dir()
    unittest.main(argv=sys.argv[:1])
