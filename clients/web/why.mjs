// Why: what theorems of the game say of a position: the bound, the reason in a sentence, and the groups of squares of
// which the sentence speaks, for the board to mark. It is knowledge of the game, whether or not a fact has it.

import { announce, button, fill, h, say } from "./dom.mjs";
import { upper, within } from "./format.mjs";

const COLOURS = 6; // in style.css: g0 to g5

const nameOf = ({ number, title }) => `theorem T${number}${title ? ` (${title})` : ""}`;

export class Why {
  /** @param {() => void} turned called when the groups are to be drawn, or not any more */
  constructor(turned) {
    this.turned = turned;
    this.open = false;
    this.theorems = [];
    this.lines = h("div", {});
    this.reasons = h("div", { id: "why", hidden: true });
    this.button = button("Why?", () => this.turn(), {
      "aria-expanded": "false",
      "aria-controls": "why",
      title: "the reason, and its groups on the board (w)",
    });
    this.node = h("div", { class: "card why", hidden: true }, this.lines, this.button, this.reasons);
  }

  /** @param {any[]} [theorems] of position.show @param {{lo: number, hi: number}} fact what is proved */
  show(theorems = [], fact) {
    this.theorems = theorems;
    this.node.hidden = !theorems.length;
    fill(this.lines,
      theorems.map((theorem) => {
        const { value, plies } = theorem;
        const known = fact.lo >= value.lo && fact.hi <= value.hi;
        const bound = `${upper(nameOf(theorem))}: ${[value.text, within(plies)].join(" ").trim()}`;
        const aside = h("span", { class: "dim" }, " – known without a search; no fact has it");
        return h("p", {}, bound, known ? null : aside);
      }),
    );
    fill(this.reasons, theorems.map((theorem) => this.#reason(theorem)));
  }

  #reason({ text, groups }) {
    const item = ({ mark, squares }) =>
      h("li", {}, h("span", { class: `group g${this.#colour(mark)}` }, mark), ` ${squares.join(" ")}`);
    const list = groups.length ? h("ul", { class: "groups", "aria-label": "Groups" }, groups.map(item)) : null;
    return [h("p", {}, text), list];
  }

  #colour(mark) {
    return mark.charCodeAt(0) % COLOURS;
  }

  turn() {
    if (!this.theorems.length) {
      announce("No theorem of the game decides this position");
      return;
    }
    this.open = !this.open;
    this.button.setAttribute("aria-expanded", String(this.open));
    this.reasons.hidden = !this.open;
    say(this.button, this.open ? "Hide the reason" : "Why?");
    if (this.open) announce(this.theorems.map(({ text }) => text).join(" "));
    this.turned();
  }

  /** The marks of the groups, as for Board; null: nothing is to be marked. */
  marks() {
    const groups = this.open ? this.theorems.find((theorem) => theorem.groups.length)?.groups : null;
    if (!groups) return null;
    const look = ({ mark }) => ({ letter: mark, kind: `g${this.#colour(mark)}`, text: `group ${mark}` });
    return new Map(groups.flatMap((group) => group.places.map((place) => [place, look(group)])));
  }
}
