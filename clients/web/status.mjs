// Status: what bounds of a value mean for the player who moves: wins, loses, draws, something between, or not known.

/** @typedef {{word: string, letter: string, kind: "win" | "loss" | "draw" | "half" | "open", order: number}} Status */

/** @type {Record<string, Status>} order: best for the mover first */
const STATUS = {
  win: { word: "wins", letter: "W", kind: "win", order: 0 },
  noLoss: { word: "does not lose", letter: "≥", kind: "half", order: 1 },
  draw: { word: "draws", letter: "D", kind: "draw", order: 2 },
  part: { word: "bounded", letter: "~", kind: "half", order: 3 },
  open: { word: "unknown", letter: "", kind: "open", order: 3 },
  noWin: { word: "does not win", letter: "≤", kind: "half", order: 4 },
  loss: { word: "loses", letter: "L", kind: "loss", order: 5 },
};

/**
 * The status of bounds, from First's view, for one of the players.
 * @param {{lo: number, hi: number, source?: string}} bounds
 * @param {boolean} first for First, or for Second
 * @param {{min: number, max: number}} scale of the game; a scale without negative values knows no draw
 * @returns {Status}
 */
export function statusOf({ lo, hi, source }, first, scale) {
  if (source === "none" || lo === undefined) return STATUS.open;
  const even = scale.min < 0 && scale.max > 0 ? 0 : (scale.min + scale.max) / 2;
  const [low, high] = first ? [lo - even, hi - even] : [even - hi, even - lo];
  if (low > 0) return STATUS.win;
  if (high < 0) return STATUS.loss;
  if (low === 0 && high === 0) return STATUS.draw;
  if (low === 0) return STATUS.noLoss;
  if (high === 0) return STATUS.noWin;
  return STATUS.part;
}

/**
 * Moves of a position with their status for the mover, best first: short wins, draws, unknown ones, long losses.
 * @param {{move: string, lo: number, hi: number, source: string, rank: number | null}[]} moves
 */
export function ranked(moves, first, scale) {
  const sign = first ? 1 : -1;
  const all = moves.map((move, at) => ({ ...move, at, status: statusOf(move, first, scale) }));
  const worth = (move) => (move.status.kind === "open" ? 0 : sign * (move.lo + move.hi));
  const length = (move) => (move.rank ?? 65536) * (move.status.kind === "loss" ? -1 : 1);
  return all.sort(
    (a, b) => a.status.order - b.status.order || worth(b) - worth(a) || length(a) - length(b) || a.at - b.at,
  );
}

/** A rank in words: "within 7 plies". */
export function within(rank) {
  if (rank === null || rank === undefined) return "";
  return rank === 0 ? "the game is over" : rank === 1 ? "within 1 ply" : `within ${rank} plies`;
}
