// Status: the meaning of a value's bounds for the player to move: wins, loses, draws, bounded, or unknown.
// Like the categories of fact.probe, it compares with 0 on every scale.

import { h } from "./dom.mjs";
import { within } from "./format.mjs";
import { candidates } from "./positions.mjs";

/** @typedef {{word: string, letter: string, kind: "win" | "loss" | "draw" | "half" | "open", order: number}} Status */

/** @type {Record<string, Status>} order: best for the mover first */
const STATUS = {
  win: { word: "wins", letter: "W", kind: "win", order: 0 },
  noLoss: { word: "does not lose", letter: "≥", kind: "half", order: 1 },
  draw: { word: "draws", letter: "D", kind: "draw", order: 2 },
  part: { word: "bounded", letter: "~", kind: "half", order: 3 },
  open: { word: "open", letter: "", kind: "open", order: 3 },
  noWin: { word: "does not win", letter: "≤", kind: "half", order: 4 },
  loss: { word: "loses", letter: "L", kind: "loss", order: 5 },
};

/**
 * The status of bounds, from First's view, for one of the players.
 * @param {{lo: number, hi: number, source?: string}} bounds
 * @param {boolean} first for First, or for Second
 * @returns {Status}
 */
export function statusOf({ lo, hi, source }, first) {
  if (source === "none" || lo === undefined) return STATUS.open;
  const [low, high] = first ? [lo, hi] : [-hi, -lo];
  if (low > 0) return STATUS.win;
  if (high < 0) return STATUS.loss;
  if (low === 0 && high === 0) return STATUS.draw;
  if (low === 0) return STATUS.noLoss;
  if (high === 0) return STATUS.noWin;
  return STATUS.part;
}

/** A word with a letter in a shape before it. @param {{kind: string, letter?: string, word: string}} status */
export function chip({ kind, letter, word }) {
  return h("span", { class: `status ${kind}`, "data-letter": ["win", "loss", "draw"].includes(kind) && letter }, word);
}

const FULL_TINT = 2; // powers of ten between pn and dn

/** The colour of proof and disproof number: near to proved, near to disproved. */
export function leanColour(pn, dn) {
  const lean = Math.log10(Math.max(1, dn) / Math.max(1, pn)) / FULL_TINT;
  const share = Math.round(10 + 42 * Math.min(1, Math.abs(lean)));
  return `color-mix(in srgb, var(--${lean < 0 ? "loss" : "win"}-solid) ${share}%, var(--card))`;
}

/**
 * Moves of a position with their status for the mover, best first: short wins, draws, unknown ones, long losses.
 * @param {{move: string, lo: number, hi: number, source: string, rank: number | null}[]} moves
 */
export function ranked(moves, first) {
  const sign = first ? 1 : -1;
  const all = moves.map((move, at) => ({ ...move, at, status: statusOf(move, first) }));
  const worth = (move) => (move.status.kind === "open" ? 0 : sign * (move.lo + move.hi));
  const length = (move) => (move.rank ?? 65536) * (move.status.kind === "loss" ? -1 : 1);
  return all.sort(
    (a, b) => a.status.order - b.status.order || worth(b) - worth(a) || length(a) - length(b) || a.at - b.at,
  );
}

/**
 * What is known of the best of several moves. A winning move suffices; otherwise all moves must be known, because an
 * unknown one may be the best. Null when nothing is known.
 * @param {(object | undefined)[]} moves of `ranked`, in its order; undefined: nothing is known of that one
 * @returns {{status: Status, rank: number | null} | null} `rank` where the status is that of the first
 */
function bestOf(moves, first) {
  const [top] = moves;
  if (top?.status.kind === "win") return top;
  if (!top || moves.some((move) => !move || move.status.kind === "open")) return null;
  const most = (name) => (first ? Math.max : Math.min)(...moves.map((move) => move[name]));
  const status = statusOf({ lo: most("lo"), hi: most("hi") }, first);
  return { status, rank: status === top.status ? top.rank : null };
}

/**
 * The marks on a board: at each place that moves lead to, what is known of the best of those moves.
 * @param {{move: string, places: number[]}[]} legal
 * @param {number[]} picked
 * @param {object[]} list of `ranked`
 * @returns {Map<number, import("./board.mjs").Mark>}
 */
export function marksOf(legal, picked, list, first) {
  const order = new Map(list.map(({ move }, i) => [move, i]));
  const at = new Map();
  for (const { move, places } of candidates(legal, picked)) {
    if (places.length > 1 && !picked.length) continue;
    const place = places.at(-1);
    at.set(place, [...(at.get(place) ?? []), order.get(move) ?? Infinity]);
  }
  const marks = new Map();
  for (const [place, found] of at) {
    const best = bestOf(found.sort((a, b) => a - b).map((i) => list[i]), first);
    if (!best) continue;
    const { letter, kind, word } = best.status;
    const rank = kind === "half" ? null : best.rank; // of a bound, the plies are not those of the game
    marks.set(place, { letter, kind, rank, text: `${word} ${within(best.rank)}`.trim() });
  }
  return shaded(marks);
}

const SHADES = 4; // steps between the latest and the soonest

/** Gives each mark its shade: what ends sooner is darker. */
function shaded(marks) {
  const [soon, late] = spanOf(marks);
  for (const mark of marks.values())
    if (late > soon && mark.rank) mark.shade = Math.round((SHADES * (late - mark.rank)) / (late - soon));
  return marks;
}

/** The fewest and the most plies of marks. */
function spanOf(marks) {
  const ranks = [...marks.values()].map(({ rank }) => rank).filter(Boolean);
  return [Math.min(...ranks), Math.max(...ranks)];
}

/** What the marks on a board mean, and how many plies the shades. */
export function legendOf(marks) {
  const kinds = new Set([...marks.values()].map(({ kind }) => kind));
  const [soon, late] = spanOf(marks);
  return [
    [STATUS.win, STATUS.draw, STATUS.loss].filter(({ kind }) => kinds.has(kind)).map(chip),
    late > soon && h("span", {}, h("i", { class: "ramp", "aria-hidden": "true" }), `${late}–${soon} plies`),
  ];
}

/**
 * Marks for the work on moves that are not known: the percent of it, at the place of each move that has one.
 * @param {{move: string, places: number[]}[]} legal
 * @param {number[]} picked
 * @param {Map<string, import("./live.mjs").Numbers>} numbers
 */
export function workMarks(legal, picked, numbers) {
  const marks = new Map();
  for (const { move, places } of candidates(legal, picked)) {
    const percent = Math.round(100 * (numbers.get(move)?.share ?? 0));
    if (!percent || (places.length > 1 && !picked.length)) continue;
    marks.set(places.at(-1), { letter: String(percent), kind: "work", text: `${percent} % of the work` });
  }
  return marks;
}
