// Campaign rows: what the rows of a campaign's table have come to, their names and order, what they are together in
// words, and the same as a file.

import { count, counted, OVER, proofNumber, upper } from "./format.mjs";

/** In the order of the bar: what a job has come to, in words, its colour, and its look on the map. */
export const OUTCOMES = [
  { name: "first wins", colour: "var(--win-solid)", kind: "win", of: (row) => row.lo > 0 },
  { name: "draw", colour: "var(--draw)", kind: "draw", of: (row) => row.lo === 0 && row.hi === 0 },
  { name: "second wins", colour: "var(--loss-solid)", kind: "loss", of: (row) => row.hi < 0 },
  { name: "solved otherwise", colour: "var(--line0)", kind: "half", of: (row) => row.state === "solved" },
  { name: "gave up", colour: "var(--gave)", kind: "open", of: (row) => row.state === "exhausted" },
  { name: "failed or cancelled", colour: "var(--line1)", kind: "bad", of: (row) => OVER.includes(row.state) },
  { name: "running", colour: "var(--accent)", kind: "running", of: (row) => row.state === "running" },
  { name: "waiting", colour: "var(--line)", kind: "", of: () => true },
];
export const GAVE_UP = 4;

/** The index of a row's outcome. A decided value counts only once the job is over. */
export const outcomeOf = (row) =>
  OUTCOMES.findIndex((outcome, i) => (i > 2 || row.state === "solved") && outcome.of(row));

// With =, + and @ a formula of a spreadsheet begins: an apostrophe makes it a text.
const quoted = (value) => `"${String(value ?? "").replace(/^[=+@]/, "'$&").replaceAll('"', '""')}"`;

/** The rows as a CSV file. */
export function csv(rows) {
  const names = ["job", "state", "game", "position", "label", "claim", "text", "nodes", "cpu", "pn", "dn"];
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((line) => line.map(quoted).join(",") + "\n");
}

export const nameOf = (row) => row.label || row.position || "initial position";

/** How far pn and dn are apart, in powers of ten; positive: proof is nearer. */
export function leanOf({ pn, dn }) {
  return pn === undefined ? 0 : Math.log10(Math.max(1, proofNumber(dn))) - Math.log10(Math.max(1, proofNumber(pn)));
}

const PLACES = [0, 0, 0, 0, 1, 4, 2, 3]; // of outcomes: decided, gave up, running, waiting, failed

/** Rows in the order of the table: decided ones, the hardest first; then those that are nearest to it. */
export function ordered(rows) {
  const keys = new Map(rows.map((row) => {
    const place = PLACES[outcomeOf(row)];
    return [row, [place, place ? Math.abs(leanOf(row)) : row.nodes]];
  }));
  return [...rows].sort((a, b) => {
    const [[placeA, weightA], [placeB, weightB]] = [keys.get(a), keys.get(b)];
    return placeA - placeB || weightB - weightA || a.job - b.job;
  });
}

/** A game in words: hex:5 is Hex 5×5. @param {string} title of game.describe @param {any} shown of position.show */
export function gameWords(game, title, shown) {
  const [, size = ""] = game.split(/:(.*)/);
  const square = shown?.geometry?.places.length === size * size;
  const words = square ? `${size}×${size}` : size.replace(/^(\d+)x(\d+)$/, "$1×$2");
  return `${title.replace(/ \(.*|[,:].*/, "")} ${words}`.trim();
}

/** What rows are together. @param {string} game in words; "": there are several @param {string[]} moves at its start */
export function titleOf(rows, game, moves) {
  const n = counted(rows.length, "position", count(rows.length));
  const games = new Set(rows.map((row) => row.game));
  if (!game) return `${n} of ${counted(games.size, "game")}`;
  const first = new Set(moves);
  const names = rows.map((row) => nameOf(row).split(" "));
  const which = new Set(names.map(([move]) => move)).size === first.size ? "every opening" : "openings";
  const plies = names.every(([move]) => first.has(move)) ? new Set(names.map(({ length }) => length)) : new Set();
  if (plies.size !== 1) return `${n} of ${game}`;
  if (plies.has(1)) return upper(`${which} of ${game}`);
  return plies.has(2) ? `Replies to ${which} of ${game}` : `${n} of ${game}`;
}
