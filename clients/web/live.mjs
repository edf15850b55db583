// Live: what the running or paused job says of the position that is shown and of each of its moves, as it changes.

import { fill, h } from "./dom.mjs";
import { counted, duration, proofNumber, short } from "./format.mjs";
import { Spark } from "./spark.mjs";

const LEAN = 3; // powers of ten between pn and dn that fill the track
const SHOWN = ["running", "queued", "paused", "exhausted"];

/**
 * @typedef {object} Numbers of a move
 * @property {number | null} pn from the job's claim, "First gets at least": as everywhere in proofd
 * @property {number | null} dn
 * @property {number | null} lean for the mover, from -1 to 1; null: pn or dn is not known
 * @property {number} effort nodes
 * @property {number} share of the work below the position, from 0 to 1
 * @property {boolean} here a search thread is there now
 * @property {{job: number, state: string} | null} job that begins after the move
 * @property {boolean} twin the search looks at another move instead, which leads to a mirror image
 */

function numbersOf(row, all, first) {
  const own = row.job && SHOWN.includes(row.job.state) ? row.job : null;
  const from = row.pn === null && own?.nodes ? own : row;
  const [pn, dn] = from.pn === null ? [null, null] : [proofNumber(from.pn), proofNumber(from.dn)];
  const effort = Math.max(row.effort ?? 0, own?.nodes ?? 0);
  const ratio = pn === null ? null : Math.log10(Math.max(dn, 0.1)) - Math.log10(Math.max(pn, 0.1));
  const lean = ratio === null ? null : Math.max(-1, Math.min(1, (first ? ratio : -ratio) / LEAN)) || 0;
  return { pn, dn, lean, effort, share: effort / all, here: row.threads > 0 || own?.state === "running", job: own };
}

/** The numbers of each move of an analysis that has any. @returns {Map<string, Numbers>} */
export function movesOf({ positions }) {
  const rows = positions.filter(({ depth }) => depth === 1);
  const work = (row) => Math.max(row.effort ?? 0, row.job?.nodes ?? 0);
  const all = Math.max(1, rows.reduce((sum, row) => sum + work(row), 0));
  const moves = new Map();
  for (const row of rows) {
    const numbers = numbersOf(row, all, positions[0].first_to_move);
    if (numbers.pn === null && !numbers.job && !numbers.effort) continue;
    moves.set(row.move, { ...numbers, twin: false });
    for (const twin of row.alike) moves.set(twin, { ...numbers, here: false, twin: true });
  }
  return moves;
}

/** The line in work: the move with most effort, and what the search would try next. */
export function lineOf({ positions }) {
  const line = [];
  for (const { depth, move } of positions.slice(1)) {
    if (depth !== line.length + 1) break;
    line.push(move);
  }
  return line;
}

/** The state of the job of a position or below it: running, or one from which it can go on; null: there is none. */
export function workOf({ job, state, positions }) {
  const states = [job === null ? null : state, ...positions.map((row) => row.job?.state)];
  return SHOWN.find((one) => states.includes(one)) ?? null;
}

const WORDS = { running: "searches", queued: "waits", paused: "is paused", exhausted: "gave up" };

/** A strip about the job of the position; hidden while there is none. */
export class Live {
  /** @param {(tree: any) => void} told gets each analysis of the position */
  constructor(rpc, told) {
    this.rpc = rpc;
    this.told = told;
    this.stop = null;
    this.here = false; // the position that is shown is followed
    this.spark = null;
    this.node = h("div", { class: "live", hidden: true });
  }

  /** Another position will be shown: nothing is told until it is followed, in place of this one. */
  leave() {
    this.here = false;
    this.node.hidden = true;
  }

  /** Follows a position; null: none. */
  at(place) {
    this.leave();
    const follows = place && this.rpc.hello?.features.includes("analyze");
    if (!follows) this.stop?.();
    this.here = Boolean(place);
    this.stop = follows ? this.rpc.watchPosition(place, (tree) => this.here && this.#show(tree)) : null;
  }

  #show(tree) {
    const { job, state, positions, line, nodes, seconds, threshold } = tree;
    const [root] = positions;
    this.node.hidden = job === null || root.status !== "open";
    // The history of a job is about the position where it begins.
    const own = !line.length && root.pn !== null && !this.node.hidden;
    if (!own) this.spark = null;
    else if (this.spark?.job !== job) this.spark = new Spark(this.rpc, job);
    if (own && state === "running") this.spark.add(root);
    if (!this.node.hidden) {
      const done = nodes.level1 + nodes.level2;
      const rate = seconds > 1 && state === "running" ? `, ${short(done / seconds)} a second` : "";
      const { pn, dn } = root;
      fill(this.node,
        h("p", {},
          h("span", { class: `dot ${state}`, "aria-hidden": "true" }),
          h("a", { href: `#/job/${job}` }, `Job ${job}`),
          ` ${WORDS[state] ?? state} ${line.length ? "at an earlier position of the line" : "here"}: `,
          h("span", { class: "figures" }, `${counted(done, "node")} in ${duration(seconds)}${rate}`),
        ),
        h("p", { class: "dim" },
          `First gets ${threshold} or more? `,
          pn === null ? "not reached yet" : [["pn", pn], ["dn", dn]].map(([name, value], i) => [i ? ", " : "",
            h("span", { class: own && `plot-key line${i}` }, `${name} ${short(proofNumber(value))}`)]),
        ),
        this.spark?.node,
      );
    }
    this.told(tree);
  }
}
