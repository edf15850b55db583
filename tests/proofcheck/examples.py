"""Certificates to accept and to refuse, each for one reason: tests/data/certificates.

    examples.py BUILD --write

writes the directory: texts, the binary form of those that have one, and the table in README.md. Most are of nim:1,2:
three records that can be checked by hand. Others come from the truth about small games; strategies are random. Those of
slips.txt and of `graphs` were found by random search: a checker that leaves out one condition of a theorem, or of a
graph with cycles, judges one of them wrongly.
"""

import os
import random
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "clients", "minicheck"), os.path.join(HERE, "..", "support")]
import minicheck  # noqa: E402
import minigames  # noqa: E402
from certificates import certificate, run, with_cards  # noqa: E402
from pyproofd import data_dir  # noqa: E402

PLACE = data_dir("certificates")
CLAIM = {"game": "nim:1,2", "position": "", "root": "010200", "claim": "first-wins", "lo": "1", "hi": "-"}
FIRST, REPLY, LAST = "000100 >=1,r1,m64", "010101 >=1,r2", "010200 >=1,r3,m65"
NIM = (FIRST, REPLY, LAST)
# `who` moves in a circle of two; infinite play is a draw.
CIRCLE = '{"root": "a", "nodes": {"a": {"or": ["b", "lost"]}, "b": {"and": ["a", "won"]},' \
    ' "won": {"value": 1}, "lost": {"value": -1}}}'
LINES = "# who moves goes round; infinite play is a draw\na or b lost\nb and a won\nwon = 1\nlost = -1\n"


def text(*records, graph="", blocks=None, lines=(), drop=None, after="end\n", **head):
    """A certificate: records, and what differs from the header of nim:1,2. `lines`: lines of the header as they are."""
    said = [record.split(" : ")[0] for record in records]
    cards = sum(",c" in record for record in said)
    head = {**CLAIM, "form": 4 if cards else 2, **head}
    blocks = [list(records)] if blocks is None else blocks
    blocks = [block for block in blocks if block or records]
    status = head.get("status") or ("solved" if head["claim"] == "value" else "proved")
    rows = {"game": head["game"], "rules": head.get("rules", 1), "engine": "by hand", "position": head["position"],
            "root": head["root"], "claim": head["claim"], "status": status, "lo": head["lo"], "hi": head["hi"],
            "detail": head.get("detail", "frontier" if any(",e" in r for r in records) else "full"),
            "positions": head.get("positions", len(records)), "reasons": sum(r.count(" ") for r in said),
            "leaves": sum(",e" in r for r in records), "cards": cards, "blocks": len(blocks), "graph": len(graph),
            "digest": "0" * 32}
    if head["form"] == 2:
        del rows["cards"]
    rows.pop(drop, None)
    shown = ["%s: %s" % row for row in rows.items()]
    for line in lines:  # in the place of the line of that name
        shown = [line if old.startswith(line.split(":")[0] + ":") else old for old in shown]
    body = "".join("block\n" + "".join(record + "\n" for record in block) for block in blocks)
    return "proofd certificate text 1\nproofd certificate %d\n%s\n\n%s%s%s" % (
        head["form"], "\n".join(shown), graph + "\n" if graph else "", body, after)


def one(game, record, position, **head):
    """A certificate of one record, the root's."""
    said = re.search(r" ([<>])=(-?\d+)", record)
    upper, bound = said[1] == "<", int(said[2])
    claim = {"claim": "first>=%d" % (bound + upper), "status": "disproved" if upper else "proved",
             "lo": "-" if upper else bound, "hi": bound if upper else "-"}
    records = sorted([record, *head.pop("more", [])])
    return text(*records, game=game, root=record.split(" ")[0], position=position, **{**claim, **head})


