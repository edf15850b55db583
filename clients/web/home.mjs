// Home: running jobs and recent results as boards, and the games as pictures: the ways into the explorer.

import { Board } from "./board.mjs";
import { button, fill, h, note, say } from "./dom.mjs";
import { nodesOf, proofNumber, short, upper } from "./format.mjs";
import { explore, go } from "./route.mjs";
import { statusOf } from "./status.mjs";

const RUNNING = 4;
const SOLVED = 8;
const LOOK = 200; // solved jobs that are looked at; the last of each game is shown
const EASY = "hex:5"; // is solved in a second
const PLIES = 5; // of a picture of a game that begins with an empty board

export class Home {
  /** @param {import("./positions.mjs").Positions} positions */
  constructor(rpc, positions) {
    this.rpc = rpc;
    this.positions = positions;
    this.stops = [];
    this.round = 0;
    this.node = h("div", { class: "home" });
  }

  close() {
    this.round++;
    this.stops.splice(0).forEach((stop) => stop());
    this.node.remove();
  }

  /** @param {any[]} games of game.list */
  async show(games) {
    const mine = ++this.round;
    const list = (state, limit) => this.rpc.call("job.list", { state, limit });
    const [running, solved] = await Promise.all([list("running", RUNNING), list("solved", LOOK)]);
    if (mine !== this.round) return;
    const lately = solved.jobs.filter(({ game }, i) => i === solved.jobs.findIndex((job) => job.game === game));
    fill(this.node,
      running.jobs.length
        ? [this.#heading("Running", "", "#/", "All jobs"),
            this.#row(running.jobs.map((job) => this.#running(job)), "runs")]
        : null,
      lately.length
        ? [this.#heading("Solved lately", "where best play ends", "#/?state=solved", "All solved"),
            this.#row(lately.slice(0, SOLVED).map((job) => this.#solved(job)))]
        : this.#empty(),
      this.#heading("Games", "press one to play, explore and solve it", "#/submit",
        this.rpc.hello?.role === "query" ? "" : "Submit a job"),
      this.#row(games.map((game) => this.#game(game))),
    );
  }

  #heading(text, more, address, link) {
    return h("div", { class: "row spread" },
      h("h2", {}, text, " ", h("small", { class: "dim" }, more)), link && h("a", { href: address }, link));
  }

  #row(tiles, kind = "") {
    return h("ul", { class: `tiles ${kind}` }, tiles.map((tile) => h("li", {}, tile)));
  }

  /** What to do where nothing is solved. */
  #empty() {
    const begin = async ({ target }) => {
      target.disabled = true; // a second press would be a second job
      await this.rpc.call("job.submit", { game: EASY, detail: "full" }).then(() => go(explore(EASY)), note);
      target.disabled = false;
    };
    return h("div", { class: "card row spread" },
      h("p", {}, h("strong", {}, "Nothing is solved yet. "), "Hex 5×5 takes a second; or choose a game below."),
      this.rpc.hello?.role === "query" ? null : button("Solve Hex 5×5", begin, { class: "main" }));
  }

  /** A link with a picture, which is drawn when it arrives. */
  #tile(address, place, ...about) {
    const frame = h("span", { class: "frame", "aria-hidden": "true" });
    const draw = (shown) => {
      if (!shown.geometry) return frame.append(h("img", { src: new URL("icon.svg", import.meta.url).href, alt: "" }));
      const board = new Board();
      board.show(shown);
      frame.append(board.node);
    };
    place().catch(() => ({})).then(draw); // a graph whose file is gone has no picture
    return h("a", { class: "tile", href: address }, frame, h("span", { class: "about" }, about));
  }

  #game({ title, example }) {
    return this.#tile(explore(example), () => this.#begun(example, []),
      h("strong", {}, title), h("small", { class: "dim" }, example));
  }

  /** A position of the game with something on the board: moves from the middle of the list. */
  async #begun(game, moves) {
    const shown = await this.positions.board({ game, position: "", moves });
    const empty = /^\.*$/.test(shown.diagram?.on ?? "x") || moves.length;
    if (!empty || moves.length === PLIES || !shown.moves.length) return shown;
    return this.#begun(game, [...moves, shown.moves[Math.floor(shown.moves.length / 2)]]);
  }

  #running(job) {
    const figures = ["pn", "dn", "nodes", "rate"].map((name) => ({ name, node: h("b", {}) }));
    const tell = (now) => {
      if (!now) return;
      const [pn, dn] = [now.pn, now.dn].map((value) => short(proofNumber(value)));
      const texts = { pn, dn, nodes: short(nodesOf(now)), rate: `${short(now.rate)}/s` };
      for (const { name, node } of figures) say(node, texts[name]);
    };
    tell(job);
    this.stops.push(this.rpc.watch(job.job, tell));
    return this.#at(job, [],
      h("small", { class: "dim" }, h("span", { class: "dot running" }), `Job ${job.job}`), h("strong", {}, job.game),
      h("span", { class: "about-figures" }, figures.map(({ name, node }) => h("small", { class: "dim" }, name, node))));
  }

  #solved(job) {
    const { kind } = statusOf(job.value, true);
    const asked = this.rpc.call("fact.line", { game: job.game, position: job.position });
    const line = asked.then((reply) => reply.line);
    return this.#at(job, line, h("strong", {}, job.game),
      h("span", { class: `status ${kind}` }, upper(job.value.text)),
      h("small", { class: "dim" }, `${short(nodesOf(job))} nodes`));
  }

  #at({ game, position }, line, ...about) {
    const place = async () => this.positions.board({ game, position, moves: await line });
    return this.#tile(explore(game, position), place, about);
  }
}
