// Bar: the parts of a whole side by side, and what the states of a campaign's jobs are there.

import { fill, h } from "./dom.mjs";

/**
 * @param {{name: string, n: number, colour: string}[]} parts of which those with an n are shown
 * @returns {string} the same in words
 */
export function fillBar(node, parts) {
  const some = parts.filter(({ n }) => n);
  const words = some.map(({ name, n }) => `${n} ${name}`).join(", ");
  if (node.getAttribute("aria-label") === words) return words;
  node.setAttribute("aria-label", words);
  fill(node, some.map(({ colour, n }) => h("i", { style: { flex: String(n), background: colour } })));
  return words;
}

export const newBar = () => h("div", { class: "campaign-bar", role: "img" });

/** The states of jobs, as campaign.list counts them. */
export function partsOf(states) {
  return [
    { name: "solved", n: states.solved, colour: "var(--line0)" },
    { name: "gave up", n: states.exhausted, colour: "var(--gave)" },
    { name: "failed or cancelled", n: states.failed + states.cancelled, colour: "var(--line1)" },
    { name: "running", n: states.running, colour: "var(--accent)" },
    { name: "waiting", n: states.queued + states.paused, colour: "var(--line)" },
  ];
}
