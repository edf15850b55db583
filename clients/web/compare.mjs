// Compare: two jobs side by side: a table of figures, and plots that show both jobs over time.

import { fill, h, note, sentence } from "./dom.mjs";
import { answer, bytes, duration, nodesOf, optionsText, proofNumber, question, short, tableText } from "./format.mjs";
import { pill } from "./jobs.mjs";
import { pointsOf } from "./job_plots.mjs";
import { Plot } from "./plot.mjs";
import { explore, go } from "./route.mjs";

const ROWS = [
  ["Job", (job) => h("a", { href: `#/job/${job.job}` }, `Job ${job.job}`)],
  ["Position", (job) => h("a", { href: explore(job.game, job.position) }, `${job.game} ${job.position}`)],
  ["Question", question],
  ["State", (job) => pill(job.state)],
  ["Known", (job) => answer(job) || "nothing yet"],
  ["Algorithm", (job) => job.algorithm],
  ["Options", (job) => optionsText(job) || "–"],
  ["Seed", (job) => String(job.seed)],
  ["Memory", (job) => bytes(job.memory)],
  ["Threads", (job) => (job.threads ? String(job.threads) : "all free")],
  ["Nodes", (job) => short(nodesOf(job))],
  ["of level 2", (job) => short(job.nodes.level2)],
  ["Search time", (job) => duration(job.seconds)],
  ["Processor time", (job) => duration(job.cpu)],
  ["Nodes per processor second", (job) => (job.cpu > 0 ? short(nodesOf(job) / job.cpu) : "–")],
  ["Proof number", (job) => short(proofNumber(job.pn))],
  ["Disproof number", (job) => short(proofNumber(job.dn))],
  ["Facts", (job) => short(job.facts)],
  ["Table", tableText],
];

class Compare {
  constructor(route, rpc) {
    this.rpc = rpc;
    this.title = "Compare";
    this.jobs = [null, null];
    this.stops = [];
    this.round = 0; // drops histories of jobs that are no longer shown
    this.past = [[], []];
    this.inputs = [0, 1].map((i) =>
      h("input", { type: "number", min: 1, required: true, "aria-label": i ? "Second job" : "First job" }),
    );
    const form = h("form", { class: "row", onsubmit: (event) => this.#choose(event) },
      h("label", {}, "Job ", this.inputs[0]),
      h("label", {}, "and job ", this.inputs[1]),
      h("button", { class: "main" }, "Compare"),
    );
    this.table = h("table", { class: "compare" });
    this.plots = {
      numbers: new Plot({
        title: "Proof and disproof number",
        lines: ["left pn", "left dn", "right pn", "right dn"],
        looks: [0, 3, 2, 1],
        log: true,
        since: true,
      }),
      rate: new Plot({ title: "Nodes per second", lines: ["left", "right"], looks: [0, 2], since: true }),
      facts: new Plot({ title: "Facts", lines: ["left", "right"], looks: [0, 2], since: true }),
    };
    this.pictures = h("div", { class: "plots", hidden: true }, Object.values(this.plots).map((plot) => plot.node));
    this.node = h("section", {},
      h("h1", {}, "Compare two jobs"),
      form,
      h("p", { class: "hint" }, "Each job's plot begins at its own first data point."),
      h("div", { class: "scroll" }, this.table),
      this.pictures,
    );
    this.update(route);
  }

  close() {
    this.round++;
    this.stops.forEach((stop) => stop());
    Object.values(this.plots).forEach((plot) => plot.close());
  }

  update({ jobs }) {
    this.round++;
    this.stops.forEach((stop) => stop());
    this.jobs = [null, null];
    this.past = [[], []];
    fill(this.table);
    this.pictures.hidden = true;
    jobs.forEach((job, i) => (this.inputs[i].value = job));
    if (jobs.length === 1) this.inputs[1].focus();
    this.stops = jobs.length < 2 ? [] : jobs.map((job, i) => this.#follow(job, i));
    this.title = jobs.length === 2 ? `Jobs ${jobs.join(" and ")}` : "Compare";
  }

  #choose(event) {
    event.preventDefault();
    go(`#/compare/${this.inputs.map((input) => input.value).join("/")}`);
  }

  #follow(job, i) {
    const mine = this.round;
    this.rpc.call("job.history", { job, limit: 5000 }).then(
      ({ points }) => {
        if (mine !== this.round) return;
        this.past[i] = pointsOf(points);
        this.#show();
      },
      () => {}, // the watch reports the error
    );
    return this.rpc.watch(
      job,
      (state, error) => {
        if (error) return note(sentence(error));
        this.jobs[i] = state;
        this.#show();
      },
      2,
    );
  }

  #show() {
    if (!this.jobs[0] || !this.jobs[1]) return;
    fill(this.table,
      h("caption", { class: "hidden" }, this.title),
      h("tbody", {},
        ROWS.map(([name, of]) =>
          h("tr", {}, h("th", { scope: "row" }, name), this.jobs.map((job) => h("td", {}, of(job)))),
        ),
      ),
    );
    this.pictures.hidden = false;
    this.#plot(this.plots.numbers, (point) => [point.pn, point.dn], 2);
    this.#plot(this.plots.rate, (point) => [point.rate], 1);
    this.#plot(this.plots.facts, (point) => [point.facts], 1);
  }

  /** Plots the points of both jobs, by the time since each job's first point. A point leaves the other job's values
   *  undefined. */
  #plot(plot, values, width) {
    const starts = this.past.map((points) => points[0]?.t ?? 0);
    const all = this.past.flatMap((points, i) =>
      points.map((point) => {
        const v = new Array(2 * width).fill(undefined);
        values(point).forEach((value, n) => (v[i * width + n] = value));
        return { t: point.t - starts[i], v, i };
      }),
    );
    plot.show(all.sort((a, b) => a.t - b.t));
  }
}

export const open = (route, rpc) => new Compare(route, rpc);
