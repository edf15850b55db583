// Saving: files made of a position: certificate (verified on the server, if it has proofcheck), a page to play against
// it, drawing, best play as a record, and the top of the proof as a graph.

import { button, field, fill, h, note, save, say, sentence } from "./dom.mjs";
import { bytes, count, counted, duration, upper } from "./format.mjs";

const PIECE = 512 << 10; // bytes of a certificate in one call
const LOOK_MS = 1000; // between two queries of an export's progress
const VARIATIONS = 20; // of a record

const PLAYED = /^(connect4|hex|mnk|domineering|breakthrough|atari-go|nogo|nim):/; // by play_rules.mjs
const TABLED = /^(antichess|chess-mate|checkers:8)/; // games of which a server may have tables
const positions = (n) => counted(n, "position", count(n));
const DATA = '<script type="application/json" id="proof">null<'; // in play.html: where the proof goes

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export class Saving {
  constructor(rpc) {
    this.rpc = rpc;
    this.round = 0;
    this.depth = h("input", { type: "number", min: 0, max: 60, value: 3, required: true });
    this.state = h("p", { class: "hint", role: "status" });
    this.verdict = h("div", { role: "status" });
    this.buttons = h("div", { class: "row" });
    this.cite = h("input", { type: "checkbox" });
    this.cited = h("label", { class: "check" }, this.cite, "cite the server's tables");
    this.graph = h("div", { class: "row" },
      field("Graph of the proof: plies", this.depth),
      button("Save as JSON", () => this.#graph(false)),
      button("Save for Graphviz", () => this.#graph(true)),
    );
    this.node = h("div", { class: "saving" }, this.buttons, this.graph, this.state, this.verdict);
  }

  close() {
    this.round++;
  }

  /** The position that is shown. */
  at(place, { game, shown, fact }) {
    this.round++;
    this.place = place;
    this.name = `${shown.game}${place.moves.length ? `-${place.moves.slice(-6).join("-")}` : ""}`;
    say(this.state, "");
    fill(this.verdict);
    const proved = fact.source === "fact";
    const has = (feature) => proved && this.rpc.hello?.features.includes(feature);
    const checker = has("verify") && this.rpc.hello.role !== "query";
    this.graph.hidden = !has("proof-trees");
    fill(this.buttons,
      proved && button("Certificate", () => this.#certificate()),
      checker && button("Verify", () => this.#verify()),
      has("tables") && TABLED.test(shown.game) && this.cited,
      proved && PLAYED.test(shown.game) && button("Page to play against the proof", () => this.#page()),
      has("line-records") &&
        game.records.map((form) =>
          button(`Best play as ${form === "moves" ? form : form.toUpperCase()}`, () => this.#record(form)),
        ),
      shown.geometry && button("Drawing (SVG)", () => this.#drawing()),
    );
    if (!proved && !shown.geometry) say(this.state, "There is no proof to save here.");
  }

  /** Runs an action and shows its result, unless another position is shown by then. */
  async #run(text, action) {
    const mine = this.round;
    const still = () => mine === this.round;
    const tell = (words) => still() && say(this.state, words);
    fill(this.verdict);
    tell(text);
    try {
      tell((await action(still, tell)) ?? "");
    } catch (error) {
      tell("");
      note(sentence(error));
    }
  }

  /** Exports the certificate on the server and shows the progress. */
  async #made(tell) {
    const timer = setInterval(async () => {
      if (!this.rpc.hello?.features.includes("proof-store")) return;
      const { making } = await this.rpc.call("proof.list", { limit: 1 }).catch(() => ({ making: [] }));
      if (making.length) tell(`The server has collected ${positions(making[0].positions)}`);
    }, LOOK_MS);
    try {
      const tables = (this.cite.checked && this.cite.isConnected) || undefined; // it is offered for some games
      return await this.rpc.call("proof.export", { ...this.place, tables });
    } finally {
      clearInterval(timer);
    }
  }

  /** The bytes of a certificate, in parts. */
  async #read(made, still, tell) {
    const parts = [];
    for (let offset = 0; offset < made.bytes && still();) {
      const piece = await this.rpc.call("proof.read", { proof: made.proof, offset, size: PIECE });
      parts.push(fromBase64(piece.data));
      offset += piece.size;
      tell(`${bytes(offset)} of ${bytes(made.bytes)}`);
    }
    return parts;
  }

  /** One file with the certificate in it, as proofctl web makes it. */
  #page() {
    return this.#run("Making the certificate", async (still, tell) => {
      const made = await this.#made(tell);
      const raw = new Uint8Array(await new Blob(await this.#read(made, still, tell)).arrayBuffer());
      const [page, { sha256, toBase64 }] = await Promise.all([
        fetch(new URL("play.html", import.meta.url)).then((answer) => answer.text()),
        import("./play_certificate.mjs"),
      ]);
      const { geometry, diagram } = await this.rpc.call("position.show", { ...this.place, data: true });
      if (!still()) return "";
      const file = `${this.name}.cert`.replace(/[^\w.,=-]+/g, "_");
      const data = { file, sha256: sha256(raw), geometry, diagram, certificate: toBase64(raw) };
      const json = JSON.stringify(data).replaceAll("<", "\\u003c");
      save(`${this.name}.html`, [page.replace(DATA, () => DATA.replace("null", () => json))], "text/html");
      return `Saved: ${positions(made.positions)}; the page works from disk`;
    });
  }

  #certificate() {
    return this.#run("Making the certificate", async (still, tell) => {
      const made = await this.#made(tell);
      const parts = await this.#read(made, still, tell);
      if (!still()) return "";
      save(`${this.name}.cert`, parts, "application/octet-stream");
      return `Saved: ${positions(made.positions)}, ${bytes(made.bytes)}; claim ${made.claim}`;
    });
  }

  #verify() {
    return this.#run("Making the certificate", async (still, tell) => {
      const made = await this.#made(tell);
      tell(`proofcheck is checking ${positions(made.positions)}`);
      const told = await this.rpc.call("proof.verify", { proof: made.proof });
      if (!still()) return "";
      const kind = { verified: "win", rejected: "loss", unknown: "half" }[told.verdict];
      const details = [told.where && `at ${told.where}`, told.rules && `rules ${told.rules}`];
      if (told.seconds !== undefined) details.push(duration(told.seconds));
      fill(this.verdict,
        h("span", { class: `status ${kind}` }, told.verdict),
        ` ${upper(told.text)} `,
        h("span", { class: "dim" }, details.filter(Boolean).join(", ")),
      );
      return "";
    });
  }

  #record(form) {
    return this.#run("", async () => {
      const variations = form === "moves" ? undefined : VARIATIONS;
      const { record, complete } = await this.rpc.call("fact.line", { ...this.place, record: form, variations });
      const type = { pgn: "application/x-chess-pgn", sgf: "application/x-go-sgf", moves: "text/plain" }[form];
      save(`${this.name}.${form === "moves" ? "txt" : form}`, [record], type);
      return complete ? "Saved up to the end of the game" : "Saved as far as proved";
    });
  }

  #drawing() {
    return this.#run("", async () => {
      const { svg } = await this.rpc.call("position.show", { ...this.place, svg: true });
      save(`${this.name}.svg`, [svg], "image/svg+xml");
      return "Saved";
    });
  }

  #graph(dot) {
    if (!this.depth.reportValidity()) return undefined;
    return this.#run("Collecting the proof", async () => {
      const params = { ...this.place, depth: Number(this.depth.value), dot: dot ? "boards" : undefined };
      const { dot: text, ...graph } = await this.rpc.call("proof.tree", params);
      if (dot) save(`${this.name}.dot`, [text], "text/vnd.graphviz");
      else save(`${this.name}.json`, [JSON.stringify(graph, null, 1)], "application/json");
      const more = graph.more ? `; ${counted(graph.more, "move", count(graph.more))} cut off` : "";
      return `Saved: ${positions(graph.nodes.length)}${more}`;
    });
  }
}
