// The certificate in the page of a proof: formats 2 and 4 (proto/CERTIFICATE.md), read once from its first byte to its
// last. Any bytes are possible: what does not follow the format is an error with a sentence.

const PLAIN = /^proofd certificate ([24])$/;
const HEADER_MAX = 1 << 16;
const ROOM = 512; // of a witness

/** The certificate is damaged, or says something false. */
export class Broken extends Error {}

export function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}

const primes = (count) => {
  const out = [];
  for (let n = 2; out.length < count; n++) if (out.every((prime) => n % prime)) out.push(n);
  return out;
};
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;

/** SHA-256 (FIPS 180-4) as hexadecimal digits. Browsers offer it only to pages that come by https. */
export function sha256(bytes) {
  const constant = primes(64).map((prime) => fraction(Math.cbrt(prime)));
  const state = primes(8).map((prime) => fraction(Math.sqrt(prime)));
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [w[i - 15], w[i - 2]];
      const small = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
      w[i] = w[i - 16] + small + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const mixed = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g));
      const one = (h + mixed + constant[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i] + word) | 0));
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Reads the bytes from `at` to `end` in order. */
class Reader {
  constructor(bytes, at, end) {
    Object.assign(this, { bytes, at, end });
  }

  byte() {
    if (this.at >= this.end) throw new Broken("The certificate is damaged: it ends within a record.");
    return this.bytes[this.at++];
  }

  varint() {
    let value = 0;
    for (let scale = 1; scale < 2 ** 53; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new Broken("The certificate is damaged: a number in it is too long.");
  }

  take(count) {
    if (count > this.end - this.at) throw new Broken("The certificate is damaged: it ends within a record.");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  u16() {
    return this.byte() + 256 * this.byte();
  }

  u32() {
    return this.u16() + 65536 * this.u16();
  }

  reason() {
    const flags = this.byte();
    if (flags > 31) throw new Broken("The certificate is damaged: a reason has unknown flags.");
    const zigzag = this.varint();
    const out = { upper: Boolean(flags & 1), bound: zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2, rank: Infinity };
    if (flags & 2) out.rank = this.varint();
    if (flags & 4) out.move = this.varint();
    if (flags & 8) out.effort = this.varint();
    if (!(flags & 16)) return out;
    out.theorem = this.varint();
    const bytes = this.varint();
    if (bytes > ROOM) throw new Broken("The certificate is damaged: a witness is too long.");
    out.witness = this.take(bytes);
    return out;
  }

  reasons() {
    return Array.from({ length: Math.min(this.varint(), 131072) }, () => this.reason());
  }
}

export class Certificate {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    const start = this.#header();
    const blocks = Number(this.header.blocks);
    const index = bytes.length - 8 * blocks;
    const reader = new Reader(bytes, start + Number(this.header.graph), index);
    /** Where the reasons of a record begin, by its key as a string of bytes. @type {Map<string, number>} */
    this.records = new Map();
    for (let i = 0; i < blocks; i++) this.#block(reader);
    if (!(reader.at === index) || this.records.size !== Number(this.header.positions))
      throw new Broken("The certificate is damaged: its blocks do not fill it.");
  }

  #header() {
    const text = new TextDecoder("latin1").decode(this.bytes.subarray(0, HEADER_MAX));
    const end = text.indexOf("\n\n");
    const [first, ...lines] = text.slice(0, Math.max(end, 0)).split("\n");
    const format = PLAIN.exec(first);
    if (!format) throw new Broken("This is not a certificate in format 2 or 4.");
    this.format = Number(format[1]);
    /** @type {Record<string, string>} */
    this.header = Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
    const fits = (name, form) => form.test(this.header[name] ?? "");
    const numbers = ["positions", "blocks", "graph"].every((name) => fits(name, /^\d{1,15}$/));
    if (!numbers || !fits("root", /^([\da-f]{2})+$/) || !fits("game", /./))
      throw new Broken("The certificate is damaged: lines of its header are missing or wrong.");
    const bound = (name) => (/^-?\d+$/.test(this.header[name]) ? Number(this.header[name]) : NaN);
    [this.lo, this.hi] = [bound("lo"), bound("hi")]; // NaN: none
    return end + 2;
  }

  #block(reader) {
    const size = reader.u32();
    const block = new Reader(reader.bytes, reader.at, reader.at + size);
    reader.take(size);
    let key = "";
    for (let left = block.u16(); left > 0; left--) {
      const shared = block.varint();
      key = key.slice(0, shared) + String.fromCharCode(...block.take(block.varint()));
      this.records.set(key, block.at);
      for (let reasons = block.varint(); reasons > 0; reasons--) block.reason();
    }
    if (block.at !== block.end) throw new Broken("The certificate is damaged: a block has bytes after its records.");
  }

  /** The reasons of a record; null when there is no record with that key. */
  reasons(key) {
    const at = this.records.get(key);
    return at === undefined ? null : new Reader(this.bytes, at, this.bytes.length).reasons();
  }
}
