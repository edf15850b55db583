// Explorer: the positions of a game and what is proved of them: board, moves with their status, path, tree, best play,
// and files to save. The address names the position, so it can be shared.

import { BestLine } from "./best_line.mjs";
import { aside, Board } from "./board.mjs";
import { copy } from "./copy.mjs";
import { chooseMove } from "./dialogs.mjs";
import { announce, button, fill, h, say, sentence } from "./dom.mjs";
import { count, counted, named, upper, within } from "./format.mjs";
import { Home } from "./home.mjs";
import { shortcuts } from "./keys.mjs";
import { lineOf, Live, movesOf, workOf } from "./live.mjs";
import { MoveTable } from "./move_table.mjs";
import { Notes } from "./notes.mjs";
import { Overlay } from "./overlay.mjs";
import { Player } from "./player.mjs";
import { candidates, choices, namesOf, Positions } from "./positions.mjs";
import { ProofTree } from "./proof_tree.mjs";
import { explore, go } from "./route.mjs";
import { Saving } from "./saving.mjs";
import { Solving } from "./solving.mjs";
import { ranked, statusOf } from "./status.mjs";
import { Why } from "./why.mjs";

const find = /** @type {HTMLInputElement} */ (document.getElementById("find"));
const NAME = 24; // letters of a move name; longer ones wrap
const REPLY_MS = 500;

