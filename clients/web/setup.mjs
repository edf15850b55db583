// Setup: a start position on a board. Moves are played or pieces are placed; the server returns the position or its
// fault.

import { aside, Board } from "./board.mjs";
import { chooseMove } from "./dialogs.mjs";
import { button, field, fill, h, radio, say, sentence, textInput } from "./dom.mjs";
import { candidates, choices } from "./positions.mjs";

export class Setup {
  /** @param {(position: string) => void} onPosition called with every position that the board shows */
  constructor(rpc, onPosition) {
    this.rpc = rpc;
    this.onPosition = onPosition;
    this.round = 0;
    this.mode = "play";
    this.piece = "."; // to place; a dot removes pieces
    this.picked = [];
    this.past = []; // positions before this one
    this.board = new Board((place) => (this.mode === "play" ? this.#point(place) : this.#put(place)));
    this.around = h("div", { class: "around" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.tools = h("div", { class: "tools" });
    this.modes = h("fieldset", { class: "row spans" },
      h("legend", {}, "On the board"),
      ["play", "put"].map((mode) =>
        radio("mode", mode === "play" ? "play moves" : "place pieces", {
          value: mode,
          checked: mode === "play",
          onchange: () => this.#turn(mode),
        }),
      ),
    );
    this.node = h("div", { class: "setup", hidden: true },
      this.modes, this.tools, this.board.node, this.around, this.problem,
    );
  }

  /** Hides the board and ignores late replies. */
  hide() {
    this.round++;
    this.node.hidden = true;
  }

  /** Shows a position of a game. Fails and hides the board if the text is not a position.
   *  @param {any} game of game.describe @param {string} position */
  async show(game, position) {
    const mine = ++this.round;
    if (this.game?.game !== game.game) this.past = [];
    this.game = game;
    if (!game.has_board) return this.hide();
    this.modes.hidden = !game.can_set_up;
    if (!game.can_set_up) this.mode = "play";
    try {
      const shown = await this.rpc.call("position.show", { game: game.game, position, data: true });
      if (mine !== this.round) return;
      this.node.hidden = false;
      this.#take(shown);
    } catch (error) {
      if (mine !== this.round) return;
      this.hide();
      throw error;
    }
  }

  #take(shown) {
    this.shown = shown;
    this.diagram = structuredClone(shown.diagram);
    this.picked = [];
    say(this.problem, "");
    this.#draw();
    this.#drawTools();
  }

  #draw() {
    const { shown, diagram } = this;
    const active = this.mode === "play" ? choices(shown.legal, this.picked) : null;
    this.board.show({ geometry: shown.geometry, diagram }, { label: "Start position", active, picked: this.picked });
    const side = this.mode === "play" ? diagram.side : (diagram.side ?? shown.diagram.side);
    fill(this.around,
      aside({ geometry: shown.geometry, diagram: { ...diagram, side }, text: shown.text }).map((line) =>
        h("p", {}, line),
      ),
    );
  }

  // --- moves

  async #point(place) {
    this.picked = [...this.picked, place];
    const found = candidates(this.shown.legal, this.picked);
    const whole = found.filter(({ places }) => places.length === this.picked.length);
    if (!found.length) this.picked = [];
    if (!found.length || whole.length < found.length) return this.#draw();
    const move = await chooseMove(whole);
    this.picked = [];
    if (move === null) return this.#draw();
    return this.#ask({ position: this.shown.position, moves: [move] }, true);
  }

  async #ask(params, step) {
    const mine = ++this.round;
    const before = this.shown.position;
    try {
      const shown = await this.rpc.call("position.show", { game: this.game.game, ...params, data: true });
      if (mine !== this.round) return;
      if (step) this.past.push(before);
      this.#take(shown);
      this.onPosition(shown.position);
    } catch (error) {
      if (mine === this.round) say(this.problem, sentence(error));
    }
  }

  // --- pieces

  #turn(mode) {
    this.mode = mode;
    this.picked = [];
    this.diagram = structuredClone(this.shown.diagram);
    if (mode === "put") this.diagram.side = null; // as the pieces say
    this.#draw();
    this.#drawTools();
  }

  #put(place) {
    const on = [...this.diagram.on];
    on[place] = on[place] === this.piece ? "." : this.piece;
    this.diagram.on = on.join("");
    this.diagram.last = [];
    this.diagram.playable = [];
    this.#draw();
    this.#setUp();
  }

  /** Asks the server for the position that the pieces make. A refused board stays, to be corrected. */
  async #setUp() {
    const mine = ++this.round;
    try {
      const shown = await this.#positionOf(this.diagram);
      if (mine !== this.round) return;
      this.shown = shown;
      say(this.problem, "");
      this.#draw();
      this.onPosition(shown.position);
    } catch (error) {
      if (mine === this.round) say(this.problem, sentence(error));
    }
  }

  /** Where the pieces do not determine the side to move, the previous side stays. */
  async #positionOf({ on, side, hands, note }) {
    const ask = (mover) =>
      this.rpc.call("position.show", {
        game: this.game.game,
        setup: { on, hands, note, side: mover ?? undefined },
        data: true,
      });
    if (side !== null) return ask(side);
    try {
      return await ask(null);
    } catch (error) {
      const before = this.shown.diagram.side;
      if (before === null) throw error;
      return ask(before).catch(() => Promise.reject(error));
    }
  }

  #drawTools() {
    const { geometry } = this.shown;
    if (this.mode === "play") {
      const back = button(
        "Take back",
        () => {
          const position = this.past.pop();
          if (position !== undefined) this.#ask({ position }, false);
        },
        { disabled: !this.past.length },
      );
      const others = this.shown.legal
        .filter(({ places }) => !places.length)
        .map(({ move }) => button(move, () => this.#ask({ position: this.shown.position, moves: [move] }, true)));
      fill(this.tools, h("div", { class: "row" }, back, others));
      return;
    }
    const pieces = [
      ...geometry.pieces.map((piece) => [piece.letter, `${piece.glyph ?? ""} ${piece.name}`.trim()]),
      [".", "nothing"],
    ];
    if (this.piece === "." || !geometry.pieces.some(({ letter }) => letter === this.piece)) this.piece = pieces[0][0];
    const hands = textInput({ value: this.diagram.hands, onchange: () => this.#set({ hands: hands.value }) });
    const notes = textInput({ value: this.diagram.note, onchange: () => this.#set({ note: notes.value }) });
    const side = (value, name) =>
      radio("side", name, {
        value: value ?? "",
        checked: value === this.diagram.side,
        onchange: () => this.#set({ side: value }),
      });
    fill(this.tools,
      h("fieldset", { class: "row spans" },
        h("legend", {}, "Piece to place"),
        pieces.map(([letter, name]) =>
          radio("piece", name, {
            value: letter,
            checked: letter === this.piece,
            onchange: () => (this.piece = letter),
          }),
        ),
      ),
      h("fieldset", { class: "row spans" },
        h("legend", {}, "To move"),
        geometry.sides.map(({ name }, i) => side(i, name)),
        side(null, "as the pieces say"),
      ),
      geometry.hands ? field("In hand", hands, "letters of each side's pieces, separated by /") : null,
      this.diagram.note || geometry.hands ? field("What the board does not show", notes) : null,
      h("div", { class: "row" }, button("Empty board", () => this.#set({ on: ".".repeat(geometry.places.length) }))),
    );
  }

  #set(change) {
    Object.assign(this.diagram, change, { last: [], playable: [] });
    this.#draw();
    this.#setUp();
  }
}
