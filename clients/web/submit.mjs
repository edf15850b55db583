// Submit: the form for a job. The start position is set up on a board or given as text; errors of the server are shown
// at the field at fault.

import { field, fill, h, hintOf, note, say, sentence, textInput } from "./dom.mjs";
import { bytes, isSize, upper } from "./format.mjs";
import { Positions } from "./positions.mjs";
import { go } from "./route.mjs";
import { Setup } from "./setup.mjs";
import { newKey } from "./solving.mjs";

const CLAIMS = [
  ["value", "What is its value?"],
  ["first-wins", "Does First win?"],
  ["second-wins", "Does Second win?"],
  ["first-draws", "Does First at least draw?"],
  ["second-draws", "Does Second at least draw?"],
  ["least", "Does First get at least N?"],
];
const WAIT_MS = 250; // after the last keystroke, before the text is checked

const select = (options) => h("select", {}, options.map(([value, text]) => h("option", { value }, text)));
const number = (props) => h("input", { type: "number", step: 1, ...props });

class Submit {
  constructor({ query }, rpc) {
    this.rpc = rpc;
    this.title = "Submit a job";
    this.positions = new Positions(rpc);
    this.wanted = { game: query.get("game") ?? "", position: query.get("position") ?? "" };
    this.key = newKey();
    this.kind = h("select", { onchange: () => this.#kind() });
    const text = { autocomplete: "off", oninput: () => this.#later() };
    this.game = textInput({ required: true, maxlength: 95, ...text });
    this.position = textInput({ maxlength: 2047, placeholder: "initial position", ...text });
    this.setup = new Setup(rpc, (position) => (this.position.value = position));
    this.claim = select(CLAIMS);
    this.claim.addEventListener("change", () => (this.leastRow.hidden = this.claim.value !== "least"));
    this.least = number({ value: 1 });
    this.algorithm = h("select", { onchange: () => this.#algorithm() });
    this.detail = select([["frontier", "the frontier"], ["full", "every position of the proof"]]);
    this.memory = textInput({ placeholder: "512M" });
    this.threads = number({ min: 0, max: 1024, placeholder: "all that are free" });
    this.nodes = number({ min: 0, placeholder: "no bound" });
    this.seconds = number({ min: 0, step: "any", placeholder: "no bound" });
    this.cpu = number({ min: 0, step: "any", placeholder: "no bound" });
    this.disk = textInput({ placeholder: "no bound" });
    this.priority = number({ min: -100, max: 100, value: 0 });
    this.group = textInput({ maxlength: 32, pattern: "[A-Za-z0-9._\\-]*" });
    this.options = textInput({ placeholder: "epsilon=0.5, cap-first=500" });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.about = h("p", { class: "hint" });
    this.node = h("section", { class: "submit" }, h("h1", {}, this.title), this.#form());
    this.#begin();
  }

  #form() {
    this.leastRow = h("div", { hidden: true }, field("N", this.least, "on the game's scale, from First's view"));
    const fields = [
      field("Memory", this.memory, "for its transposition table, trees and cache"),
      field("Threads", this.threads, "search threads that may work on the job"),
      field("Priority", this.priority, "-100 to 100; larger runs first"),
      field("Group", this.group, "letters, digits, dots, hyphens, underscores"),
    ];
    const bounds = [
      field("Nodes", this.nodes, "of both levels"),
      field("Seconds", this.seconds, "of search"),
      field("Processor seconds", this.cpu, "of all search threads together"),
      field("Disk", this.disk, "of its table, like 20G"),
    ];
    return h("form", { onsubmit: (event) => this.#submit(event), novalidate: true },
      h("div", { class: "two wide" },
        h("div", {},
          h("fieldset", {},
            h("legend", {}, "Position"),
            h("div", { class: "grid" },
              field("Kind of game", this.kind),
              field("Game", this.game, "with its parameters"),
            ),
            this.about,
            field("Position", this.position, "in the game's notation; empty: the initial position"),
          ),
          h("fieldset", {},
            h("legend", {}, "Question"),
            h("div", { class: "grid" },
              field("Claim", this.claim),
              this.leastRow,
              field("Algorithm", this.algorithm),
              field("Detail", this.detail, "which solved positions become facts"),
            ),
          ),
          h("fieldset", {}, h("legend", {}, "Means"), h("div", { class: "grid" }, fields)),
          h("details", {},
            h("summary", {}, "Budget and search options"),
            h("div", { class: "grid" }, bounds),
            field("Options", this.options, "NAME=VALUE, separated by commas"),
          ),
          this.problem,
          h("div", { class: "row" }, h("button", { class: "main" }, "Submit")),
        ),
        this.setup.node,
      ),
    );
  }

  close() {
    clearTimeout(this.timer);
  }

  // --- game and position

  async #begin() {
    try {
      const { games } = await this.rpc.call("game.list");
      this.games = games;
      this.algorithms = this.rpc.hello?.algorithms ?? [];
      fill(this.algorithm, this.algorithms.map(({ name }) => h("option", { value: name }, name)));
      this.#algorithm();
      fill(this.kind, games.map(({ name, title }) => h("option", { value: name }, `${title} (${name})`)));
      const wanted = this.wanted.game || games[0].example;
      this.kind.value = wanted.split(":")[0];
      this.game.value = wanted;
      this.position.value = this.wanted.position;
      const limit = this.rpc.hello?.limits?.memory;
      if (limit) say(hintOf(this.memory), `for its table, trees and cache; at most ${bytes(limit)}`);
      this.#look();
    } catch (error) {
      say(this.problem, sentence(error));
    }
  }

  #algorithm() {
    say(hintOf(this.algorithm), this.algorithms.find(({ name }) => name === this.algorithm.value)?.text ?? "");
  }

  #kind() {
    const game = this.games.find(({ name }) => name === this.kind.value);
    this.game.value = game.example;
    this.position.value = "";
    this.#look();
  }

  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#look(), WAIT_MS);
  }

  async #look() {
    const [name, position] = [this.game.value.trim(), this.position.value.trim()];
    const kind = this.games?.find((game) => game.name === name.split(":")[0]);
    if (kind) this.kind.value = kind.name;
    say(this.about, kind ? `Parameters: ${kind.params}.` : "");
    if (!name) return this.#nothing();
    try {
      const game = await this.positions.game(name);
      if (name !== this.game.value.trim()) return;
      this.#fault(this.game, "");
      const { min, max } = game.values;
      Object.assign(this.least, { min, max });
      say(hintOf(this.position), upper(game.notation).replace(/\.*$/, "."));
      await this.setup.show(game, position);
      if (!game.has_board && position) await this.rpc.call("position.show", { game: name, position });
      this.#fault(this.position, "");
    } catch (error) {
      if (name !== this.game.value.trim()) return;
      if (error.field === "position") return this.#fault(this.position, sentence(error));
      this.#nothing();
      this.#fault(this.game, sentence(error));
    }
  }

  /** Without a game: removes the board and the notation of the last one. */
  #nothing() {
    this.setup.hide();
    this.#fault(this.position, "");
    say(hintOf(this.position), "");
  }

