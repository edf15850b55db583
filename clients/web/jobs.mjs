// Jobs: the table of all jobs, newest first, with filters. Scrolling loads further jobs. The jobs in view are refreshed
// every two seconds.

import { figure, fill, h, note, say } from "./dom.mjs";
import { answer, bytes, count, nodesOf, OVER, question, short } from "./format.mjs";
import { shortcuts } from "./keys.mjs";
import { List } from "./list.mjs";
import { go } from "./route.mjs";
import { Workers } from "./workers.mjs";

const PAGE = 250; // jobs of one call
const NEWEST = 50; // jobs of the call that looks for new ones
const NAME = 40; // characters of a position, at most, that a headline names
const EVERY_MS = 2000;
const STATES = ["queued", "running", "paused", "solved", "exhausted", "cancelled", "failed"];

const phone = matchMedia("(max-width: 640px)");

/** A state as a word with a dot before it. */
export function pill(state) {
  return h("span", { class: `pill ${state}` }, state);
}

/** The game of a job, its position if that has a label or is short, and its question. */
export function headline(job) {
  const name = job.label ?? job.position;
  const where = name !== job.position || name.length <= NAME ? name : "";
  const asked = job.claim === "value" ? "what is its value?" : question(job);
  return `${job.game}${where && `, ${where}`}: ${asked}`;
}

function row(job) {
  const rate = job.state === "running" ? `${short(job.rate)}/s` : "";
  const known = answer(job);
  const about = job.position ? `${job.game} ${job.position}` : job.game || "damaged record";
  return {
    className: job.state,
    label: `Job ${job.job}, ${job.state}, ${about}, ${question(job)} ${known}`,
    cells: [
      String(job.job),
      about,
      question(job),
      pill(job.state),
      known,
      short(nodesOf(job)),
      rate,
      short(job.facts),
      job.priority ? String(job.priority) : "",
      job.group ?? "",
    ],
  };
}

/** The numbers above the table. */
function overview(stats) {
  const { busy, threads } = stats;
  const all = STATES.reduce((sum, state) => sum + stats.jobs[state], 0);
  return [
    figure("Jobs", count(all)),
    figure("Running", count(stats.jobs.running)),
    figure("Queued", count(stats.jobs.queued)),
    figure("Threads", `${busy} of ${threads}`),
    figure("Rate", `${short(stats.rate)}/s`, "nodes a second of all jobs"),
    figure("Facts", short(stats.facts)),
    figure("Memory", bytes(stats.memory)),
    figure("Disk free", bytes(stats.disk_free)),
  ];
}

