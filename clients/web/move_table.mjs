// Move table: the moves of a position with their status for the mover, best first. One row is in the tab order; arrows
// move through the rows, Enter plays one.

import { fill, h } from "./dom.mjs";
import { count, within } from "./format.mjs";

const HEADS = ["Move", "Mover", "Value", "Plies"];
const EFFORT = "Nodes of the search that finds the value again; empty: one ply suffices";

export class MoveTable {
  /** @param {(move: string) => void} play */
  constructor(play) {
    this.play = play;
    this.node = h("table", { class: "moves", onkeydown: (event) => this.#key(event) });
  }

  focus() {
    this.node.querySelector("[tabindex='0']")?.focus();
  }

  /** @param {any[]} moves of `ranked` @param {string | null} best the best move known */
  show(moves, best) {
    const focused = this.node.contains(document.activeElement);
    const known = moves.filter((move) => move.status.kind !== "open").length;
    const all = moves.length === 1 ? "1 move" : `${moves.length} moves`;
    const caption = moves.length ? `${all}, ${known} known` : "No moves: the game is over";
    const efforts = moves.some((move) => move.effort > 0);
    const heads = h("tr", {},
      HEADS.map((name) => h("th", { scope: "col" }, name)),
      efforts && h("th", { scope: "col", title: EFFORT }, "Effort"),
    );
    const rows = moves.map((move, i) => this.#row(move, i, best, efforts));
    fill(this.node, h("caption", {}, caption), h("thead", {}, heads), h("tbody", {}, rows));
    if (focused) this.focus();
  }

  #row(move, i, best, efforts) {
    const star = move.move === best && h("span", { class: "star", title: "the best move known" }, " ★");
    return h("tr",
      {
        tabindex: i ? -1 : 0,
        "data-move": move.move,
        "aria-label": `${move.move}, ${move.status.word} ${within(move.rank)}`,
        onclick: () => this.play(move.move),
      },
      h("th", { scope: "row" }, move.move, star),
      h("td", {}, h("span", { class: `status ${move.status.kind}` }, move.status.word)),
      h("td", {}, move.status.kind === "open" ? "" : move.text),
      h("td", { class: "number" }, move.rank ?? ""),
      efforts && h("td", { class: "number", title: EFFORT }, move.effort > 0 ? count(move.effort) : ""),
    );
  }

  #key(event) {
    const row = event.target.closest("tr[data-move]");
    if (!row || event.ctrlKey || event.altKey || event.metaKey) return;
    const rows = [...this.node.querySelectorAll("tr[data-move]")];
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length };
    if (event.key === "Enter") this.play(row.dataset.move);
    else if (event.key in steps) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(row) + steps[event.key]))];
      row.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