class Explorer {
  constructor(route, rpc) {
    this.rpc = rpc;
    this.title = "Explorer";
    this.positions = new Positions(rpc);
    this.place = null;
    this.list = null; // moves of the position; null until they are shown: none can be played
    this.round = 0;
    this.picked = [];
    this.board = new Board((place) => this.#point(place));
    this.overlay = new Overlay(() => this.#showBoard());
    this.line = new BestLine(rpc, this.positions);
    this.player = new Player(rpc, (moves, first) => this.#step(moves, first));
    this.tree = new ProofTree(this.positions, (place) => go(explore(place.game, place.position, place.moves)));
    this.saving = new Saving(rpc);
    this.why = new Why(() => this.#showBoard());
    this.home = new Home(rpc, this.positions);
    this.live = new Live(rpc, (tree) => this.#told(tree));
    this.solving = new Solving(rpc);
    this.notes = new Notes(rpc, (moves) => this.#go(moves));
    this.numbers = new Map(); // what jobs say of the moves
    this.answer = 0; // timer of the reply by best play
    this.#build();
    this.forget = shortcuts("Explorer", [
      { key: "ArrowLeft", text: "back one move", action: () => this.#back() },
      { key: "ArrowRight", text: "the best move", action: () => this.#best() },
      { key: "Home", text: "where the path begins", action: () => this.#go([]) },
      { key: " ", text: "play or stop the best line", action: () => this.player.turn() },
      { key: "a", text: "solve all moves", action: () => this.solving.solveAll() },
      { key: "s", text: "solve this position", action: () => this.solving.solveHere() },
      { key: "x", text: "sharpen: turn bounds into values", action: () => this.solving.sharpen() },
      { key: "b", text: "best play answers, or two players on one board", action: () => this.#turn() },
      { key: "n", text: "a comment on this position", action: () => this.notes.focus() },
      { key: "v", text: "keep the moves that lead here in the notes", action: () => this.notes.addLine() },
      { key: "ArrowUp", text: "the variation before this one", action: () => this.notes.beside(-1) },
      { key: "ArrowDown", text: "the next variation", action: () => this.notes.beside(1) },
      { key: "c", text: "copy the address", action: () => this.place && this.#share() },
      { key: "m", text: "to the list of moves", action: () => this.moves.focus() },
      { key: "w", text: "why a theorem decides the position", action: () => this.list && this.why.turn() },
    ]);
    this.update(route);
  }

  #build() {
    this.heading = h("h1", {}, "Explorer");
    this.answers = button("Best play answers", () => this.#turn(), { "aria-pressed": "false", title: "b" });
    this.path = h("ol", { class: "path" });
    this.around = h("div", { class: "around" });
    this.text = h("pre", { class: "picture" });
    this.status = h("div", { class: "verdict", role: "status" });
    this.moves = new MoveTable((move) => this.#play(move));
    this.steps = h("div", { class: "row steps", role: "group", "aria-label": "Along the path" },
      button("⇤", () => this.#go([]), { "aria-label": "Where the path begins", title: "Home" }),
      button("◀", () => this.#back(), { "aria-label": "Back one move", title: "←" }),
      button("▶", () => this.#best(), { "aria-label": "The best move", title: "→" }),
      this.player.node, this.answers,
    );
    this.parts = h("div", { class: "explorer", hidden: true },
      h("div", { class: "left" },
        this.board.node, this.text, this.around, this.overlay.node, this.line.node, this.steps,
      ),
      h("div", { class: "right" },
        h("div", { class: "card truth" }, this.status, this.live.node, this.solving.node),
        this.why.node,
        h("div", { class: "scroll", tabindex: -1 }, this.moves.node),
        h("details", { ontoggle: (event) => event.target.open && this.place && this.tree.follow(this.place) },
          h("summary", {}, "Tree from here"), this.tree.node),
        h("details", {}, h("summary", {}, "Save and verify"), this.saving.node),
      ),
      this.notes.node,
    );
    this.problem = h("p", { class: "problem", role: "alert" });
    this.turn = h("span", { class: "dim" });
    this.copy = button("Copy address", () => this.#share(), { class: "quiet", title: "c" });
    this.trail = h("nav", { "aria-label": "Path", hidden: true }, this.path);
    this.node = h("section", {},
      h("div", { class: "row head" }, this.heading, this.trail, this.turn, this.copy), this.problem, this.parts);
  }

  close() {
    this.round++;
    this.forget();
    this.#still();
    this.home.close();
    this.saving.close();
  }

  /** Nothing plays or follows any more. */
  #still() {
    clearTimeout(this.answer);
    this.player.stop();
    this.live.at(null);
  }

  // --- address

  update({ game, position, moves, query }) {
    if (!game) {
      this.#offer();
      return;
    }
    const from = this.place;
    if (from && from.game === game && from.position === position && from.moves.join("\n") === moves.join("\n")) return;
    this.place = { game, position, moves };
    this.wanted = Number(query?.get("study"));
    clearTimeout(this.answer);
    this.live.leave();
    this.numbers = new Map();
    this.values = this.shares = "";
    this.list = null;
    this.picked = [];
    this.title = `${game}${moves.length ? `, ${moves.at(-1)}` : ""}`;
    say(this.heading, game);
    this.#load();
  }

  /** Offers games when the address names none. */
  async #offer() {
    const mine = ++this.round;
    this.place = null;
    this.#leave();
    this.title = "Explorer";
    say(this.heading, "Explorer");
    fill(this.problem);
    this.known ??= (await this.rpc.call("game.list")).games;
    if (mine !== this.round) return;
    await this.home.show(this.known);
    if (mine === this.round) this.node.append(this.home.node);
  }

  /** Hides the position and what can be done with it. */
  #leave() {
    this.#still();
    this.player.at(null);
    this.saving.close();
    this.list = null;
    this.picked = [];
    this.#place(false);
  }

  /** Shows a position and the way to it, or neither. */
  #place(shown) {
    for (const node of [this.parts, this.trail, this.turn, this.copy]) node.hidden = !shown;
    this.heading.classList.toggle("hidden", !this.place && !shown);
  }

  async #load() {
    const mine = ++this.round;
    const { place } = this;
    this.player.at(place);
    try {
      const all = await this.positions.all(place);
      if (mine !== this.round) return;
      this.home.close();
      this.#place(true);
      fill(this.problem);
      this.#show(all);
      if (!this.live.here) this.live.at(place);
      performance.mark("explorer-shown", { detail: location.hash });
      if (this.tree.node.closest("details").open) this.tree.follow(place);
    } catch (error) {
      if (mine !== this.round) return;
      this.#leave();
      fill(this.problem, sentence(error));
    }
  }

  #go(moves) {
    this.player.stop();
    if (this.place) go(explore(this.place.game, this.place.position, moves));
  }

  /** A step of the player. All steps are one entry in the browser's history. */
  #step(moves, first) {
    go(explore(this.place.game, this.place.position, moves), !first);
  }

  #play(move) {
    if (!this.list) return;
    this.replies = this.answers.getAttribute("aria-pressed") === "true";
    this.#go([...this.place.moves, move]);
  }

  /** Best play answers each move that is played here, or does not any more. */
  #turn() {
    const on = this.answers.getAttribute("aria-pressed") !== "true";
    this.answers.setAttribute("aria-pressed", String(on));
    announce(on ? "Best play answers" : "Two players on one board");
  }

  /** Plays the best move in reply, after a moment. */
  #reply() {
    if (!this.replies) return;
    this.replies = false;
    const [best] = this.list;
    if (best && best.status.kind === "open") announce("No good reply is known here");
    else if (best) this.answer = setTimeout(() => this.#go([...this.place.moves, best.move]), REPLY_MS);
  }

  /** What searches and facts say now. New facts are fetched and shown. */
  #told(tree) {
    if (!this.list) return;
    const before = this.numbers;
    this.numbers = movesOf(tree);
    this.solving.news(this.numbers);
    const values = JSON.stringify(tree.positions.filter(({ depth }) => depth < 2).map(({ value }) => value ?? null));
    const known = new Map(this.list.map((move) => [move.move, move]));
    const more = ({ move, depth, value }) => {
      const has = depth ? known.get(move) : this.all.fact;
      return depth < 2 && value && has && (value.lo > has.lo || value.hi < has.hi);
    };
    if (values !== this.values && tree.positions.some(more)) {
      this.values = values;
      this.#load();
    } else if (!before.size !== !this.numbers.size) this.#showMoves();
    else this.moves.update(this.numbers);
    if (this.all.fact.source === "none") this.line.work(lineOf(tree), workOf(tree));
    this.#showWork();
  }

  /** The list: open moves with most work first. */
  #showMoves() {
    const isOpen = ({ status }) => status.kind === "open";
    const work = ({ move }) => this.numbers.get(move)?.effort ?? 0;
    const open = this.list.filter(isOpen).sort((a, b) => work(b) - work(a));
    this.list = this.list.map((move) => (isOpen(move) ? open.shift() : move));
    const { min, max } = this.all.game.values;
    this.moves.show(this.list, this.all.fact.move, this.numbers, min < -1 || max > 1);
  }

  /** Draws the board again when the shares of the work on it have changed by a percent. */
  #showWork() {
    const shares = [...this.numbers].map(([move, { share }]) => `${move}${Math.round(100 * share)}`).join(" ");
    if (shares === this.shares) return;
    this.shares = shares;
    this.#showBoard();
  }

  #back() {
    if (this.place?.moves.length) this.#go(this.place.moves.slice(0, -1));
  }

  #best() {
    if (!this.list) return;
    const [best] = this.list;
    if (best && best.status.kind !== "open") this.#play(best.move);
    else announce("No good move is known here");
  }

  #share() {
    copy(location.href, "The address of this position");
  }

  // --- display

  #show({ game, shown, fact }) {
    this.all = { game, shown, fact };
    this.first = shown.first_to_move;
    const sides = shown.geometry?.sides;
    const names = namesOf(shown);
    const moves = (fact.moves ?? []).map((move) =>
      ({ ...move, name: names.get(move.move), text: named(move.text ?? "", sides) }));
    this.list = ranked(moves, this.first);
    if (document.activeElement !== find) find.value = `${shown.game} ${shown.position}`.trim();
    this.saving.at(this.place, this.all);
    this.notes.at(this.place, game, this.wanted);
    this.why.show(shown.theorems, fact);
    this.solving.at(this.place, this.list, fact, this.first === null);
    this.solving.news(this.numbers);
    this.line.at(this.place, this.all);
    this.#showPath();
    this.#showMoves();
    this.#showBoard();
    this.#showVerdict();
    this.#reply();
  }

