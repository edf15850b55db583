// Copy: puts texts on the clipboard, and writes the command that submits a job again.

import { note } from "./dom.mjs";

/** Puts a text on the clipboard. @param {string} what the text is, as the subject of a sentence */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    note(`${what} was copied.`, { kind: "good", seconds: 4 });
  } catch {
    note(`The browser does not allow copying. ${what}: ${text}`);
  }
}

const MIB = 2 ** 20;

const quoted = (word) => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
const size = (bytes) => bytes && (bytes % MIB ? bytes : `${bytes / MIB}M`);

/** The `proofctl submit` of a job of job.get. It has no key, for with the same key it would be the same job. */
export function commandOf({ game, budget, options = {}, tags = [], after = [], first = [], ...job }) {
  const words = { true: "yes", false: "no" };
  const settings = [
    ["position", job.position], ["claim", job.claim !== "value" && job.claim], ["algorithm", job.algorithm],
    ...Object.entries(options).map(([name, value]) => ["option", `${name}=${words[value] ?? value}`]),
    ["detail", job.detail === "full" && "full"], ["nodes", budget.nodes], ["seconds", budget.seconds],
    ["cpu", budget.cpu], ["disk", size(budget.disk)], ["memory", size(job.memory)], ["threads", job.threads],
    ["seed", job.seed], ["shorten", job.shorten], ["priority", job.priority], ["group", job.group],
    ["tag", tags.join()], ["after", after.join()], ["under", job.under], ...first.map((line) => ["first", line]),
  ];
  const given = settings.filter(([, value]) => value).map(([name, value]) => `--${name} ${quoted(String(value))}`);
  return ["proofctl submit", quoted(game), ...given].join(" ");
}
