// What the page of a proof says beside the game: what the certificate is, where it can be had, how it is checked and
// cited; the weights of a strategy.

import { announce, button, h, save } from "./dom.mjs";
import { bytes, count, counted, upper } from "./format.mjs";

const TITLES = {
  connect4: "Connect Four", hex: "Hex", domineering: "Domineering", breakthrough: "Breakthrough",
  "atari-go": "Atari Go", nogo: "NoGo", nim: "Nim",
};

/** connect4:7x6 as "Connect Four 7×6". */
export function titleOf(name) {
  const [rules, params] = name.split(/:(.*)/);
  const [width, height, k] = params.split(",");
  if (rules === "mnk" && params.split(",").length === 3) return `${k} in a row on ${width}×${height}`;
  return `${TITLES[rules] ?? rules} ${params.replace("x", "×")}`;
}

/** The certificate: what it is, where it can be had, how it is checked and cited. */
export function about(certificate, { file, sha256, diagram }) {
  const { header } = certificate;
  const all = Number(header.positions);
  const start = /^\.*$/.test(diagram.on) || !header.position;
  const claim = `${header.game}${start ? "" : `, position ${header.position}`}, ${header.claim}: ${header.status}`;
  const cite = `${claim}. Certificate of ${header.engine}, ${counted(all, "position", count(all))}, SHA-256 ${sha256}.`;
  const cards = Number(header.cards ?? 0);
  const parts = counted(all, "record", count(all)) + (cards ? `, ${counted(cards, "card", count(cards))}` : "");
  const get = () => save(file, [certificate.bytes], "application/octet-stream");
  const copy = () => navigator.clipboard?.writeText(cite).then(() => announce("Copied"), () => {});
  return h("details", { open: matchMedia("(min-width: 861px)").matches },
    h("summary", {}, "The certificate, and how to check it"),
    h("p", {}, h("span", { class: "sum" }, claim), `. ${upper(parts)}, ${bytes(certificate.bytes.length)}.`),
    h("p", {}, button(`Save ${file}`, get, { class: "main", id: "save" })),
    h("p", {}, "SHA-256 ", h("span", { class: "sum" }, sha256)),
    h("p", {}, "The page takes the conditions of theorems on trust. These programs trust the rules of the game alone:"),
    h("code", { class: "command" }, `sha256sum ${file}\nproofcheck ${file}\nproofkernel ${file}\n`,
      `proofcheck --text ${file} | python3 minicheck.py -`),
    h("p", {}, "To cite it: ", h("span", { class: "sum" }, cite), " ", button("Copy", copy, { class: "quiet" })),
  );
}

/** The weights of a strategy as they lie on the board. */
export function weightsOf(guide, { width, height }, geometry) {
  const rows = [...Array(height).keys()];
  const top = geometry.places[0].y === 0;
  const columns = [...Array(width).keys()];
  const cell = (row, column) => h("td", {}, guide.weights[guide.map[row * width + column]]);
  return h("details", {},
    h("summary", {}, "Its weights"),
    h("table", { class: "weights", "aria-label": "Weights of the squares" },
      (top ? rows : rows.reverse()).map((row) => h("tr", {}, columns.map((column) => cell(row, column)))),
    ),
  );
}
