"""`pn` expands the same nodes in the same order as the pseudo-code of the survey (van den Herik and Winands,
"Proof-number search and its variants", 2008), which stands below to the letter, on random trees."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import effort

INFINITY = float("inf")
TREES, SEED = 10000, 1994


class Node:
    def __init__(self, table, index, parent):
        self.table, self.index, self.parent = table, index, parent
        self.type = "leaf" if isinstance(table[index], int) else table[index][0]
        self.children = []
        self.expanded = False
        self.value = "unknown"
        self.proof = self.disproof = None


def evaluate(node):
    """Immediate evaluation: of a terminal node when it is made."""
    if node.type == "leaf":
        node.value = "true" if node.table[node.index] > 0 else "false"


def set_proof_and_disproof_numbers(node):
    if node.expanded:
        if node.type == "and":
            node.proof = sum(n.proof for n in node.children)
            node.disproof = min(n.disproof for n in node.children)
        else:
            node.proof = min(n.proof for n in node.children)
            node.disproof = sum(n.disproof for n in node.children)
    elif node.value == "false":
        node.proof, node.disproof = INFINITY, 0
    elif node.value == "true":
        node.proof, node.disproof = 0, INFINITY
    else:
        node.proof = node.disproof = 1


def select_most_proving_node(node):
    while node.expanded:
        if node.type == "or":
            node = next(n for n in node.children if n.proof == node.proof)
        else:
            node = next(n for n in node.children if n.disproof == node.disproof)
    return node


def expand(node):
    for child in node.table[node.index][1:]:
        node.children.append(Node(node.table, child, node))
    for n in node.children:
        evaluate(n)
        set_proof_and_disproof_numbers(n)
    node.expanded = True


def update_ancestors(node):
    while True:
        before = node.proof, node.disproof
        set_proof_and_disproof_numbers(node)
        if node.parent is None or (node.proof, node.disproof) == before:
            return node
        node = node.parent


def proof_number_search(root):
    """The order of expansions, and whether the root is proved."""
    order = []
    evaluate(root)
    set_proof_and_disproof_numbers(root)
    current = root
    while root.proof != 0 and root.disproof != 0:
        most_proving = select_most_proving_node(current)
        order.append(most_proving.index)
        expand(most_proving)
        current = update_ancestors(most_proving)
    return order, root.proof == 0


def main():
    trees = max(100, TREES * effort.EFFORT // 100)
    program = os.path.join(sys.argv[1], "tests", "test_solver")
    run = subprocess.run([program, "family_trace", str(trees), str(SEED)], capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert len(lines) == trees
    expansions = 0
    for number, line in enumerate(lines):
        tree = json.loads(line)
        order, proved = proof_number_search(Node(tree["nodes"], 0, None))
        assert order == tree["order"], "tree %d: %s, and by pn %s" % (number, order, tree["order"])
        assert proved == tree["proved"], "tree %d" % number
        expansions += len(order)
    print("%d trees, %d expansions" % (trees, expansions))


main()
