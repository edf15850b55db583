"""The games of minicheck.py: their rules, the bytes of their keys, the codes of their moves, and their theorems.

Two players, First (0) and Second (1); values are for First. `card` returns the number of plies that the theorem of a
reason needs; None: the theorem does not give the bound. The groups of squares are those of the witness.
"""
import collections
import functools
import json
import re

class Wrong(Exception):
    """The certificate is refused."""

class Unknown(Exception):
    """The certificate needs something that this program lacks."""

def need(condition, why, kind=Wrong):
    if not condition:
        raise kind(why)

def bits(number):
    """The bits of a number, lowest first, each as a number."""
    while number:
        yield number & -number
        number &= number - 1

def places(number): return [bit.bit_length() - 1 for bit in bits(number)]
def within(value, upper, bound): return value <= bound if upper else value >= bound

def apart(groups, empty):
    """The groups as sets, if no two squares are the same and all are empty; otherwise None."""
    squares = [square for group in groups for square in group]
    good = len(set(squares)) == len(squares) and all(empty >> square & 1 for square in squares)
    return [sum(1 << square for square in group) for group in groups] if good else None

class Game:
    """Two players, First (0) and Second (1); values are for First. Defaults for what games do not define:"""
    values, repeats, infinite, squares = (-1, 0, 1), False, 0, 0
    def mover(self, p): return p[2]
    def show(self, p): return str(p)
    def card(self, p, reason, groups): return None
    def ends(self, p):
        """The moves that end the game, each with the value."""
        after = {m: self.value(self.play(p, m)) for m in self.moves(p)}
        return {m: value for m, value in after.items() if value is not None}

class Board(Game):
    """A set of squares is a number: bit = square = row * width + column. A position: (First's squares, Second's, who
    moves). `symmetries`: sums of 1, mirror columns, 2, mirror rows, and 4, then swap both (square boards alone)."""
    planes, turn_bit, symmetries = 2, False, (0, 1)
    def sides(self, params):
        m = re.fullmatch(r"([1-9]\d?)x([1-9]\d?)", params)
        need(m, "a board is columns x rows, not " + params, Unknown)
        return int(m[1]), int(m[2])
    def lay_out(self, width, height, most):
        need(width * height <= most, "the board is too large", Unknown)
        self.width, self.height, self.squares, self.full = width, height, width * height, (1 << width * height) - 1
        self.row, self.left = (1 << width) - 1, sum(1 << r * width for r in range(height))  # row 0, column 0
        self.right = self.left << width - 1
        self.size, self.images = (self.planes * self.squares + self.turn_bit + 7) // 8, []
        for s in self.symmetries if width == height else [s for s in self.symmetries if s < 4]:
            where = [self.place(s, width - 1 - c if s & 1 else c, height - 1 - r if s & 2 else r)
                     for r in range(height) for c in range(width)]
            self.images.append([[sum(1 << w for i, w in enumerate(where[at : at + 8]) if byte >> i & 1)
                                 for byte in range(256)] for at in range(0, self.squares, 8)])  # of eight squares each
    def place(self, s, column, row): return column * self.width + row if s & 4 else row * self.width + column
    def image(self, table, squares):
        return sum([part[byte] for part, byte in zip(table, squares.to_bytes(len(table), "little"))])
    def key(self, p):
        first, second = min([(self.image(table, p[0]), self.image(table, p[1])) for table in self.images])
        turn = p[2] << self.planes * self.squares if self.turn_bit else 0
        return (first | second << self.squares | turn).to_bytes(self.size, "little")
    def position(self, key):
        """The position that a key describes; it must be the canonical key of a position."""
        need(self.turn_bit or len(key) != self.size + 1 or key[-1] > 1, "a position that no game reaches", Unknown)
        number, n = int.from_bytes(key, "little"), self.squares
        p = self.start((number & self.full, number >> n & self.full * (self.planes - 1), number >> self.planes * n))
        need(p and self.key(p) == key, "the key %s is not canonical" % key.hex())
        return p
    def start(self, p):
        """The position with the side to move, which follows from the stones; None: no game reaches it."""
        count = (p[0] | p[1]).bit_count()
        mine, waits = sum(self.side(n) == 0 for n in range(count)), 1 - self.side(count - 1)
        good = not p[0] & p[1] and not p[2] and p[0].bit_count() == mine and not self.won(p[waits], waits)
        return (p[0], p[1], self.side(count)) if good else None
    def side(self, stones): return stones % 2
    def value(self, p): return 1 if self.won(p[0], 0) else -1 if self.won(p[1], 1) else None
    def moves(self, p): return places(self.full & ~(p[0] | p[1]))
    def play(self, p, move):
        stones = [p[0], p[1]]
        stones[p[2]] |= 1 << move
        return *stones, self.side((p[0] | p[1]).bit_count() + 1)
    def square(self, p, move): return move
    def quick_answer(self, p, upper, weights): return None
    def show(self, p):
        rows = ["".join(".xo"[(p[0] >> i & 1) + 2 * (p[1] >> i & 1)] for i in range(at, at + self.width))
                for at in range(0, self.squares, self.width)]
        return "/".join(rows[::-1]) + (", Second to move" if p[2] else ", First to move")

