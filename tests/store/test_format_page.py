"""The Python program in store/FORMAT.md reads facts as the page says. Where the modules lmdb and xxhash are not
installed, small ones stand in for them on the C libraries that proofd is built with."""

import ctypes
import ctypes.util
import os
import re
import shutil
import struct
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pylmdb  # noqa: E402
from pyproofd import data_dir  # noqa: E402

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "store", "FORMAT.md")
RDONLY, NOSUBDIR, NORDAHEAD, SET_RANGE = 0x20000, 0x4000, 0x800000, 17


class Val(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p)]

    @classmethod
    def of(cls, data):
        value = cls(len(data), ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p))
        value.keep = data
        return value

    def bytes(self):
        return ctypes.string_at(self.data, self.size)


def library(name):
    found = ctypes.util.find_library(name)
    if not found:
        raise unittest.SkipTest("neither the Python module nor the shared library %s is there" % name)
    return ctypes.CDLL(found)


def ok(rc):
    if rc:
        raise OSError("LMDB: error %d" % rc)


class Cursor:
    def __init__(self, txn, db):
        self.lib, self.cursor, self.key, self.value = txn.lib, ctypes.c_void_p(), Val(), Val()
        ok(self.lib.mdb_cursor_open(txn.txn, db, ctypes.byref(self.cursor)))

    def set_range(self, key):
        self.key = Val.of(key)
        return not self.lib.mdb_cursor_get(self.cursor, ctypes.byref(self.key), ctypes.byref(self.value), SET_RANGE)

    def item(self):
        return self.key.bytes(), self.value.bytes()


class Txn:
    def __init__(self, env):
        self.lib, self.txn = env.lib, ctypes.c_void_p()
        ok(self.lib.mdb_txn_begin(env.env, None, RDONLY, ctypes.byref(self.txn)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        ok(self.lib.mdb_txn_commit(self.txn))

    def get(self, key, db):
        value = Val()
        ok(self.lib.mdb_get(self.txn, db, ctypes.byref(Val.of(key)), ctypes.byref(value)))
        return value.bytes()

    def cursor(self, db):
        return Cursor(self, db)


class Env:
    def __init__(self, path, subdir, readonly, readahead, max_dbs, map_size):
        assert readonly and not subdir and not readahead
        self.lib, self.env = library("lmdb"), ctypes.c_void_p()
        ok(self.lib.mdb_env_create(ctypes.byref(self.env)))
        ok(self.lib.mdb_env_set_maxdbs(self.env, ctypes.c_uint(max_dbs)))
        ok(self.lib.mdb_env_set_mapsize(self.env, ctypes.c_size_t(map_size)))
        ok(self.lib.mdb_env_open(self.env, path.encode(), RDONLY | NOSUBDIR | NORDAHEAD, 0o644))

    def open_db(self, name, create):
        assert not create
        db = ctypes.c_uint()
        with self.begin() as txn:
            ok(self.lib.mdb_dbi_open(txn.txn, name, 0, ctypes.byref(db)))
        return db

    def begin(self):
        return Txn(self)

    def close(self):
        self.lib.mdb_env_close(self.env)


def stand_in(name):
    module = types.ModuleType(name)
    if name == "lmdb":
        module.open = Env
    else:
        lib = library("xxhash")
        lib.XXH3_64bits_withSeed.restype = ctypes.c_uint64
        lib.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
        module.xxh3_64_intdigest = lambda data, seed=0: lib.XXH3_64bits_withSeed(bytes(data), len(data), seed)
    return module


def facts_of(value):
    """(key, packed fact) of each record in a block of a run."""
    fence, at = pylmdb.varint(value, 12)
    key, at = value[at : at + fence], at + fence
    for _ in range(struct.unpack_from("<H", value, 10)[0]):
        head, at = value[at], at + 1
        rest, size = head & 15, (head >> 4 & 7) + 2
        if not rest:
            rest, at = pylmdb.varint(value, at)
        if size == 2:
            size, at = pylmdb.varint(value, at)
        shared = len(key) - rest
        if head & 128:
            shared, at = pylmdb.varint(value, at)
        key, at = key[:shared] + value[at : at + rest], at + rest
        yield key, value[at : at + size]
        at += size


class FormatPage(unittest.TestCase):
    def setUp(self):
        for name in ("lmdb", "xxhash"):
            try:
                __import__(name)
            except ImportError:
                sys.modules[name] = stand_in(name)
        self.dir = tempfile.mkdtemp(prefix="proofd-format-")
        shutil.copy(data_dir("golden", "format2", "facts.mdb"), self.dir)
        with open(PAGE, encoding="utf-8") as file:
            self.program = re.search(r"```python\n(.*?)```", file.read(), re.S)[1].replace("DIR/", self.dir + "/")

    def tearDown(self):
        shutil.rmtree(self.dir)

    def ask(self, full_key):
        names = {"game": struct.unpack(">I", full_key[:4])[0], "key": full_key[4:], "fact": None}
        try:
            exec(compile(self.program, PAGE, "exec"), names)  # pylint: disable=exec-used
        finally:
            if "env" in names:
                names["env"].close()
        return names["fact"]

    def test_it_finds_what_is_there_and_nothing_else(self):
        records = pylmdb.Records(os.path.join(self.dir, "facts.mdb"))
        blocks = [r.value for name, table in records.tables.items() if name.startswith("run.") for r in table]
        known = {key: fact for value in blocks for key, fact in facts_of(value)}
        self.assertGreater(len(known), 100)
        for key in sorted(known)[:: max(1, len(known) // 40)]:
            self.assertEqual(self.ask(key), known[key])
            self.assertIsNone(self.ask(key + b"\0"))
            self.assertIsNone(self.ask(key[:-1]))

    def test_a_damaged_block_is_refused(self):
        path = os.path.join(self.dir, "facts.mdb")
        records = pylmdb.Records(path)
        record = next(table[0] for name, table in sorted(records.tables.items()) if name.startswith("run.") and table)
        key = next(facts_of(record.value))[0]
        with open(path, "r+b") as file:
            file.seek(record.spans[-1][1] - 1)
            file.write(bytes([record.value[-1] ^ 1]))
        with self.assertRaises(ValueError):
            self.ask(key)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