def strategy(game, record, position, seed):
    """The record with a strategy of random weights in the place of its reason, and one that loses: as witnesses."""
    rules, rng = minigames.named(game, "1", b""), random.Random(seed)
    said = re.search(r" ([<>])=(-?\d+),r(\d+)", record)
    root, good, bad = bytes.fromhex(record.split(" ")[0]), None, None
    while not good or not bad:
        weights = bytes(rng.randrange(-9, 10) % 256 for _ in range(rules.squares))
        try:
            plies = minicheck.Play(rules, said[1] == "<", int(said[2]), weights).plies(rules.position(root))
            good = good or (plies, "01" + weights.hex())
        except minigames.Wrong:
            bad = bad or "01" + weights.hex()
    base = record.split(",r")[0]
    return ["%s,r%d,c100:%s" % (base, good[0], good[1]), "%s,r%d,c100:%s" % (base, good[0] - 1, good[1]),
            "%s,r%d,c100:%s" % (base, 64, bad)]


def made(folder, game, position, claim, cards=False, graph=None):
    """A certificate of the truth about a small game."""
    path = os.path.join(folder, "made")
    if cards:
        with_cards(path, game, position, claim)
    else:
        certificate(path, game, position, claim, "0", graph)
    return re.sub("digest: .*", "digest: " + "0" * 32, run("--text", path).stdout)


def version(folder, content=CIRCLE):
    """The version of a graph, its digest."""
    graph = os.path.join(folder, "graph")
    with open(graph, "w", encoding="ascii") as file:
        file.write(content)
    return re.search("rules: (.*)", made(folder, "andor:cycle", "", "value", graph=graph))[1]


def slips(kind):
    """Name, what it shows, text: of the lines of slips.txt."""
    with open(os.path.join(HERE, "slips.txt"), encoding="ascii") as file:
        for line in file:
            which, name, what, game, position, record = line.rstrip("\n").split(" | ")
            if which == kind:
                yield name, what, one(game, record, position)


def graphs(folder, kind):
    """The same, of graphs: what infinite play is worth, wins at once, ranks."""
    for which, name, what, graph, claim, bound, records in GRAPHS:
        if which == kind:
            rules = version(folder, graph) if name != "graph-twice" else 1
            yield name, what, text(*records.split("; "), game="andor:graph", root="72", graph=graph, claim=claim,
                                   lo=bound, rules=rules, form=4)


BOARDS = {  # a record with a card of each theorem, and its position
    "t1": ("connect4:4x4", "2a0501 <=0,r8,c1:0206000700020c000d00", "4/oo2/xx2/xoox", "follow-up, with pairs of bases"),
    "t2": ("connect4:4x4", "092701 >=0,r5,c2:010b00020c000e00", "1o2/xxx1/oxo1/xoxo", "zugzwang, with a pair of bases"),
    "t5": ("mnk:4,3,4", "000000 <=0,r12,c5:020000010002040005000208000900", "", "First never gets four in a row"),
    "t8": ("hex:3x2", "0000 >=1,r3,c8:0101000203000400", "", "a stone, and bridges to both edges"),
    "t9": ("domineering:4x3", "4f07 <=-1,r2,c9:0106000200000100", "3#/##1#/4 v", "moves of which Second is sure"),
    "t10": ("breakthrough:2x5", "05c01c <=-1,r3,c10:0205000200", "pp/2/pp/P1/P1 b", "a step that makes a runner"),
    "t11": ("mnk:4,4,4", "01000000 <=0,r15,c11:010300", "4/4/4/x3", "a first square; lines light enough to be left"),
    "t12": ("mnk:4,4,3", "20000100 >=1,r3,c12:010600", "4/4/1x2/o3", "a forced win")}
