// Plot: lines over time, drawn as SVG at screen size. The scale may be logarithmic; infinite values are drawn at the
// upper edge. The pointer or the arrow keys read single points. Plots of one stack stand one below the other over one
// axis of time: they have points at the same times, one cursor, and the values of now at the ends of their lines.

import { h, s, say } from "./dom.mjs";
import { bytes, duration, moment, short, tick } from "./format.mjs";

const LEFT = 64;
const RIGHT = 10;
const ENDS = 74; // for the values at the ends of lines
const TOP = 8;
const BOTTOM = 20;
const FOOT = 9; // without an axis of time
const LABEL = 13; // height of a label

/** @typedef {{t: number, v: (number | null)[]}} Point a moment in ms, and a value for each line; null: a gap;
 *    undefined: the point belongs to other lines */

export class Plot {
  /**
   * @param {object} how
   * @param {string} how.title
   * @param {string[]} how.lines names
   * @param {number[]} [how.looks] of the lines: 0 and 2 are solid, 1 and 3 dashed; 0 and 3 have one colour,
   *   1 and 2 the other
   * @param {boolean} [how.log] logarithmic, from 1
   * @param {(value: number) => string} [how.format]
   * @param {number} [how.most] upper end of a linear scale
   * @param {boolean} [how.since] time counts from 0; else a point has a moment
   * @param {Plot[]} [how.stack] to which it is added
   * @param {(t: number | null) => void} [how.onread] gets the time that is read in the stack
   */
  constructor({ title, lines, looks = [0, 1], log = false, format = short, most = 0, since = false, stack, onread }) {
    Object.assign(this, { title, lines, looks, log, format, most, stack, onread, points: [], range: null, at: -1 });
    stack?.push(this);
    this.marks = [];
    this.moment = since ? (t) => duration(t / 1000) : moment;
    this.tick = since ? this.moment : tick;
    this.picture = s("svg", { class: "plot-picture", role: "img", tabindex: 0 });
    this.reading = h("p", { class: "plot-reading", "aria-live": "off" });
    const keys = lines.map((name, i) => h("span", { class: `plot-key line${looks[i]}` }, name));
    this.node = h("figure", { class: "plot" },
      h("figcaption", {}, h("span", { class: "plot-title" }, title), lines.length > 1 && !stack ? keys : null,
        this.reading),
      this.picture,
    );
    this.picture.addEventListener("pointermove", (event) => this.#point(event.offsetX));
    this.picture.addEventListener("pointerleave", () => this.#read(-1));
    this.picture.addEventListener("blur", () => this.#read(-1));
    this.picture.addEventListener("keydown", (event) => this.#key(event));
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(this.node);
  }

  close() {
    this.observer.disconnect();
  }

  /**
   * @param {Point[]} points in order of time @param {[number, number] | null} range of time; null: all
   * @param {{t: number, letter: string, text: string}[]} marks what happened meanwhile
   */
  show(points, range = null, marks = []) {
    Object.assign(this, { points, range, marks });
    this.at = Math.min(this.at, points.length - 1);
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.#draw();
    });
  }

  // --- scales

  #scales() {
    const { points } = this;
    const from = this.range?.[0] ?? points[0].t;
    const to = Math.max(from + 1000, this.range?.[1] ?? points[points.length - 1].t);
    let high = this.most || (this.log ? 10 : 1);
    for (const point of points)
      if (point.t >= from) for (const value of point.v) if (Number.isFinite(value) && value > high) high = value;
    const axis = !this.stack || this.stack.findLast(({ node }) => !node.hidden) === this;
    this.node.classList.toggle("axis", axis);
    const width = Math.max(160, this.picture.clientWidth || 400);
    const height = this.picture.clientHeight || 150;
    const [right, foot] = [this.stack ? ENDS : RIGHT, axis ? BOTTOM : FOOT];
    const round = this.format === bytes ? niceBytes : nice;
    const top = this.log ? Math.ceil(Math.log10(high)) : this.most ? this.most : round(high);
    const share = (value) => (this.log ? Math.log10(Math.max(1, value)) : value) / top;
    return {
      from,
      to,
      top,
      axis,
      edge: width - right,
      floor: height - foot,
      width,
      height,
      x: (t) => LEFT + ((t - from) / (to - from)) * (width - LEFT - right),
      y: (value) => TOP + (1 - Math.min(1, Math.max(0, share(value)))) * (height - TOP - foot),
    };
  }

  // --- drawing

  #draw() {
    if (!this.points.length) {
      this.picture.replaceChildren();
      this.picture.setAttribute("aria-label", `${this.title}: nothing is known yet`);
      return;
    }
    const scales = this.#scales();
    this.scales = scales;
    this.picture.setAttribute("viewBox", `0 0 ${scales.width} ${scales.height}`);
    const last = this.lines.map((_, i) => this.points.findLast((point) => point.v[i] !== undefined)?.v[i]);
    const now = this.lines.map((name, i) => `${name} ${this.#word(last[i])}`).join(", ");
    this.picture.setAttribute(
      "aria-label",
      `${this.title}, ${this.moment(scales.from)} to ${this.moment(scales.to)}; now ${now}`,
    );
    const lines = this.lines.map((_, i) =>
      s("path", { class: `plot-line line${this.looks[i]}`, d: linePath(this.points, i, scales), fill: "none" }),
    );
    const ends = this.stack ? this.#ends(last, scales) : [];
    this.picture.replaceChildren(
      ...this.#axes(scales), ...this.#happened(scales), ...lines, ...ends, ...this.#cursor(scales));
    if (this.at < 0) say(this.reading, this.stack ? "" : now);
  }

  /** The values of now at the ends of the lines, moved apart where they are close. */
  #ends(last, { edge, floor, y }) {
    let before = -Infinity;
    return last.map((value, i) => ({ value, i })).filter(({ value }) => value !== null && value !== undefined)
      .map((end) => ({ ...end, y: Math.max(TOP + 3, y(end.value) + 4) })).sort((a, b) => a.y - b.y || a.i - b.i)
      .map((end, n, all) => {
        before = Math.max(before + LABEL, Math.min(end.y, floor - LABEL * (all.length - 1 - n)));
        const name = this.lines.length > 1 ? `${this.lines[end.i]} ` : "";
        const look = { class: `plot-text plot-end line${this.looks[end.i]}`, x: edge + 7, y: before };
        return s("text", look, name + this.#word(end.value));
      });
  }

  /** Lines at what happened, with their letters in the first plot of a stack, as far as there is room. */
  #happened({ from, to, floor, x }) {
    let before = -Infinity;
    return this.marks.filter(({ t }) => t >= from && t <= to).flatMap(({ t, letter, text }) => {
      const [px, out] = [x(t), [s("line", { class: "plot-mark", x1: x(t), x2: x(t), y1: TOP, y2: floor })]];
      if (this.stack[0] !== this || px < before + 18) return out;
      before = px;
      const [box, at] = [{ x: px - 8, y: floor - 20, width: 16, height: 16, rx: 3 }, { x: px, y: floor - 8 }];
      return [...out, s("g", { class: "plot-event" },
        s("title", {}, text), s("rect", box), s("text", { ...at, "text-anchor": "middle" }, letter))];
    });
  }

