// Home: running jobs and recent results as boards, and the games as pictures: the ways into the explorer.

import { Board } from "./board.mjs";
import { fill, h, say } from "./dom.mjs";
import { nodesOf, proofNumber, short, upper } from "./format.mjs";
import { explore } from "./route.mjs";
import { statusOf } from "./status.mjs";

const RUNNING = 4;
const SOLVED = 6;
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
    const [running, solved] = await Promise.all([list("running", RUNNING), list("solved", 4 * SOLVED)]);
    if (mine !== this.round) return;
    const asked = ({ game, position }) => `${game} ${position}`;
    const lately = [...new Map(solved.jobs.reverse().map((job) => [asked(job), job])).values()].reverse();
    fill(this.node,
      running.jobs.length ? [h("h2", {}, "Running"), this.#row(running.jobs.map((job) => this.#running(job)))] : null,
      h("h2", {}, "Solved lately", h("span", { class: "dim" }, lately.length ? " where best play ends" : "")),
      lately.length
        ? this.#row(lately.slice(0, SOLVED).map((job) => this.#solved(job)))
        : h("p", { class: "card" }, "Nothing is solved yet. Choose a game below and press Solve all moves."),
      h("h2", {}, "Games"),
      this.#row(games.map((game) => this.#game(game))),
    );
  }

  #row(tiles) {
    return h("ul", { class: "tiles" }, tiles.map((tile) => h("li", {}, tile)));
  }

  /** A link with a picture, which is drawn when it arrives. */
  #tile(address, title, text, place) {
    const frame = h("span", { class: "frame", "aria-hidden": "true" });
    const draw = (shown) => {
      if (!shown.geometry) return;
      const board = new Board();
      board.show(shown);
      frame.append(board.node);
    };
    place().then(draw, () => {}); // a graph whose file is gone has no picture
    return h("a", { class: "tile", href: address }, frame, h("strong", {}, title), text);
  }

  #game({ title, example }) {
    const text = h("span", { class: "dim" }, example);
    return this.#tile(explore(example), title, text, () => this.#begun(example, []));
  }

  /** A position of the game with something on the board: moves from the middle of the list. */
  async #begun(game, moves) {
    const shown = await this.positions.board({ game, position: "", moves });
    const empty = /^\.*$/.test(shown.diagram?.on ?? "x") || moves.length;
    if (!empty || moves.length === PLIES || !shown.moves.length) return shown;
    return this.#begun(game, [...moves, shown.moves[Math.floor(shown.moves.length / 2)]]);
  }

  #running(job) {
    const text = h("span", { class: "dim" });
    const number = (value) => short(proofNumber(value));
    const tell = (now) => now && say(text, `pn ${number(now.pn)}, dn ${number(now.dn)}; ${short(nodesOf(now))} nodes`);
    tell(job);
    this.stops.push(this.rpc.watch(job.job, tell));
    return this.#at(job, [h("span", { class: "dot running" }), text], []);
  }

  #solved(job) {
    const { kind } = statusOf(job.value, true);
    const asked = this.rpc.call("fact.line", { game: job.game, position: job.position });
    const line = asked.then((reply) => reply.line);
    return this.#at(job, h("span", { class: `status ${kind}` }, upper(job.value.text)), line);
  }

  #at({ game, position }, text, line) {
    return this.#tile(explore(game, position), game, text, async () =>
      this.positions.board({ game, position, moves: await line }),
    );
  }
}
