// Player: best play from a position as an animation, by fact.line. Space plays and stops.

import { announce, button, fill, h, note } from "./dom.mjs";

const STEP_MS = 900;

export class Player {
  /** @param {(moves: string[], first: boolean) => void} onStep shows the position after these moves */
  constructor(rpc, onStep) {
    this.rpc = rpc;
    this.onStep = onStep;
    this.place = null;
    this.line = null;
    this.timer = 0;
    this.button = button("Play best line", () => this.turn(), { title: "Space", "aria-pressed": "false" });
    this.node = h("span", { class: "player" }, this.button);
  }

  /** The position that is shown now; null: none. Stops unless the player itself led there. */
  at(place) {
    const same = (name) => place?.[name] === this.place?.[name];
    if (this.line && !(same("game") && same("position") && place?.moves.join("\n") === this.expected)) this.stop();
    this.place = place;
  }

  /** Plays, or stops. */
  turn() {
    if (this.line) this.stop();
    else if (this.place) this.#begin();
  }

  stop() {
    clearTimeout(this.timer);
    this.line = null;
    this.button.setAttribute("aria-pressed", "false");
    fill(this.button, "Play best line");
  }

  async #begin() {
    const { place } = this;
    const mine = (this.line = []);
    this.expected = place.moves.join("\n");
    try {
      const { line, complete } = await this.rpc.call("fact.line", { ...place, limit: 500 });
      if (this.line !== mine) return; // it was stopped
      if (!line.length) {
        this.stop();
        note("No best play is known from here.", { seconds: 5 });
        return;
      }
      this.line = line;
      this.first = true;
      this.end = complete ? "End of the line" : "End of the proved line";
      this.button.setAttribute("aria-pressed", "true");
      fill(this.button, "Stop");
      this.#step();
    } catch (error) {
      if (this.line !== mine) return;
      this.stop();
      note(error);
    }
  }

  #step() {
    if (!this.line?.length) {
      this.stop();
      announce(this.end);
      return;
    }
    const moves = [...this.place.moves, this.line[0]];
    this.line = this.line.slice(1);
    this.expected = moves.join("\n");
    this.onStep(moves, this.first);
    this.first = false;
    this.timer = setTimeout(() => this.#step(), STEP_MS);
  }
}
