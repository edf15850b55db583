// Campaign: the jobs of a tag: a bar of what has become of them, a filter for each outcome, and the table of all of
// them, of which only the rows in view are in the document. What has changed is fetched every second. Without a tag:
// the list of campaigns.

import { confirm } from "./dialogs.mjs";
import { button, figure, fill, h, note, poll, save, say } from "./dom.mjs";
import { answer, count, duration, OVER, proofNumber, short } from "./format.mjs";
import { pill } from "./jobs.mjs";
import { List } from "./list.mjs";
import { go } from "./route.mjs";

const EVERY_MS = 1000;
const phone = matchMedia("(max-width: 640px)");

/** In the order of the bar: what a job has come to, in words, and its colour. */
const OUTCOMES = [
  { name: "first wins", colour: "var(--win-solid)", of: (row) => row.lo > 0 },
  { name: "draw", colour: "var(--draw)", of: (row) => row.lo === 0 && row.hi === 0 },
  { name: "second wins", colour: "var(--loss-solid)", of: (row) => row.hi < 0 },
  { name: "solved otherwise", colour: "var(--line0)", of: (row) => row.state === "solved" },
  { name: "gave up", colour: "var(--dim)", of: (row) => row.state === "exhausted" },
  { name: "failed or cancelled", colour: "var(--line1)", of: (row) => OVER.includes(row.state) },
  { name: "running", colour: "var(--accent)", of: (row) => row.state === "running" },
  { name: "waiting", colour: "var(--line)", of: () => true },
];

/** The index of a row's outcome. A decided value counts only once the job is over. */
const outcomeOf = (row) =>
  OUTCOMES.findIndex((outcome, i) => (i > 2 || row.state === "solved") && outcome.of(row));

// With =, + and @ a formula of a spreadsheet begins: an apostrophe makes it a text.
const quoted = (value) => `"${String(value ?? "").replace(/^[=+@]/, "'$&").replaceAll('"', '""')}"`;

/** The rows as a CSV file. */
export function csv(rows) {
  const names = ["job", "state", "game", "position", "label", "claim", "text", "nodes", "cpu", "pn", "dn"];
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((line) => line.map(quoted).join(",") + "\n");
}

function draw(row) {
  const about = row.label || row.position || "initial position";
  const number = (value) => (value === undefined ? "" : short(proofNumber(value)));
  return {
    className: row.state,
    label: `Job ${row.job}, ${row.state}, ${about}, ${row.text ?? ""}`,
    cells: [String(row.job), about, row.game, pill(row.state), answer({ value: row }), short(row.nodes),
      row.cpu ? `${row.cpu.toFixed(2)} s` : "", number(row.pn), number(row.dn), row.reason ?? ""],
  };
}

