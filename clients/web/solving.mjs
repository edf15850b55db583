// Solving: the buttons that start jobs from the explorer. Each is one press, and `proofctl submit` does the same.

import { announce, button, h, note, say } from "./dom.mjs";

const LIMITS = [["", "no limit"], ["10", "10 seconds"], ["60", "1 minute"], ["600", "10 minutes"], ["3600", "1 hour"]];
const LABEL = 128; // bytes, at most
const LIMIT = "proofd.limit"; // in sessionStorage: for the tab

/** A key for a job, so that a submit that is repeated after a lost connection makes no second job. */
export function newKey() {
  const random = crypto.getRandomValues(new Uint8Array(12));
  return `page-${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export class Solving {
  constructor(rpc) {
    this.rpc = rpc;
    this.place = null;
    this.moves = []; // of `ranked`
    this.numbers = new Map();
    this.bound = false;
    this.all = button("Solve all moves", () => this.solveAll(), { title: "a job for each open move (a)" });
    this.here = button("Solve here", () => this.solveHere(), { title: "a job for this position (s)" });
    this.sharp = button("Sharpen", () => this.sharpen(), { title: "turn bounds into values (x)" });
    this.limit = h("select", { "aria-label": "Limit of a job's search time" },
      LIMITS.map(([value, text]) => h("option", { value }, text)),
    );
    this.limit.value = sessionStorage.getItem(LIMIT) ?? "";
    this.limit.addEventListener("change", () => sessionStorage.setItem(LIMIT, this.limit.value));
    this.node = h("div", { class: "row verbs" }, this.all, this.here, this.limit, this.sharp);
  }

  /** A position that is shown: its moves and what is proved of it. */
  at(place, moves, fact, over) {
    this.place = place;
    this.moves = moves;
    this.line = place.moves; // later as players write them
    this.bound = fact.source !== "none" && fact.lo !== fact.hi;
    this.known = fact.source !== "none" && !this.bound;
    this.node.hidden = over || !["submit", "admin"].includes(this.rpc.hello?.role);
    this.news(new Map());
  }

  /** What jobs say of the moves by now. */
  news(numbers) {
    this.numbers = numbers;
    const left = this.#open("open");
    const working = this.moves.some(({ move, status }) => status.kind === "open" && this.#works(move));
    const known = !this.moves.some(({ status }) => status.kind === "open");
    this.all.disabled = !left.length;
    say(this.all, known ? "All moves ✓" : working && !left.length ? "Solving all moves" : "Solve all moves");
    this.here.disabled = Boolean(this.known);
    this.limit.hidden = this.known && !left.length && !this.#open("half").length;
    this.sharp.hidden = !this.bound && !this.#open("half").length;
    this.all.classList.toggle("main", left.length > 0);
    this.here.classList.toggle("main", !left.length && !this.known);
  }

  /** Whether a job for the move waits or runs. */
  #works(move) {
    return ["queued", "running"].includes(this.numbers.get(move)?.job?.state);
  }

  /** The moves of this kind of status that need a job; of mirror images, one. */
  #open(kind) {
    const open = this.moves.filter(({ move, status }) => status.kind === kind && !this.#works(move));
    return open.filter(({ move }) => !this.numbers.get(move)?.twin);
  }

  #submit(moves) {
    const { game, position, moves: path } = this.place;
    const seconds = Number(this.limit.value);
    return this.rpc.call("job.submit", {
      game,
      position,
      moves: [...path, ...moves],
      label: this.#label(moves),
      key: newKey(),
      budget: seconds ? { seconds } : undefined,
    });
  }

  /** The label of a job: the moves that lead to its position from the initial one, if they fit. */
  #label(moves) {
    const names = moves.map((move) => this.moves.find((one) => one.move === move)?.name ?? move);
    const text = [...this.line, ...names].join(" ");
    return text && !this.place.position && new TextEncoder().encode(text).length <= LABEL ? text : undefined;
  }

  async #start(lines) {
    this.all.disabled = this.here.disabled = true;
    try {
      const twins = await this.#twins(lines);
      const jobs = await Promise.all(lines.filter((_, i) => !twins[i]).map((line) => this.#submit(line)));
      announce(jobs.length === 1 ? `Job ${jobs[0].job} was submitted` : `${jobs.length} jobs were submitted`);
    } catch (error) {
      note(error);
      this.news(this.numbers);
    }
  }

  /** For each of several lines of one move: whether an earlier one leads to the same position or its mirror image. */
  async #twins(lines) {
    if (lines.length < 2) return lines.map(() => false);
    const { game, position, moves } = this.place;
    const { positions } = await this.rpc.call("position.analyze", { game, position, moves, depth: 1 });
    const twins = new Set(positions.flatMap(({ alike = [] }) => alike));
    return lines.map(([move]) => twins.has(move));
  }

  solveAll() {
    if (!this.node.hidden && !this.all.disabled) this.#start(this.#open("open").map(({ move }) => [move]));
  }

  solveHere() {
    if (!this.node.hidden && !this.here.disabled) this.#start([[]]);
  }

  sharpen() {
    if (this.node.hidden || this.sharp.hidden) return;
    if (this.bound) this.#start([[]]);
    else this.#start(this.#open("half").map(({ move }) => [move]));
  }
}
