// Experiment plots: how many runs are answered within a cost (a cactus plot), and the medians of the questions of two
// variants against each other. Drawn at screen size as SVG.

import { h, s } from "./dom.mjs";
import { short } from "./format.mjs";

const BOTTOM = 42;
const TOP = 12;
const LEFT = 64;
const LABEL = 12; // pixels between two labels

/** @typedef {{label: string, place: number, costs: number[],
 *   medians: Map<string, {game: string, median: number | null}>}} Series a variant of an experiment: what its answered
 *   runs took, in rising order; the medians of its questions */

const INKS = ["--line0", "--line1", "--dim", "--win", "--loss", "--half", "--draw", "--edge"];
const DASHES = ["", "7 4", "2 4", "10 3 2 3"];

/** The colour and the dashes of a series; no two of 32 are alike. */
export const ink = (place) => `var(${INKS[place % INKS.length]})`;
const dashes = (place) => DASHES[(place + Math.floor(place / INKS.length)) % DASHES.length];

/** A piece of its line, for tables. */
export function sample(place) {
  return s("svg", { class: "sample", viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true" },
    s("path", { d: "M0 4h26", style: { stroke: ink(place) }, "stroke-width": 2.4, "stroke-dasharray": dashes(place) }));
}

/** What a run took, as text. */
export function costText(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "positions") return short(value);
  if (value < 0.0995) return `${(1000 * value).toFixed(value < 0.00995 ? 1 : 0)} ms`;
  return value < 9.95 ? `${value.toFixed(2)} s` : value < 1e4 ? `${value.toFixed(0)} s` : `${short(value)} s`;
}

/** A scale of whole decades around the values. */
function decades(values, from, to) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  return {
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
    ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    low: 10 ** low,
    high: 10 ** high,
  };
}

const text = (x, y, anchor, value, props = {}) =>
  s("text", { class: "plot-text", x, y, "text-anchor": anchor, ...props }, value);
const line = (x1, y1, x2, y2, props = {}) => s("line", { class: "plot-grid", x1, y1, x2, y2, ...props });

/** A figure that is redrawn when its width changes. */
class Chart {
  constructor(title, hint) {
    this.title = title;
    this.picture = s("svg", { class: "chart", role: "img" });
    this.head = h("figcaption", {}, h("span", { class: "plot-title" }, title), h("span", { class: "dim" }, hint));
    this.node = h("figure", { class: "plot" }, this.head, this.picture);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.node);
  }

  close() {
    this.observer.disconnect();
  }

  /** @param {any[]} parts @param {string} label what a screen reader says */
  put(parts, label) {
    const { width, height } = this;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.setAttribute("aria-label", `${this.title}: ${label}`);
    this.picture.replaceChildren(...parts);
  }

  get width() {
    return Math.max(260, this.picture.clientWidth || 400);
  }

  get height() {
    return this.picture.clientHeight || 360;
  }
}

export class Cactus extends Chart {
  constructor() {
    super("Runs answered within a cost", "further right and lower is better");
  }

  /** @param {Series[]} series @param {string} unit */
  show(series, unit) {
    Object.assign(this, { series, unit });
    this.draw();
  }

  draw() {
    const { series, unit, width, height } = this;
    const all = series?.flatMap((one) => one.costs) ?? [];
    if (!all.length) return this.put([], "no run is answered yet");
    const named = width > 480 && series.length <= 8;
    const right = width - (named ? Math.min(150, 16 + 7 * Math.max(...series.map((one) => one.label.length))) : 12);
    const most = Math.max(...series.map((one) => one.costs.length));
    const y = decades(all, height - BOTTOM, TOP);
    const x = (n) => LEFT + (n / most) * (right - LEFT);
    const step = niceStep(most);
    const parts = y.ticks.flatMap((value) => [line(LEFT, y.at(value), right, y.at(value)),
      text(LEFT - 6, y.at(value) + 4, "end", costText(value, unit))]);
    for (let n = 0; n <= most; n += step) parts.push(text(x(n), height - BOTTOM + 18, "middle", String(n)));
    parts.push(text((LEFT + right) / 2, height - 6, "middle", "runs answered"));
    const ends = [];
    for (const one of series) {
      if (!one.costs.length) continue;
      const d = one.costs.map((cost, i) => `${i ? "L" : "M"}${x(i + 1).toFixed(1)} ${y.at(cost).toFixed(1)}`).join("");
      parts.push(s("path", { d, fill: "none", "stroke-width": 2, "stroke-linejoin": "round",
        "stroke-dasharray": dashes(one.place), style: { stroke: ink(one.place) } }));
      ends.push({ one, x: x(one.costs.length) + 6, y: y.at(one.costs.at(-1)) + 4 });
    }
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => (end.y = Math.max(end.y, i ? ends[i - 1].y + LABEL : TOP)));
    if (named)
      parts.push(...ends.map((end) => text(end.x, end.y, "start", end.one.label,
        { "font-weight": 650, style: { fill: ink(end.one.place) } })));
    return this.put(parts, series.map((one) => `${one.label} answers ${one.costs.length}`).join(", "));
  }
}

