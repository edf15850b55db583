// Notes: the studies of a game beside its board: variations, comments and marks, kept on the server. What is changed is
// saved at once. When someone else has changed the study meanwhile, both versions are shown, and nothing is lost.

import { announce, button, fill, h, note, save, say, sentence } from "./dom.mjs";
import { moment } from "./format.mjs";
import { besides, linesOf, listOf, MARKS, nodeAt, removeAt, treeOf } from "./study.mjs";

const CHOSEN = "proofd.study "; // in sessionStorage, with the game: the study that is shown
const TYPES = { pgn: "application/x-chess-pgn", sgf: "application/x-go-sgf", moves: "text/plain" };
const STARTS = { pgn: "PGN", sgf: "SGF", moves: "Moves" };

export class Notes {
  /** @param {(moves: string[]) => void} go shows the position after these moves */
  constructor(rpc, go) {
    this.rpc = rpc;
    this.go = go;
    this.place = null;
    this.study = null; // as study.get returns it; null: a new one
    this.tree = treeOf({});
    this.round = 0;
    this.queue = Promise.resolve(); // saves follow each other
    this.choice = h("select", { "aria-label": "Study", onchange: () => this.#choose(Number(this.choice.value)) });
    this.files = h("span", { class: "files" });
    this.lines = h("div", { class: "lines" });
    this.marks = h("div", { class: "row marks", role: "group", "aria-label": "Mark of the last move" },
      MARKS.map((mark) => button(mark, () => this.#mark(mark), { "aria-pressed": "false", class: "quiet" })),
    );
    this.text = h("textarea", {
      rows: 3, maxlength: 4000, "aria-label": "Comment on this position", placeholder: "A comment on this position (n)",
      onchange: () => this.#comment(), onkeydown: (event) => event.key === "Escape" && this.text.blur(),
    });
    this.input = h("input", { type: "file", accept: ".sgf,.pgn,.txt", hidden: true, onchange: () => this.#import() });
    this.add = button("Add line", () => this.addLine(), { title: "keep the moves that lead here (v)" });
    this.drop = button("Remove", () => this.#remove(), { title: "remove this move and what follows it" });
    this.edit = h("div", { class: "edit" },
      this.marks, this.text,
      h("div", { class: "row" }, this.add, this.drop, button("Import", () => this.input.click()), this.input),
    );
    this.both = h("div", { class: "both", role: "alert", hidden: true });
    this.node = h("aside", { class: "card notes-card", "aria-label": "Notes", hidden: true },
      h("div", { class: "row head" }, h("h2", {}, "Notes"), this.files), this.choice, this.both, this.lines, this.edit,
    );
  }

  get writes() {
    return ["submit", "admin"].includes(this.rpc.hello?.role);
  }

  focus() {
    if (this.writes && !this.node.hidden) this.text.focus();
  }

  /** The position that is shown; `wanted`: the study that the address names. */
  async at(place, { records }, wanted = 0) {
    const before = this.place;
    this.place = place;
    this.node.hidden = !this.rpc.hello?.features.includes("studies");
    this.edit.hidden = !this.writes;
    if (this.node.hidden) return;
    this.forms = records;
    if (wanted) sessionStorage.setItem(CHOSEN + place.game, wanted);
    if (wanted || before?.game !== place.game || before?.position !== place.position) await this.#load();
    else this.#show();
  }

  /** The studies that begin at the position, and the one that was chosen. */
  async #load(chosen = Number(sessionStorage.getItem(CHOSEN + this.place.game))) {
    const mine = ++this.round;
    const { game, position } = this.place;
    try {
      const { studies } = await this.rpc.call("study.list", { game });
      const found = studies.find(({ study }) => study === chosen) ?? (chosen < 0 ? undefined : studies[0]);
      const study = found ? await this.rpc.call("study.get", { study: found.study }) : null;
      if (mine !== this.round) return;
      this.#take(study && study.position === position ? study : null);
      fill(this.choice,
        studies.map((one) => h("option", { value: one.study }, one.title || `Study ${one.study}`)),
        h("option", { value: -1 }, "New study"),
      );
      this.choice.hidden = !studies.length;
      this.choice.value = String(this.study?.study ?? -1);
    } catch (error) {
      if (mine === this.round) note(sentence(error));
    }
  }

  #take(study) {
    this.study = study;
    this.tree = treeOf(study ?? {});
    this.both.hidden = true;
    this.#show();
  }

  async #choose(number) {
    sessionStorage.setItem(CHOSEN + this.place.game, number);
    await this.#load(number);
  }

  /** Goes to the previous or next alternative of the last move. */
  beside(step) {
    const moves = this.place && besides(this.tree, this.place.moves, step);
    if (moves) this.go(moves);
    else announce("No other variation here");
  }

  // --- changes

  addLine() {
    if (!this.writes || this.node.hidden) return;
    nodeAt(this.tree, this.place.moves, true);
    this.#save("The line was added");
  }

  #mark(mark) {
    if (!this.place.moves.length) return;
    const at = nodeAt(this.tree, this.place.moves, true);
    at.mark = at.mark === mark ? "" : mark;
    this.#save(at.mark ? `Marked ${mark}` : "The mark was removed");
  }

  #comment() {
    const words = this.text.value.trim();
    if (words === (nodeAt(this.tree, this.place.moves)?.text ?? "")) return;
    nodeAt(this.tree, this.place.moves, true).text = words;
    this.#save("The comment was saved");
  }

  #remove() {
    if (removeAt(this.tree, this.place.moves)) this.#save("The move and what follows it were removed");
  }

  async #import() {
    const [file] = this.input.files;
    this.input.value = "";
    if (!file) return;
    const { game, position } = this.place;
    const title = file.name.replace(/\.\w+$/, "").slice(0, 40);
    try {
      const { study } = await this.rpc.call("study.put", { game, position, title, moves: await file.text() });
      await this.#choose(study);
      announce("Imported");
    } catch (error) {
      note(sentence(error));
    }
  }

