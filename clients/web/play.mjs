// The page of a proof: the visitor plays the side that the proof says cannot do better, and the proof answers each
// move. `proofctl web` and the explorer put a certificate into the one file that is made of this page
// (clients/single_page.cmake); it works from disk and loads nothing else.

import { Board } from "./board.mjs";
import { announce, button, fill, h, say } from "./dom.mjs";
import { plies, upper, within } from "./format.mjs";
import * as keys from "./keys.mjs";
import { about, titleOf, weightsOf } from "./play_about.mjs";
import { Broken, Certificate, fromBase64, sha256 } from "./play_certificate.mjs";
import { winOf } from "./play_grid.mjs";
import { Proof } from "./play_proof.mjs";
import { open } from "./play_rules.mjs";
import * as theme from "./theme.mjs";

const ANSWER_MS = 350; // until the answer is shown
const COLOURS = 6; // of groups: g0 to g5
const DAMAGED = "The certificate in this page is damaged: its SHA-256 is not the one with which the page was made.";

const data = (id) => JSON.parse(document.getElementById(id).textContent);

class Page {
  /** @param {any} given what the page was made with: game, file, sha256, certificate, geometry, diagram */
  constructor(given) {
    this.given = given;
    this.theorems = data("theorems");
    const raw = fromBase64(given.certificate);
    if (sha256(raw) !== given.sha256) throw new Broken(DAMAGED);
    this.certificate = new Certificate(raw);
    this.game = open(this.certificate.header.game);
    if (!this.game) throw new Broken(`This page does not know the rules of ${this.certificate.header.game}.`);
    this.sides = given.geometry.sides.map(({ name }) => name.replace(/ \(.*\)$/, ""));
    this.names = given.geometry.places.map(({ name }) => name);
    const { lo, hi } = this.certificate;
    /** What can be played against. @type {import("./play_proof.mjs").Bound[]} */
    this.bounds = [];
    if (lo > winOf(1)) this.bounds.push({ upper: false, bound: lo });
    if (hi < winOf(0)) this.bounds.push({ upper: true, bound: hi });
    if (!this.bounds.length) throw new Broken("The certificate proves nothing to play against.");
    this.hints = false;
    this.timer = 0;
    this.board = new Board((place) => this.#point(place));
    this.#build();
    this.#keys();
    this.#choose(this.bounds[0]);
  }

  // --- parts of the page

  #build() {
    this.lead = h("p", { class: "lead" });
    this.heading = h("h1", {});
    this.turn = h("p", { class: "turn", role: "status" });
    const step = (text, action, name, key) => button(text, action, { "aria-label": name, title: `${name} (${key})` });
    const hints = { "aria-pressed": "false", title: "plies that each move lasts (h)" };
    this.steps = h("div", { class: "row steps", role: "group", "aria-label": "Along the game" },
      step("⇤", () => this.#go(0), "To the beginning", "Home"),
      step("◀", () => this.#back(), "Back", "←"),
      step("▶", () => this.#forward(), "Forward", "→"),
      (this.hint = button("Hint", () => this.#hint(), hints)),
      this.bounds.length > 1 && (this.swap = button("", () => this.#swap(), { title: "s" })),
    );
    this.line = h("ol", { class: "line-moves", "aria-label": "Moves" });
    this.answer = h("section", { class: "card", "aria-label": "The proof here" });
    this.replies = h("section", { class: "card", "aria-label": "Your moves" });
    this.node = h("div", { class: "play" },
      h("div", { class: "left" }, this.heading, this.lead, this.board.node, this.turn, this.steps, this.line),
      h("div", { class: "right" }, this.answer, this.replies, about(this.certificate, this.given)),
    );
    fill(document.getElementById("main"), this.node);
    document.title = `${titleOf(this.certificate.header.game)}: a proof to play against`;
  }

  #keys() {
    keys.start();
    theme.start(document.getElementById("theme"));
    document.getElementById("help").addEventListener("click", keys.help);
    keys.shortcuts("Proof", [
      { key: "ArrowLeft", text: "back", action: () => this.#back() },
      { key: "ArrowRight", text: "forward", action: () => this.#forward() },
      { key: "Home", text: "to the beginning", action: () => this.#go(0) },
      { key: "h", text: "hints: how long each move lasts", action: () => this.#hint() },
      { key: "s", text: "play the other side, if both are proved", action: () => this.#swap() },
      { key: "?", text: "this list", action: keys.help },
    ]);
  }

  // --- the game

  /** Begins a game against the proof of a bound. */
  #choose(bound) {
    this.bound = bound;
    this.proof = new Proof(this.certificate, this.game, bound);
    const w = Number(bound.upper);
    [this.mine, this.theirs] = [this.sides[1 - w], this.sides[w]];
    this.claim = `${this.theirs} ${bound.bound === winOf(w) ? "wins" : "wins or draws"}`;
    say(this.heading, `${titleOf(this.certificate.header.game)}: ${this.claim}`);
    say(this.lead, `You play ${this.mine}. The proof plays ${this.theirs}, and has an answer to each of your moves.`);
    if (this.swap) say(this.swap, `Play ${this.theirs}`);
    const { on, side } = this.given.diagram;
    const root = this.proof.root(this.game.begin(on, side, this.certificate.header.root.length / 2));
    /** Nodes from the root on, with the move that led there. @type {{node: any, move: number | null}[]} */
    this.past = [{ node: root, move: null }];
    this.at = 0;
    this.picked = [];
    this.#reply();
    this.#settle();
  }

  /** Lets the proof move as long as its side is to move. */
  #reply() {
    for (let { node } = this.past.at(-1); node.move !== undefined; { node } = this.past.at(-1))
      this.past.push({ node: this.proof.after(node, node.move), move: node.move });
  }

  #isTurn(at) {
    return this.past[at].node.move === undefined;
  }

  /** Shows the end of what has been played. */
  #settle() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.at = this.past.length - 1;
    this.#show();
  }

  /** Plays a move of the visitor; it is shown at once, and the answer a moment later. */
  #play(move) {
    const { node } = this.past[this.at];
    if (this.timer || node.kind === "end" || !this.#isTurn(this.at)) return;
    this.picked = [];
    this.past.length = this.at + 1;
    this.#guard(() => {
      this.past.push({ node: this.proof.after(node, move), move });
      this.#reply();
      if (this.past.length === this.at + 2) return this.#settle(); // no answer is due
      this.at++;
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.timer = setTimeout(() => this.#guard(() => this.#settle()), calm ? 0 : ANSWER_MS);
      this.#show();
    });
  }

  /** Runs a step; what is wrong with the certificate is shown instead of an answer. */
  #guard(action) {
    try {
      action();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.#broken(error);
    }
  }

  #broken(error) {
    fill(this.replies);
    this.replies.hidden = true;
    this.answer.classList.add("broken");
    fill(this.answer, h("h2", {}, "The proof fails here"), h("p", { class: "verdict-word" }, error.message),
      h("p", {}, "Check the certificate with proofcheck before you believe anything that it claims."));
    announce(error.message);
  }

  /** The turns of the visitor, and the end. */
  #turns() {
    return [...this.past.keys()].filter((at) => this.#isTurn(at));
  }

  #go(turn) {
    const turns = this.#turns();
    clearTimeout(this.timer);
    this.timer = 0;
    this.picked = [];
    this.at = turns[Math.max(0, Math.min(turn, turns.length - 1))];
    this.#guard(() => this.#show());
  }

  #back() {
    this.#go(this.#turns().findLastIndex((at) => at < this.at));
  }

  #forward() {
    const next = this.#turns().findIndex((at) => at > this.at);
    if (next >= 0) this.#go(next);
  }

  #hint() {
    this.hints = !this.hints;
    this.hint.setAttribute("aria-pressed", String(this.hints));
    this.#guard(() => this.#show());
  }

