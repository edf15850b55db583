// Experiment: what the runs of a suite took, by variant and by game, live; or two experiments side by side.

import { confirm } from "./dialogs.mjs";
import { button, fill, h, note } from "./dom.mjs";
import { count, moment } from "./format.mjs";
import { Cactus, costText, ink, sample, Scatter } from "./experiment_plots.mjs";
import { chooser, follow, over, progress, saveReport, statePill, titleOf } from "./experiments.mjs";
import { go } from "./route.mjs";

const UNITS = { cpu: "processor time", positions: "positions made" };
const REPORT_MS = 2000; // between two reports of a running experiment, at least

/** The variants of reports in one unit, as series; `names`: what is put before their labels. */
function seriesOf(reports, names, unit) {
  const series = reports.flatMap((rows, i) =>
    rows.filter((row) => row.unit === unit && row.costs).map((row) => {
      const questions = rows.filter((one) => one.unit === unit && one.variant === row.variant && one.question);
      const medians = new Map(questions.map((one) => [one.question, { game: one.game, median: one.median }]));
      return { ...row, label: names[i] + row.variant, medians };
    }));
  return series.map((one, place) => ({ ...one, place }));
}

/** The median of numbers; null stands for a question that is not answered, infinity. */
export function median(values) {
  const sorted = values.map((value) => value ?? Infinity).sort((a, b) => a - b);
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2;
  return Number.isFinite(middle) ? middle : null;
}

/** The geometric mean of the ratios of the questions that both have answered; null: there are none. */
export function ratio(one, first) {
  const base = (name) => first.medians.get(name)?.median ?? NaN;
  const logs = [...one.medians].map(([name, { median: cost }]) => Math.log(cost / base(name))).filter(Number.isFinite);
  return logs.length ? Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length) : null;
}

/** The finding as a sentence. */
function finding(series, unit) {
  const ranked = series.filter((one) => one.par2 !== null).sort((a, b) => a.par2 - b.par2);
  const open = series.filter((one) => one.solved < one.runs)
    .map((one) => `${one.label} leaves ${count(one.runs - one.solved)} of ${count(one.runs)} open`);
  const rest = open.length ? ` ${open.join(", ")}.` : " All runs are answered.";
  if (ranked.length < 2) return ["", rest.trim()];
  const [best, ...others] = ranked;
  return [`${best.label} is ahead by PAR-2:`, ` ${costText(best.par2, unit)} against ${others
    .map((one) => `${costText(one.par2, unit)} of ${one.label}`).join(", ")}.${rest}`];
}

const bar = (share, place) =>
  h("span", { class: "bar", "aria-hidden": "true" },
    h("span", { style: { width: `${100 * Math.min(1, share)}%`, background: ink(place) } }));

