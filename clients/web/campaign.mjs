// Campaign: the jobs of a tag: a bar of what has become of them, a map of them where their names have two parts, a
// filter for each outcome, and the table of all of them, of which only the rows in view are in the document. What has
// changed is fetched every second. Without a tag: the list of campaigns.

import { fillBar, newBar, partsOf } from "./bar.mjs";
import { Board } from "./board.mjs";
import { csv, gameWords, GAVE_UP, leanOf, nameOf, ordered, OUTCOMES, outcomeOf, titleOf } from "./campaign_rows.mjs";
import { confirm } from "./dialogs.mjs";
import { button, figure, fill, h, note, poll, save, say } from "./dom.mjs";
import { answer, count, counted, duration, named, OVER, proofNumber, short, upper } from "./format.mjs";
import { List } from "./list.mjs";
import { Matrix, matrixOf } from "./matrix.mjs";
import { Positions } from "./positions.mjs";
import { explore, go } from "./route.mjs";
import { chip, leanColour } from "./status.mjs";

const EVERY_MS = 1000;
const LIST_MS = 2000;
const PAGE = 1000; // rows of a call, at most
const PAGES = 40; // that are asked for at once
const AGAIN = 10; // times the budget
const THUMBS = 200; // boards of rows that are kept
/** The buttons of a campaign, and the states of jobs that allow what they do. */
const CHANGES = [
  { text: "Pause", action: "pause", states: ["queued", "running"] },
  { text: "Resume", action: "resume", states: ["paused", "exhausted", "failed"] },
  { text: "Cancel…", action: "cancel", states: ["queued", "running", "paused"], danger: true },
];
const phone = matchMedia("(max-width: 640px)");