BARE = "chess-mate", "0000100000040410000096e9 <=0,c13:", "8/8/4k3/2p5/2p5/8/8/4K3 w - -"
# A zone with two answers of theorem 8: a stone with a bridge, and a stone with two.
ANSWERS = "0808010900020c000d00", "080d010b000207000a00020e000f00"
ZONE = "hex:4", "44000800 >=1,r6,c103:" + "".join(ANSWERS), "c1 d1 c2"
# After one reply the game is over, and the side of the bound has lost; the answer covers all others.
OVER = "mnk:4,3,3", "841140 >=1,r4,c103:0c03010300", "x1o1/3x/o1x1"
OTHER_WITNESSES = {"t10": "010200", "t11": "", "t12": "0105"}  # wrong ones; of the others: without the last pair
STRATEGIES = {
    "connect4": ("connect4:4x4", "2a0501 <=0,r8", "4/oo2/xx2/xoox"), "mnk": ("mnk:3,3,3", "100200 >=0,r7", "3/1x1/o2"),
    "turns": ("mnk:3,3,3,1,2", "000000 >=1,r9", ""), "hex": ("hex:3", "000000 >=1,r9", ""),
    "domineering": ("domineering:4x4", "ffff00 >=1,r9", ""),
    "breakthrough": ("breakthrough:3x4", "3f00fc00 <=-1,r20", "")}

GRAPHS = [  # kind, name, what it shows, graph, claim, lower bound, records
    ("accept", "graph-at-once", "wins at once in a graph with a cycle",
     "r and a b\na or w r\nb or w b2\nb2 and b\nw = 1\n", "first-wins", 1, "72 >=1,r2"),
    ("accept", "graph-infinite", "infinite play is 1: no ranks are needed", "infinite 1\nr or s\ns or r\n",
     "first-wins", 1, "72 >=1,m0; 73 >=1,m0"),
    ("accept", "graph-stronger", "a child has a stronger bound than it needs", "values 0 10\nr or s\ns and t\nt = 7\n",
     "first>=3", 3, "72 >=3,r2,m0; 73 >=5,r1"),
    ("refuse", "graph-at-once", "a win at once is that of the side that the bound favours",
     "r or a\na and w l\nw = 1\nl = -1\n", "first-wins", 1, "72 >=1,r2,m0"),
    ("refuse", "graph-infinite", "infinite play is -1: ranks are needed", "infinite -1\nr or s\ns or r\n",
     "first-draws", 0, "72 >=0,m0; 73 >=0,m0"),
    ("refuse", "graph-scale", "infinite play is the least value where 0 is none", "values 1 3\nr or s\ns or r\n",
     "first>=2", 2, "72 >=2,m0; 73 >=2,m0"),
    ("refuse", "graph-rank", "without a cycle every reason has a rank", "r or w\nw = 0\n", "first-draws", 0,
     "72 >=0,m0"),
    ("refuse", "graph-twice", "a child stands twice", "r or w w\nw = 1\n", "first-wins", 1, "72 >=1,r1,m1")]


def mirrored(game, record):
    """The same card with the key of the mirror image, which is the greater one, as a list."""
    rules = minigames.named(game, "1", b"")
    first, second, turn = rules.position(bytes.fromhex(record.split(" ")[0]))
    mine, both = (first, second)[turn], first | second
    number = max(rules.image(table, mine) + rules.image(table, both) for table in rules.images)
    return [number.to_bytes(rules.size, "little").hex() + " " + record.split(" ", 1)[1]]


def zone(*answers, rank=6, more=()):
    """The zone of the example with other answers, and records beside it."""
    game, record, position = ZONE
    return one(game, record.split(",")[0] + ",r%d,c103:%s" % (rank, "".join(answers)), position, more=more)


def uncovered():
    """Records of what the first answer of the example does not cover: the second one, in the frame of each key."""
    rules, said = minigames.named(ZONE[0], "1", b""), bytes.fromhex(ANSWERS[1])[2:]
    start = rules.position(bytes.fromhex(ZONE[1].split(" ")[0]))
    for move in (9, 12, 13):
        child, witness = rules.play(start, move), bytearray(said)
        key = rules.key(child)
        if rules.position(key) != child:  # the board turned by half
            for at in (1, 4, 6, 9, 11):
                witness[at] = rules.squares - 1 - witness[at]
        yield "%s >=1,r5,c8:%s" % (key.hex(), witness.hex())