  /** Saves the tree after what is being saved. */
  #save(said) {
    this.#show();
    this.queue = this.queue.then(() => this.#put(said)).catch((error) => note(sentence(error)));
  }

  async #put(said) {
    const { study } = this;
    const { game, position } = this.place;
    const known = study ? { study: study.study, revision: study.revision } : { title: titleOf(this.place) };
    try {
      const made = await this.rpc.call("study.put", { ...known, game, position, ...listOf(this.tree) });
      if (study !== this.study) return;
      this.study = { ...study, ...made };
      announce(said);
      if (!study) await this.#choose(made.study);
    } catch (error) {
      if (error.slug !== "revision") throw error;
      this.#conflict(sentence(error), await this.rpc.call("study.get", { study: study.study }));
    }
  }

  /** Someone else has changed the study: shows both. */
  #conflict(words, theirs) {
    const mine = this.tree;
    const copy = (title, tree) => h("div", {}, h("h3", {}, title), this.#linesOf(tree, false));
    const keep = (known, title) => () => {
      this.study = known;
      this.tree = mine;
      this.both.hidden = true;
      if (title) this.place = { ...this.place };
      this.#save("Saved");
    };
    this.both.hidden = false;
    fill(this.both,
      h("p", { class: "problem" }, words),
      copy("Yours", mine),
      copy(theirs.client ? `By ${theirs.client}` : "The other", treeOf(theirs)),
      h("div", { class: "row" },
        button("Take the other", () => this.#take(theirs)),
        button("Overwrite it", keep(theirs)),
        button("Keep both", keep(null, true)),
      ),
    );
  }

  // --- display

  #linesOf(tree, here) {
    const current = this.place.moves.join("\n");
    const one = ({ node, path }, i) => {
      const ply = path.length - 1;
      const number = ply % 2 && i ? "" : `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}`;
      return [
        number && h("span", { class: "dim" }, number),
        h("button", {
          type: "button", class: "quiet", onclick: () => this.go(path),
          "aria-current": here && path.join("\n") === current ? "true" : null,
        }, node.move + node.mark),
        node.text && h("p", { class: "comment" }, node.text),
      ];
    };
    return [
      tree.text && h("p", { class: "comment" }, tree.text),
      linesOf(tree).map(({ depth, moves }) =>
        h("div", { class: depth ? "line variation" : "line", style: { marginLeft: `${0.6 * depth}rem` } },
          moves.map(one),
        ),
      ),
    ];
  }

  #show() {
    const at = nodeAt(this.tree, this.place.moves);
    const empty = !this.tree.next.length && !this.tree.text;
    fill(this.lines, empty
      ? h("p", { class: "dim" }, this.writes ? "Play some moves, then add the line or a comment." : "No notes yet.")
      : this.#linesOf(this.tree, true));
    if (document.activeElement !== this.text) this.text.value = at?.text ?? "";
    for (const each of this.marks.children) {
      each.disabled = !this.place.moves.length;
      each.setAttribute("aria-pressed", String(Boolean(at?.mark) && at.mark === each.textContent));
    }
    this.add.disabled = Boolean(at);
    this.drop.disabled = !at || !this.place.moves.length;
    const file = (form) => button(STARTS[form], () => this.#export(form), { class: "quiet" });
    fill(this.files, this.study && this.forms?.map(file));
    this.files.title = this.study ? `revision ${this.study.revision}, ${moment(1000 * this.study.changed)}` : "";
  }

  async #export(form) {
    try {
      const { record, title } = await this.rpc.call("study.get", { study: this.study.study, record: form });
      save(`${title || this.place.game}.${form === "moves" ? "txt" : form}`, [record], TYPES[form]);
    } catch (error) {
      note(sentence(error));
    }
  }
}

const titleOf = ({ game, moves }) => `${game}${moves.length ? ` ${moves.slice(0, 6).join(" ")}` : ""}`.slice(0, 60);
