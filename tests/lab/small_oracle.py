"""What small games are worth, worked out without anything of proofd's: random graphs by attractors, tic-tac-toe by
trying everything."""

import functools
import random


# --- explicit graphs: {"root", "values", "infinite", "nodes"} as proofd reads them
# ------------------------------------------------


def random_graph(rng, nodes, cyclic):
    """A graph of `count` inner nodes. Without cycles every child comes later; double moves and shared children are
    common."""
    low, high = rng.choice([(-1, 1), (-2, 2), (0, 1), (-3, 5)])
    infinite = rng.randint(low, high)
    names = ["n%d" % i for i in range(nodes)] + ["t%d" % v for v in range(low, high + 1)]
    inner = {}
    for i in range(nodes):
        first = 0 if cyclic and rng.random() < 0.4 else i + 1
        pool = names[first:min(nodes, first + 6)] or []
        ends = names[nodes:]
        children = {rng.choice(pool if pool and rng.random() < 0.75 else ends) for _ in range(rng.randint(1, 4))}
        inner["n%d" % i] = {rng.choice(["or", "and"]): sorted(children)}
    inner.update({"t%d" % v: {"value": v} for v in range(low, high + 1)})
    return {"root": "n0", "values": [low, high], "infinite": infinite, "nodes": inner}


def attractor(graph, first, targets):
    """The nodes from which a player (First or not) forces the play into `targets`."""
    parents, waiting = {}, {}
    for name, node in graph["nodes"].items():
        for kind in ("or", "and"):
            for child in node.get(kind, ()):
                parents.setdefault(child, []).append(name)
        waiting[name] = len(node.get("or", node.get("and", ())))
    reached, queue = set(targets), list(targets)
    while queue:
        for parent in parents.get(queue.pop(), ()):
            if parent in reached:
                continue
            waiting[parent] -= 1
            mine = ("or" in graph["nodes"][parent]) == first
            if mine or waiting[parent] == 0:
                reached.add(parent)
                queue.append(parent)
    return reached


def graph_values(graph):
    """What First gets with best play from every node."""
    low, high = graph["values"]
    worth = {name: low for name in graph["nodes"]}
    for threshold in range(low + 1, high + 1):
        good = [n for n, node in graph["nodes"].items() if "value" in node and node["value"] >= threshold]
        bad = [n for n, node in graph["nodes"].items() if "value" in node and node["value"] < threshold]
        if graph["infinite"] >= threshold:  # First need not end the game: Second has to
            lost = attractor(graph, False, bad)
            reached = [n for n in graph["nodes"] if n not in lost]
        else:
            reached = attractor(graph, True, good)
        for name in reached:
            worth[name] = threshold
    return worth


# --- tic-tac-toe
# ------------------------------------------------------------------------------------------------------------------

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@functools.lru_cache(maxsize=None)
def ttt_value(board):
    """What First gets; `board`: nine of "x", "o" and ".", row by row."""
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return 1 if board[a] == "x" else -1
    if "." not in board:
        return 0
    mover = "x" if board.count("x") == board.count("o") else "o"
    values = [ttt_value(board[:i] + mover + board[i + 1:]) for i in range(9) if board[i] == "."]
    return max(values) if mover == "x" else min(values)


def ttt_position(rng):
    """A random position that is not over, as proofd writes it (moves like "b2 a1"), and its value."""
    while True:
        board, moves = "." * 9, []
        for _ in range(rng.randint(0, 7)):
            i = rng.choice([i for i in range(9) if board[i] == "."])
            board = board[:i] + ("x" if len(moves) % 2 == 0 else "o") + board[i + 1:]
            moves.append("abc"[i % 3] + "123"[i // 3])
        if not any(board[a] != "." and board[a] == board[b] == board[c] for a, b, c in LINES):
            return " ".join(moves), ttt_value(board)


if __name__ == "__main__":
    # The traps of graph history interaction, worked out by hand: R is a win for First.
    ghi = {"root": "R", "values": [-1, 1], "infinite": 0,
           "nodes": {"R": {"and": ["B", "C"]}, "B": {"or": ["D", "G"]}, "C": {"and": ["D"]}, "D": {"and": ["B"]},
                     "G": {"value": 1}}}
    assert graph_values(ghi) == {"R": 1, "B": 1, "C": 1, "D": 1, "G": 1}
    assert ttt_value("." * 9) == 0
    assert graph_values(random_graph(random.Random(1), 5, False))
