"""The build backend of this package (PEP 517): a wheel by the standard library alone, so that pip needs no network.

In a checkout, the parts that stubs.py generates come from the newest build (`./dev build`); the package in
build/PRESET/clients/python has them.
"""

import base64
import glob
import hashlib
import importlib.util
import json
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def project(key):
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        return re.search(r'^%s = "(.*)"' % key, file.read(), re.M)[1]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def generated():
    """{path: bytes} of what is not in the checkout."""
    if os.path.exists(os.path.join(HERE, "proofd", "_types.py")):
        return {}
    clients = os.path.dirname(HERE)
    builds = glob.glob(os.path.join(os.path.dirname(clients), "build", "*", "clients", "openrpc.json"))
    if not builds:
        raise SystemExit("the package is completed from a build of proofd: run ./dev build first")
    spec = importlib.util.spec_from_file_location("stubs", os.path.join(clients, "stubs.py"))
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    files = stubs.generated(json.loads(read(max(builds, key=os.path.getmtime))))
    return {path[len("python/"):]: text.encode() for path, text in files.items() if path.startswith("python/")}


def contents():
    """{path in the wheel: bytes}, without the record."""
    files = {"proofd/" + name: read(os.path.join(HERE, "proofd", name))
             for name in os.listdir(os.path.join(HERE, "proofd")) if name.endswith((".py", ".typed"))}
    files.update(generated())
    info = "proofd-%s.dist-info/" % project("version")
    metadata = (("Metadata-Version", "2.1"), ("Name", project("name")), ("Version", project("version")),
                ("Summary", project("description")), ("Requires-Python", project("requires-python")),
                ("License", "MIT"), ("Classifier", "Typing :: Typed"),
                ("Description-Content-Type", "text/markdown"))
    lines = "".join("%s: %s\n" % row for row in metadata)
    files[info + "METADATA"] = lines.encode() + b"\n" + read(os.path.join(HERE, "README.md"))
    files[info + "WHEEL"] = b"Wheel-Version: 1.0\nGenerator: proofd\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return files


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = "proofd-%s-py3-none-any.whl" % project("version")
    record = "proofd-%s.dist-info/RECORD" % project("version")
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        rows = []
        for path, data in sorted(contents().items()):
            wheel.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append("%s,sha256=%s,%d\n" % (path, digest, len(data)))
        wheel.writestr(record, "".join(rows) + record + ",,\n")
    return name