  // --- sending

  /** Shows the error of a field; "": clears it. */
  #fault(control, text) {
    control.toggleAttribute("aria-invalid", Boolean(text));
    if (text) control.setAttribute("aria-invalid", "true");
    const box = control.parentElement;
    let fault = box.querySelector(".problem");
    if (!fault && text) box.append((fault = h("p", { class: "problem", role: "alert" })));
    if (fault) say(fault, text);
  }

  #checked() {
    const sizes = [this.memory, this.disk];
    let first = null;
    for (const control of this.node.querySelectorAll("input")) {
      const bad =
        sizes.includes(control) && control.value && !isSize(control.value)
          ? "Enter a number of bytes, or a size such as 512M or 20G."
          : control.validationMessage;
      if (control.closest("fieldset, details")) this.#fault(control, bad);
      if (bad) first ??= control;
    }
    if (first) {
      first.closest("details")?.setAttribute("open", "");
      first.focus();
    }
    return !first;
  }

  #params() {
    const some = (control) => (control.value === "" ? undefined : Number(control.value));
    const pairs = this.options.value
      .split(",")
      .map((pair) => pair.trim())
      .filter(Boolean)
      .map((pair) => pair.split("="));
    const value = (text = "") =>
      text === "true" || text === "false"
        ? text === "true"
        : text.trim() !== "" && !Number.isNaN(Number(text))
          ? Number(text)
          : text;
    return {
      game: this.game.value.trim(),
      position: this.position.value.trim(),
      key: this.key,
      claim: this.claim.value === "least" ? `first-at-least-${this.least.value}` : this.claim.value,
      algorithm: this.algorithm.value || undefined,
      detail: this.detail.value,
      memory: this.memory.value.trim() || undefined,
      threads: some(this.threads),
      priority: some(this.priority),
      group: this.group.value || undefined,
      budget: {
        nodes: some(this.nodes),
        seconds: some(this.seconds),
        cpu: some(this.cpu),
        disk: this.disk.value.trim() || undefined,
      },
      options: pairs.length ? Object.fromEntries(pairs.map(([name, text]) => [name.trim(), value(text)])) : undefined,
    };
  }

  async #submit(event) {
    event.preventDefault();
    say(this.problem, "");
    if (!this.#checked()) return;
    try {
      const { job } = await this.rpc.call("job.submit", this.#params());
      note(`Job ${job} was submitted.`, { kind: "good", seconds: 5 });
      go(`#/job/${job}`);
    } catch (error) {
      this.key = newKey();
      const at = this[(error.field ?? "").replace(/^budget\./, "")];
      if (at instanceof HTMLElement && at.closest("form")) {
        at.closest("details")?.setAttribute("open", "");
        this.#fault(at, sentence(error));
        at.focus();
      } else say(this.problem, sentence(error));
    }
  }
}

export const open = (route, rpc) => new Submit(route, rpc);
