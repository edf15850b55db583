// Spark: proof and disproof number of a job over time, as two lines without axes.

import { s } from "./dom.mjs";
import { proofNumber } from "./format.mjs";
import { pointsOf } from "./job_plots.mjs";
import { linePath } from "./plot.mjs";

const [WIDTH, HEIGHT, FOOT] = [400, 44, 2];
const MOST = 2000; // points; when there are more, every other one is dropped

export class Spark {
  constructor(rpc, job) {
    Object.assign(this, { job, points: [] });
    this.node = s("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none",
      "aria-hidden": "true" });
    const asked = rpc.call("job.history", { job, limit: 1000 });
    asked.then(({ points }) => this.#show([...pointsOf(points), ...this.points]), () => {}); // the job may be gone
  }

  /** Adds the state of now. */
  add({ pn, dn }) {
    const { length } = this.points;
    const points = this.points.filter((_, i) => length < MOST || (length - i) % 2);
    this.#show([...points, { t: Date.now(), pn: proofNumber(pn), dn: proofNumber(dn) }]);
  }

  #show(points) {
    this.points = points;
    const known = points.filter(({ pn, dn }) => Number.isFinite(pn) && Number.isFinite(dn));
    if (known.length < 2) return;
    const [from, to] = [known[0].t, known.at(-1).t];
    const most = Math.max(1, ...known.map(({ pn, dn }) => Math.log10(Math.max(1, pn, dn))));
    const scales = {
      from,
      x: (t) => (WIDTH * (t - from)) / Math.max(1, to - from),
      y: (value) => HEIGHT - FOOT - ((HEIGHT - 2 * FOOT) * Math.log10(Math.max(1, value))) / most,
    };
    const lines = known.map(({ t, pn, dn }) => ({ t, v: [pn, dn] }));
    this.node.replaceChildren(...[0, 1].map((i) =>
      s("path", { class: `plot-line line${i}`, d: linePath(lines, i, scales), fill: "none" })));
  }
}