  #axes({ from, to, top, width, height, axis, edge, x, y }) {
    const out = [];
    const values = this.log
      ? Array.from({ length: top + 1 }, (_, i) => 10 ** i).filter((_, i) => i % Math.ceil(top / 4) === 0)
      : [0, top / 2, top];
    for (const value of values) {
      out.push(s("line", { class: "plot-grid", x1: LEFT, x2: edge, y1: y(value), y2: y(value) }));
      out.push(
        s("text", { class: "plot-text", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, this.format(value)),
      );
    }
    const steps = axis ? Math.max(1, Math.min(5, Math.floor((edge - LEFT) / 110))) : -1;
    let before = "";
    for (let i = 0; i <= steps; i++) {
      const t = from + ((to - from) * i) / steps;
      const anchor = i === 0 ? "start" : i === steps ? "end" : "middle";
      const mark = this.tick(t, to - from);
      if (mark === before) continue; // in a short range marks repeat
      before = mark;
      out.push(s("text", { class: "plot-text", x: x(t), y: height - 5, "text-anchor": anchor }, mark));
    }
    return out;
  }

  #cursor({ x, y, floor }) {
    const point = this.points[this.at];
    if (!point || point.t < this.scales.from) return [];
    const dots = point.v.map((value, i) =>
      value === null || value === undefined
        ? null
        : s("ellipse", { class: `plot-dot line${this.looks[i]}`, cx: x(point.t), cy: y(value), rx: 3.5, ry: 3.5 }),
    );
    return [
      s("line", { class: "plot-cursor", x1: x(point.t), x2: x(point.t), y1: TOP, y2: floor }),
      ...dots.filter(Boolean),
    ];
  }

  // --- reading

  #word(value) {
    return value === null || value === undefined || Number.isNaN(value) ? "–" : this.format(value);
  }

  #point(px) {
    if (!this.points.length || !this.scales) return;
    let best = 0;
    let least = Infinity;
    this.points.forEach((point, i) => {
      const far = Math.abs(this.scales.x(point.t) - px);
      if (point.t >= this.scales.from && far < least) [least, best] = [far, i];
    });
    this.#read(best);
  }

  #read(at) {
    for (const plot of this.stack ?? [this]) plot.#mark(at, plot === this);
    this.onread?.(this.points[at]?.t ?? null);
  }

  #mark(at, aloud) {
    this.at = at;
    this.reading.setAttribute("aria-live", at >= 0 && aloud ? "polite" : "off");
    this.#draw();
    const point = this.points[at];
    if (!point) return;
    const words = this.lines.map((name, i) => `${name} ${this.#word(point.v[i])}`).join(", ");
    say(this.reading, this.stack ? words : `${this.moment(point.t)}: ${words}`);
  }

  #key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey || !this.points.length) return;
    event.preventDefault();
    event.stopPropagation();
    const last = this.points.length - 1;
    this.#read(this.at < 0 ? last : Math.max(0, Math.min(last, this.at + step)));
  }
}

