// The page of a proof in Node, without a browser: its rules against those of the server, and games of visitors against
// certificates. Standard input is an object: web (the folder of the modules), games ({ game, positions }), pages (files
// that proofctl web has made), rounds (games a page), seed.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const given = JSON.parse(readFileSync(0, "utf8"));
const load = (name) => import(pathToFileURL(join(given.web, name)).href);
const { Broken, Certificate, fromBase64, sha256 } = await load("play_certificate.mjs");
const { Proof } = await load("play_proof.mjs");
const { open } = await load("play_rules.mjs");

let state = given.seed;
/** A whole number below n. */
function random(n) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return Math.floor((state / 0x80000000) * n);
}

const hex = (key) => Array.from(key, (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("");

for (const { game: name, names, played } of given.games)
  test(`${name}: moves, ends, pictures and keys of ${played.length} games are those of the server`, () => {
    const game = open(name);
    for (const shown of played) {
      let p = game.begin(shown[0].on, shown[0].side, shown[0].key.length / 2);
      for (const { move, legal, on, key, end } of shown) {
        if (move) p = game.play(p, game.moves(p).find((code) => game.name(p, code, names) === move));
        const codes = game.moves(p);
        assert.equal(p.end, end);
        assert.deepEqual(codes.map((code) => game.name(p, code, names)).sort(), [...legal].sort());
        assert.deepEqual(codes, [...codes].sort((a, b) => a - b));
        assert.equal(game.diagram(p), on);
        const found = game.key(p);
        if (end === null) assert.equal(hex(found.key), key);
        for (const code of codes) assert.equal(game.outcome(p, code), game.play(p, code).end);
      }
    }
  });

test("SHA-256 is that of Node", () => {
  for (const size of [0, 1, 55, 56, 63, 64, 65, 1000]) {
    const bytes = Uint8Array.from({ length: size }, () => random(256));
    assert.equal(sha256(bytes), createHash("sha256").update(bytes).digest("hex"));
  }
});

/** What a page was made with. */
function dataOf(page) {
  return JSON.parse(/<script type="application\/json" id="proof">(.*?)<\/script>/s.exec(readFileSync(page, "utf8"))[1]);
}

/** The proofs that a page plays. */
function proofsOf(data, bytes) {
  const certificate = new Certificate(bytes);
  const game = open(certificate.header.game);
  if (!game) throw new Broken("unknown game");
  const bounds = [];
  if (certificate.lo > -1) bounds.push({ upper: false, bound: certificate.lo });
  if (certificate.hi < 1) bounds.push({ upper: true, bound: certificate.hi });
  const root = game.begin(data.diagram.on, data.diagram.side, certificate.header.root.length / 2);
  return bounds.map((bound) => ({ proof: new Proof(certificate, game, bound), root, bound }));
}

/** One game; a stubborn visitor plays what lasts longest. Returns the last node, and counts what answers. */
function playGame({ proof, root }, stubborn, kinds) {
  let node = proof.root(root);
  while (node.kind !== "end") {
    kinds.add(node.kind === "card" ? `T${node.guide.theorem}` : node.kind);
    if (node.move !== undefined) {
      node = proof.after(node, node.move);
      continue;
    }
    const replies = proof.replies(node);
    const most = Math.max(...replies.map((reply) => reply.node.plies));
    const open = stubborn ? replies.filter((reply) => reply.node.plies === most) : replies;
    const next = open[random(open.length)].node;
    if (node.plies !== null && next.plies !== null) assert.ok(next.plies < node.plies);
    node = next;
  }
  return node;
}

for (const page of given.pages)
  test(`${page}: ${given.rounds} games are lost by the visitor`, () => {
    const data = dataOf(page);
    const bytes = fromBase64(data.certificate);
    assert.equal(sha256(bytes), data.sha256);
    const proofs = proofsOf(data, bytes);
    assert.ok(proofs.length > 0);
    const kinds = new Set();
    for (const proof of proofs)
      for (let round = 0; round < given.rounds; round++) {
        const { end } = playGame(proof, round % 2, kinds).p;
        assert.ok(proof.bound.upper ? end <= proof.bound.bound : end >= proof.bound.bound);
      }
    console.log(`# ${data.file} answers by ${[...kinds].sort().join(", ")}`);
  });

for (const page of given.pages)
  test(`${page}: a damaged certificate is refused, or plays a true game`, () => {
    const data = dataOf(page);
    let refused = 0;
    for (let round = 0; round < given.rounds; round++) {
      const bytes = fromBase64(data.certificate);
      bytes[random(bytes.length)] ^= 1 << random(8);
      assert.notEqual(sha256(bytes), data.sha256);
      try {
        for (const proof of proofsOf(data, bytes)) {
          const { end } = playGame(proof, false, new Set()).p;
          assert.ok(proof.bound.upper ? end <= proof.bound.bound : end >= proof.bound.bound);
        }
      } catch (error) {
        assert.ok(error instanceof Broken, error.stack);
        refused++;
      }
    }
    console.log(`# ${data.file}: ${refused} of ${given.rounds} refused without its SHA-256`);
  });
