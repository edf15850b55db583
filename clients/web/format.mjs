// Format: numbers, times and questions as text.

const UNITS = ["", "k", "M", "G", "T", "P"];
const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function scaled(value, step, units, gap) {
  let unit = 0;
  while (Math.abs(value) >= step && unit + 1 < units.length) {
    value /= step;
    unit++;
  }
  const digits = unit === 0 ? 0 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${value.toFixed(digits)}${units[unit] ? gap + units[unit] : ""}`;
}

/** 1,234 in full, 12,345,678 as 12.3 M. */
export function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return "∞";
  return Math.abs(value) < 10000 ? count(Math.round(value)) : scaled(value, 1000, UNITS, " ");
}

/** All digits of a whole number, in groups of three. (The browser's own formatter takes long to set up.) */
export function count(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number with its noun: "1 node", "12.3 M nodes", "7 plies". */
export function counted(value, noun, text = short(value)) {
  return `${text} ${text === "1" ? noun : `${noun.replace(/y$/, "ie")}s`}`;
}

/** "1 ply", "12,345 plies": all digits, as where they are compared. */
export const plies = (n) => counted(n, "ply", count(n));

export function bytes(value) {
  return scaled(value, 1024, BYTES, " ");
}

/** A proof number of the protocol as a number: "inf" is Infinity. */
export function proofNumber(value) {
  return value === "inf" ? Infinity : Number(value);
}

/** Seconds as 0.4 s, 12 s, 3 min 20 s, 5 h 12 min, 9 d 4 h. */
export function duration(seconds) {
  const whole = Math.floor(seconds);
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

/** A moment, given in milliseconds since 1970, as 2026-01-31 12:00:00; null: –. */
export function moment(ms) {
  if (!ms) return "–";
  const date = new Date(ms);
  const two = (n) => String(n).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** A short mark for a time axis of `span` milliseconds. */
export function tick(ms, span) {
  const text = moment(ms);
  if (span > 3 * 86400e3) return text.slice(5, 10);
  if (span >= 86400e3) return text.slice(5, 16);
  return span > 600e3 ? text.slice(11, 16) : text.slice(11);
}

const CLAIMS = {
  value: "value",
  "first-wins": "does First win?",
  "second-wins": "does Second win?",
  "first-draws": "does First draw at least?",
  "second-draws": "does Second draw at least?",
};

/** The question of a job, without the game. */
export function question(job) {
  const least = /^first-at-least-(-?\d+)$/.exec(job.claim);
  return least ? `does First get ${least[1]} or more?` : (CLAIMS[job.claim] ?? job.claim);
}

/** The part of a job's answer that is known. */
export function answer(job) {
  const text = job.value?.text;
  return text && text !== "unknown" ? text : "";
}

/** A text about First and Second, with the names that the game has for them. @param {{name: string}[]} [sides] */
export function named(text, sides) {
  const name = (word) => sides[/f/i.test(word) ? 0 : 1].name.replace(/ \(.*/, "");
  return sides ? text.replace(/\b(first|second)\b/gi, name) : text;
}

/** Nodes of both levels. */
export function nodesOf(job) {
  return job.nodes.level1 + job.nodes.level2;
}

/** The options of a job as text; "" without any. */
export function optionsText(job) {
  return Object.entries(job.options ?? {}).map(([name, value]) => `${name}=${value}`).join(", ");
}

/** The filled share of a job's table. */
export function tableText(job) {
  return job.capacity ? `${((100 * job.entries) / job.capacity).toFixed(1)} %` : "–";
}

/** The first letter in upper case. */
export function upper(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether a text is a size of the protocol: bytes, or as in "512M". */
export function isSize(text) {
  return /^\d+(\.\d+)?\s*[KMGT]?(i?B)?$/i.test(text.trim());
}

/** The number before a move of a line: 1. before the first, 1… before the second where the text begins there. */
export function moveNumber(ply, begins) {
  return ply % 2 && !begins ? "" : `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}`;
}

/** The states in which a job has ended. */
export const OVER = ["solved", "exhausted", "cancelled", "failed"];

/** A rank in words: "within 7 plies". */
export function within(rank) {
  if (rank === null || rank === undefined) return "";
  return rank === 0 ? "the game is over" : `within ${plies(rank)}`;
}
