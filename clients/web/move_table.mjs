// Move table: the moves of a position with their status for the mover, best first. One row is in the tab order; arrows
// move through the rows, Enter plays one.

import { fill, h, say } from "./dom.mjs";
import { count, counted, short, within } from "./format.mjs";
import { chip } from "./status.mjs";

const EFFORT = "Nodes of the search that finds the value again; empty: one ply suffices";
const LIVE = [
  ["pn", "Proof number: the fewest leaves still to be solved to prove the job's claim after the move"],
  ["dn", "Disproof number: the same to disprove it"],
  ["Lean", "Which of the two is easier, as the mover sees it: right is good. It is not a probability."],
  ["Work", "Nodes spent below the move, and the share of all"],
];

/** Whether the game lasts as many plies after a move as are known of it. Those of a bound are not those of the game. */
const lasts = ({ rank, status }) => rank > 0 && status.kind !== "half";

export class MoveTable {
  /** @param {(move: string) => void} play */
  constructor(play) {
    this.play = play;
    this.cells = new Map(); // by move: what changes while a job runs
    this.node = h("table", { class: "moves", onkeydown: (event) => this.#key(event) });
  }

  focus() {
    this.node.querySelector("[tabindex='0']")?.focus();
  }

  /**
   * @param {any[]} moves of `ranked`
   * @param {string | null} best the best move known
   * @param {Map<string, import("./live.mjs").Numbers>} [numbers] what jobs say of the moves that are open
   * @param {boolean} [scored] whether the game has values besides won, drawn and lost, which the status does not say
   */
  show(moves, best, numbers = new Map(), scored = false) {
    const focused = this.node.contains(document.activeElement) && document.activeElement.dataset.move;
    const live = moves.some(({ move, status }) => status.kind === "open" && numbers.has(move));
    this.cells = new Map();
    const some = moves.filter((move) => move.status.kind !== "open").length;
    const all = counted(moves.length, "move");
    const caption = moves.length ? `${all}, ${some} known` : "No moves: the game is over";
    const efforts = !live && moves.some((move) => move.effort > 0);
    const longest = Math.max(1, ...moves.map((move) => (lasts(move) ? move.rank : 0)));
    const head = (name, props) => h("th", { scope: "col", ...props }, name);
    const heads = h("tr", {},
      head("Move"), head("Mover"),
      live
        ? LIVE.map(([name, title]) => head(name, { title, class: name.toLowerCase() }))
        : [scored && head("Value"), head("Plies", { class: "number" }), head("Length", { class: "length" })],
      efforts && head("Effort", { title: EFFORT, class: "number" }),
    );
    const known = (move) => this.#known(move, scored, longest);
    const rows = moves.map((move, i) => this.#row(move, i, best, efforts, live ? (one) => this.#lively(one) : known));
    fill(this.node, h("caption", {}, caption), h("thead", {}, heads), h("tbody", {}, rows));
    this.node.classList.toggle("lively", live);
    if (live) this.update(numbers);
    if (focused) (this.node.querySelector(`[data-move="${CSS.escape(focused)}"]`) ?? this.node).focus();
  }

  /** Numbers that have changed. Nothing moves: the order is that of `show`. */
  update(numbers) {
    for (const [move, cells] of this.cells) {
      const of = numbers.get(move);
      const number = (value) => (value === null || value === undefined ? "" : short(value));
      say(cells.pn, number(of?.pn));
      say(cells.dn, number(of?.dn));
      cells.mark.hidden = (of?.lean ?? null) === null;
      cells.mark.style.left = `${50 + 50 * (of?.lean ?? 0)}%`;
      cells.bar.style.width = `${100 * (of?.share ?? 0)}%`;
      say(cells.work, of?.job?.state === "queued" && !of.effort ? "queued" : of?.effort ? short(of.effort) : "");
      cells.here.hidden = !of?.here;
    }
  }

  /** The cells of an open move, and of one that is known, for which nothing is searched any more. */
  #lively(move) {
    if (move.status.kind !== "open")
      return h("td", { colspan: LIVE.length, class: "dim" }, `${move.text} ${within(move.rank)}`);
    const cell = (name, ...inside) => h("td", { class: name }, inside);
    const mark = h("i", {});
    const bar = h("span", {});
    const cells = { mark, bar, pn: cell("number pn"), dn: cell("number dn"), work: h("span", { class: "nodes" }) };
    cells.here = h("span", { class: "dot running", title: "a search thread is here", hidden: true });
    this.cells.set(move.move, cells);
    return [
      cells.pn,
      cells.dn,
      cell("lean", h("span", { class: "track", "aria-hidden": "true" }, mark)),
      cell("work", h("span", { class: "bar", "aria-hidden": "true" }, bar), cells.work, cells.here),
    ];
  }

  /** The cells of a move when no job runs: its value, if scored; its plies, as a number and as a bar. */
  #known(move, scored, longest) {
    const { status, text, rank } = move;
    const bar = lasts(move) && h("span", { class: "bar", "aria-hidden": "true" },
      h("span", { style: { width: `${(100 * rank) / longest}%` } }));
    return [
      scored && h("td", {}, status.kind === "open" ? "" : text),
      h("td", { class: "number" }, rank ?? ""),
      h("td", { class: "length" }, bar),
    ];
  }

  #row(move, i, best, efforts, cells) {
    const star = move.move === best && h("span", { class: "star", title: "the best move known" }, " ★");
    return h("tr",
      {
        tabindex: i ? -1 : 0,
        "data-move": move.move,
        "aria-label": `${move.name ?? move.move}, ${move.status.word} ${within(move.rank)}`,
        onclick: () => this.play(move.move),
      },
      h("th", { scope: "row" }, move.name ?? move.move, star),
      h("td", {}, chip(move.status)),
      cells(move),
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