class Nim(Game):
    """A position: (counters of each heap, 0, who moves). Whoever cannot move loses. Move: 64 * heap + counters left."""
    values = (-1, 1)
    def __init__(self, params):
        need(re.fullmatch(r"[1-9]\d?(,[1-9]\d?){0,7}", params), "nim:" + params, Unknown)
        self.most = sorted(map(int, params.split(",")))
        need(self.most[-1] < 64, "nim:" + params, Unknown)
    def position(self, key):
        good = len(key) == len(self.most) + 1 and key[-1] < 2 and list(key[:-1]) == sorted(key[:-1])
        need(good and all(map(int.__le__, key, self.most)), "the key %s is not canonical" % key.hex())
        return tuple(key[:-1]), 0, key[-1]
    def key(self, p): return bytes(sorted(p[0])) + bytes([p[2]])
    def value(self, p): return None if any(p[0]) else 1 if p[2] else -1
    def moves(self, p): return [64 * i + left for i, n in enumerate(p[0]) for left in range(n)]
    def play(self, p, move): return p[0][: move // 64] + (move % 64,) + p[0][move // 64 + 1 :], 0, 1 - p[2]

class Graph(Game):
    """An AND/OR graph (GRAPH.md), as in the file. A position is a node's name in bytes. Move: index of a child."""
    def __init__(self, text):
        self.nodes, said = {}, {}
        if text.lstrip().startswith(b"{"):
            said = json.loads(text, object_pairs_hook=self.once)
            for name, node in said["nodes"].items():
                (kind, what), = node.items()
                need(isinstance(what, list) or kind == "value", "children are a list")
                self.nodes[name.encode()] = kind, what if kind == "value" else [child.encode() for child in what]
        for line in () if self.nodes else text.split(b"\n"):
            words = re.sub(rb"(^|[ \t])#.*", b"", line).split()
            if len(words) > 2 and words[1] in (b"or", b"and", b"="):
                need(words[0] not in self.nodes, "the graph has a node twice")
                need(len(words) == 3 or words[1] != b"=", "a node has two values")
                self.nodes[words[0]] = ("value", int(words[2])) if words[1] == b"=" else (words[1].decode(), words[2:])
            elif words:
                name = words[0].decode()
                need(not self.nodes and name not in said, "a line of the graph is too late, or stands twice")
                said[name] = words[1] if name == "root" else list(map(int, words[1:])) if words[2:] else int(words[1])
        need(said.keys() <= {"root", "nodes", "values", "infinite"}, "this is not said of graphs")
        low, high = said.get("values", (-1, 1))
        self.values = range(low, high + 1)
        self.infinite = said.get("infinite", 0 if 0 in self.values else low)
        need(all(re.fullmatch(rb"[^\0- /\x7f]{1,64}", name) for name in self.nodes), "the name of a node is wrong")
        inner = {p: what for p, (kind, what) in self.nodes.items() if kind in ("or", "and")}
        need(all(0 < len(list) == len({*list} & {*self.nodes}) for list in inner.values()), "a child is wrong")
        need(all(p in inner or what in self.values for p, (_, what) in self.nodes.items()), "a value is wrong")
        need(self.infinite in self.values, "the value of infinite play is wrong")
        parents = collections.Counter(child for children in inner.values() for child in children)
        ready = [p for p in self.nodes if not parents[p]]
        for p in ready:  # remove nodes that have lost their parents; what stays is on cycles or behind them
            for child in inner.get(p, ()):
                parents[child] -= 1
                ready += [] if parents[child] else [child]
        self.repeats = len(ready) < len(self.nodes)
    @staticmethod
    def once(pairs):
        need(len(dict(pairs)) == len(pairs), "the graph says something twice")
        return dict(pairs)
    def position(self, key):
        need(key in self.nodes, "there is no such node in the graph")
        return key
    def key(self, p): return p
    def mover(self, p): return 0 if self.nodes[p][0] == "or" else 1
    def value(self, p): return self.nodes[p][1] if self.nodes[p][0] == "value" else None
    def moves(self, p): return range(len(self.nodes[p][1]))
    def play(self, p, move): return self.nodes[p][1][move]
    def show(self, p): return p.decode(errors="replace")

class Domineering(Board):
    """First's set holds the free squares. First's dominoes are upright. No move: a loss. Move: lower or left square."""
    values, planes, turn_bit, symmetries = (-1, 1), 1, True, (0, 1, 2, 3)
    def __init__(self, params): self.lay_out(*self.sides(params), 64)
    def key(self, p):
        free = p[0]
        beside = (free & ~self.right) << 1 | (free & ~self.left) >> 1 | free << self.width | free >> self.width
        return super().key((free & beside, 0, p[2]))  # no domino will ever cover a square without a free neighbour
    def start(self, p): return p if p[2] < 2 else None
    def dominoes(self, p, side):
        """The lower or left squares of the dominoes that a side can put, and the shift from them to the others."""
        by = 1 if side else self.width
        return p[0] & (p[0] & ~self.left if side else p[0]) >> by, by
    def value(self, p): return None if self.dominoes(p, p[2])[0] else 1 if p[2] else -1
    def moves(self, p): return places(self.dominoes(p, p[2])[0])
    def play(self, p, move): return p[0] & ~((1 << self.dominoes(p, p[2])[1]) + 1 << move), 0, 1 - p[2]
    def card(self, p, reason, groups):
        """T9: every domino of B has a square of the first group; A has as many moves of its own in the other groups."""
        a, cover, used, safe = int(reason.upper), sum({1 << i for i in groups[0]}) if groups else 0, 0, 0
        (mine, by), (theirs, step) = self.dominoes(p, a), self.dominoes(p, 1 - a)
        if reason.theorem != 9 or not groups or theirs & ~(cover | cover >> step):
            return None
        for group in groups[1:]:
            domino = sum(1 << i for i in group)
            if len(group) != 2 or group[1] != group[0] + by or not mine >> group[0] & 1 or used & domino:
                return None
            used |= domino
            safe += not domino & (theirs | theirs << step)
        begins, u = int(p[2] == a), len(groups[0])
        return 2 * u + begins if safe + (len(groups) - 1 - safe + 2 * begins) // 3 >= u + begins else None

class Breakthrough(Board):
    """Men go a row on, straight or aslant, and take aslant. A man on the far row wins, as does taking all men."""
    values, turn_bit = (-1, 1), True
    def __init__(self, params):
        width, height = self.sides(params)
        need(width > 1 and height > 3, "breakthrough:" + params, Unknown)
        self.lay_out(width, height, 64)
    def start(self, p):
        few = max(p[0].bit_count(), p[1].bit_count()) <= 2 * self.width and not p[0] & p[1]
        good = few and p[2] < 2 and p[1 - p[2]] and not self.arrived(p, p[2])
        return p if good and self.arrived(p, 1 - p[2]).bit_count() < 2 else None
    def arrived(self, p, side): return p[1] & self.row if side else p[0] >> self.squares - self.width
    def value(self, p): return None if p[p[2]] and not self.arrived(p, 1 - p[2]) else 1 if p[2] else -1
    def square(self, p, move): return move % 64 + (-self.width if p[2] else self.width) + move // 64 - 1
    def moves(self, p):
        return [m for m in range(192) if p[p[2]] >> m % 64 & 1 and 0 <= m % 64 % self.width + m // 64 - 1 < self.width
                and not (p[0] | p[1] if m // 64 == 1 else p[p[2]]) >> self.square(p, m) & 1]
    def play(self, p, move):
        """Move: the man's square + 64 * (0 to the column before, 1 straight, 2 to the column behind)."""
        to, man = 1 << self.square(p, move), 1 << move % 64
        return (p[0] & ~to, p[1] ^ man | to, 0) if p[2] else (p[0] ^ man | to, p[1] & ~to, 1)
    def togo(self, square, side): return square // self.width if side else self.height - 1 - square // self.width
    def card(self, p, reason, groups):
        """T10: a runner; a step of M that makes one; two men with one row to go."""
        w, squares = int(reason.upper), groups[0] if len(groups) == 1 else ()
        nearest = min((self.togo(i, 1 - w) for i in places(p[1 - w])), default=99)
        if reason.theorem != 10 or not squares:
            return None
        if len(squares) == 1 and p[2] != w:
            return self.runner(p, w, squares[0])
        if len(squares) == 2 and p[2] == w:
            steps = [m for m in self.moves(p) if (m % 64, self.square(p, m)) == tuple(squares)]
            after = self.play(p, steps[0]) if steps else p
            plies = self.runner(after, w, squares[1]) if steps and self.value(after) is None else None
            return plies and plies + 1
        two = len(set(squares)) == len(squares) == 2 and nearest > 1
        return 2 if two and all(p[w] >> i & 1 and self.togo(i, w) == 1 for i in squares) else None
    def runner(self, p, w, x):
        """The plies that W's man on x needs, if M, who moves, cannot stop it."""
        d, column = self.togo(x, w), x % self.width
        if not p[w] >> x & 1 or not d or any(self.togo(i, 1 - w) <= d for i in places(p[1 - w])):
            return None
        for i in places(p[0] | p[1]):
            t, c = d - self.togo(i, w), abs(i % self.width - column)
            if t >= 1 and (c == 0 if p[w] >> i & 1 else any(
                    0 <= t - j - 1 <= j and c <= t - j and (t > j + 1 or c == 1) or
                    0 <= t - j - 1 <= j + 1 and c <= t - j - 1 and j + 1 < d for j in range(d))):
                return None
        return 2 * d

class Hex(Board):
    """Row 0 is the top; each row is shifted to the right. First joins top and bottom, Second left and right."""
    values, symmetries = (-1, 1), (0, 3)
    def __init__(self, params):
        need("x" not in params or len(set(params.split("x"))) == 2, "hex:" + params, Unknown)
        self.lay_out(*self.sides(params if "x" in params else params + "x" + params), 361)
        need(max(self.width, self.height) < 20, "hex:" + params, Unknown)
    def beside(self, cells):
        w, left, right = self.width, cells & ~self.left, cells & ~self.right
        return right << 1 | left >> 1 | cells << w | cells >> w | left << w - 1 | right >> w - 1
    def won(self, stones, side):
        chain, last = stones & (self.left if side else self.row), 0
        while chain != last:
            last, chain = chain, chain | stones & self.beside(chain)
        return bool(chain & self.right if side else chain >> self.squares - self.width)
    def card(self, p, reason, groups):
        """T8: stones, edges and pairs that join the edges, which count as two more squares."""
        side, n, pairs = int(reason.upper), self.squares, apart(groups, self.full & ~(p[0] | p[1]))
        edges = (self.left, self.right) if side else (self.row, self.row << n - self.width)
        if reason.theorem != 8 or not pairs:
            return None
        begins = len(groups[0]) == 1
        stones = p[side] | (pairs.pop(0) if begins else 0)
        if begins and p[2] != side or any(pair.bit_count() != 2 for pair in pairs):
            return None
        def near(cell): return self.beside(cell) & self.full | sum(1 << n + i for i in (0, 1) if cell & edges[i])
        joined = [1 << n, 2 << n]
        def join(new, touch):
            nonlocal joined
            touched = [ends for ends in joined if touch(ends)]
            joined = [ends for ends in joined if not touch(ends)] + [functools.reduce(int.__or__, touched, new)]
        for stone in bits(stones):
            join(stone, lambda ends: ends & near(stone))
        for a, b in [tuple(map(near, bits(pair))) for pair in pairs] * len(pairs):  # until nothing changes
            join(0, lambda ends: ends & a and ends & b)
        return 2 * len(pairs) + begins if any(ends >> n == 3 for ends in joined) else None

class Mnk(Board):
    """Lines of k stones win. `turn` stones a turn, `opening` in the first one. Move: the square, for one stone."""
    symmetries = range(8)
    def __init__(self, params):
        m = re.fullmatch(r"([1-9]\d?),([1-9]\d?),([1-9]\d?)(?:,([1-9]\d{0,2}),([1-9]\d{0,2}))?(,exact)?", params)
        need(m and m.group(4, 5) != ("1", "1"), "mnk:" + params, Unknown)
        self.turn, self.opening, self.k = int(m[4] or 1), int(m[5] or 1), int(m[3])
        self.lay_out(int(m[1]), int(m[2]), 400)
        self.find_lines(bool(m[6]))
    def find_lines(self, exact):
        """Lines, each with the squares before and behind it, on which with `exact` no stone of the same side stands."""
        self.exact, self.lines = exact, []
        self.won, self.threats = (functools.lru_cache(1 << 16)(f) for f in (self.has_line, self.find_threats))
        self.through = [[] for _ in range(self.squares)]  # of each square, its lines
        for square in range(self.squares):
            for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                x, y, w = square % self.width, square // self.width, self.width
                cells = [(x + i * right, y + i * up) for i in range(-1, self.k + 1)]
                on = [1 << y * w + x if 0 <= x < w and 0 <= y < self.height else 0 for x, y in cells]
                self.lines += [(sum(on[1:-1]), on[0] | on[-1] if exact else 0)] if all(on[1:-1]) else []
        for line in self.lines:
            for i in places(line[0]):
                self.through[i].append(line)
    def has_line(self, stones, side):
        return any([line & stones == line and not by & stones for line, by in self.lines])
    def find_threats(self, stones, lines=None):
        """The squares where one more stone completes a line, of all lines or of these."""
        found, others = 0, ~stones
        for line, by in lines or self.lines:
            rest = line & others
            if not rest & rest - 1 and not by & stones:
                found |= rest
        return found
    def above(self, squares): return 0
    def below(self, squares): return 0
    def quick_answer(self, p, upper, weights):
        """The move of Play.answer, faster, if nothing wins at once and four squares are empty; None: not found."""
        w, m, free, best = p[upper], p[1 - upper], self.free(p), (-1,)
        if self.turn + self.opening > 2 or self.exact or (p[0] | p[1]).bit_count() > self.squares - 4:
            return None
        mine, theirs = self.threats(w), self.threats(m)
        left = (free & theirs or free) & ~self.below(theirs)
        if free & theirs & (free & theirs) - 1:
            return None
        for code, i in sorted([(self.code(i), i) for i in places(left)]):
            then = (free ^ 1 << i | self.above(1 << i)) & self.full
            wins = mine | self.find_threats(w | 1 << i, self.through[i])
            near = then & wins
            next_to = self.above(near or then)  # M has to take the square, or may take any; then W wins above it
            twice = bool(near & near - 1 or next_to and next_to & wins == next_to)
            if (twice, weights[i]) > best[:2]:
                best = twice, weights[i], code
        return best[-1] if left else None
    def side(self, stones): return (stones >= self.opening) and 1 - (stones - self.opening) // self.turn % 2
    def value(self, p):
        value = super().value(p)
        return 0 if value is None and p[0] | p[1] == self.full else value
    def free(self, p): return self.full & ~(p[0] | p[1])
    def code(self, square): return square
    def moves(self, p): return [self.code(i) for i in places(self.free(p))]
    def ends(self, p):
        free, wins = self.free(p), self.threats(p[p[2]])
        last = p[0] | p[1] | free == self.full and not free & free - 1
        won = -1 if p[2] else 1
        return {self.code(i): won if wins >> i & 1 else 0 for i in places(free if last else free & wins)}
    def card(self, p, reason, groups):
        how = {5: self.held, 11: self.held, 12: self.forced}.get(reason.theorem)
        groups = apart(groups, self.free(p))
        return how(p, reason, groups) if how and groups is not None else None
    def held(self, p, reason, groups):
        """T5, T11: first squares; groups, with an answer in each; lines light enough to be left."""
        attacker, empty = 0 if reason.upper else 1, self.free(p)
        moves, total, through = p[2] == attacker, 0, collections.Counter()
        left = next(i for i in range(1, 999) if self.side((p[0] | p[1]).bit_count() + i) != p[2])  # stones of the turn
        first = groups.pop(0) if groups and not moves else 0
        if within(reason.bound, reason.upper, -1 if reason.upper else 1) or (left > self.turn if moves else
                reason.theorem == 5 or first.bit_count() > left) or any(g.bit_count() != self.turn + 1 for g in groups):
            return None
        rest = empty & ~first & ~sum(groups)
        for line, by in self.lines:
            if not line & (p[1 - attacker] | first) and not by & p[attacker] and all(g & ~line for g in groups):
                weight = 1 << self.k - (line & rest).bit_count()  # in units of 2^-k
                total += weight
                through.update({square: weight for square in bits(line & rest)})
        light = not total or reason.theorem == 11 and self.turn == 1
        return empty.bit_count() if light and total + max(through.values(), default=0) < 1 << self.k else None
    def forced(self, p, reason, groups):
        """T12: stones of the attacker, each of which threatens; in the end two squares win at once."""
        attacker, sets, moves, stones = int(reason.upper), [p[0], p[1]], p[2] == reason.upper, list(groups)
        alone = self.turn == 1 and not self.exact and self.side((p[0] | p[1]).bit_count() + 1) != p[2]
        good = alone and not (moves and self.threats(sets[attacker]) & self.free(p))
        while good:
            if moves:
                if not stones or stones[0].bit_count() != 1 or stones[0] & (sets[0] | sets[1]):
                    return None
                sets[attacker] |= stones.pop(0)
            wins, moves = self.threats(sets[attacker]) & self.free(sets), True
            if self.threats(sets[1 - attacker]) & self.free(sets) or not wins or wins & wins - 1 and stones:
                return None
            if wins & wins - 1:
                return 2 * len(groups) + (1 if p[2] == reason.upper else 2)
            sets[1 - attacker] |= wins
        return None

class Connect4(Mnk):
    """Move: the column. Key: for each column, from its lowest bit, all stones plus those of the side to move."""
    symmetries, turn, opening, k = (0, 1), 1, 1, 4
    def __init__(self, params):
        width, height = self.sides(params)
        need(width < 36 and height < 65 and width * (height + 1) < 129, "connect4:" + params, Unknown)
        self.lay_out(width, height, 128)
        self.size = (self.width * (self.height + 1) + 7) // 8
        self.find_lines(False)
    def place(self, s, column, row): return column * (self.height + 1) + row
    def key(self, p):
        numbers = [self.image(table, p[p[2]]) + self.image(table, p[0] | p[1]) for table in self.images]
        return min(numbers).to_bytes(self.size, "little")
    def position(self, key):
        number, sets, high = int.from_bytes(key, "little"), [0, 0], self.height + 1
        for column in range(self.width):
            part = (number >> column * high & (1 << high) - 1) + 1  # the topmost bit stands above the topmost stone
            for row in range(part.bit_length() - 1):
                sets[~part >> row & 1] |= 1 << row * self.width + column  # of the side to move, of the other one
        turn, stones = (sets[0] | sets[1]).bit_count() % 2, sets[0] | sets[1]
        p = None if stones & ~self.full else self.start((sets[turn], sets[1 - turn], 0))
        need(p and self.key(p) == key, "the key %s is not canonical" % key.hex())
        return p
    def free(self, p): return ((p[0] | p[1]) << self.width | self.row) & self.full & ~(p[0] | p[1])
    def above(self, squares): return squares << self.width
    def below(self, squares): return squares >> self.width
    def code(self, square): return square % self.width
    def square(self, p, move): return places(self.free(p) & self.left << move)[0]
    def play(self, p, move):
        stone = self.free(p) & self.left << move
        return (p[0], p[1] | stone, 0) if p[2] else (p[0] | stone, p[1], 1)
    def card(self, p, reason, groups):
        """T1, follow-up, and T2, zugzwang: W, who waits, answers M above, or on the partner of a base."""
        w, m, empty = p[1 - p[2]], p[p[2]], self.full & ~(p[0] | p[1])
        rows = empty & sum(self.row << r * self.width for r in range(self.height % 2, self.height, 2))  # of M
        bases = sum(b for b in bits(self.free(p)) if (empty & self.left << places(b)[0] % self.width).bit_count() % 2)
        own, gets, pairs = m | rows, empty & ~rows & ~bases, apart(groups, empty)
        odd, gain = empty.bit_count() % 2, -reason.bound if reason.upper else reason.bound
        if reason.upper == p[2] or reason.theorem != 1 + odd or pairs is None or odd and not pairs:
            return None
        if odd:
            aim = pairs.pop(0)
            column = self.left << places(aim)[0] % self.width
            if not bases & column or next(bits(self.threats(w) & rows & column), 0) != aim:
                return None
            own = own & ~column | column & empty & ~rows & aim - 1
            gets, bases = gets & ~column | column & rows & (aim | aim - 1), bases & ~column
        ends = self.won(w | gets, 0)  # of T2: true
        if gain > ends or sum(pairs) != bases or any(pair.bit_count() != 2 for pair in pairs):
            return None
        for line, _ in self.lines:
            if line & ~(own | bases) or any(pair & line == pair for pair in pairs):
                continue
            below = functools.reduce(lambda b, _: b | b >> self.width, range(self.height), line >> self.width)
            if not ends or not self.won(w | gets & below, 0):
                return None  # M gets the line, and W has none before
        return empty.bit_count()

GAMES = {"nim": Nim, "mnk": Mnk, "connect4": Connect4, "hex": Hex, "domineering": Domineering,
         "breakthrough": Breakthrough}

def named(name, rules, graph):
    """The game of the header's lines `game` and `rules`, and of a graph's bytes."""
    kind, _, params = name.partition(":")
    if kind == "andor":
        need(graph and params, "a game of this kind needs its graph")
        return Graph(graph)
    need(not graph, "games of this kind have no graph")
    need(kind in GAMES and rules == "1", "the game %s, rules version %s, is not known here" % (name, rules), Unknown)
    return GAMES[kind](params)