function niceStep(most) {
  const unit = 10 ** Math.floor(Math.log10(most));
  return [0.2, 0.5, 1].map((part) => Math.max(1, part * unit)).find((step) => most / step <= 6) ?? unit * 2;
}

const SHAPES = [
  (x, y) => ({ d: `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0-8 0`, fill: true }),
  (x, y) => ({ d: `M${x - 3.5} ${y - 3.5}h7v7h-7z`, fill: true }),
  (x, y) => ({ d: `M${x} ${y - 4.5}l4.5 8h-9z`, fill: true }),
  (x, y) => ({ d: `M${x} ${y - 5}l5 5l-5 5l-5-5z`, fill: true }),
  (x, y) => ({ d: `M${x - 4.5} ${y}h9M${x} ${y - 4.5}v9` }),
  (x, y) => ({ d: `M${x - 3.5} ${y - 3.5}l7 7m0-7l-7 7` }),
  (x, y) => ({ d: `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0` }),
  (x, y) => ({ d: `M${x - 2} ${y}a2 2 0 1 0 4 0a2 2 0 1 0-4 0`, fill: true }),
];

function shape(place, x, y, open, title) {
  const { d, fill } = SHAPES[place % SHAPES.length](x, y);
  const name = title ? s("title", {}, title) : null;
  return s("path", { class: "point", d, "fill-opacity": fill && !open ? 0.75 : 0 }, name);
}

export class Scatter extends Chart {
  constructor() {
    super("One mark, one question", "");
    this.hint = this.head.lastChild;
    this.keys = h("p", { class: "dim keys-row" });
    this.node.append(this.keys);
  }

  /** @param {Series} across @param {Series} up @param {string} unit */
  show(across, up, unit) {
    Object.assign(this, { across, up, unit });
    this.hint.textContent = `above the line: ${across.label} is better; hollow at an edge: no answer`;
    const games = [...new Set([...across.medians.values()].map(({ game }) => game))];
    this.games = new Map(games.map((game, i) => [game, i]));
    const mark = (i) =>
      s("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" }, shape(i, 6, 6, false, ""));
    const key = (game, i) => h("span", {}, mark(i), ` ${game}`);
    this.keys.replaceChildren(...(games.length <= 24 ? games.map(key) : []));
    this.draw();
  }

  draw() {
    if (!this.across) return;
    const { across, up, unit, width, height, games } = this;
    const both = [...across.medians].filter(([name]) => up.medians.has(name))
      .map(([name, { game, median }]) => ({ name, game, x: median, y: up.medians.get(name).median }));
    const values = both.flatMap((point) => [point.x, point.y]).filter((value) => value !== null);
    if (!values.length) {
      this.put([], "no question is answered by both yet");
      return;
    }
    const x = decades(values, LEFT, width - 14);
    const y = decades(values, height - BOTTOM, TOP);
    const thin = Math.ceil((x.ticks.length * 56) / (width - LEFT));
    const anchor = (value) => (value === x.high ? "end" : "middle");
    const parts = x.ticks.flatMap((value, i) => [line(x.at(value), TOP, x.at(value), height - BOTTOM),
      i % thin ? null : text(x.at(value), height - BOTTOM + 18, anchor(value), costText(value, unit))]).filter(Boolean);
    parts.push(...y.ticks.flatMap((value) => [line(LEFT, y.at(value), width - 14, y.at(value)),
      text(LEFT - 6, y.at(value) + 4, "end", costText(value, unit))]));
    parts.push(line(x.at(x.low), y.at(y.low), x.at(x.high), y.at(y.high), { class: "plot-cursor" }));
    const tenfold = { class: "plot-cursor", "stroke-dasharray": "2 4" };
    if (x.ticks.length > 2)
      parts.push(line(x.at(x.low), y.at(10 * y.low), x.at(x.high / 10), y.at(y.high), tenfold),
        line(x.at(10 * x.low), y.at(y.low), x.at(x.high), y.at(y.high / 10), tenfold));
    parts.push(text((LEFT + width) / 2, height - 6, "middle", across.label),
      text(12, height / 2, "middle", up.label, { transform: `rotate(-90 12 ${height / 2})` }));
    for (const point of both) {
      const open = point.x === null || point.y === null;
      const title = `${point.name} (${point.game}): ${costText(point.x, unit)}, ${costText(point.y, unit)}`;
      parts.push(shape(games.get(point.game), x.at(point.x ?? x.high), y.at(point.y ?? y.high), open, title));
    }
    const faster = both.filter((point) => (point.x ?? Infinity) < (point.y ?? Infinity)).length;
    this.put(parts, `${across.label} needs less in ${faster} of ${both.length} questions than ${up.label}`);
  }
}
