// Plot: lines over time, drawn as SVG at screen size. The scale may be logarithmic; infinite values are drawn at the
// upper edge. The pointer or the arrow keys read single points.

import { h, s, say } from "./dom.mjs";
import { bytes, duration, moment, short, tick } from "./format.mjs";

const LEFT = 64;
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 20;

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
   */
  constructor({ title, lines, looks = [0, 1], log = false, format = short, most = 0, since = false }) {
    Object.assign(this, { title, lines, looks, log, format, most, points: [], range: null, at: -1 });
    this.moment = since ? (t) => duration(t / 1000) : moment;
    this.tick = since ? this.moment : tick;
    this.picture = s("svg", { class: "plot-picture", role: "img", tabindex: 0 });
    this.reading = h("p", { class: "plot-reading", "aria-live": "off" });
    const keys = lines.map((name, i) => h("span", { class: `plot-key line${looks[i]}` }, name));
    this.node = h("figure", { class: "plot" },
      h("figcaption", {}, h("span", { class: "plot-title" }, title), lines.length > 1 ? keys : null, this.reading),
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

  /** @param {Point[]} points in order of time @param {[number, number] | null} range of time; null: all */
  show(points, range = null) {
    this.points = points;
    this.range = range;
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
    const width = Math.max(160, this.picture.clientWidth || 400);
    const height = this.picture.clientHeight || 150;
    const round = this.format === bytes ? niceBytes : nice;
    const top = this.log ? Math.ceil(Math.log10(high)) : this.most ? this.most : round(high);
    const share = (value) => (this.log ? Math.log10(Math.max(1, value)) : value) / top;
    return {
      from,
      to,
      top,
      width,
      height,
      x: (t) => LEFT + ((t - from) / (to - from)) * (width - LEFT - RIGHT),
      y: (value) => TOP + (1 - Math.min(1, Math.max(0, share(value)))) * (height - TOP - BOTTOM),
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
    this.picture.replaceChildren(...this.#axes(scales), ...lines, ...this.#cursor(scales));
    if (this.at < 0) say(this.reading, now);
  }

  #axes({ from, to, top, width, height, x, y }) {
    const out = [];
    const values = this.log
      ? Array.from({ length: top + 1 }, (_, i) => 10 ** i).filter((_, i) => i % Math.ceil(top / 4) === 0)
      : [0, top / 2, top];
    for (const value of values) {
      out.push(s("line", { class: "plot-grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }));
      out.push(
        s("text", { class: "plot-text", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, this.format(value)),
      );
    }
    const steps = Math.max(1, Math.min(5, Math.floor((width - LEFT) / 110)));
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

  #cursor({ x, y, height }) {
    const point = this.points[this.at];
    if (!point || point.t < this.scales.from) return [];
    const dots = point.v.map((value, i) =>
      value === null || value === undefined
        ? null
        : s("ellipse", { class: `plot-dot line${this.looks[i]}`, cx: x(point.t), cy: y(value), rx: 3.5, ry: 3.5 }),
    );
    return [
      s("line", { class: "plot-cursor", x1: x(point.t), x2: x(point.t), y1: TOP, y2: height - BOTTOM }),
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
    this.at = at;
    this.reading.setAttribute("aria-live", at < 0 ? "off" : "polite");
    this.#draw();
    const point = this.points[at];
    if (point)
      say(this.reading,
        `${this.moment(point.t)}: ${this.lines.map((name, i) => `${name} ${this.#word(point.v[i])}`).join(", ")}`,
      );
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
