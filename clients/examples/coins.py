#!/usr/bin/env python3
"""Writes the puzzle of the false coin as a graph for proofd (proto/GRAPH.md).

Of COINS coins one is false: heavier or lighter than the others. Can WEIGHINGS weighings on a pair of scales find it,
and tell whether it is heavy or light? First chooses what to weigh (or), Second how the scales turn out (and); the game
is worth 1 when the coin is found, -1 when it is not.

    python3 coins.py 12 3 > graphs/coins12.graph
    proofctl solve andor:coins12 --graphs graphs        # 12 coins, 3 weighings: first wins
    proofctl solve andor:coins13 --graphs graphs        # 13 coins: second wins

Coins of which the same is known are alike, so a position is four numbers: u coins that may be heavy or light, h that
may be heavy, l that may be light, g that are good; and the weighings that are left. W weighings suffice exactly for 3
to (3^W - 3) / 2 coins (F. J. Dyson, "The problem of the pennies", The Mathematical Gazette 30, 1946).
"""

import itertools
import sys


def name_of(coins, left):
    return "%du%dh%dl%dg-%d" % (*coins, left)


def weighings(coins):
    """What lies on the two scales: the same number of coins on both, and not more of a kind than there are."""
    for first in itertools.product(*(range(n + 1) for n in coins)):
        for second in itertools.product(*(range(n - a + 1) for n, a in zip(coins, first))):
            if sum(first) == sum(second) > 0 and first >= second and not (first[3] and second[3]):
                yield first, second


def outcomes(coins, first, second):
    """What is known after each outcome: the scales balance, the first goes down, the second goes down."""
    total = sum(coins)
    for (u1, h1, l1, _), (u2, h2, l2, _) in (first, second), (second, first):
        heavy, light = u1 + h1, u2 + l2  # on the side that goes down, on the other
        yield 0, heavy, light, total - heavy - light
    rest = [n - a - b for n, a, b in zip(coins[:3], first, second)]
    yield (*rest, total - sum(rest))


def is_found(coins):
    u, h, l, _ = coins
    return 2 * u + h + l <= 1  # none: this outcome cannot be


def lines(coins, left, written):
    """The lines of a position and of all that follow from it."""
    name = name_of(coins, left)
    if name in written:
        return
    written.add(name)
    if is_found(coins) or not left:
        yield "%s = %d" % (name, 1 if is_found(coins) else -1)
        return
    choices = {}  # by what may follow: weighings that lead to the same are one
    for first, second in weighings(coins):
        after = sorted({o for o in outcomes(coins, first, second)})
        choices.setdefault(tuple(after), (first, second))
    names = []
    for first, second in choices.values():
        scales = ["%d.%d.%d.%d" % side for side in (first, second)]
        names.append("%s:%s:%s" % (name, *scales))
    yield "%s or %s" % (name, " ".join(names))
    for after, weighing in zip(choices, names):
        yield "%s and %s" % (weighing, " ".join(name_of(o, left - 1) for o in after))
    for after in choices:
        for coins_then in after:
            yield from lines(coins_then, left - 1, written)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: coins.py COINS WEIGHINGS")
    coins, left = int(sys.argv[1]), int(sys.argv[2])
    print("# %d coins, %d weighings" % (coins, left))
    print("values -1 1")
    for line in lines((coins, 0, 0, 0), left, set()):
        print(line)


if __name__ == "__main__":
    main()