class Campaigns {
  constructor(rpc) {
    this.title = "Campaigns";
    this.rpc = rpc;
    this.rows = h("div", { class: "scroll" });
    this.node = h("section", { class: "jobs campaigns" }, h("h1", {}, "Campaigns"), this.rows);
    this.close = poll(rpc, LIST_MS, async () => this.#show((await rpc.call("campaign.list")).campaigns));
  }

  #show(campaigns) {
    const role = this.rpc.hello?.role;
    const shown = JSON.stringify([campaigns, role]);
    if (shown === this.shown) return;
    this.shown = shown;
    const focused = this.rows.contains(document.activeElement) && document.activeElement.getAttribute("href");
    const line = ({ name, jobs, states }) => {
      const bar = newBar();
      fillBar(bar, partsOf(states));
      return h("tr", {},
        h("th", { scope: "row" }, h("a", { href: `#/campaign/${encodeURIComponent(name)}` }, name)),
        h("td", { class: "wide" }, bar),
        [jobs, states.running, states.queued + states.paused, states.solved, states.exhausted]
          .map((n) => h("td", {}, count(n))),
      );
    };
    const heads = ["Tag", "", "Jobs", "Running", "Waiting", "Solved", "Gave up"];
    fill(this.rows, campaigns.length
      ? h("table", { class: "compare" },
          h("thead", {}, h("tr", {},
            heads.map((text) => (text ? h("th", { scope: "col" }, text) : h("td", { class: "wide" }))))),
          h("tbody", {}, campaigns.map(line)),
        )
      : h("div", { class: "card row spread" },
          h("p", {}, h("strong", {}, "No job has a tag yet. "),
            "A file with a position on each line makes a campaign: ",
            h("code", {}, "proofctl submit hex:5 --file positions --tag openings")),
          role === "query" ? null
            : button("Solve all openings of Hex 5×5", () => this.#begin().catch(note), { class: "main" })));
    if (focused) this.rows.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
  }

  /** The campaign that the button makes. */
  async #begin() {
    const [game, tag] = ["hex:5", "hex-openings"];
    const { moves } = await this.rpc.call("position.show", { game });
    const questions = moves.map((move) => ({ moves: [move], label: move }));
    await this.rpc.call("campaign.submit", { game, tags: [tag], memory: "16M", once: true, questions });
    go(`#/campaign/${tag}`);
  }
}

class Campaign {
  constructor(route, rpc) {
    Object.assign(this, { rpc, tag: route.tag, title: `Campaign ${route.tag}`, rows: new Map(), wanted: -1 });
    this.positions = new Positions(rpc);
    this.thumbs = new Map(); // by job
    this.heading = h("h1", {}, this.title);
    this.strip = h("dl", { class: "strip" });
    this.bar = newBar();
    this.filters = h("div", { class: "row", role: "group", "aria-label": "Outcome" });
    this.text = h("input", { type: "search", placeholder: "position, number", oninput: () => this.#show() });
    this.left = h("p", { class: "hint", role: "status" });
    this.list = new List({
      label: "Positions",
      columns: ["Board", "Position", "Result", "pn", "dn", "Nodes", "Processor", "Job"],
      height: () => (phone.matches ? 64 : 44),
      key: (row) => row.job,
      draw: (row) => this.#row(row),
      open: (row) => go(`#/job/${row.job}`),
      focus: (row) => this.#choose(row),
      near: () => {},
    });
    this.matrix = new Matrix((row) => this.#look(row), (row) => this.#choose(row));
    this.board = new Board();
    this.frame = h("a", { class: "frame", tabindex: -1, "aria-hidden": "true" });
    this.peek = h("div", { class: "card peek" });
    this.key = h("small", { class: "dim lean-key" });
    this.map = h("div", { class: "card", hidden: true },
      h("div", { class: "row spread" }, h("h2", {}, "Map"), this.key), this.matrix.node);
    this.again = h("div", { class: "card next row spread", hidden: true }, h("p", {}),
      button(`Again with ${AGAIN} × the budget`, () => this.#again().catch(note), { class: "main" }));
    this.changes = h("div", { class: "row", role: "group", "aria-label": "Actions", hidden: true },
      CHANGES.map(({ text, action, danger }) =>
        button(text, () => (danger ? this.#cancel() : this.#change({ action })).catch(note),
          { class: danger ? "danger" : "" })));
    this.node = h("section", { class: "jobs campaign" },
      h("div", { class: "row spread" },
        h("div", {}, this.heading, h("p", { class: "dim" }, "tag ", h("b", {}, this.tag),
          "; decided positions first, the hardest at the top, then the nearest to it")),
        h("div", { class: "row" },
          button("CSV", () => save(`${this.tag}.csv`, csv(this.#sorted()), "text/csv")), this.changes),
      ),
      this.strip, this.bar,
      h("div", { class: "parts" }, h("section", { "aria-label": "Map" }, this.map, this.peek),
        h("section", { "aria-label": "Table" },
          h("div", { class: "row filters", role: "search", "aria-label": "Filter" },
            this.filters, h("label", {}, "Containing ", this.text), this.left),
          this.again, this.list.node),
      ),
    );
    this.stop = poll(rpc, EVERY_MS, () => this.#load()); // a first load that takes long is not begun twice
  }

  close() {
    this.stop();
    this.list.close();
    this.matrix.close();
  }

  async #table(before) {
    const page = await this.rpc.call("campaign.table", { tag: this.tag, since: this.revision ?? 0, before });
    for (const row of page.rows) this.rows.set(row.job, row);
    return page;
  }

  /**
   * Fetches all pages of rows, or those that have changed. The first time many are asked for at once: a page has the
   * newest jobs before a number, so it reaches back to those a page's length before it, or further.
   */
  async #load() {
    const pages = [await this.#table()];
    const { next } = pages[0];
    if (next && !this.revision) {
      const [{ first }] = (await this.rpc.call("campaign.list", { tag: this.tag })).campaigns;
      const more = Math.ceil((next - first) / PAGE);
      if (more <= PAGES)
        pages.push(...await Promise.all(Array.from({ length: more }, (_, i) => this.#table(next - i * PAGE))));
    }
    while (pages.at(-1).next) pages.push(await this.#table(pages.at(-1).next));
    this.revision = Math.min(...pages.map(({ revision }) => revision));
    if (pages.at(-1).jobs < this.rows.size) { // some were removed
      this.rows.clear();
      this.revision = undefined;
      return this.#load();
    }
    await this.#names();
    return this.#show();
  }

  /** The sides have names where all jobs are of one game. */
  async #names() {
    const games = new Set([...this.rows.values()].map(({ game }) => game));
    this.one = games.size === 1;
    const game = this.one ? [...games][0] : "";
    if (this.named === game) return;
    this.named = game;
    const shown = game && (await this.positions.board({ game, position: "", moves: [] }).catch(() => null));
    this.sides = shown?.geometry?.sides;
    this.moves = shown?.moves ?? [];
    const described = game && (await this.positions.game(game).catch(() => null)); // a graph's file may be gone
    this.words = described ? gameWords(game, described.title, shown) : game;
  }

  async #change(params, before) {
    const { next } = await this.rpc.call("campaign.change", { tag: this.tag, ...params, before });
    if (next) await this.#change(params, next);
  }

  /** More budget for the jobs that gave up: ten times that of the last of them. */
  async #again() {
    const gave = this.#sorted().findLast((row) => outcomeOf(row) === GAVE_UP);
    if (!gave) return;
    const { budget } = await this.rpc.call("job.get", { job: gave.job });
    const more = Object.entries(budget).filter(([, value]) => value).map(([name, value]) => [name, AGAIN * value]);
    if (!more.length) throw new Error(`job ${gave.job} has no budget to raise; it gave up for another reason`);
    await this.#change({ action: "set", state: "exhausted", budget: Object.fromEntries(more) });
    await this.#change({ action: "resume", state: "exhausted" });
  }

  async #cancel() {
    const text = `All jobs of ${this.tag} that are not over end for good. What is proved stays.`;
    if (await confirm("Cancel the campaign?", text, "Cancel its jobs")) await this.#change({ action: "cancel" });
  }

  #sorted() {
    return [...this.rows.values()].sort((a, b) => a.job - b.job);
  }

  #outcome(row) {
    const i = outcomeOf(row);
    return { ...OUTCOMES[i], i, name: named(OUTCOMES[i].name, this.sides) };
  }

  /** The name of a row, with its game where there are several. */
  #about(row) {
    return (this.one ? "" : `${row.game} `) + nameOf(row);
  }

  /** What a row has come to, in words. */
  #result(row) {
    const known = answer({ value: row });
    return OVER.includes(row.state) && known ? named(known, this.sides) : this.#outcome(row).name;
  }

  #chip(row) {
    const { kind } = this.#outcome(row);
    const word = upper(this.#result(row));
    return ["win", "draw", "loss", "half"].includes(kind)
      ? chip({ kind, letter: word[0], word })
      : h("span", { class: `pill ${row.state}` }, row.state === "exhausted" ? "gave up" : row.state);
  }

  /** The position of a row, small; its board comes later. */
  #thumb({ job, game, position }) {
    if (this.thumbs.has(job)) return this.thumbs.get(job);
    const frame = h("span", { class: "thumb", "aria-hidden": "true" });
    this.thumbs.set(job, frame);
    if (this.thumbs.size > THUMBS) this.thumbs.delete(this.thumbs.keys().next().value);
    this.positions.board({ game, position, moves: [] }).then((shown) => {
      if (!shown.geometry) return;
      const board = new Board();
      board.show(shown, { small: true });
      frame.append(board.node);
    }, () => {}); // a graph whose file is gone has no picture
    return frame;
  }

  #row(row) {
    const about = this.#about(row);
    const number = (value) => (value === undefined || row.state === "solved" ? "" : short(proofNumber(value)));
    return {
      className: row.state,
      label: `Job ${row.job}, ${row.state}, ${about}, ${this.#result(row)}`,
      cells: [this.#thumb(row), about, this.#chip(row), number(row.pn), number(row.dn), short(row.nodes),
        row.cpu ? `${row.cpu.toFixed(2)} s` : "", String(row.job)],
    };
  }

  #look(row) {
    const { kind, name, colour, i } = this.#outcome(row);
    const letter = { "": "", open: "", bad: "", half: "~", running: "●" }[kind] ?? upper(name)[0];
    const tint = kind === "open" && row.pn !== undefined ? leanColour(proofNumber(row.pn), proofNumber(row.dn)) : null;
    const fills = { "": "var(--sunk)", open: tint ?? "var(--line)", running: "var(--accent-ground)" };
    const outcome = { name, colour, i, decided: i < GAVE_UP };
    return { kind, letter, colour: fills[kind] ?? colour, text: `${this.#about(row)}: ${this.#result(row)}`, outcome };
  }

  #choose(row) {
    this.chosen = row.job;
    this.#show();
  }

  /** The map, and the position that is chosen in it: until one is, the hardest that is decided, or any. */
  #showMap(rows) {
    const map = matrixOf(rows);
    this.map.hidden = !map;
    const hardest = () => rows.filter(({ state }) => state === "solved").sort((a, b) => b.nodes - a.nodes)[0];
    const row = this.rows.get(this.chosen) ?? hardest() ?? rows[0];
    if (!row) return;
    if (map) this.matrix.show(map, row);
    if (this.key.childElementCount === 0)
      fill(this.key, `gave up, closer to a win for ${named("Second", this.sides)} `, h("i", { "aria-hidden": "true" }),
        ` for ${named("First", this.sides)}`);
    const peek = JSON.stringify(row);
    const other = row.job !== this.peekedJob;
    if (peek === this.peeked || (!other && this.peek.contains(document.activeElement))) return;
    Object.assign(this, { peeked: peek, peekedJob: row.job });
    const address = explore(row.game, row.position);
    fill(this.peek, this.frame, h("div", {},
      h("h3", {}, this.#about(row)),
      h("p", {}, this.#chip(row)),
      h("p", { class: "dim" }, counted(row.nodes, "node"), row.cpu ? ` in ${duration(row.cpu)}` : "", " by ",
        h("a", { href: `#/job/${row.job}` }, `job ${row.job}`), row.reason ? `; ${row.reason}` : ""),
      h("a", { class: "button", href: address }, "Explore")));
    if (!other) return;
    this.frame.setAttribute("href", address);
    this.frame.replaceChildren();
    const { game, position } = row;
    this.positions.board({ game, position, moves: [] }).then((shown) => {
      if (this.peekedJob !== row.job || !shown.geometry) return;
      this.board.show(shown);
      this.frame.append(this.board.node);
    }, () => {}); // a graph whose file is gone has no picture
  }

  /** The buttons that would change a job. The focus of one that goes moves on. */
  #showChanges(rows, reader) {
    const states = new Set(rows.map(({ state }) => state));
    const focused = document.activeElement;
    const buttons = [...this.changes.children];
    this.changes.hidden = reader;
    buttons.forEach((one, i) => (one.hidden = !CHANGES[i].states.some((state) => states.has(state))));
    if (buttons.includes(focused) && focused.hidden) buttons.find((one) => !one.hidden)?.focus();
  }

  /** What can be done with the jobs that gave up, and its price. */
  #showNext(rows, reader) {
    const gave = rows.filter((row) => outcomeOf(row) === GAVE_UP);
    this.key.hidden = !gave.length;
    this.again.hidden = reader || !gave.length;
    if (this.again.hidden) return;
    const lean = gave.filter((row) => leanOf(row) > Math.log10(AGAIN)).length;
    const cpu = gave.reduce((sum, row) => sum + row.cpu, 0) * (AGAIN - 1);
    fill(this.again.firstChild, h("b", {}, `${count(gave.length)} gave up. `),
      lean ? `${count(lean)} of them lean towards ${named("First", this.sides)} by more than ${AGAIN} to 1. ` : "",
      cpu >= 1 ? `${AGAIN} times the budget would take up to ${duration(cpu)} of processor time.` : "");
  }

  #show() {
    const reader = this.rpc.hello?.role === "query";
    const rows = this.#sorted();
    this.#showChanges(rows, reader);
    const counts = OUTCOMES.map(() => 0);
    for (const row of rows) counts[outcomeOf(row)]++;
    const over = counts.slice(0, 6).reduce((sum, n) => sum + n, 0);
    this.first ??= { over, at: performance.now() };
    const rate = (over - this.first.over) / ((performance.now() - this.first.at) / 1000);
    fill(this.strip, figure("Positions", count(rows.length)), figure("Done", count(over)),
      figure("Nodes", short(rows.reduce((sum, row) => sum + row.nodes, 0))),
      figure("Left at this rate", rate > 0 && over < rows.length ? duration((rows.length - over) / rate) : "–"));
    const parts = OUTCOMES.map(({ name, colour }, i) => ({ name: named(name, this.sides), colour, i, n: counts[i] }));
    fillBar(this.bar, parts);
    if (rows.length && rows.length !== this.told) say(this.heading, titleOf(rows, this.words, this.moves));
    this.told = rows.length;
    this.#choices(parts.filter(({ n, i }) => n || i === this.wanted), rows.length);
    this.#showMap(rows);
    this.#showNext(rows, reader);
    const text = this.text.value.trim().toLowerCase();
    const shown = this.#ordered(rows).filter((row) => (this.wanted < 0 || outcomeOf(row) === this.wanted) &&
      (!text || `${row.job} ${row.label ?? ""} ${row.position}`.toLowerCase().includes(text)));
    this.list.show(shown);
    say(this.left, `${count(shown.length)} shown`);
  }

  /** Rows in the order of the table, which stays while the pointer or the focus is there. */
  #ordered(rows) {
    const stays = this.order && this.list.node.matches(":hover, :focus-within");
    if (!stays) this.order = new Map(ordered(rows).map(({ job }, i) => [job, i]));
    const at = ({ job }) => this.order.get(job) ?? this.order.size + job;
    return rows.sort((a, b) => at(a) - at(b));
  }

  #choices(some, all) {
    const choices = [{ name: "all", i: -1, n: all }, ...some];
    const names = choices.map(({ name }) => name).join();
    if (this.choices !== names) // else a press would meet a button that is gone
      fill(this.filters, choices.map(({ name, i }) =>
        button("", () => {
          this.wanted = i;
          this.#show();
        }, { "data-outcome": i, "aria-label": name })));
    this.choices = names;
    choices.forEach(({ name, i, n, colour }, at) => {
      const choice = this.filters.children[at];
      choice.setAttribute("aria-pressed", String(this.wanted === i));
      if (choice.dataset.n === String(n)) return;
      choice.dataset.n = String(n);
      choice.setAttribute("aria-label", `${name} ${n}`);
      fill(choice, i >= 0 && h("i", { class: "swatch", style: { background: colour } }), `${name} ${count(n)}`);
    });
  }
}

export const open = (route, rpc) => (route.tag ? new Campaign(route, rpc) : new Campaigns(rpc));
