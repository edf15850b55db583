// Experiments: the suites that the server has run, and the form that starts one.

import { field, fill, h, poll, save, say, sentence, textInput } from "./dom.mjs";
import { count, isSize, moment } from "./format.mjs";
import { go } from "./route.mjs";

const EVERY_MS = 1000;
const PILLS = { waiting: "queued", running: "running", done: "solved", stopped: "paused", failed: "failed" };

export const statePill = (state) => h("span", { class: `pill ${PILLS[state]}` }, state);
export const titleOf = (e) => e.title || `Experiment ${e.experiment}`;
export const over = (e) => e.state !== "waiting" && e.state !== "running";

/** Runs that are done as a bar and as text. */
export function progress(e) {
  const wrong = e.wrong ? h("strong", { class: "problem" }, `, ${count(e.wrong)} wrong`) : null;
  return [
    h("span", { class: "bar", "aria-hidden": "true" },
      h("span", { style: { width: `${(100 * e.done) / Math.max(1, e.runs)}%` } })),
    h("span", {}, ` ${count(e.done)} of ${count(e.runs)} runs, ${count(e.answered)} answered`, wrong),
  ];
}

/** Asks for the list now and every second until it is stopped. @returns {() => void} */
export const follow = (rpc, show) => poll(rpc, EVERY_MS, () => rpc.call("experiment.list").then(show));

/** The lines that the form adds to the suites. */
function suiteText({ text, algorithms, seeds, nodes, cpu, memory }) {
  const settings = {};
  if (seeds) settings.seeds = Array.from({ length: seeds }, (_, i) => i);
  if (nodes) settings.nodes = nodes;
  if (cpu) settings.cpu = cpu;
  if (memory) settings.memory = memory;
  const lines = Object.keys(settings).length ? [settings] : [];
  for (const algorithm of algorithms) lines.push({ variant: algorithm, algorithm });
  return [text.trim(), ...lines.map((line) => JSON.stringify(line))].filter(Boolean).join("\n");
}

const check = (name, value) => h("label", { class: "check" }, h("input", { type: "checkbox", name, value }), value);
const ticked = (box) => [...box.querySelectorAll("input:checked")].map((input) => input.value);

class Experiments {
  constructor(rpc) {
    this.rpc = rpc;
    this.title = "Experiments";
    this.rows = h("div", { class: "scroll" });
    this.suites = h("div", { class: "row" });
    this.form = this.#form();
    this.node = h("section", { class: "experiments" }, h("h1", {}, this.title), this.rows, this.form);
    this.stop = follow(rpc, (told) => this.#show(told));
  }

  close() {
    this.stop();
  }

  #form() {
    const number = (props) => h("input", { type: "number", min: 0, ...props });
    this.name = textInput({ maxlength: 120, placeholder: "name of the suite" });
    this.text = h("textarea", { rows: 4, spellcheck: "false", maxlength: 1 << 19,
      placeholder: '{"name":"five","game":"hex:5","value":1}' });
    this.algorithms = h("div", { class: "row" });
    this.seeds = number({ max: 100, placeholder: "as the suite says" });
    this.nodes = number({ placeholder: "as the suite says" });
    this.cpu = number({ step: "any", placeholder: "as the suite says" });
    this.memory = textInput({ placeholder: "256M" });
    this.problem = h("p", { class: "problem", role: "alert" });
    return h("form", { class: "card", hidden: true, onsubmit: (event) => this.#start(event), novalidate: true },
      h("h2", {}, "Start an experiment"),
      h("fieldset", { class: "spans row" }, h("legend", {}, "Suites"), this.suites),
      field("Questions of your own", this.text, "lines of JSON: questions, variants, settings; they follow the suites"),
      h("fieldset", { class: "spans row" }, h("legend", {}, "Add variants"), this.algorithms),
      h("div", { class: "grid" },
        field("Title", this.name),
        field("Seeds", this.seeds, "runs of each question with each variant"),
        field("Nodes", this.nodes, "of a run, at most"),
        field("Processor seconds", this.cpu, "of a run, at most"),
        field("Memory", this.memory, "of a run"),
      ),
      this.problem,
      h("div", { class: "row end" }, h("button", { class: "main" }, "Start")),
    );
  }

  #show({ experiments, suites }) {
    const starts = this.rpc.may("experiment.start");
    this.form.hidden = !starts;
    if (this.known !== suites.join()) {
      this.known = suites.join();
      fill(this.algorithms, this.rpc.hello.algorithms.map(({ name }) => check("algorithm", name)));
      fill(this.suites, suites.length
        ? suites.map((name) => check("suite", name))
        : h("span", { class: "dim" }, "none: the directory of proofd --experiments has no files NAME.jsonl"));
    }
    const heads = ["", "Experiment", "State", "Runs", "Started"];
    const line = (e) =>
      h("tr", {},
        h("td", { class: "dim" }, String(e.experiment)),
        h("th", { scope: "row" }, h("a", { href: `#/experiment/${e.experiment}` }, titleOf(e))),
        h("td", { title: e.reason ?? null }, statePill(e.state)),
        h("td", {}, progress(e)),
        h("td", { class: "dim" }, moment(e.created)),
      );
    const shown = JSON.stringify([experiments, starts]);
    if (shown === this.shown) return;
    const focus = document.activeElement?.getAttribute("href");
    this.shown = shown;
    fill(this.rows, experiments.length
      ? h("table", { class: "compare" },
          h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))),
          h("tbody", {}, experiments.map(line)),
        )
      : h("p", { class: "card" },
          "No experiment yet.",
          starts && " Choose a suite below, tick the algorithms to compare, and press Start."));
    if (focus) this.rows.querySelector(`a[href="${focus}"]`)?.focus();
  }

  async #start(event) {
    event.preventDefault();
    const value = (input) => Number(input.value) || 0;
    this.memory.setAttribute("aria-invalid", String(Boolean(this.memory.value) && !isSize(this.memory.value)));
    const text = suiteText({ text: this.text.value, algorithms: ticked(this.algorithms), seeds: value(this.seeds),
      nodes: value(this.nodes), cpu: value(this.cpu), memory: this.memory.value.trim() });
    say(this.problem, "");
    try {
      const suite = { title: this.name.value, suites: ticked(this.suites), text };
      const told = await this.rpc.call("experiment.start", suite);
      go(`#/experiment/${told.experiment}`);
    } catch (error) {
      say(this.problem, sentence(error));
      (error.field === "suites" ? this.suites.querySelector("input") : this.text)?.focus();
    }
  }
}

/** Has the browser save a report as a file. */
export async function saveReport(rpc, e, form) {
  const { text } = await rpc.call("experiment.report", { experiment: e.experiment, form });
  save(`${titleOf(e)}.${form === "json" ? "jsonl" : form}`, [text], form === "csv" ? "text/csv" : "text/plain");
}

/** Asks for one of the other experiments. */
export function chooser(list, e, choose) {
  const others = list.filter((other) => other.experiment !== e.experiment && other.done);
  const select = h("select", { "aria-label": "Compare with", onchange: () => choose(Number(select.value)) },
    h("option", { value: "" }, "Compare with…"),
    others.map((other) => h("option", { value: other.experiment }, `${other.experiment}: ${titleOf(other)}`)));
  return others.length ? select : null;
}

export const open = (route, rpc) => new Experiments(rpc);
