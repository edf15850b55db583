// Proof tree: what is proved below a position, opened move by move. Where only the mover's own bound is proved, one
// move suffices and the recorded one is shown; the opponent's bound needs every reply. A check box shows all known
// moves.

import { button, h } from "./dom.mjs";
import { counted, plies } from "./format.mjs";
import { chip, ranked } from "./status.mjs";
import { Tree } from "./tree.mjs";

const MOST = 100; // moves of one position

export class ProofTree {
  /** @param {import("./positions.mjs").Positions} positions @param {(place: any) => void} choose */
  constructor(positions, choose) {
    this.positions = positions;
    this.whole = h("input", { type: "checkbox", onchange: () => this.show(this.root) });
    this.root = null;
    this.here = null;
    this.tree = new Tree({
      label: "Proof from this position",
      draw: (item) => this.#draw(item),
      leaf: (item) => item.over,
      children: (item) => this.#children(item),
      choose: (item) => choose(item.place),
    });
    this.node = h("div", {},
      h("div", { class: "row spread" },
        h("label", { class: "check" }, this.whole, "moves outside the proof, too"),
        button("Begin here", () => this.show(this.here), { class: "quiet" }),
      ),
      this.tree.node,
    );
  }

  /** The position that the explorer shows. The tree begins there unless it has a root of the same game and start. */
  follow(place) {
    this.here = place;
    if (this.root?.game !== place.game || this.root.position !== place.position) this.show(place);
  }

  show(place) {
    if (!place) return; // no position has been shown yet
    this.root = place;
    this.tree.show([{ place, text: place.moves.at(-1) ?? "this position" }], true);
  }

  #draw({ text, status, rank }) {
    return [
      h("span", { class: "tree-move" }, text),
      status ? chip(status) : null,
      rank !== null && rank !== undefined && rank > 0 ? h("span", { class: "dim" }, plies(rank)) : null,
    ];
  }

  async #children({ place }) {
    const { game, shown, fact } = await this.positions.all(place);
    const known = ranked(fact.moves ?? [], shown.first_to_move).filter((move) => move.status.kind !== "open");
    const { min, max } = game.values;
    const own = shown.first_to_move ? fact.hi === max : fact.lo === min; // nothing is proved for the opponent
    const one = own && !this.whole.checked && known.find((move) => move.move === fact.move);
    const shownMoves = one ? [one] : known.slice(0, MOST);
    const left = one ? 0 : known.length - shownMoves.length;
    const open = (fact.moves ?? []).length - known.length;
    const unknown = open && !one ? `${counted(open, "move")} of unknown value` : "";
    const rest = [left ? counted(left, "more move") : "", unknown]
      .filter(Boolean)
      .join(", ");
    const items = shownMoves.map(({ move, status, rank, source }) => ({
      place: { ...place, moves: [...place.moves, move] },
      text: move,
      status,
      rank,
      over: source === "rules",
    }));
    return { items, rest };
  }
}
