// Best line: best play from the position, or the line that a job has in work, as moves to step through. It stays while
// one follows it.

import { fill, h, say } from "./dom.mjs";
import { moveNumber } from "./format.mjs";
import { explore } from "./route.mjs";

const MOST = 24; // moves

export class BestLine {
  /** @param {import("./positions.mjs").Positions} positions */
  constructor(rpc, positions) {
    Object.assign(this, { rpc, positions, line: null, shown: "" });
    this.title = h("b", {});
    this.moves = h("ol", {});
    this.node = h("nav", { class: "best-line", "aria-label": "Line", hidden: true }, this.title, this.moves);
  }

  /** The position that is shown, and what is proved of it. */
  async at(place, { shown, fact }) {
    Object.assign(this, { place, board: shown });
    const { line } = this;
    const same = line && line.game === place.game && line.position === place.position;
    const on = same && line.title === "Best play" && place.moves.every((move, i) => line.moves[i] === move) &&
      (line.moves[place.moves.length] ?? null) === (fact.move ?? null);
    if (on) return this.#show();
    this.line = null;
    this.node.hidden = true;
    if (!this.rpc.hello?.features.includes("lines") || fact.source === "none" || shown.terminal) return undefined;
    const reply = await this.rpc.call("fact.line", { ...place, limit: MOST }).catch(() => null); // the player tells
    if (place !== this.place || !reply?.line.length) return undefined;
    return this.#take("Best play", reply.line, reply.complete);
  }

  /**
   * The line that a search has in work from the position that is shown, where no best play is known.
   * @param {string | null} state of the job; null: there is none
   */
  work(moves, state) {
    if (this.line?.title === "Best play") return;
    if (state && moves.length) return void this.#take(state === "running" ? "In work" : "Work so far", moves, false);
    this.line = null;
    this.node.hidden = true;
  }

  #take(title, moves, complete) {
    const { game, position, moves: path } = this.place;
    this.line = { title, game, position, moves: [...path, ...moves], from: Math.max(0, path.length - 1), complete };
    return this.#show();
  }

  async #show() {
    const { place, line } = this;
    const names = await this.positions.names(line, this.board).catch(() => line.moves);
    const shown = JSON.stringify([line, place.moves.length, names]);
    if (place !== this.place || line !== this.line) return;
    this.node.hidden = false;
    if (shown === this.shown) return;
    this.shown = shown;
    say(this.title, line.title);
    const one = (name, i) => h("li", {},
      h("i", {}, moveNumber(i, i === line.from)),
      h("a", {
        href: explore(line.game, line.position, line.moves.slice(0, i + 1)),
        "aria-current": i + 1 === place.moves.length ? "page" : null,
      }, name));
    const focused = this.moves.contains(document.activeElement) && document.activeElement.getAttribute("href");
    fill(this.moves, names.map(one).slice(line.from), !line.complete && h("li", {}, "…"));
    if (focused) this.moves.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
  }
}