def accepted(folder):
    """Name, what it shows, text, the game of which a checker may not know it."""
    cycle = {"game": "andor:cycle", "root": "61", "lo": 0, "claim": "first-draws", "rules": version(folder)}
    below = {"position": "1,1 x", "root": "010100"}
    second = ("000101 <=-1,r1,m64", "010100 <=-1,r2")
    yield "nim", "a move, replies, a move that ends the game", text(*NIM)
    yield "value", "equal bounds; the lower one is trivial", text(*second, claim="value", lo=-1, hi=-1, **below)
    yield "disproved", "a claim that is refuted: an upper bound", text(
        *second, status="disproved", lo="-", hi=-1, **below)
    yield "second-wins", "a claim of Second's is an upper bound", text(
        *second, claim="second-wins", lo="-", hi=-1, **below)
    yield "ranks", "ranks may be larger than they need to be", text(
        "000100 >=1,r7,m64", "010101 >=1,r8", "010200 >=1,r90,m65")
    yield "not-needed", "a true record that the root does not need", text(FIRST, second[0], REPLY, LAST)
    yield "trivial", "the worst value as lower bound needs no record", text(claim="first>=-1", lo=-1)
    yield "terminal-root", "the game is over at the root", text(position="0,0 o", root="000001")
    yield "blocks", "records in two blocks", text(*NIM, blocks=[[FIRST], [REPLY, LAST]])
    yield "wins-at-once", "format 4: a child whose player wins at once needs no record", text(REPLY, LAST, form=4)
    yield "remark", "what follows ` : ` is for readers", text(FIRST, REPLY + " : 1,1 o", LAST + " : anything")
    yield "cycle", "reasons without ranks support each other: infinite play is a draw", text(
        "61 >=0,m0", "62 >=0", graph=CIRCLE, **cycle)
    yield "cycle-lines", "the same, the graph in lines", text("61 >=0,m0", "62 >=0", graph=LINES, **cycle)
    yield "ranked-graph", "ranks in a graph with a cycle", made(folder, "andor:ghi-first", "", "value",
                                                             graph=data_dir("andor", "ghi-first.json"))
    yield "effort", "a leaf with an effort", text("010200 >=1,r3,e20")
    yield "set-up", "a position that no game reaches: its key ends with the side to move", one(
        "mnk:3,3,3", "03000000 >=1,r1,m2", "3/3/xx1 x")
    yield "mnk", "tic-tac-toe, two stones put", made(folder, "mnk:3,3,3", "b2 a1", "value")
    yield "turns", "turns of two stones", made(folder, "mnk:4,3,3,2,1", "", "first-wins")
    yield "exact", "longer lines do not win", made(folder, "mnk:5,2,3,exact", "a1 a2 b1 b2 d1 d2", "value")
    yield "connect4", "Connect Four 4x4", made(folder, "connect4:4x4", "1213224", "value")
    yield "hex", "Hex 3x3", made(folder, "hex:3", "", "value")
    yield "domineering", "Domineering 4x4", made(folder, "domineering:4x4", "a1a2", "value")
    yield "breakthrough", "Breakthrough 2x4", made(folder, "breakthrough:2x4", "", "value")
    for name, (game, record, position, what) in BOARDS.items():
        yield name, "theorem %s: %s" % (name.upper(), what), one(game, record, position)
    yield "t13", "theorem T13: a bare king never mates, by infinite play: no rank", one(*BARE)
    yield "t11-empty", "all lines are light: no squares, no groups", one("mnk:4,2,3,exact", "0000 >=0,r8,c11:", "")
    for name, (game, record, position) in STRATEGIES.items():
        yield "strategy-" + name, "a strategy by weights", one(game, strategy(game, record, position, 1)[0], position)
    yield "zone", "theorem T103: two answers, of which one or the other covers each reply", zone(*ANSWERS)
    yield "zone-records", "T103: a reply that no answer covers has a record", zone(
        ANSWERS[0], more=list(uncovered()))
    yield "zone-idle", "T103: an answer that covers nothing does no harm", zone("050101", *ANSWERS, "090100")
    yield "zone-mnk", "T103: forced wins as answers", text(
        "000000 >=1,r9,m5", "200000 >=1,r8,c103:0c060101000102000c060100000106000c060100000102000c0901000001090001060"
        "00c06010a000102000c09010900010200010600", game="mnk:4,3,3", root="000000")
    yield from slips("accept")
    yield from graphs(folder, "accept")