class Jobs {
  constructor(route, rpc) {
    this.rpc = rpc;
    this.title = "Jobs";
    this.jobs = new Map();
    this.next = undefined; // `before` of the next page; null: there is none
    this.loading = false;
    this.round = 0; // drops replies to calls with an earlier filter
    this.state = h("select", { onchange: () => this.#address() },
      h("option", { value: "" }, "all"),
      STATES.map((state) => h("option", { value: state }, state)),
    );
    this.text = h("input", { type: "search", placeholder: "game, group, key, number", oninput: () => this.#address() });
    this.found = h("p", { class: "hint", role: "status" });
    const reader = rpc.hello?.role === "query";
    this.submit = h("a", { class: "button main", href: "#/submit", hidden: reader }, "Submit a job");
    this.strip = h("dl", { class: "strip" });
    this.workers = new Workers(rpc);
    this.list = new List({
      label: "Jobs",
      columns: ["Job", "Position", "Question", "State", "Known", "Nodes", "Rate", "Facts", "Priority", "Group"],
      height: () => (phone.matches ? 64 : 34),
      key: (job) => job.job,
      draw: row,
      open: (job) => go(`#/job/${job.job}`),
      near: () => this.#more(),
    });
    this.node = h("section", { class: "jobs" },
      h("div", { class: "row spread" },
        h("h1", {}, "Jobs"),
        this.submit,
      ),
      h("section", { "aria-label": "Figures" }, this.strip, this.workers.node),
      h("div", { class: "row filters", role: "search", "aria-label": "Filter" },
        h("label", {}, "State ", this.state),
        h("label", {}, "Containing ", this.text),
        this.found,
      ),
      h("section", { "aria-label": "Table" }, this.list.node),
    );
    this.onState = () => rpc.state === "ready" && this.#refresh();
    rpc.addEventListener("state", this.onState);
    this.timer = setInterval(() => this.#refresh(), EVERY_MS);
    this.forget = shortcuts("Jobs", [
      { key: "f", text: "filter", action: () => this.text.focus() },
      { key: "n", text: "submit a job", action: () => go("#/submit") },
    ]);
    this.update(route);
  }

  update({ query }) {
    const state = STATES.includes(query.get("state")) ? query.get("state") : "";
    const text = query.get("text") ?? "";
    const other = state !== this.state.value || this.next === undefined;
    this.state.value = state;
    if (document.activeElement !== this.text) this.text.value = text;
    if (other) this.#begin();
    else this.#show();
  }

  close() {
    this.forget();
    clearInterval(this.timer);
    this.rpc.removeEventListener("state", this.onState);
    this.list.close();
  }

  // --- filters

  #address() {
    const query = new URLSearchParams();
    if (this.state.value) query.set("state", this.state.value);
    if (this.text.value) query.set("text", this.text.value);
    const before = this.asked ?? "";
    this.asked = this.state.value;
    history.replaceState(null, "", query.size ? `#/?${query}` : "#/");
    if (before !== this.state.value) this.#begin();
    else this.#show();
  }

  #begin() {
    this.round++;
    this.asked = this.state.value;
    this.jobs.clear();
    this.next = undefined;
    this.loading = false;
    this.#more();
    this.#refresh();
  }

  #matches(job) {
    const wanted = this.text.value.trim().toLowerCase();
    return !wanted || [job.job, job.game, job.group, job.key, job.position].join(" ").toLowerCase().includes(wanted);
  }

  #show() {
    const items = [...this.jobs.values()].filter((job) => this.#matches(job)).sort((a, b) => b.job - a.job);
    this.list.show(items);
    const more = this.next !== null ? ", more are being read" : "";
    const whole = this.next === null || this.text.value;
    say(this.found,
      whole ? `${count(items.length)} shown${this.text.value ? more : ""}` : `${count(items.length)} read so far`,
    );
    if (this.next === null && !items.length)
      say(this.found,
        this.jobs.size || this.state.value || this.text.value ? "No job matches." : "There are no jobs yet.",
      );
    if (this.text.value && this.next !== null) this.#more();
  }

  // --- replies of the server

  async #more() {
    if (this.loading || this.next === null) return;
    const mine = this.round;
    this.loading = true;
    try {
      const page = await this.rpc.call("job.list", {
        state: this.state.value || undefined,
        limit: PAGE,
        before: this.next,
      });
      if (mine !== this.round) return;
      for (const job of page.jobs) this.jobs.set(job.job, job);
      this.next = page.next ?? null;
      this.loading = false;
      this.#show();
    } catch (error) {
      if (mine !== this.round) return;
      this.loading = false;
      note(error);
    }
  }

  async #refresh() {
    if (this.rpc.state !== "ready" || document.hidden || this.asking) return;
    const mine = this.round;
    this.asking = true;
    try {
      const [stats, newest] = await Promise.all([
        this.rpc.call("server.stats"),
        this.rpc.call("job.list", { state: this.state.value || undefined, limit: NEWEST }),
      ]);
      if (mine !== this.round) return;
      this.submit.hidden = this.rpc.hello?.role === "query";
      fill(this.strip, overview(stats));
      await this.workers.refresh();
      if (mine !== this.round) return;
      await this.#take(newest);
      if (mine === this.round) this.#show();
    } catch (error) {
      note(error); // from the server: reading calls outlive a lost connection
    } finally {
      this.asking = false;
    }
  }

  async #take(newest) {
    const least = newest.next === undefined ? 0 : (newest.jobs.at(-1)?.job ?? Infinity);
    const there = new Set(newest.jobs.map((job) => job.job));
    for (const job of this.jobs.keys()) if (job >= least && !there.has(job)) this.jobs.delete(job);
    for (const job of newest.jobs) this.#put(job);
    const old = this.list.visible().filter((job) => job.job < least && !OVER.includes(job.state));
    await Promise.all(
      old.map(({ job }) =>
        this.rpc.call("job.get", { job }).then(
          (now) => (this.state.value && now.state !== this.state.value ? this.jobs.delete(job) : this.#put(now)),
          (error) => (error.slug === "no-such-job" ? this.jobs.delete(job) : Promise.reject(error)),
        ),
      ),
    );
  }

  /** Keeps the object of an unchanged job, so that it is not drawn again. */
  #put(job) {
    const before = this.jobs.get(job.job);
    if (!before || JSON.stringify(before) !== JSON.stringify(job)) this.jobs.set(job.job, job);
  }
}

export const open = (route, rpc) => new Jobs(route, rpc);
