// Explorer: the positions of a game and what is proved of them: board, moves with their status, path, tree, best play,
// and files to save. The address names the position, so it can be shared.

import { aside, Board } from "./board.mjs";
import { chooseMove } from "./dialogs.mjs";
import { announce, button, field, fill, h, note, say, sentence, textInput } from "./dom.mjs";
import { count, upper, within } from "./format.mjs";
import { shortcuts } from "./keys.mjs";
import { MoveTable } from "./move_table.mjs";
import { Player } from "./player.mjs";
import { candidates, choices, Positions } from "./positions.mjs";
import { ProofTree } from "./proof_tree.mjs";
import { explore, go } from "./route.mjs";
import { Saving } from "./saving.mjs";
import { marksOf, ranked, statusOf } from "./status.mjs";
import { Why } from "./why.mjs";

const NAME = 24; // letters of a move name; longer ones wrap

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
    this.player = new Player(rpc, (moves, first) => this.#step(moves, first));
    this.tree = new ProofTree(this.positions, (place) => go(explore(place.game, place.position, place.moves)));
    this.saving = new Saving(rpc);
    this.why = new Why(() => this.#showBoard());
    this.#build();
    this.forget = shortcuts("Explorer", [
      { key: "ArrowLeft", text: "back one move", action: () => this.#back() },
      { key: "ArrowRight", text: "the best move", action: () => this.#best() },
      { key: "Home", text: "where the path begins", action: () => this.#go([]) },
      { key: " ", text: "play or stop the best line", action: () => this.player.turn() },
      { key: "m", text: "to the list of moves", action: () => this.moves.focus() },
      { key: "w", text: "why a theorem decides the position", action: () => this.list && this.why.turn() },
      { key: "/", text: "another position", action: () => this.gameInput.focus() },
    ]);
    this.update(route);
  }

  #build() {
    this.heading = h("h1", {}, "Explorer");
    this.gameInput = textInput({ required: true, list: "games", autocomplete: "off" });
    this.positionInput = textInput({ autocomplete: "off", placeholder: "initial position" });
    this.games = h("datalist", { id: "games" });
    const search = h("form", { class: "row search", role: "search", onsubmit: (event) => this.#search(event) },
      field("Game", this.gameInput),
      field("Position", this.positionInput),
      h("button", { class: "main" }, "Show"),
      this.games,
    );
    this.path = h("ol", { class: "path" });
    this.around = h("div", { class: "around" });
    this.text = h("pre", { class: "picture" });
    this.status = h("div", { class: "card verdict", role: "status" });
    this.moves = new MoveTable((move) => this.#play(move));
    this.steps = h("div", { class: "row steps", role: "group", "aria-label": "Along the path" },
      button("⇤", () => this.#go([]), { "aria-label": "Where the path begins", title: "Home" }),
      button("◀", () => this.#back(), { "aria-label": "Back one move", title: "←" }),
      button("▶", () => this.#best(), { "aria-label": "The best move", title: "→" }),
      this.player.node,
      button("Copy address", () => this.#share(), { class: "quiet" }),
    );
    this.parts = h("div", { class: "explorer", hidden: true },
      h("div", { class: "left" },
        h("nav", { "aria-label": "Path" }, this.path),
        this.board.node, this.text, this.around, this.steps,
      ),
      h("div", { class: "right" },
        this.status, this.why.node,
        h("div", { class: "scroll", tabindex: -1 }, this.moves.node),
        h("details", { ontoggle: (event) => event.target.open && this.place && this.tree.follow(this.place) },
          h("summary", {}, "Tree from here"),
          this.tree.node,
        ),
        h("details", {}, h("summary", {}, "Save and verify"), this.saving.node),
      ),
    );
    this.problem = h("p", { class: "problem", role: "alert" });
    this.node = h("section", {}, this.heading, search, this.problem, this.parts);
  }

  close() {
    this.round++;
    this.forget();
    this.player.stop();
    this.saving.close();
  }

  // --- address

  update({ game, position, moves }) {
    if (!game) {
      this.#offer();
      return;
    }
    const from = this.place;
    if (from && from.game === game && from.position === position && from.moves.join("\n") === moves.join("\n")) return;
    this.place = { game, position, moves };
    this.list = null;
    this.picked = [];
    this.title = `${game}${moves.length ? `, ${moves.at(-1)}` : ""}`;
    say(this.heading, game);
    this.gameInput.value = game;
    this.#load();
  }

  /** Offers games when the address names none. */
  async #offer() {
    const mine = ++this.round;
    this.#leave();
    this.place = null;
    this.title = "Explorer";
    say(this.heading, "Explorer");
    this.gameInput.value = this.positionInput.value = "";
    this.#names();
    const { jobs } = await this.rpc.call("job.list", { state: "solved", limit: 12 });
    if (mine !== this.round) return;
    fill(this.problem);
    this.last?.remove();
    this.last = h("section", {},
      h("h2", {}, "Recently solved"),
      jobs.length
        ? h("ul", { class: "plain" },
            jobs.map((job) =>
              h("li", {},
                h("a", { href: explore(job.game, job.position) }, `${job.game} ${job.position}`),
                ` ${job.value.text}`,
              ),
            ),
          )
        : h("p", {}, "Nothing is solved yet. To look at a game, type its name above, for example hex:4."),
    );
    this.node.append(this.last);
  }

  /** Hides the position and what can be done with it. */
  #leave() {
    this.player.stop();
    this.player.at(null);
    this.saving.close();
    this.list = null;
    this.picked = [];
    this.parts.hidden = true;
  }

  async #names() {
    if (this.games.firstChild) return;
    const { games } = await this.rpc.call("game.list");
    fill(this.games, games.map(({ example, title }) => h("option", { value: example }, title)));
  }

  async #load() {
    const mine = ++this.round;
    const { place } = this;
    this.player.at(place);
    try {
      const all = await this.positions.all(place);
      if (mine !== this.round) return;
      this.last?.remove();
      this.parts.hidden = false;
      fill(this.problem);
      this.#show(all);
      performance.mark("explorer-shown", { detail: location.hash });
      if (this.tree.node.closest("details").open) this.tree.follow(place);
      this.#names();
    } catch (error) {
      if (mine !== this.round) return;
      this.#leave();
      this.positionInput.value = place.position;
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
    if (this.list) this.#go([...this.place.moves, move]);
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

  #search(event) {
    event.preventDefault();
    this.player.stop();
    const [game, position] = [this.gameInput.value.trim(), this.positionInput.value.trim()];
    const address = explore(game, position);
    if (location.hash === address && this.place) this.#load();
    else go(address);
  }

  async #share() {
    try {
      await navigator.clipboard.writeText(location.href);
      note("The address of this position was copied.", { kind: "good", seconds: 4 });
    } catch {
      note(`The browser does not allow copying. The address: ${location.href}`);
    }
  }

  // --- display

  #show({ game, shown, fact }) {
    this.all = { game, shown, fact };
    this.first = shown.first_to_move;
    this.list = ranked(fact.moves ?? [], this.first);
    this.positionInput.value = shown.position;
    this.saving.at(this.place, this.all);
    this.why.show(shown.theorems, fact);
    this.#showPath();
    this.#showBoard();
    this.#showVerdict();
    this.moves.show(this.list, fact.move);
  }

  #showPath() {
    const { game, position, moves } = this.place;
    const link = (text, n) =>
      h("a", { href: explore(game, position, moves.slice(0, n)), "aria-current": n === moves.length ? "page" : null },
        text,
      );
    fill(this.path,
      h("li", {}, link(position ? "given position" : "start", 0)),
      moves.map((move, i) => h("li", {}, link(move, i + 1))),
    );
    // In the next frame, which lays out the page anyway.
    requestAnimationFrame(() => this.path.lastElementChild.scrollIntoView({ block: "nearest", inline: "nearest" }));
  }

  #showBoard() {
    const { shown } = this.all;
    const board = Boolean(shown.geometry);
    const groups = this.why.marks();
    this.board.node.style.display = board ? "" : "none";
    this.text.hidden = board;
    this.parts.classList.toggle("names", this.list.some(({ move }) => move.length > NAME)); // they wrap
    if (!board) say(this.text, shown.board);
    else
      this.board.show(shown, {
        label: `Board of ${shown.game}${groups ? ", with the groups of a theorem" : ""}`,
        picked: this.picked,
        active: choices(shown.legal, this.picked),
        marks: groups ?? marksOf(shown.legal, this.picked, this.list, this.first),
      });
    fill(this.around, board ? aside(shown).map((line) => h("p", {}, line)) : null);
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
    if (this.picked.length) announce(`${found.length} moves from there`);
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
    const words = fact.source === "none" ? "Nothing is proved here yet" : fact.text;
    const more = [
      this.first === null ? "by the rules: the game is over" : fact.source === "rules" ? "by the rules" : null,
      mover && fact.source !== "none" ? `${mover} ${status.word}` : mover ? `${mover} to move` : null,
      mover && fact.source !== "none" && fact.rank !== null ? within(fact.rank) : null,
      fact.source === "fact"
        ? fact.effort
          ? `found again by a search of about ${count(fact.effort)} nodes`
          : "checked one ply down"
        : null,
    ];
    const kind = this.first === null ? "open" : status.kind;
    fill(this.status,
      h("strong", { class: `verdict-word ${kind}` }, upper(words)),
      h("p", {}, more.filter(Boolean).join("; ")),
      fact.job ? h("p", {}, h("a", { href: `#/job/${fact.job}` }, `Found by job ${fact.job}`)) : null,
      fact.source === "none"
        ? h("p", {},
            h("a", { href: `#/submit?${new URLSearchParams({ game: shown.game, position: shown.position })}` },
              "Submit a job for this position",
            ),
          )
        : null,
    );
  }
}

export const open = (route, rpc) => new Explorer(route, rpc);