class Experiment {
  constructor(route, rpc) {
    this.rpc = rpc;
    this.numbers = route.jobs;
    this.unit = route.query.get("unit") === "positions" ? "positions" : "cpu";
    this.title = `Experiment ${this.numbers.join(" and ")}`;
    this.reports = [];
    this.states = [];
    this.asked = [];
    this.pair = [0, 1];
    this.head = h("div", {});
    this.actions = h("div", { class: "row" });
    this.now = h("div", {});
    this.lead = h("p", { class: "lead" });
    this.figures = h("div", { class: "scroll card" });
    this.cactus = new Cactus();
    this.scatter = new Scatter();
    this.choice = h("div", { class: "row" });
    this.games = h("div", { class: "scroll card" });
    this.plots = h("div", { class: "plots", hidden: true }, this.cactus.node, this.scatter.node);
    this.scatter.head.append(this.choice);
    this.more = h("div", {});
    const units = Object.entries(UNITS).map(([unit, text]) =>
      button(text, () => this.#turn(unit), { "data-unit": unit, "aria-pressed": String(unit === this.unit) }));
    this.units = h("div", { class: "row filters", role: "group", "aria-label": "Unit" }, units);
    this.node = h("section", { class: "experiment" },
      h("div", { class: "row spread" }, this.head, this.actions),
      this.now, this.lead, this.units, this.figures, this.plots, this.games, this.more);
    this.stop = follow(rpc, (told) => this.#take(told));
  }

  close() {
    this.stop();
    this.cactus.close();
    this.scatter.close();
  }

  #turn(unit) {
    this.unit = unit;
    for (const item of this.units.children) item.setAttribute("aria-pressed", String(item.dataset.unit === unit));
    this.#draw();
  }

  /** Takes a list, and asks for the reports that have changed. */
  async #take({ experiments }) {
    const states = this.numbers.map((number) => experiments.find((e) => e.experiment === number));
    if (states.some((e) => !e)) {
      const all = h("a", { href: "#/experiments" }, "All experiments");
      fill(this.head, h("h1", {}, "No such experiment"), h("p", {}, all));
      fill(this.now);
      return;
    }
    const before = JSON.stringify(this.states);
    this.states = states;
    if (before !== JSON.stringify(states)) this.#tell(experiments);
    await Promise.all(states.map((e, i) => this.#report(e, i)));
  }

  async #report(e, i) {
    const last = this.asked[i] ?? { done: 0, time: -Infinity };
    if (!e.done || last.done === e.done || (!over(e) && performance.now() - last.time < REPORT_MS)) return;
    this.asked[i] = { done: e.done, time: performance.now() };
    try {
      const { text } = await this.rpc.call("experiment.report", { experiment: e.experiment });
      this.reports[i] = text.trim().split("\n").map((line) => JSON.parse(line));
      this.#draw();
    } catch (error) {
      note(error);
    }
  }

  /** What the list says of them: the head, the progress, what can be done. */
  #tell(experiments) {
    const [e] = this.states;
    const single = this.states.length === 1;
    this.title = this.states.map(titleOf).join(" and ");
    document.title = `${this.title} – proofd`;
    const link = (one) => h("a", { href: `#/experiment/${one.experiment}` }, `${one.experiment}: ${titleOf(one)}`);
    fill(this.head, h("h1", {}, single ? titleOf(e) : [link(e), " and ", link(this.states[1])]));
    fill(this.now, this.states.map((one) => h("p", { role: "status" },
      single ? null : `${one.experiment}: `, statePill(one.state), " ", progress(one),
      h("span", { class: "dim" },
        ` · questions ${count(one.questions)} × variants ${one.variants} × seeds ${one.seeds}`,
        one.client ? ` · ${one.client}` : "", ` · ${moment(one.ended ?? one.created)}`),
      one.reason ? h("span", { class: "problem" }, ` ${one.reason}`) : null)));
    const focus = document.activeElement?.dataset?.action;
    fill(this.actions, single ? this.#actions(e, experiments) : null);
    if (focus) this.actions.querySelector(`[data-action="${focus}"]`)?.focus();
    if (!this.reports.length && !e.done)
      fill(this.figures, h("p", { class: "dim" }, over(e) ? "No run has ended." : "The first run has not ended yet."));
    if (single && !this.more.firstChild) this.#read(e);
  }

  #actions(e, experiments) {
    const does = (text, action, props = {}) =>
      button(text, () => action().catch(note), { "data-action": text, ...props });
    const call = (method) => () => this.rpc.call(`experiment.${method}`, { experiment: e.experiment });
    const files = ["csv", "json"].map((form) => does(form.toUpperCase(), () => saveReport(this.rpc, e, form)));
    const other = chooser(experiments, e, (number) => go(`#/experiment/${e.experiment}/${number}`));
    const out = e.done ? [...files, other] : [];
    if (this.rpc.hello?.role === "query") return out;
    if (!over(e)) out.push(does("Stop", call("stop")));
    if (e.state === "stopped" || e.state === "failed") out.push(does("Go on", call("resume")));
    if (over(e)) out.push(does("Remove…", () => this.#remove(e), { class: "danger" }));
    if (over(e)) out.push(does("Run again", () => this.#again(e), { class: "main" }));
    return out;
  }

  async #remove(e) {
    if (!(await confirm(`Remove ${titleOf(e)}?`, "Its suite, runs and report go.", "Remove"))) return;
    await this.rpc.call("experiment.remove", { experiment: e.experiment });
    go("#/experiments");
  }

  async #again(e) {
    const { title, text } = await this.rpc.call("experiment.read", { experiment: e.experiment });
    const made = await this.rpc.call("experiment.start", { title, text });
    go(`#/experiment/${made.experiment}`);
  }

  /** The suite and the log, which can be opened. */
  async #read(e) {
    const part = (name, text) =>
      h("details", {}, h("summary", {}, name), h("pre", { class: "picture", tabindex: 0 }, text));
    const { text, log } = await this.rpc.call("experiment.read", { experiment: e.experiment });
    fill(this.more, part("The suite", text), log ? part("What proofctl said", log) : null);
  }

  #draw() {
    const there = this.reports.filter(Boolean);
    if (there.length < this.states.length) return;
    const names = this.states.map((e) => (this.states.length > 1 ? `${e.experiment}: ` : ""));
    const series = seriesOf(there, names, this.unit);
    const [start, rest] = finding(series, this.unit);
    fill(this.lead, h("strong", {}, start), rest);
    fill(this.figures, this.#table(series));
    fill(this.games, this.#gameTable(series));
    this.plots.hidden = false;
    this.cactus.show(series, this.unit);
    this.scatter.node.hidden = series.length < 2;
    if (series.length > 1) this.#pair(series);
  }

  /** The scatter plot of two of the series, which can be chosen. */
  #pair(series) {
    const show = () => this.scatter.show(...this.pair.map((place) => series[place]), this.unit);
    if (this.states.length > 1 && this.choice.childElementCount === 0) // the first of each
      this.pair[1] = Math.max(1, series.findIndex((one) => one.label.startsWith(`${this.states[1].experiment}: `)));
    const labels = series.map((one) => one.label).join("\n");
    if (series.length > 2 && this.labels !== labels) {
      this.labels = labels;
      fill(this.choice, ["across", "up"].map((name, i) => {
        const select = h("select", { "aria-label": `Variant ${name}`, onchange: () => {
          this.pair[i] = Number(select.value);
          this.redraw();
        } }, series.map((one) => h("option", { value: one.place }, one.label)));
        select.value = this.pair[i];
        return select;
      }));
    }
    this.redraw = show;
    show();
  }

  #table(series) {
    const most = Math.max(...series.map((one) => one.par2 ?? 0));
    const heads = ["Variant", "Solved", "PAR-2", "", "Median", "95 % interval", "Ratio"];
    const ratios = series.map((one) => (one.place ? ratio(one, series[0]) : 1));
    const line = (one) =>
      h("tr", {},
        h("th", { scope: "row" }, sample(one.place), one.label),
        h("td", {}, count(one.solved), h("small", { class: "dim" }, ` / ${count(one.runs)}`)),
        h("td", {}, costText(one.par2, this.unit)),
        h("td", { class: "wide" }, bar((one.par2 ?? 0) / most, one.place)),
        h("td", {}, costText(one.median, this.unit)),
        h("td", { class: "dim wide" }, one.median_low
          ? `${costText(one.median_low, this.unit)} – ${costText(one.median_high, this.unit)}` : "–"),
        h("td", {}, ratios[one.place] === null ? "–" : `${ratios[one.place].toFixed(2)} ×`),
      );
    return [
      h("table", { class: "figures" },
        h("caption", { class: "hidden" }, "Variants"),
        h("thead", {}, h("tr", {},
          heads.map((text, i) => h("th", { scope: "col", class: [3, 5].includes(i) ? "wide" : null }, text)))),
        h("tbody", {}, series.map(line))),
      h("p", { class: "hint" },
        "PAR-2: the mean of all runs; one without an answer counts twice the limit, or twice the most that any run of ",
        "the question took. Median: of the questions. Ratio: geometric mean over the questions, to the first variant."),
    ];
  }

  #gameTable(series) {
    const games = new Map();
    for (const one of series)
      for (const [name, { game, median: cost }] of one.medians) {
        if (!games.has(game)) games.set(game, { names: new Set(), costs: series.map(() => []) });
        games.get(game).names.add(name);
        games.get(game).costs[one.place].push(cost);
      }
    const known = series.flatMap((one) => [...one.medians.values()].map((of) => of.median)).filter((cost) => cost > 0);
    const [low, high] = [Math.log(Math.min(...known) / 2), Math.log(Math.max(...known))];
    const line = ([game, { names, costs }]) => {
      const medians = costs.map(median);
      const best = Math.min(...medians.map((cost) => cost ?? Infinity));
      const cells = medians.map((cost, i) => {
        const open = costs[i].filter((one) => one === null).length;
        return [
          h("td", {}, h(cost === best && series.length > 1 ? "strong" : "span", {}, costText(cost, this.unit)),
            open ? h("small", { class: "problem" }, ` ${open} open`) : null),
          h("td", { class: "wide" }, cost > 0 ? bar((Math.log(cost) - low) / (high - low || 1), i) : null),
        ];
      });
      return h("tr", {}, h("th", { scope: "row" }, game), h("td", { class: "wide" }, count(names.size)), cells);
    };
    return [
      h("h2", {}, "By game ",
        h("small", { class: "dim" }, "medians of the questions, the least in bold; bars on a logarithmic scale")),
      h("table", { class: "figures" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Game"),
          h("th", { scope: "col", class: "wide" }, "Questions"),
          series.map((one) => [h("th", { scope: "col" }, one.label), h("td", { class: "wide" })]))),
        h("tbody", {}, [...games].map(line))),
    ];
  }
}

export const open = (route, rpc) => new Experiment(route, rpc);
