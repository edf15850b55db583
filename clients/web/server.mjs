// Server: what the server did in the last day, week, month or year: plots of the samples that it keeps.

import { h, note, poll, radio, say } from "./dom.mjs";
import { bytes, count, duration, short } from "./format.mjs";
import { Plot } from "./plot.mjs";

const RANGES = ["day", "week", "month", "year"];
const EVERY_MS = 60e3; // there is a new sample each minute

const SOON =
  "There are no samples of this time yet. The server takes one every minute, and the first within a minute after its " +
  "start.";
const NEVER = "This server keeps its data in memory, so it keeps no samples of what it did. A server with a data " +
  "directory does (proofd --data).";

/** Small numbers with a fraction. */
const small = (value) => (value < 10 ? String(+value.toFixed(2)) : short(value));
const milliseconds = (value) => `${small(value)} ms`;

/** [title, how its values are written, {member of a point: name of the line}] */
const PLOTS = [
  ["Nodes per second", short, { rate: "nodes" }],
  ["Jobs", small, { running: "running", queued: "queued", paused: "paused" }],
  ["Facts", short, { facts: "facts" }],
  ["Data directory", bytes, { work_bytes: "jobs and tables", facts_bytes: "facts" }],
  ["Free on the disk", bytes, { disk_free: "free" }],
  ["Memory", bytes, { memory: "resident", reserved: "reserved by jobs" }],
  ["Calls per second", small, { calls: "all", queries: "queries of facts", failed: "failed" }],
  ["Time of a commit", milliseconds, { commit_ms: "mean" }],
  ["Processors", small, { cpu: "in use", busy: "threads that search" }],
  ["Clients", small, { connections: "connected" }],
  ["Workers on other machines", small,
    { workers: "workers", worker_threads: "threads", tasks_out: "tasks out", leaves_waiting: "leaves that wait" }],
];

/**
 * The points of some members for a plot. A run of points ends when its last one does, and a gap follows.
 * @param {{last: number, step: number, points: {t: number}[]}} series of server.series @param {string[]} members
 * @returns {import("./plot.mjs").Point[]}
 */
export function linesOf({ last, step, points }, members) {
  return points.flatMap((point, i) => {
    const v = members.map((member) => point[member] ?? null);
    const end = point.t + step;
    const next = points[i + 1]?.t ?? last - step;
    if (next === end) return [{ t: point.t, v }];
    const run = [{ t: point.t, v }, { t: end - 1, v }];
    return next > end ? [...run, { t: end, v: v.map(() => null) }] : run;
  });
}

class ServerPage {
  constructor(rpc) {
    this.rpc = rpc;
    this.title = "Server";
    this.range = RANGES[0];
    this.now = h("p", { class: "hint" });
    this.empty = h("p", { class: "card", role: "status", hidden: true });
    this.plots = PLOTS.map(([title, format, lines]) => {
      const plot = new Plot({ title, format, lines: Object.values(lines), looks: [0, 1, 2, 3] });
      return { plot, members: Object.keys(lines) };
    });
    this.pictures = h("div", { class: "plots", hidden: true }, this.plots.map(({ plot }) => plot.node));
    this.node = h("section", { class: "server" },
      h("h1", {}, this.title),
      this.now,
      h("fieldset", { class: "segments" }, h("legend", { class: "hidden" }, "The last"),
        RANGES.map((range) =>
          radio("range", range, { value: range, checked: range === this.range, onchange: () => this.#choose(range) }))),
      this.empty,
      this.pictures,
    );
    this.stop = poll(rpc, EVERY_MS, () => this.#ask());
  }

  close() {
    this.stop();
    this.plots.forEach(({ plot }) => plot.close());
  }

  #choose(range) {
    this.range = range;
    this.#ask().catch(note);
  }

  async #ask() {
    const { range, rpc } = this;
    const [series, stats] = await Promise.all([rpc.call("server.series", { range }), rpc.call("server.stats")]);
    if (range !== this.range) return;
    this.#tell(stats);
    this.#show(series);
  }

  #tell(stats) {
    const jobs = `Jobs: ${count(stats.jobs.running)} running, ${count(stats.jobs.queued)} queued`;
    const threads = `Search threads: ${count(stats.busy)} of ${count(stats.threads)} busy`;
    say(this.now, `Version ${stats.version}, started ${duration(stats.uptime)} ago. ${jobs}. ${threads}.`);
  }

  #show(series) {
    const { first, last, step, points } = series;
    this.pictures.hidden = !points.length;
    this.empty.hidden = points.length > 0;
    if (!points.length) say(this.empty, this.rpc.hello?.features.includes("series") ? SOON : NEVER);
    for (const { plot, members } of this.plots) {
      plot.node.hidden = !points.some((point) => members.some((member) => member in point));
      plot.show(linesOf(series, members), [first, last + step]);
    }
  }
}

export function open(_route, rpc) {
  return new ServerPage(rpc);
}
