// Workers: the worker processes on other machines, above the table of jobs; hidden if the server has none.

import { fill, h, say } from "./dom.mjs";
import { count, counted, duration, short } from "./format.mjs";

const MOST = 50; // rows; `proofctl workers` shows all
const HEAD = ["Name", "State", "Threads", "Has", "Done", "Nodes per second", "Last contact", "Number"];

function row(worker, now) {
  const ago = Math.max(0, (now - worker.seen) / 1000);
  const cells = worker.why
    ? [h("td", { colspan: HEAD.length - 3 }, worker.why)]
    : [worker.threads, worker.in_hand, short(worker.done), short(worker.rate), `${duration(ago)} ago`].map((text) =>
        h("td", {}, String(text)),
      );
  const good = worker.state === "there" ? "solved" : worker.why ? "failed" : "paused";
  return h("tr", {},
    h("th", { scope: "row" }, worker.name),
    h("td", {}, h("span", { class: `pill ${good}` }, worker.state)),
    cells,
    h("td", {}, h("code", {}, worker.worker)),
  );
}

function summary({ connected, workers, threads, out, waiting }) {
  if (!connected) return "Workers on other machines: not connected";
  const busy = `${counted(out, "task")} out, leaves waiting: ${count(waiting)}`;
  return `Workers on other machines: ${count(workers)} with ${counted(threads, "thread")}, ${busy}`;
}

export class Workers {
  constructor(rpc) {
    this.rpc = rpc;
    this.head = h("summary", {});
    this.rows = h("tbody", {});
    this.more = h("p", { class: "hint" });
    this.node = h("details", { hidden: true, class: "workers" },
      this.head,
      h("div", { class: "wide" },
        h("table", { class: "compare", "aria-label": "Workers on other machines" },
          h("thead", {}, h("tr", {}, HEAD.map((text) => h("th", { scope: "col" }, text)))),
          this.rows,
        ),
      ),
      this.more,
    );
  }

  /** Fetches the workers, if the server has any. */
  async refresh() {
    if (!this.rpc.hello?.features.includes("workers")) {
      this.node.hidden = true;
      return;
    }
    this.show(await this.rpc.call("server.workers", { limit: MOST }));
  }

  show(reply) {
    this.node.hidden = !reply.cluster;
    if (!reply.cluster) return;
    say(this.head, summary(reply.cluster));
    fill(this.rows, reply.workers.map((worker) => row(worker, reply.now)));
    const left = reply.count - reply.workers.length;
    say(this.more, left > 0 ? `and ${count(left)} more: proofctl workers lists them` : "");
  }
}
