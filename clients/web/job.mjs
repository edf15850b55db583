// Job: one job, live: figures, plots of its history, the reason why it waits, settings, result, and controls.

import { Board } from "./board.mjs";
import { commandOf, copy } from "./copy.mjs";
import { announce, button, field, figure, fill, h, hintOf, note, say } from "./dom.mjs";
import { confirm, dialog } from "./dialogs.mjs";
import {
  answer, bytes, count, counted, duration, isSize, moment, nodesOf, optionsText, OVER, plies, proofNumber, short,
  tableText, upper,
} from "./format.mjs";
import { headline, pill } from "./jobs.mjs";
import { JobPlots } from "./job_plots.mjs";
import { JobTree } from "./job_tree.mjs";
import { JobWork } from "./job_work.mjs";
import { shortcuts } from "./keys.mjs";
import { namesOf, Positions } from "./positions.mjs";
import { explore, go } from "./route.mjs";
import { Tell } from "./tell.mjs";

const EXPLAIN_MS = 5000;

/** The actions and the states that allow them. */
const ACTIONS = {
  pause: { states: ["queued", "running"], text: "Pause", key: "p" },
  resume: { states: ["paused", "exhausted", "failed"], text: "Resume", key: "r" },
  set: { states: ["queued", "running", "paused", "exhausted"], text: "Priority, budget…", key: "b" },
  cancel: { states: ["queued", "running", "paused", "exhausted", "failed"], text: "Cancel…", key: "" },
  remove: { states: OVER, text: "Remove…", key: "" },
};

class Job {
  constructor({ job }, rpc) {
    this.rpc = rpc;
    this.number = job;
    this.title = `Job ${job}`;
    this.job = null;
    this.role = undefined;
    this.names = new Map(); // of moves
    this.board = new Board();
    this.picture = h("div", { class: "thumb", hidden: true }, this.board.node);
    this.heading = h("h1", {}, this.title);
    this.head = h("div", { class: "job-head" });
    this.why = h("p", { class: "why", role: "status" });
    this.trend = h("p", { class: "why" }); // which changes too often to be read out
    this.facts = h("dl", { class: "strip" });
    this.result = h("div");
    this.more = h("dl", { class: "pairs" });
    this.events = h("ol", { class: "events" });
    this.controls = h("div", { class: "row", role: "group", "aria-label": "Actions" });
    this.plots = new JobPlots();
    this.work = new JobWork(rpc, job, () => this.#tellWhy());
    this.tree = new JobTree(rpc, job);
    this.tell = new Tell(rpc, job);
    const events = h("details", { open: true }, h("summary", {}, "Events"), this.events);
    const settings = h("details", { open: true }, h("summary", {}, "Settings"), this.more,
      button("Copy as command", () => this.job && copy(commandOf(this.job), "The command")));
    this.node = h("section", { class: "job" },
      h("div", { class: "job-top" }, this.picture, h("div", {}, this.heading, this.head, this.why, this.trend),
        this.controls),
      this.facts, this.result,
      h("div", { class: "job-parts" },
        h("div", {}, this.plots.node, this.work.node, this.tree.node),
        h("div", { class: "job-side" }, events, settings, this.tell.node)),
    );
    this.stop = rpc.watch(job, (state, error) => this.#take(state, error));
    this.timer = setInterval(() => this.#explain(), EXPLAIN_MS);
    this.forget = shortcuts("Job", [
      ...Object.entries(ACTIONS)
        .filter(([, { key }]) => key)
        .map(([name, { key, text }]) => ({
          key,
          text: text.replace("…", "").toLowerCase(),
          action: () => this.#allowed(name) && this.#do(name),
        })),
      {
        key: "x",
        text: "explore its position",
        action: () => this.job && go(explore(this.job.game, this.job.position)),
      },
    ]);
    this.#history();
  }

  close() {
    this.stop();
    this.forget();
    this.plots.close();
    this.work.close();
    clearInterval(this.timer);
  }

  update({ job }) {
    return job === this.number;
  }

  // --- replies of the server

  #take(state, error) {
    if (error) {
      if (this.job) note(error);
      else
        fill(this.node,
          h("h1", {}, this.title),
          h("p", { class: "problem" }, `${upper(error.message)}.`),
          h("a", { href: "#/" }, "All jobs"),
        );
      return;
    }
    const [before, role] = [this.job?.state, this.rpc.hello?.role];
    this.job = state;
    this.plots.live(state);
    this.work.live(state);
    this.tell.live(state);
    this.tree.offer();
    this.#show();
    if (before === state.state && role === this.role) return;
    this.role = role; // of the controls
    if (!before) this.#draw();
    if (before && before !== state.state) {
      announce(`The job is ${state.state}`);
      this.#history();
    }
    this.#explain();
    this.#buttons();
  }

  async #history() {
    try {
      const { points } = await this.rpc.call("job.history", { job: this.number, limit: 5000 });
      this.plots.history(points);
      const rows = points.filter((point, i) => point.event !== points[i - 1]?.event).slice(-200).reverse();
      fill(this.events, rows.map(({ t, event, nodes }) =>
        h("li", {}, h("i", { "aria-hidden": "true" }, event[0].toUpperCase()),
          h("span", {}, `${upper(event)}, ${counted(nodes, "node")}`), h("time", { class: "dim" }, moment(t)))));
    } catch (error) {
      if (error.slug !== "no-such-job") note(error);
    }
  }

  async #explain() {
    if (document.hidden || !this.job || this.rpc.state !== "ready") return;
    if (OVER.includes(this.job.state)) return this.#tellWhy(this.job.reason);
    try {
      const { text } = await this.rpc.call("job.explain", { job: this.number });
      this.#tellWhy(text);
    } catch (error) {
      if (error.slug !== "no-such-job") note(error); // the watch reports that one
    }
  }