  async #showPath() {
    const { place } = this;
    const { game, position, moves } = place;
    const names = await this.positions.names(place, this.all.shown).catch(() => moves);
    if (place !== this.place) return;
    this.solving.line = names;
    const link = (text, n) => h("a",
      { href: explore(game, position, moves.slice(0, n)), "aria-current": n === moves.length ? "page" : null }, text);
    fill(this.path,
      h("li", {}, link(position ? "given position" : "start", 0)),
      names.map((name, i) => h("li", {}, link(name, i + 1))),
    );
    // In the next frame, which lays out the page anyway.
    requestAnimationFrame(() => this.path.lastElementChild.scrollIntoView({ block: "nearest", inline: "nearest" }));
  }

  #showBoard() {
    if (!this.list) return; // another position is on its way
    const { shown } = this.all;
    const board = Boolean(shown.geometry);
    const groups = this.why.marks();
    this.board.node.style.display = board ? "" : "none";
    this.text.hidden = board;
    this.parts.classList.toggle("names", this.list.some(({ move }) => move.length > NAME)); // they wrap
    this.overlay.node.hidden = true;
    if (!board) say(this.text, shown.board);
    else
      this.board.show(shown, {
        label: `Board of ${shown.game}${groups ? ", with the groups of a theorem" : ""}`,
        picked: this.picked,
        active: choices(shown.legal, this.picked),
        ...(groups ? { marks: groups } : this.overlay.at(shown, this.picked, this.list, this.first, this.numbers)),
      });
    const lines = board ? aside(shown).filter((line) => !line.endsWith(" to move")) : []; // the head says it
    fill(this.around, lines.map((line) => h("p", {}, line)));
  }

  #point(place) {
    if (!this.list) return;
    this.picked = [...this.picked, place];
    const { legal } = this.all.shown;
    const found = candidates(legal, this.picked);
    const whole = found.filter(({ places }) => places.length === this.picked.length);
    if (found.length === 0) this.picked = [];
    else if (whole.length === found.length) return this.#one(whole);
    this.#showBoard();
    if (this.picked.length) announce(`${counted(found.length, "move")} from there`);
  }

  async #one(moves) {
    const { place } = this;
    const move = await chooseMove(moves);
    if (place !== this.place) return; // another position is shown by now
    this.picked = [];
    if (move !== null) this.#play(move);
    else this.#showBoard();
  }

  #showVerdict() {
    const { fact, shown } = this.all;
    const { sides } = shown.geometry ?? { sides: [{ name: "First" }, { name: "Second" }] };
    const mover = this.first === null ? "" : sides[shown.diagram?.side ?? (this.first ? 0 : 1)].name;
    const status = statusOf(fact, this.first !== false);
    const known = fact.source !== "none";
    const words = !known ? "Not known yet" : named(fact.text, sides);
    const open = this.list.filter((move) => move.status.kind === "open").length;
    say(this.turn, mover ? `${mover} to move` : "");
    const more = [
      this.first === null ? "by the rules: the game is over" : fact.source === "rules" ? "by the rules" : null,
      known
        ? mover && within(fact.rank)
        : `${open} of ${counted(this.list.length, "move")} open`,
      fact.source === "fact"
        ? fact.effort
          ? `found again by a search of about ${counted(fact.effort, "node", count(fact.effort))}`
          : "checked one ply down"
        : null,
    ];
    const kind = this.first === null ? "open" : status.kind;
    const sign = { class: `seal ${kind}`, "data-letter": status.letter || "?", "aria-hidden": "true" };
    fill(this.status,
      this.first === null ? null : h("i", sign),
      h("strong", { class: `verdict-word ${kind}` }, upper(words)),
      h("p", {}, more.filter(Boolean).join("; "),
        fact.job ? ["; by ", h("a", { href: `#/job/${fact.job}` }, `job ${fact.job}`)] : null),
    );
  }
}

export const open = (route, rpc) => new Explorer(route, rpc);