  #swap() {
    const other = this.bounds.find((bound) => bound !== this.bound);
    if (other) this.#guard(() => this.#choose(other));
  }

  /** A place was chosen: it completes a move, or is a part of several. */
  #point(place) {
    const { node } = this.past[this.at];
    const chosen = this.picked.includes(place) ? [] : [...this.picked, place];
    const fits = this.#fitting(node, chosen);
    if (fits.length === 1 && chosen.length) return this.#play(fits[0]);
    this.picked = fits.length ? chosen : [];
    this.#guard(() => this.#show());
  }

  /** The moves that have all the chosen places. */
  #fitting(node, chosen) {
    const sets = chosen.map((place) => this.game.movesAt(node.p, place));
    return this.game.moves(node.p).filter((move) => sets.every((set) => set.includes(move)));
  }

  // --- what is shown

  #show() {
    const { node } = this.past[this.at];
    const turn = this.#isTurn(this.at) && !this.timer;
    const replies = turn && node.kind !== "end" ? this.proof.replies(node) : [];
    this.answer.classList.remove("broken");
    this.#showBoard(node, replies, turn);
    this.#showTurn(node, turn);
    this.#showLine();
    fill(this.answer, this.#explain(node));
    this.#showReplies(replies, node);
  }

  #showBoard(node, replies, turn) {
    const { game } = this;
    const back = [...this.past.slice(Math.max(1, this.at - 1), this.at + 1).keys()].map((i) => this.at - i);
    const last = back.filter((at) => at > 0).flatMap((at) => game.places(this.past[at - 1].node.p, this.past[at].move));
    const open = turn ? this.#fitting(node, this.picked) : [];
    const active = new Set([...this.names.keys()].filter((place) => this.#leads(node, open, place)));
    const diagram = { on: game.diagram(node.p), playable: [], last: this.picked.length ? [] : last.slice(0, 2) };
    const marks = this.hints && replies.length ? this.#hintMarks(node, replies) : this.#groupMarks(node);
    const look = { active, picked: this.picked, marks, label: this.#label(node) };
    this.board.show({ geometry: this.given.geometry, diagram }, look);
  }

  #leads(node, open, place) {
    return this.picked.includes(place) || this.game.movesAt(node.p, place).some((move) => open.includes(move));
  }

  #label(node) {
    return node.kind === "end" ? "Board; the game is over" : `Board; ${this.sides[node.p.turn]} to move`;
  }

  /** How long each move lasts, on the board. */
  #hintMarks(node, replies) {
    const most = Math.max(...replies.map((reply) => this.#lasts(reply)));
    return new Map(replies.filter((reply) => reply.node.plies !== null).map((reply) => {
      const lasts = this.#lasts(reply);
      const kind = lasts === most ? "longest" : "lasts";
      const mark = { letter: String(lasts), kind, text: `lasts ${plies(lasts)}` };
      return [this.game.places(node.p, reply.move).at(-1), mark];
    }));
  }

  /** Plies until the end at most, the visitor's move included. */
  #lasts({ node }) {
    return node.plies === null ? 0 : node.plies + 1;
  }

  #groupMarks(node) {
    const groups = node.kind === "card" ? node.guide.groups : [];
    const mark = (i) => ({ letter: String(i + 1), kind: `g${i % COLOURS}`, text: `group ${i + 1}` });
    return new Map(groups.flatMap((group, i) => group.filter((at) => !node.p.at[at]).map((at) => [at, mark(i)])));
  }

  #showTurn(node, turn) {
    this.turn.classList.toggle("over", node.kind === "end");
    const running = turn ? `Your move, ${this.mine}` : `${this.theirs} answers`;
    say(this.turn, node.kind === "end" ? this.#ending(node) : running);
  }

  #ending({ p }) {
    const won = p.end === 0 ? "A draw" : `${this.sides[p.end > 0 ? 0 : 1]} wins`;
    return `${won}, as the proof says`;
  }

  #moveName(at) {
    return this.game.name(this.past[at - 1].node.p, this.past[at].move, this.names);
  }

  #showLine() {
    const shown = this.past.slice(1).map((_, i) => i + 1);
    const turns = this.#turns();
    const to = (at) => turns.findIndex((turn) => turn >= at);
    fill(this.line,
      shown.map((at) =>
        h("li", {}, button(`${at}. ${this.#moveName(at)}`, () => this.#go(to(at)),
          { class: "quiet", "aria-current": at === this.at ? "step" : null })),
      ),
    );
  }

  // --- why

  /** What answered the last move, and what proves the position. */
  #explain(node) {
    const out = [h("h2", {}, "The proof here")];
    const answer = this.at > 0 ? this.past[this.at - 1].node : null;
    if (answer?.move !== undefined && this.at > 0)
      out.push(
        h("p", {}, `${this.theirs} played `, h("b", {}, this.#moveName(this.at)), ` by ${this.#source(answer)}.`),
      );
    if (node.kind === "end") return [...out, h("p", { class: "verdict-word win" }, this.#ending(node))];
    const inTime = node.plies === null ? "" : ` ${within(node.plies)}`;
    out.push(h("p", { class: "verdict-word" }, `${this.claim}${inTime}, whatever you play`));
    return [...out, node.kind === "card" ? this.#card(node) : this.#record(node)];
  }

  /** What gives a node its bound, in a few words. */
  #source(node) {
    if (node.wins) return "the rules: this ends the game";
    if (node.kind === "end") return "the rules: the game is over";
    if (node.kind === "record") return `a record of rank ${node.plies}`;
    return node.guide.strategy ? "a strategy" : `theorem T${node.guide.theorem}`;
  }

  #record(node) {
    return h("p", {}, `A record of the certificate says so, of rank ${node.plies}: each of your moves leads to a `,
      "position whose record has a smaller rank, to a card, or to the end.");
  }

  /** The sentence of a card, and what belongs to it. */
  #card({ guide, plies: left }) {
    const [, title, single, reply, noReply, ends, wins] = this.theorems.find((row) => row?.[0] === guide.theorem) ?? [];
    const strategy = Boolean(guide.strategy);
    const name = h("b", {}, `${strategy ? "A" : `Theorem T${guide.theorem},`} ${title ?? "card"}`);
    const text = noReply && guide.groups.length <= single ? noReply : reply;
    const end = wins && this.bound.bound === winOf(Number(this.bound.upper)) ? wins : ends;
    const words = text ? `${text}: ${end}.`.replaceAll("{W}", this.theirs).replaceAll("{M}", this.mine) : "";
    const marked = guide.groups.length ? "Its groups are marked on the board." : "";
    const counted = left === null
      ? "It has too many lines to be counted here."
      : `This page has played it out against every reply: the longest line has ${plies(left)}.`;
    return [
      h("p", {}, name, `: ${words} `, h("span", { class: "dim" }, strategy ? counted : marked)),
      strategy && weightsOf(guide, this.game, this.given.geometry),
    ];
  }

  /** Every move of the visitor with its answer. */
  #showReplies(replies, node) {
    this.replies.hidden = !replies.length;
    if (!replies.length) return fill(this.replies);
    const all = replies.map((reply) => this.#lasts(reply));
    const most = Math.min(...all) < Math.max(...all) ? Math.max(...all) : Infinity;
    const row = (reply) => {
      const { move, node: next } = reply;
      const longest = this.#lasts(reply) === most;
      const answer = next.move === undefined ? "–" : this.game.name(next.p, next.move, this.names);
      return h("tr", { "data-move": move, onclick: () => this.#play(move) },
        h("th", { scope: "row" }, this.game.name(node.p, move, this.names),
          longest && h("span", { class: "star", title: "lasts longest" }, " ★")),
        h("td", {}, answer),
        h("td", {}, upper(this.#source(next).replace(/^a /, ""))),
        h("td", { class: "number" }, next.plies === null ? "" : this.#lasts(reply)),
      );
    };
    const heads = ["You", "Answer", "By", "Plies"].map((name) => h("th", { scope: "col" }, name));
    const one = replies.length === 1;
    const title = one ? "Your only move has an answer" : `All your ${replies.length} moves have an answer`;
    return fill(this.replies,
      h("h2", {}, title),
      h("div", { class: "answers", tabindex: 0, role: "group", "aria-label": "Answers" },
        h("table", { class: "moves" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, replies.map(row)))),
    );
  }
}

function start() {
  const given = data("proof");
  try {
    if (!given) throw new Broken("There is no certificate in this page: make a page with proofctl web.");
    window.page = new Page(given);
  } catch (error) {
    const text = error instanceof Broken ? error.message : `The page cannot be shown: ${error.message}`;
    fill(document.getElementById("main"),
      h("section", { class: "card broken", role: "alert" }, h("h1", {}, "No proof to play against"),
        h("p", { class: "verdict-word" }, text)));
  }
}

start();
