// Notes: the studies of a game beside its board: variations, comments and marks, kept on the server. What is changed is
// saved at once. When someone else has changed the study meanwhile, both versions are shown, and nothing is lost.

import { announce, button, fill, h, note, save, sentence } from "./dom.mjs";
import { moveNumber } from "./format.mjs";
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
    this.doc = null; // the study that is shown; null until it is known
    this.round = 0;
    this.textAt = []; // the moves to which the comment in the text area belongs
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
    if (!this.edit.hidden && !this.node.hidden) this.text.focus();
  }

  /** The position that is shown; `wanted`: the study that the address names. */
  async at(place, { records }, wanted = 0) {
    const before = this.place;
    this.place = place;
    this.node.hidden = !this.rpc.hello?.features.includes("studies");
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
    this.doc = null;
    this.#show();
    try {
      const { studies } = await this.rpc.call("study.list", { game });
      const found = studies.find(({ study }) => study === chosen) ?? (chosen < 0 ? undefined : studies[0]);
      const study = found ? await this.rpc.call("study.get", { study: found.study }) : null;
      if (mine !== this.round) return;
      this.#take(docOf(study?.position === position ? study : null, this.place));
      this.#offer(studies);
    } catch (error) {
      if (mine === this.round) note(sentence(error));
    }
  }

  /** What can be chosen. */
  #offer(studies) {
    fill(this.choice,
      studies.map((one) => h("option", { value: one.study }, one.title || `Study ${one.study}`)),
      h("option", { value: -1 }, "New study"),
    );
    this.choice.hidden = !studies.length;
    this.choice.value = String(this.doc.study?.study ?? -1);
  }

  #take(doc) {
    this.doc = doc;
    this.both.hidden = true;
    this.#show();
  }

  async #choose(number) {
    sessionStorage.setItem(CHOSEN + this.place.game, number);
    await this.#load(number);
  }

  /** Goes to the previous or next alternative of the last move. */
  beside(step) {
    const moves = this.doc && besides(this.doc.tree, this.place.moves, step);
    if (moves) this.go(moves);
    else announce("No other variation here");
  }

  // --- changes

  addLine() {
    if (this.edit.hidden || this.node.hidden) return;
    nodeAt(this.doc.tree, this.place.moves, true);
    this.#save("The line was added");
  }

  #mark(mark) {
    if (!this.place.moves.length) return;
    const at = nodeAt(this.doc.tree, this.place.moves, true);
    at.mark = at.mark === mark ? "" : mark;
    this.#save(at.mark ? `Marked ${mark}` : "The mark was removed");
  }

  #comment() {
    if (!this.doc) return;
    const words = this.text.value.trim();
    if (words === (nodeAt(this.doc.tree, this.textAt)?.text ?? "")) return;
    nodeAt(this.doc.tree, this.textAt, true).text = words;
    this.#save("The comment was saved");
  }

  #remove() {
    if (removeAt(this.doc.tree, this.place.moves)) this.#save("The move and what follows it were removed");
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

  /** Saves the study, whatever is shown meanwhile, after what is being saved of it. */
  #save(said, doc = this.doc) {
    this.#show();
    doc.queue = doc.queue.then(() => this.#put(doc, said)).catch((error) => note(sentence(error)));
  }

  async #put(doc, said) {
    const { study, game, position } = doc;
    const known = study ? { study: study.study, revision: study.revision } : { title: titleOf(doc) };
    try {
      const made = await this.rpc.call("study.put", { ...known, game, position, ...listOf(doc.tree) });
      doc.study = { ...study, ...made };
      announce(said);
    } catch (error) {
      if (error.slug !== "revision") throw error;
      await this.#conflict(doc, sentence(error));
      return;
    }
    if (doc !== this.doc) return;
    this.#show();
    if (study) return;
    sessionStorage.setItem(CHOSEN + game, doc.study.study);
    this.#offer((await this.rpc.call("study.list", { game })).studies);
  }

  /** Someone else has changed the study: shows both, or keeps both if another study is shown by now. */
  async #conflict(doc, words) {
    const theirs = await this.rpc.call("study.get", { study: doc.study.study });
    const keep = (study) => () => {
      doc.study = study;
      this.both.hidden = true;
      this.#save("Saved", doc);
    };
    if (doc !== this.doc) {
      keep(null)();
      return;
    }
    const copy = (title, tree) => h("div", {}, h("h3", {}, title), this.#linesOf(tree, false));
    this.both.hidden = false;
    fill(this.both,
      h("p", { class: "problem" }, words),
      copy("Yours", doc.tree),
      copy(theirs.client ? `By ${theirs.client}` : "The other", treeOf(theirs)),
      h("div", { class: "row" },
        button("Take the other", () => this.#take(docOf(theirs, doc))),
        button("Overwrite it", keep(theirs)),
        button("Keep both", keep(null)),
      ),
    );
  }

  // --- display

  #linesOf(tree, here) {
    const current = this.place.moves.join("\n");
    const one = ({ node, path }, i) => {
      const number = moveNumber(path.length - 1, !i);
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
    this.edit.hidden = !this.writes || !this.doc;
    const { study, tree } = this.doc ?? { tree: treeOf({}) };
    const at = nodeAt(tree, this.place.moves);
    const empty = !tree.next.length && !tree.text;
    const hint = this.writes ? "Play some moves, then add the line or a comment." : "No notes yet.";
    fill(this.lines, empty ? this.doc && h("p", { class: "dim" }, hint) : this.#linesOf(tree, true));
    if (document.activeElement !== this.text) {
      this.textAt = this.place.moves;
      this.text.value = at?.text ?? "";
    }
    for (const each of this.marks.children) {
      each.disabled = !this.place.moves.length;
      each.setAttribute("aria-pressed", String(Boolean(at?.mark) && at.mark === each.textContent));
    }
    this.add.disabled = Boolean(at);
    this.drop.disabled = !at || !this.place.moves.length;
    const file = (form) => button(STARTS[form], () => this.#export(form), { class: "quiet" });
    fill(this.files, study && this.forms?.map(file));
    this.files.title = study ? `revision ${study.revision}` : "";
  }

  async #export(form) {
    try {
      const { record, title } = await this.rpc.call("study.get", { study: this.doc.study.study, record: form });
      save(`${title || this.place.game}.${form === "moves" ? "txt" : form}`, [record], TYPES[form]);
    } catch (error) {
      note(sentence(error));
    }
  }
}

/** A study with what it belongs to. `study`: as study.get returns it; null: a new one. */
function docOf(study, { game, position }) {
  return { study, tree: treeOf(study ?? {}), game, position, queue: Promise.resolve() };
}

function titleOf({ game, tree }) {
  const moves = [];
  for (let [at] = tree.next; at && moves.length < 6; [at] = at.next) moves.push(at.move);
  return [game, ...moves].join(" ").slice(0, 60);
}