/**
 * A line as the data of an SVG path, with the last point of each pixel column. At the start and after a gap the first
 * point is drawn as well.
 * @param {Point[]} points @param {number} i which line
 * @param {{from: number, x: (t: number) => number, y: (value: number) => number}} scales
 */
export function linePath(points, i, { from, x, y }) {
  const parts = [];
  let column = null; // pixel column of the last part, if a line leads there
  let pen = "M";
  for (let n = 0; n < points.length; n++) {
    const { t, v } = points[n];
    if (t < from && points[n + 1]?.t < from) continue;
    if (v[i] === undefined) continue;
    if (v[i] === null || Number.isNaN(v[i])) {
      pen = "M";
      column = null;
      continue;
    }
    const px = Math.round(x(Math.max(t, from)));
    if (px === column) parts.pop();
    parts.push(`${pen}${px},${y(v[i]).toFixed(1)}`);
    column = pen === "L" ? px : null;
    pen = "L";
  }
  return parts.join("");
}

/** As `nice`, in units of bytes: KiB, MiB, ... */
function niceBytes(value) {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(1, value)) / 10);
  return Math.min(nice(value / unit), 1024) * unit;
}

/** The smallest of 2, 4, 6, 10, 20, 40, 50, 100, ... that is not below the value. Its half is a whole number. */
function nice(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  const steps = unit === 1 ? [2, 4, 6, 10] : [1, 2, 4, 5, 10];
  return steps.find((step) => step * unit >= value) * unit;
}
