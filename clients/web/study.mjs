// Study: a tree of variations with comments and marks, as study.put and study.get have it: a list of moves, each before
// those that follow it, these before its alternatives.

/** @typedef {{move: string, mark: string, text: string, next: Node[]}} Node; of the root, `move` is empty */

export const MARKS = ["!", "?", "!!", "??", "!?", "?!"];

const node = (move, mark = "", text = "") => ({ move, mark, text, next: [] });

/** @param {{text?: string, nodes?: {depth: number, move: string, mark?: string, text?: string}[]}} study */
export function treeOf({ text = "", nodes = [] }) {
  const path = [node("", "", text)];
  for (const { depth, move, mark = "", text: words = "" } of nodes) {
    path.length = depth;
    const child = node(move, mark, words);
    path[depth - 1].next.push(child);
    path.push(child);
  }
  return path[0];
}

/** The same as parameters of study.put. */
export function listOf(root) {
  const nodes = [];
  const walk = (from, depth) => {
    for (const { move, mark, text, next } of from.next) {
      nodes.push({ depth, move, ...(mark && { mark }), ...(text && { text }) });
      walk({ next }, depth + 1);
    }
  };
  walk(root, 1);
  return { text: root.text, nodes };
}

/** The node after these moves; undefined: the tree does not have it. `add`: it is added. */
export function nodeAt(root, moves, add = false) {
  let at = root;
  for (const move of moves) {
    let next = at.next.find((child) => child.move === move);
    if (!next && add) at.next.push((next = node(move)));
    if (!next) return undefined;
    at = next;
  }
  return at;
}

/** Removes the node after these moves with all that follows it. False: it is not there. */
export function removeAt(root, moves) {
  const parent = moves.length ? nodeAt(root, moves.slice(0, -1)) : undefined;
  const index = parent?.next.findIndex(({ move }) => move === moves.at(-1)) ?? -1;
  if (index >= 0) parent.next.splice(index, 1);
  return index >= 0;
}

/** Another first move at a place: the moves of the previous (-1) or next (1) alternative; null: there is none. */
export function besides(root, moves, step) {
  const parent = moves.length ? nodeAt(root, moves.slice(0, -1)) : undefined;
  const index = parent?.next.findIndex(({ move }) => move === moves.at(-1)) ?? -1;
  const other = index < 0 ? undefined : parent.next[index + step];
  return other ? [...moves.slice(0, -1), other.move] : null;
}

/** The lines of a tree for display: each begins where it leaves another one, at `depth` such places. */
export function linesOf(root) {
  const lines = [];
  const walk = (from, moves, depth, line) => {
    const [main, ...others] = from.next;
    if (!main) return;
    const path = [...moves, main.move];
    line.moves.push({ node: main, path });
    for (const other of others) {
      const branch = { depth: depth + 1, moves: [{ node: other, path: [...moves, other.move] }] };
      lines.push(branch);
      walk(other, [...moves, other.move], depth + 1, branch);
    }
    // After variations, or a comment, the line goes on below.
    const on = others.length || main.text ? { depth, moves: [] } : line;
    if (on !== line && main.next.length) lines.push(on);
    walk(main, path, depth, on);
  };
  const first = { depth: 0, moves: [] };
  if (root.next.length) lines.push(first);
  walk(root, [], 0, first);
  return lines;
}