def refused(folder):
    """Name, the rule that it breaks, text."""
    cycle = {"game": "andor:cycle", "root": "61", "graph": CIRCLE, "rules": version(folder)}
    yield "rank-equal", "a reason rests on one of the same rank", text(FIRST, "010101 >=1,r1", LAST)
    yield "rank-missing", "without repetition every reason has a rank", text(FIRST, "010101 >=1", LAST)
    yield "rank-rests-on-none", "a reason with a rank rests on one without", text(
        "61 >=0,m0", "62 >=0,r9", claim="first-draws", lo=0, **cycle)
    yield "cycle-against", "in a cycle reasons without ranks hold only what infinite play gives", text(
        "61 >=1,m0", "62 >=1", claim="first-wins", lo=1, **cycle)
    yield "rank-of-terminal", "a rank is at least 1", text("000100 >=1,r0,m64", REPLY, LAST)
    yield "move-missing", "the player of the bound needs a move", text("000100 >=1,r1", REPLY, LAST)
    yield "move-illegal", "the move is not legal", text("000100 >=1,r1,m65", REPLY, LAST)
    yield "move-wrong", "the move leads to a position without the bound", text(FIRST, REPLY, "010200 >=1,r3,m64")
    yield "move-of-the-other", "the other side moves: no move", text(FIRST, "010101 >=1,r2,m0", LAST)
    yield "reply-missing", "a reply has no record", text(REPLY, LAST)
    yield "at-once-in-format-2", "wins at once are of format 4", text(REPLY, LAST, form=2)
    yield "at-once-rank", "a win at once has rank 1, so what rests on it has 2", text(
        "010101 >=1,r1", "010200 >=1,r3,m65", form=4)
    yield "bound-weaker", "a reply has a weaker bound only", text(
        "61 >=0,r2,m0", "62 >=1,r1", claim="first-draws", lo=0, **cycle)
    yield "side", "the child has an upper bound, a lower one is needed", text("000100 <=1,r1", REPLY, LAST)
    yield "value-none", "a bound that is no value of the game", text("000100 >=0,r1,m64", REPLY, LAST)
    yield "value-off-scale", "a bound off the scale", text("000100 >=2,r1,m64", REPLY, LAST)
    yield "record-terminal", "a record of a position in which the game is over", text("000001 >=1,r1", *NIM)
    yield "key-impossible", "a key of no position", text(FIRST, "000300 >=1,r1,m64", REPLY, LAST)
    yield "key-not-canonical", "a key that is not the canonical one", text(FIRST, REPLY, LAST, "020100 >=1,r3,m1")
    yield "key-order", "keys ascend", text(REPLY, FIRST, LAST)
    yield "key-twice", "a key stands once", text(FIRST, REPLY, REPLY, LAST)
    game, record, position, _ = BOARDS["t1"]
    yield "key-mirrored", "Connect Four: the mirror image has the smaller key", one(
        game, record, position, more=mirrored(game, record))
    yield "reasons-order", "lower bounds come before upper bounds", text("000100 <=1,r1 >=1,r1,m64", REPLY, LAST)
    yield "reasons-twice", "a side and bound stand once", text("000100 >=1,r1,m64 >=1,r2,m64", REPLY, LAST)
    yield "false-beside", "a false record that the root does not need", text(
        "000100 >=1,r1,m64", "000101 >=1,r9", REPLY, LAST)
    yield "root-missing", "the root has no record", text(FIRST, REPLY)
    yield "root-at-once", "the root needs its record also where it wins at once", text(
        form=4, position="0,1 x", root="000100")
    yield "root-weaker", "the root's record has another bound", text(FIRST, REPLY, "010200 >=-1,r3,m65")
    yield "root-terminal", "a terminal root has no records", text(*NIM, position="0,0 o", root="000001")
    yield "root-of-another", "`root` is not the key of `position` (minicheck.py reads the key alone)", text(
        *NIM, position="1,1 o")
    yield "claim-stronger", "the bound is weaker than the claim", text(claim="first-wins", lo=-1)
    yield "claim-other-side", "the claim needs a lower bound", text(*NIM, lo="-", hi=1)
    yield "claim-both", "a bound that the claim does not need", text(*NIM, hi=1)
    yield "claim-value", "the claim `value` needs equal bounds", text(*NIM, claim="value", hi="-")
    yield "status", "`solved` is for the claim `value`", text(*NIM, status="solved")
    yield "positions", "the header counts records", text(*NIM, positions=4)
    yield "header-order", "the lines of the header have one order", text(*NIM, lines=("rules: 1",), drop="engine")
    yield "header-number", "no leading zeros", text(*NIM, lines=("positions: 03",))
    yield "header-status", "no such status", text(*NIM, lines=("status: true",))
    yield "block-empty", "a block has a record", text(*NIM, blocks=[[], list(NIM)])
    yield "block-none", "a record stands in a block", text(
        *NIM).replace("block\n", "").replace("blocks: 1", "blocks: 0")
    yield "end-missing", "the last line is `end`", text(*NIM, after="")
    yield "end-not-last", "nothing follows `end`", text(*NIM, after="end\n\n")
    yield "claim-off-scale", "the bound of the header is below the scale", text(
        "61 <=0", "62 <=0,m0", claim="second-wins", lo="-", hi=-2, **cycle)
    yield "graph-name", "the name of a node has no blanks", text(
        "6120623a >=1,r1,m0", game="andor:cycle", root="6120623a",
        graph='{"root": "a b:", "nodes": {"a b:": {"or": ["w"]}, "w": {"value": 1}}}')
    for name, said in (("member", '"values": [0, 5], "values": [-1, 1], '), ("node", "")):
        yield "graph-%s-twice" % name, "JSON that says something twice", text(
            "61 >=1,r1,m0", game="andor:cycle", root="61", graph='{"root": "a", %s"nodes": {%s"a": {"or": ["w"]}, "w": '
            '{"value": 1}, "l": {"value": -1}}}' % (said, "" if said else '"a": {"or": ["l"]}, '))
    yield "stones-twice", "stones of both sides on two squares", one("mnk:3,3,3", "030700 <=-1,r1,m2", "2x/3/xx1 o")
    yield "upper-case", "hexadecimal digits are lower case", text(
        "61 >=0,m0", "6C >=0", claim="first-draws", lo=0, **cycle)
    yield "full-with-effort", "in detail `full` no reason has an effort", text("010200 >=1,r3,e20", detail="full")
    yield "effort-with-move", "a reason with an effort has no move", text("010200 >=1,r3,m65,e20")
    yield "effort-false", "no search finds it (a checker without a search: UNKNOWN)", text(
        "010100 >=1,r2,e20", position="1,1 x", root="010100")
    game, record, position, _ = BOARDS["t5"]
    yield "card-format-2", "cards are of format 4", one(game, record, position, form=2)
    yield "card-rank-missing", "a card has a rank", one(game, record.replace(",r12", ""), position)
    yield "card-with-move", "a card has no move", one(game, record.replace(",c5", ",m0,c5"), position)
    game, record, position, _ = BOARDS["t1"]
    yield "card-theorem", "Connect Four has no theorem 5", one(game, record.replace(",c1:", ",c5:"), position)
    for name, (game, record, position, _) in BOARDS.items():
        rank = int(re.search(",r(\\d+)", record)[1])
        witness = record.split(":")[1]
        yield name + "-rank", "the theorem needs more plies", one(
            game, record.replace(",r%d" % rank, ",r%d" % (rank - 1)), position)
        yield name + "-witness", "the witness lacks a group, or has a wrong one", one(
            game, record.replace(witness, OTHER_WITNESSES.get(name, witness[:-10])), position)
        yield name + "-cut", "the witness ends within a group", one(game, record[:-2], position)
    game, record, position = BARE
    yield "t13-rank", "theorem T13 gives no rank", one(game, record.replace(",c", ",r9,c"), position)
    yield "t13-witness", "theorem T13 has no witness", one(game, record + "010000", position)
    yield "t13-side", "theorem T13 gives no lower bound", one(game, record.replace("<=0", ">=1,r9"), position)
    yield "t13-men", "First has a pawn", one(
        game, "00001010000000100000160e <=0,c13:", "8/8/4k3/8/8/8/4P3/4K3 w - -")
    for name, (game, record, position) in STRATEGIES.items():
        good, rank, lost = strategy(game, record, position, 1)
        yield "strategy-%s-rank" % name, "the strategy needs more plies", one(game, rank, position)
        yield "strategy-%s-loses" % name, "the strategy does not reach the bound", one(game, lost, position)
    yield "strategy-size", "a strategy has a weight for each square", one(game, good[:-2], position)
    yield "strategy-policy", "there is policy 1 alone", one(game, good.replace("c100:01", "c100:02"), position)
    yield "strategy-of-nim", "moves of nim have no squares", text("010200 >=1,r3,c100:01")
    yield "zone-reply", "T103: a reply that no answer covers has no record", zone(ANSWERS[0])
    yield "zone-rank", "T103: an answer takes as many plies as the zone", zone(*ANSWERS, rank=5)
    yield "zone-none", "T103: a zone has an answer", zone(more=list(uncovered()))
    yield "zone-cut", "T103: the list ends within an answer", zone(*ANSWERS, "0802")
    yield "zone-number", "T103: a number takes as few bytes as possible", zone(*ANSWERS, "880000")
    yield "zone-zero", "T103: theorems are numbered from 1", zone(*ANSWERS, "0000")
    yield "zone-nested", "T103: an answer is itself a zone", zone(*ANSWERS, "670a" + ANSWERS[0])
    yield "zone-strategy", "T103: an answer is a strategy", zone(*ANSWERS, "641101" + 16 * "00")
    yield "zone-many", "T103: a zone has at most 32 answers", zone(*ANSWERS, *["0800"] * 31)
    yield "zone-over", "T103: an answer covers no reply after which the game is over", one(*OVER)
    game, _, position = ZONE
    yield "zone-turn", "T103: the side of the bound is not to move", one(
        game, "40000000 <=-1,r8,c103:" + ANSWERS[0], "c2")
    yield from slips("refuse")
    yield from graphs(folder, "refuse")


