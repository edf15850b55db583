// Job tree: the top of a job's search by job.tree, level by level: proof numbers, effort, and search threads.

import { button, h, say } from "./dom.mjs";
import { counted, duration, proofNumber, short } from "./format.mjs";
import { Tree } from "./tree.mjs";

const MOST = 300; // positions of one call

const SOURCES = {
  search: "from the running search",
  table: "from the job's table, as it was stored",
  facts: "the job does not run and has no table: only what is proved",
};
const KINDS = { proved: "win", disproved: "loss" };

export class JobTree {
  constructor(rpc, job) {
    this.rpc = rpc;
    this.job = job;
    this.about = h("p", { class: "hint", role: "status" });
    this.tree = new Tree({
      label: "Top of the search",
      draw: (item) => this.#draw(item),
      leaf: (item) => item.numbers === "cycle" || item.numbers === "rules" || item.moves === 0,
      children: (item) => this.#children(item),
    });
    this.node = h("details", { hidden: true, ontoggle: () => this.node.open && this.#begin() },
      h("summary", {}, "Top of the search tree"),
      h("div", { class: "row spread" }, this.about, button("Refresh", () => this.#begin())),
      this.tree.node,
    );
  }

  /** Shows the section if the server has the method. */
  offer() {
    this.node.hidden = !this.rpc.hello?.features.includes("tree");
  }

  #begin() {
    this.tree.show([{ line: [], move: "the job's position", all: 0 }], true);
  }

  async #ask(line) {
    const reply = await this.rpc.call("job.tree", {
      job: this.job,
      moves: line.length ? line : undefined,
      depth: 1,
      nodes_max: MOST,
    });
    say(this.about,
      `First gets ${reply.threshold} or more? ${SOURCES[reply.source]}, after ${duration(reply.seconds)}`,
    );
    return reply;
  }

  async #children({ line }) {
    const { positions, whole } = await this.#ask(line);
    const [top, ...below] = positions;
    const all = Math.max(1, top.effort ?? 0, below.reduce((sum, position) => sum + (position.effort ?? 0), 0));
    const items = below
      .filter(({ depth }) => depth === 1)
      .map((position) => ({ ...position, line: [...line, position.move], all }));
    const left = top.moves - items.length;
    const rest = !whole && left > 0 ? counted(left, "more move") : "";
    return { items, rest: items.length || rest ? rest : "no moves that the search looks at" };
  }

  #draw(item) {
    const move = h("span", { class: "tree-move" }, item.move);
    if (!item.all) return [move];
    const kind = KINDS[item.status];
    const words = [
      `pn ${this.#number(item.pn)}`,
      `dn ${this.#number(item.dn)}`,
      item.known ? `${item.known} of ${item.moves} settled` : "",
      item.path_dependent ? "on this path only" : "",
      item.numbers === "cycle" ? "repeats a position" : "",
      item.threads ? `${counted(item.threads, "thread")} here` : "",
    ];
    const share = item.effort === null ? null : (100 * item.effort) / item.all;
    const effort =
      share === null
        ? h("span", { class: "effort" }, "effort unknown")
        : h("span", { class: "effort" },
            counted(item.effort, "node"),
            h("span", { class: "bar", "aria-hidden": "true" },
              h("span", { style: { width: `${Math.min(100, share)}%` } }),
            ),
          );
    return [
      move,
      kind
        ? h("span", { class: `status ${kind}` }, item.status)
        : h("span", { class: "dim" }, words.filter(Boolean).join(", ")),
      effort,
    ];
  }

  #number(value) {
    return value === null ? "–" : short(proofNumber(value));
  }
}