  #tellWhy(reason = this.reason) {
    this.reason = reason;
    const trend = this.plots.trend(this.job);
    say(this.why, [reason, this.work.words()].filter(Boolean).map((text) => `${upper(text)}.`).join(" "));
    say(this.trend, trend && `${upper(trend)}.`);
  }

  // --- display

  /** The position as a picture, where the game has one. */
  async #draw() {
    const { game, position } = this.job;
    const shown = await new Positions(this.rpc).board({ game, position, moves: [] }).catch(() => ({}));
    this.picture.hidden = !shown.geometry;
    if (shown.geometry) this.board.show(shown, { small: true });
    this.names = namesOf(shown);
    this.#show();
  }

  #show() {
    const job = this.job;
    const known = answer(job);
    const { level1, level2 } = job.nodes;
    say(this.heading, headline(job));
    fill(this.head,
      pill(job.state),
      h("span", { class: "game" }, this.title),
      h("a", { href: explore(job.game, job.position) }, "Explore"),
      h("a", { href: `#/compare/${job.job}` }, "Compare"),
    );
    const of = `number of the root, for: First gets ${job.threshold} or more`;
    fill(this.facts,
      figure("Known", known || "nothing yet", "bounds of the value so far"),
      figure("pn", short(proofNumber(job.pn)), `proof ${of}`),
      figure("dn", short(proofNumber(job.dn)), `disproof ${of}`),
      figure("Nodes", short(nodesOf(job)), `${count(level1)} of level 1, ${count(level2)} of level 2`),
      figure("Rate", job.state === "running" ? `${short(job.rate)}/s` : "–", "nodes a second, lately"),
      figure("Search time", duration(job.seconds), `${duration(job.cpu)} of processor time`),
      figure("Facts", short(job.facts), count(job.facts)),
      figure("Table", tableText(job), `${count(job.entries)} of ${count(job.capacity)} entries`),
      figure("Disk", bytes(job.disk), "the server's files, all jobs together"),
      figure("Leading move", this.names.get(job.leading) ?? job.leading ?? "–",
        "the most promising at the root, until the job is solved"),
    );
    this.#showResult();
    this.#showMore();
  }

  #showResult() {
    const result = this.job.result;
    if (!result) return fill(this.result);
    const words = {
      solved: "The value is known",
      proved: "Yes: it is proved",
      disproved: "No: it is disproved",
      unsolved: "Not solved",
    };
    fill(this.result,
      h("div", { class: "card result" },
        h("strong", {}, `${words[result.status]}: ${result.value.text}`),
        result.plies !== null ? ` within ${plies(result.plies)}` : "",
        result.line.length
          ? h("p", { class: "line" },
              "Best play: ",
              result.line.map((move, i) => [
                h("a", { href: explore(this.job.game, this.job.position, result.line.slice(0, i + 1)) }, move),
                " ",
              ]),
            )
          : null,
      ),
    );
  }

  #showMore() {
    const job = this.job;
    const pairs = {
      Position: job.position || "initial position",
      Claim: job.claim,
      Algorithm: job.algorithm,
      Options: optionsText(job),
      Facts: job.detail === "full" ? "every position of the proof" : "the frontier only",
      Memory: bytes(job.memory),
      Threads: job.threads ? String(job.threads) : "as many as are free",
      Priority: String(job.priority),
      Budget: budgetText(job.budget),
      Group: job.group,
      Key: job.key,
      Client: job.client,
      After: job.after?.join(", "),
      "Sub-job of": job.under,
      "Sub-jobs": job.sub_jobs?.join(", "),
      Hints: job.first?.join("; "),
      "Table on disk": bytes(job.table_bytes),
      Submitted: moment(job.submitted),
      Started: job.started && moment(job.started),
      Finished: job.finished && moment(job.finished),
      Restarts: job.restarts ? String(job.restarts) : null,
      Rules: job.rules,
    };
    fill(this.more, Object.entries(pairs).filter(([, value]) => value).map(([name, value]) => figure(name, value)));
  }

  // --- controls

  #allowed(name) {
    return this.job && this.rpc.hello?.role !== "query" && ACTIONS[name].states.includes(this.job.state);
  }

  #buttons() {
    const focused = document.activeElement?.dataset?.action;
    fill(this.controls,
      Object.keys(ACTIONS)
        .filter((name) => this.#allowed(name))
        .map((name) =>
          button(ACTIONS[name].text, () => this.#do(name), {
            "data-action": name,
            class: name === "cancel" || name === "remove" ? "danger" : "",
          }),
        ),
    );
    if (focused) (this.controls.querySelector(`[data-action=${focused}]`) ?? this.controls.firstChild)?.focus();
  }

  async #do(name) {
    if (name === "set") return this.#set();
    const asks = {
      cancel: ["Cancel the job?", "It cannot be resumed. Its facts stay; its table is deleted.", "Cancel the job"],
      remove: ["Remove the job?", "The server deletes the job and its history. Its facts stay.", "Remove it"],
    };
    if (asks[name] && !(await confirm(...asks[name]))) return;
    try {
      await this.rpc.call(`job.${name}`, { job: this.number });
      if (name === "remove") return go("#/");
      this.#watchAgain();
    } catch (error) {
      note(error);
    }
  }

  /** Fetches the state and follows the job again, for example after a resume. */
  async #watchAgain() {
    this.stop();
    this.stop = this.rpc.watch(this.number, (state, error) => this.#take(state, error));
  }

  #set() {
    const { job } = this;
    const number = (value, more) => h("input", { type: "number", value: value ?? "", ...more });
    const priority = number(job.priority, { min: -100, max: 100, step: 1, required: true });
    const nodes = number(job.budget.nodes, { min: 0, step: 1 });
    const seconds = number(job.budget.seconds, { min: 0, step: "any" });
    const cpu = number(job.budget.cpu, { min: 0, step: "any" });
    const disk = h("input", { type: "text", value: job.budget.disk ?? "" });
    const save = async () => {
      const text = disk.value.trim();
      if (!form.reportValidity()) return;
      if (text && !isSize(text))
        return void (hintOf(disk).textContent = "Enter a number of bytes, or a size such as 512M or 20G.");
      const budget = {
        nodes: Number(nodes.value || 0),
        seconds: Number(seconds.value || 0),
        cpu: Number(cpu.value || 0),
        disk: text || 0,
      };
      try {
        await this.rpc.call("job.set", { job: this.number, priority: Number(priority.value), budget });
        box.close();
        this.#watchAgain();
      } catch (error) {
        say(problem, `${upper(error.message)}.`);
      }
    };
    const problem = h("p", { class: "problem", role: "alert" });
    const form = h("form", { onsubmit: (event) => (event.preventDefault(), save()) },
      field("Priority", priority, "-100 to 100; larger runs first"),
      field("Nodes", nodes, "of both levels; empty: no bound"),
      field("Seconds", seconds, "search time, restarts included; empty: no bound"),
      field("Processor seconds", cpu, "all its search threads together; empty: no bound"),
      field("Disk", disk, "bytes of its table, like 20G; empty: no bound"),
      problem,
    );
    const box = dialog(
      `Job ${this.number}`,
      [form],
      [button("Keep unchanged", () => box.close()), button("Set", save, { class: "main" })],
    );
  }
}

function budgetText(budget) {
  const parts = [
    budget.nodes && counted(budget.nodes, "node"),
    budget.seconds && duration(budget.seconds),
    budget.cpu && `${duration(budget.cpu)} of processor time`,
    budget.disk && `${bytes(budget.disk)} on disk`,
  ];
  return parts.filter(Boolean).join(", ") || "no bound";
}

export const open = (route, rpc) => new Job(route, rpc);
