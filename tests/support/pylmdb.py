"""The records of a data directory, read without LMDB and without the store: what speaks for or against both in tests of
damage.

`Records` of a sound file lists what its newest transaction leads to, with the bytes of the file that each record stands
on."""

import json
import struct

PAGE = 4096


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def zigzag(n):
    return n >> 1 ^ -(n & 1)


class Record:
    def __init__(self, key, value, spans):
        self.key, self.value, self.spans = key, value, spans

    def untouched(self, before, after):
        return all(before[a:b] == after[a:b] for a, b in self.spans)


class Records:
    """table name -> list of Record"""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        metas = [struct.unpack_from("<Q", self.data, i * PAGE + 16 + 128)[0] for i in (0, 1)]
        base = (PAGE if metas[1] > metas[0] else 0) + 16
        self.tables = {}
        for name in self.leaves(struct.unpack_from("<Q", self.data, base + 24 + 48 + 40)[0]):
            self.tables[name.key.decode()] = list(self.leaves(struct.unpack_from("<Q", name.value, 40)[0]))

    def leaves(self, page):
        if page == (1 << 64) - 1:
            return
        if struct.unpack_from("<H", self.data, page * PAGE + 10)[0] & 1:
            for child in self.children(page):
                yield from self.leaves(child)
        else:
            yield from self.nodes(page)

    def places(self, page):
        at = page * PAGE
        for i in range((struct.unpack_from("<H", self.data, at + 12)[0] - 16) // 2):
            yield at + struct.unpack_from("<H", self.data, at + 16 + 2 * i)[0]

    def children(self, page):
        for node in self.places(page):
            low, high, upper = struct.unpack_from("<HHH", self.data, node)
            yield low | high << 16 | upper << 32

    def nodes(self, page):
        """The records of one page of records."""
        for node in self.places(page):
            low, high, kind, key_size = struct.unpack_from("<HHHH", self.data, node)
            start, size = node + 8 + key_size, low | high << 16
            if kind & 1:
                place = struct.unpack_from("<Q", self.data, start)[0] * PAGE + 16
                spans = [(node, start + 8), (place, place + size)]
            else:
                place, spans = start, [(node, start + size)]
            yield Record(self.data[node + 8:start], self.data[place:place + size], spans)


def games(records):
    return {struct.unpack(">I", r.key)[0]: r.value[4:] for r in records.tables["games"]}


def bounds(data, at, end):
    """(lo, hi) of the packed reasons in data[at:end]; None without a bound."""
    lo = hi = None
    while at < end:
        (side, bound), at = reason(data, at)
        if side:
            hi = bound if hi is None else min(hi, bound)
        else:
            lo = bound if lo is None else max(lo, bound)
    return lo, hi


def reason(data, at):
    head = data[at]
    bound, at = head >> 4, at + 1
    if bound == 15:
        bound, at = varint(data, at)
    at = varint(data, at)[1]
    for bit in (2, 4, 8):
        if head & bit:
            at = varint(data, at)[1]
    return (head & 1, zigzag(bound)), at


def run_block(value):
    """(key, (lo, hi)) of each fact in a block of a run."""
    fence, at = varint(value, 12)
    key, at = value[at:at + fence], at + fence
    for _ in range(struct.unpack_from("<H", value, 10)[0]):
        head, at = value[at], at + 1
        rest, size = head & 15, (head >> 4 & 7) + 2
        if not rest:
            rest, at = varint(value, at)
        if size == 2:
            size, at = varint(value, at)
        shared = len(key) - rest
        if head & 128:
            shared, at = varint(value, at)
        key, at = key[:shared] + value[at:at + rest], at + rest
        yield key, bounds(value, at, at + size)
        at += size


def log_block(value):
    at, key = 12, b""
    for _ in range(struct.unpack_from("<H", value, 10)[0]):
        size, at = varint(value, at)
        if size:
            game, at = varint(value, at)
            key, at = struct.pack(">I", game) + value[at:at + size], at + size
        (side, bound), end = reason(value, at)
        yield key, (None, bound) if side else (bound, None)
        at = end


def unfinished(work):
    """(game's record and key, bounds) of the facts in blocks of the log that are whole and that no transaction leads
    to: a process that was killed had written them, and had not ended their transaction. Who has lost the heads of the
    file cannot tell them from others."""
    counters = next(r.value for r in work.tables["meta"] if r.key == b"counters")
    first, names = struct.unpack_from("<Q", counters, 4 + 8)[0], games(work)  # after the seal
    for page in range(2, len(work.data) // PAGE):
        try:
            nodes = [node for node in work.nodes(page) if len(node.key) == 8 and node.value[8:9] == b"F"]
            for node in nodes:
                if struct.unpack(">Q", node.key)[0] >= first:
                    yield from [(names[struct.unpack(">I", k[:4])[0]] + k[4:], b) for k, b in log_block(node.value)]
        except (IndexError, KeyError, struct.error):
            continue  # not a page of records, or an incomplete one


def join(a, b):
    """The narrower of two bounds on each side."""
    lo = max((x for x in (a[0], b[0]) if x is not None), default=None)
    hi = min((x for x in (a[1], b[1]) if x is not None), default=None)
    return lo, hi


def within(a, b):
    """Whether b implies a."""
    return (a[0] is None or b[0] is not None and b[0] >= a[0]) and (a[1] is None or b[1] is not None and b[1] <= a[1])


def fact_blocks(work, facts):
    """(Record, file, [(game's record and key, bounds)]) of each block that counts."""
    listed = next(r for r in facts.tables["meta"] if r.key == b"runs").value[4:]
    merged, count = struct.unpack_from("<QI", listed)
    slots = [struct.unpack_from("<I", listed, 12 + 28 * i)[0] for i in range(count)]
    names = games(work)
    for slot in slots:
        for record in facts.tables["run.%d" % slot]:
            yield record, "facts.mdb", [(names[struct.unpack(">I", k[:4])[0]] + k[4:], b)
                                        for k, b in run_block(record.value)]
    for record in work.tables["factlog"]:
        if struct.unpack(">Q", record.key)[0] > merged:
            yield record, "work.mdb", [(names[struct.unpack(">I", k[:4])[0]] + k[4:], b)
                                       for k, b in log_block(record.value)]


def all_facts(work, facts):
    known = {}
    for _, _, block in fact_blocks(work, facts):
        for key, b in block:
            known[key] = join(known[key], b) if key in known else b
    return known


def jobs(work):
    return {struct.unpack(">I", r.key)[0]: (r, json.loads(r.value[4:])) for r in work.tables["jobs"]}
