// The driver of the Node library: README.md of this folder has what the operations do. `driver.mjs PACKAGE`

import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { ProofdError, connect } = await import(`${process.argv[2]}/index.js`);

let client = null;
const named = new Map();

const told = ({ slug, code, field, message }) => ({ slug, code, field, message });
const outcome = (value) => (value instanceof ProofdError ? { error: told(value) } : { result: value });

function counted(outcomes) {
  const errors = {};
  for (const one of outcomes) if (one instanceof ProofdError) errors[one.slug] = (errors[one.slug] ?? 0) + 1;
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
  return { results: outcomes.length - failed, errors };
}

async function all(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

/** Options in milliseconds of a step's seconds. */
const limits = (step) => (step.timeout === undefined ? {} : { timeout: step.timeout * 1000 });

const operations = {
  async open(step) {
    client = await connect(step.address, {
      token: step.token,
      tls: step.tls ? { ca: readFileSync(step.tls) } : undefined,
      reconnect: (step.reconnect ?? 60) * 1000,
      ...limits(step),
    });
  },
  async close() {
    client.close();
  },
  async call(step) {
    const [space, word] = step.method.split(".");
    return client[space][word](step.params, limits(step));
  },
  async raw(step) {
    return client.call(step.method, step.params);
  },
  async start(step) {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const ask = () => client.call(step.method, step.params, { signal: stop.signal }).catch((error) => error);
    named.set(step.as, { stop, answers: Array.from({ length: step.count ?? 1 }, ask) });
  },
  async finish(step) {
    const outcomes = await Promise.all(named.get(step.as).answers);
    if (step.all) return counted(outcomes);
    if (outcomes[0] instanceof ProofdError) throw outcomes[0];
    return outcomes[0];
  },
  async cancel(step) {
    named.get(step.as).stop.abort();
  },
  async many(step) {
    return (await all(client.many(step.calls))).map(outcome);
  },
  async query(step) {
    return all(client.query(step.game, step.positions, { each_move: step.each_move }));
  },
  async watch(step) {
    named.set(step.as, client.watch(step.job, { interval: step.interval ?? 0.1 }));
  },
  async next(step) {
    for (;;) {
      const { value, done } = await named.get(step.as).next();
      if (done) return null;
      if (step.until.includes(value.state)) return value;
    }
  },
  async end(step) {
    await named.get(step.as).return();
  },
  async wait(step) {
    let progress = 0;
    const job = await client.wait(step.job, { progress: () => progress++, interval: 0.1, ...limits(step) });
    return { job, progress };
  },
  async solve(step) {
    return client.solve(step.params);
  },
  async jobs(step) {
    return all(client.jobs(step.state));
  },
  async certificate(step) {
    const content = Buffer.concat(await all(client.certificate(step.params)));
    return { bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
  },
  async hello() {
    return client.hello;
  },
  async hold(step) {
    readFileSync(step.fifo); // blocks the event loop
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await operations[step.op](step)) ?? null };
  } catch (error) {
    if (!(error instanceof ProofdError)) throw error;
    answer = { error: told(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
client?.close();
