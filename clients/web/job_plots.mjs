// Job plots: a job's history, which the server keeps, and the states watched since, as plots over one axis of time.

import { h, radio, say } from "./dom.mjs";
import { answer, bytes, moment, OVER, proofNumber, short } from "./format.mjs";
import { Plot } from "./plot.mjs";

const LIVE_MAX = 4000; // points kept of the watched states; when there are more, every other one is dropped
const SPANS = [["all", 0], ["day", 86400e3], ["hour", 3600e3], ["10 minutes", 600e3]];
const GAPS = /pause|exhaust|solved|cancel|fail|gave way|queued|submit/;

const USUAL = /^(submitted|started|checkpoint|damaged)$/; // events without a mark

/** What happened to a job and is marked in its plots. */
export function marksOf(history) {
  return history.filter(({ t, event }) => t > 0 && !USUAL.test(event))
    .map(({ t, event }) => ({ t, letter: event[0].toUpperCase(), text: `${event}, ${moment(t)}` }));
}

/** Points of the history, with the rate between neighbours of one run. */
export function pointsOf(history) {
  return history
    .filter((point) => point.t > 0)
    .map((point, i, all) => {
      const before = all[i - 1];
      const seconds = before ? (point.t - before.t) / 1000 : 0;
      const rate =
        before && seconds > 0 && !GAPS.test(before.event) && point.nodes >= before.nodes
          ? (point.nodes - before.nodes) / seconds
          : null;
      return {
        t: point.t,
        pn: proofNumber(point.pn),
        dn: proofNumber(point.dn),
        rate,
        facts: point.facts,
        entries: point.entries,
      };
    });
}

/** The spans of trends. The trend of the longest one is told that is at most half of the history. */
const TRENDS = [["week", 7 * 86400e3], ["day", 86400e3], ["hour", 3600e3], ["10 minutes", 600e3]];

/** What has become of a number, in words. */
function changeOf(from, to) {
  const [factor, percent] = [Math.max(from, to) / Math.min(from, to), Math.round(100 * Math.abs(to / from - 1))];
  if (percent < 10) return "hardly changed";
  const by = factor < 2 ? `${percent} %` : `a factor of ${factor < 10 ? Number(factor.toFixed(1)) : short(factor)}`;
  return `${to > from ? "grown" : "fallen"} by ${by}`;
}

/** How proof and disproof number have changed lately, in words; "" if the history is too short or does not tell. */
export function trendOf(points) {
  const [first, last] = [points[0], points.at(-1)];
  const [name, span] = TRENDS.find(([, ms]) => last && last.t - first.t >= 2 * ms) ?? [];
  const before = name && points.findLast(({ t }) => t <= last.t - span);
  const known = before && [before.pn, before.dn, last.pn, last.dn].every((value) => value > 0 && value < Infinity);
  if (!known || last.t - before.t > 1.5 * span) return ""; // no point is near the beginning of the span
  const [pn, dn] = ["pn", "dn"].map((of) => changeOf(before[of], last[of]));
  return `in the last ${name} ${pn === dn ? `pn and dn have ${pn}` : `pn has ${pn} and dn has ${dn}`}`;
}

/** The plots that a job has, without data. @param {(t: number | null) => void} onread */
function makePlots(onread) {
  const stack = [];
  const plot = (title, lines, more = {}) => new Plot({ title, lines, stack, onread, ...more });
  return {
    numbers: plot("Proof and disproof number", ["pn", "dn"], { log: true }),
    rate: plot("Nodes per second", ["rate"]),
    facts: plot("Facts", ["facts"]),
    fill: plot("Transposition table", ["filled"],
      { most: 100, format: (value) => `${value.toFixed(value < 10 ? 1 : 0)} %` }),
    disk: plot("Disk, all jobs together", ["disk"], { format: bytes }),
  };
}

export class JobPlots {
  constructor() {
    this.past = [];
    this.now = [];
    this.over = null; // whether the job was over at the last update; null: no update yet
    this.span = 0;
    this.capacity = 0;
    this.marks = [];
    this.when = h("small", { class: "dim", "aria-live": "polite" });
    this.all = makePlots((t) => say(this.when, t ? `at ${moment(t)}` : ""));
    const buttons = SPANS.map(([name, span]) =>
      radio("span", name, { checked: span === 0, onchange: () => this.#range(span) }),
    );
    this.node = h("section", { class: "card stack" },
      h("div", { class: "row spread" }, h("h2", {}, "History ", this.when),
        h("fieldset", { class: "segments" }, h("legend", { class: "hidden" }, "The last"), buttons)),
      Object.values(this.all).map((plot) => plot.node),
    );
  }

  close() {
    for (const plot of Object.values(this.all)) plot.close();
  }

  /** @param {object[]} points of job.history */
  history(points) {
    this.past = pointsOf(points);
    this.marks = marksOf(points);
    this.#show();
  }

  /** Adds the current state of the job; after its end, nothing. */
  live(job) {
    this.capacity = job.capacity;
    const over = OVER.includes(job.state);
    const more = !over || this.over === false;
    this.over = over;
    if (!more) return this.#show();
    const rate = job.state === "running" && job.rate > 0 ? job.rate : null;
    this.now.push({
      t: Date.now(),
      pn: proofNumber(job.pn),
      dn: proofNumber(job.dn),
      rate,
      facts: job.facts,
      entries: job.entries,
      disk: job.disk,
    });
    if (this.now.length > LIVE_MAX) this.now = this.now.filter((_, i) => i % 2 === 0);
    this.#show();
  }

  /** The trend of a running job; "" if a bound is known, for earlier numbers may be those of another threshold. */
  trend(job) {
    const same = job?.state === "running" && (job.claim !== "value" || !answer(job));
    return same ? trendOf(this.#points()) : "";
  }

  #points() {
    const begin = this.now[0]?.t ?? Infinity;
    return [...this.past.filter((point) => point.t < begin), ...this.now];
  }

  #range(span) {
    this.span = span;
    this.#show();
  }

  #show() {
    const points = this.#points();
    const last = points.at(-1)?.t ?? 0;
    const range = this.span ? [last - this.span, last] : null;
    const put = (plot, values) =>
      plot.show(points.map((point) => ({ t: point.t, v: values(point) })), range, this.marks);
    const full = (point) => (this.capacity ? (100 * point.entries) / this.capacity : null);
    put(this.all.numbers, (point) => [point.pn, point.dn]);
    put(this.all.rate, (point) => [point.rate]);
    put(this.all.facts, (point) => [point.facts]);
    put(this.all.fill, (point) => [full(point)]);
    this.all.disk.node.hidden = this.now.length < 2;
    put(this.all.disk, (point) => [point.disk ?? null]);
  }
}