def unknown(folder):
    """Name, why it is neither, text."""
    yield "game", "a game that is not known", text(*NIM, game="nimble:1,2")
    yield "parameters", "a board that is too large", text(game="connect4:40x40")
    yield "rules", "another version of the rules", text(*NIM, rules=2)


KINDS = (("accept", accepted, "VERIFIED"), ("refuse", refused, "REJECTED"), ("unknown", unknown, "UNKNOWN"))


def write(place):
    """Writes the directory; the texts that have a binary form get it beside them, and then the right digest."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, examples, _ in KINDS:
            os.makedirs(os.path.join(place, kind))
            for name, what, content in examples(folder):
                path = os.path.join(place, kind, name)
                with open(path + ".text", "w", encoding="ascii", newline="") as file:
                    file.write(content)
                made_it = run("--from-text", "--no-digest", path + ".text", path + ".proof").returncode == 0
                if made_it:
                    with open(path + ".text", "w", encoding="ascii", newline="") as file:
                        file.write(run("--text", path + ".proof").stdout)
                rows.append("| %s | `%s` | %s | %s |" % (kind, name, what, "" if made_it else "text alone"))
    with open(os.path.join(HERE, "examples.md"), encoding="ascii") as file:
        text_of = file.read()
    with open(os.path.join(place, "README.md"), "w", encoding="ascii") as file:
        file.write(text_of + "\n".join(rows) + "\n")


if __name__ == "__main__":
    if sys.argv[2:] != ["--write"]:
        sys.exit(__doc__)
    shutil.rmtree(PLACE, True)
    write(PLACE)