class Campaigns {
  constructor(rpc) {
    this.title = "Campaigns";
    this.rpc = rpc;
    this.rows = h("div", { class: "scroll" });
    this.node = h("section", { class: "jobs" }, h("h1", {}, "Campaigns"), this.rows);
    rpc.call("campaign.list").then(({ campaigns }) => this.#show(campaigns), note);
  }

  #show(campaigns) {
    const line = ({ name, jobs, states }) =>
      h("tr", {},
        h("th", { scope: "row" }, h("a", { href: `#/campaign/${name}` }, name)),
        [jobs, states.running, states.queued, states.solved, states.exhausted].map((n) => h("td", {}, count(n))),
      );
    const heads = ["Tag", "Jobs", "Running", "Waiting", "Solved", "Gave up"];
    fill(this.rows, campaigns.length
      ? h("table", { class: "compare" },
          h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))),
          h("tbody", {}, campaigns.map(line)),
        )
      : h("div", { class: "card row spread" },
          h("p", {}, h("strong", {}, "No job has a tag yet. "),
            "A file with a position on each line makes a campaign: ",
            h("code", {}, "proofctl submit hex:5 --file positions --tag openings")),
          this.rpc.hello?.role === "query" ? null
            : button("Solve all openings of Hex 5×5", () => this.#begin().catch(note), { class: "main" })));
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
    this.strip = h("dl", { class: "strip" });
    this.bar = h("div", { class: "campaign-bar", role: "img" });
    this.filters = h("div", { class: "row", role: "group", "aria-label": "Filter" });
    this.text = h("input", { type: "search", placeholder: "position, number", oninput: () => this.#show() });
    this.left = h("p", { class: "hint", role: "status" });
    this.list = new List({
      label: "Positions",
      columns: ["Job", "Position", "Game", "State", "Known", "Nodes", "Processor", "pn", "dn", "Reason"],
      height: () => (phone.matches ? 64 : 34),
      key: (row) => row.job,
      draw,
      open: (row) => go(`#/job/${row.job}`),
      near: () => {},
    });
    const change = (action) => () => this.#change({ action });
    this.changes = h("div", { class: "row", role: "group", "aria-label": "Actions", hidden: true },
      button("Pause", change("pause")), button("Resume", change("resume")),
      button("Cancel…", () => this.#cancel(), { class: "danger" }),
    );
    this.node = h("section", { class: "jobs campaign" },
      h("div", { class: "row spread" },
        h("h1", {}, this.title),
        h("div", { class: "row" },
          button("CSV", () => save(`${this.tag}.csv`, csv(this.#sorted()), "text/csv")), this.changes),
      ),
      this.strip, this.bar,
      h("div", { class: "row filters" }, this.filters, h("label", {}, "Containing ", this.text), this.left),
      this.list.node,
    );
    this.stop = poll(rpc, EVERY_MS, () => this.#load()); // a first load that takes long is not begun twice
  }

  close() {
    this.stop();
    this.list.close();
  }

  /** Fetches all pages of rows, or those that have changed. */
  async #load() {
    const since = this.revision ?? 0;
    let before;
    let revision = Infinity;
    let jobs = 0;
    do {
      const page = await this.rpc.call("campaign.table", { tag: this.tag, since, before });
      for (const row of page.rows) this.rows.set(row.job, row);
      revision = Math.min(revision, page.revision);
      before = page.next;
      jobs = page.jobs;
    } while (before);
    this.revision = revision;
    if (jobs < this.rows.size) { // some were removed
      this.rows.clear();
      this.revision = undefined;
      return this.#load();
    }
    return this.#show();
  }

  async #change(params, before) {
    try {
      const { next } = await this.rpc.call("campaign.change", { tag: this.tag, ...params, before });
      if (next) await this.#change(params, next);
    } catch (error) {
      note(error);
    }
  }

  async #cancel() {
    const text = `All jobs of ${this.tag} that are not over end for good. What is proved stays.`;
    if (await confirm("Cancel the campaign?", text, "Cancel its jobs")) await this.#change({ action: "cancel" });
  }

  #sorted() {
    return [...this.rows.values()].sort((a, b) => a.job - b.job);
  }

  #show() {
    this.changes.hidden = this.rpc.hello?.role === "query";
    const rows = this.#sorted();
    const counts = OUTCOMES.map(() => 0);
    for (const row of rows) counts[outcomeOf(row)]++;
    const over = counts.slice(0, 6).reduce((sum, n) => sum + n, 0);
    this.first ??= { over, at: performance.now() };
    const rate = (over - this.first.over) / ((performance.now() - this.first.at) / 1000);
    fill(this.strip, figure("Positions", count(rows.length)), figure("Done", count(over)),
      figure("Nodes", short(rows.reduce((sum, row) => sum + row.nodes, 0))),
      figure("Left at this rate", rate > 0 ? duration((rows.length - over) / rate) : "–"));
    const some = OUTCOMES.map((outcome, i) => ({ ...outcome, i, n: counts[i] })).filter(({ n }) => n);
    fill(this.bar, some.map(({ colour, n }) => h("i", { style: { flex: String(n), background: colour } })));
    this.bar.setAttribute("aria-label", some.map(({ name, n }) => `${n} ${name}`).join(", "));
    this.#choices(some, rows.length);
    const text = this.text.value.trim().toLowerCase();
    const shown = rows.filter((row) => (this.wanted < 0 || outcomeOf(row) === this.wanted) &&
      (!text || `${row.job} ${row.label ?? ""} ${row.position}`.toLowerCase().includes(text)));
    this.list.show(shown);
    say(this.left, `${count(shown.length)} shown`);
  }

  #choices(some, all) {
    const choices = [{ name: "all", i: -1, n: all }, ...some];
    const names = choices.map(({ name }) => name).join();
    if (this.choices !== names) // else a press would meet a button that is gone
      fill(this.filters, choices.map(({ name, i, colour }) =>
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
