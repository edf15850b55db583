// Job work: where a job's search has spent its nodes, as an icicle: a row for each ply, and in it a cell for each move,
// as wide as its share of the work on the position above. The tint tells whether proof or disproof is nearer.

import { fill, h, poll, s } from "./dom.mjs";
import { counted, proofNumber, short } from "./format.mjs";
import { explore, go } from "./route.mjs";
import { leanColour } from "./status.mjs";

const EVERY_MS = 5000;
const ROWS = 7;
const MOST = 400; // positions of one call
const ROW = 34;
const LETTER = 8.5;

const TINTS = { proved: "win", disproved: "loss" };

/** The colour of a cell, as a class or as a style. */
function tint({ status, pn, dn }) {
  if (TINTS[status]) return { class: TINTS[status] };
  if (pn === null || dn === null) return {};
  return { style: { fill: leanColour(proofNumber(pn), proofNumber(dn)) } };
}

const total = ({ below }) => below.reduce((sum, { effort }) => sum + effort, 0);
const percent = (effort, { effort: all }) => `${Math.round((100 * effort) / all)} %`;

export class JobWork {
  /** @param {() => void} told when `words` are others */
  constructor(rpc, job, told) {
    Object.assign(this, { rpc, job, told, state: null, loaded: null, positions: [] });
    this.picture = s("svg", { class: "icicle", role: "img" });
    this.node = h("section", { class: "card", hidden: true },
      h("div", { class: "row spread" }, h("h2", {}, "Where the work goes"),
        h("p", { class: "hint lean-key" }, "near to disproved ", h("i", { "aria-hidden": "true" }), " near to proved")),
      this.picture,
    );
    this.stop = poll(rpc, EVERY_MS, () => this.#load());
    this.observer = new ResizeObserver(() => this.#draw());
    this.observer.observe(this.node);
  }

  close() {
    this.stop();
    this.observer.disconnect();
  }

  /** How many moves are settled, and the line that has most of the work. */
  words() {
    const [root] = this.positions;
    const line = [];
    for (let at = root?.below[0]; at && line.length < 3; at = at.below[0]) line.push(at.move);
    const settled = root?.known ? `${root.known} of ${counted(root.moves, "move")} settled; ` : "";
    return line.length ? `${settled}most of the work is on ${line.join(" ")}` : "";
  }

  /** @param {any} state of the job */
  live(state) {
    const first = !this.state;
    this.state = state;
    if (first) this.#load();
  }

  /** The tree of a job that does not run changes no more. */
  async #load() {
    const { state, rpc } = this;
    if (!state || !rpc.hello?.features.includes("tree")) return;
    if (state.state !== "running" && this.loaded === state.state) return;
    this.loaded = state.state;
    const { notations } = await rpc.call("game.describe", { game: state.game }).catch(() => ({ notations: [] }));
    const notation = notations.includes("san") ? "san" : undefined;
    const ask = { job: this.job, depth: ROWS - 1, nodes_max: MOST, notation };
    const { positions } = await rpc.call("job.tree", ask).catch(() => ({ positions: [] })); // the tree below tells why
    this.positions = positions.map((position) => ({ ...position, below: [] }));
    for (const position of this.positions)
      if (position.parent !== null && position.effort) this.positions[position.parent].below.push(position);
    for (const { below } of this.positions) below.sort((a, b) => b.effort - a.effort);
    const [root] = this.positions;
    if (root) root.effort = Math.max(root.effort ?? 0, total(root)); // what is reached in several ways counts at each
    this.node.hidden = !root?.below.length;
    this.told();
    this.#draw();
  }

  #draw() {
    const width = this.picture.clientWidth;
    if (this.node.hidden || !width) return;
    const [root] = this.positions;
    const cells = [];
    this.#cell(cells, root, [], 0, width);
    const rows = 1 + Math.max(...cells.map(({ depth }) => depth));
    const leading = root.below.slice(0, 3).map(({ move, effort }) => `${percent(effort, root)} on ${move}`);
    for (const [name, value] of Object.entries({
      viewBox: `0 0 ${width} ${rows * ROW}`,
      height: rows * ROW,
      "aria-label": `Where the work goes: ${leading.join(", ")}`,
    })) this.picture.setAttribute(name, value);
    fill(this.picture, cells.map((cell) => this.#picture(cell, root)));
  }

  #cell(cells, position, line, x, width) {
    cells.push({ position, line, x, width, depth: line.length });
    const all = Math.max(position.effort, total(position));
    for (const child of position.below) {
      const part = (width * child.effort) / all;
      if (part < 1.5) break;
      this.#cell(cells, child, [...line, child.move], x, part);
      x += part;
    }
  }

  #picture({ position, line, x, width, depth }, root) {
    const nodes = counted(position.effort, "node");
    const name = depth ? position.move : nodes;
    const at = { x: x + 7, y: depth * ROW + 22 };
    const solved = TINTS[position.status] ?? "";
    const [pn, dn] = [position.pn, position.dn].map((number) => (number === null ? "–" : short(proofNumber(number))));
    return s("g", { onclick: () => go(explore(this.state.game, this.state.position, line)) },
      s("title", {}, `${line.join(" ") || "the job's position"}: ${nodes}, pn ${pn}, dn ${dn}`),
      s("rect", { x: x + 0.5, y: depth * ROW + 0.5, width: width - 1, height: ROW - 1, rx: 2, ...tint(position) }),
      width > 14 + LETTER * name.length ? s("text", { ...at, class: solved }, name) : null,
      depth && width > 44 + LETTER * name.length
        ? s("text", { class: `share ${solved}`, x: x + width - 7, y: at.y }, percent(position.effort, root))
        : null,
    );
  }
}
