// Transport: connections that carry lines.
//
// A transport is a function `(events) => link`. It begins to connect at once, calls events.open() when bytes may be
// sent, events.data(Buffer) for what arrives, events.drain() when all has been sent, and events.end(error) once,
// when the connection has ended or could not be made. A link has send(text), `full` (true while much waits to be sent)
// and close(), after which it calls nothing. Another transport (a WebSocket) has the same four events.

"use strict";

const net = require("node:net");
const tls = require("node:tls");

const DEFAULT = "127.0.0.1:4590";
const KEEP_ALIVE_MS = 60000;

/** { text, path } or { text, host, port } of HOST:PORT or the path of a Unix socket. TypeError if it is neither. */
function parse(address) {
  const text = address || process.env.PROOFD_SERVER || DEFAULT;
  if (text.includes("://")) throw new TypeError(`'${text}' is a URL; write HOST:PORT, or the path of a Unix socket`);
  if (text.includes("/")) return { text, path: text };
  const found = /^(?:\[([^\]]+)\]|(.+)):(\d{1,5})$/.exec(text);
  if (!found || Number(found[3]) > 65535)
    throw new TypeError(`an address is HOST:PORT or the path of a Unix socket, not '${text}'`);
  return { text, host: found[1] ?? found[2], port: Number(found[3]) };
}

/** The transport of an address; `secure` is true or the options of tls.connect (`ca`, ...), or nothing. */
function socketTransport(where, secure) {
  if (where.path && secure) throw new TypeError("a Unix socket needs no TLS");
  return (events) => {
    const to = where.path ? { path: where.path } : { host: where.host, port: where.port };
    const name = net.isIP(where.host ?? "") ? {} : { servername: where.host };
    const extra = secure === true ? {} : secure;
    const socket = secure ? tls.connect({ minVersion: "TLSv1.2", ...name, ...extra, ...to }) : net.connect(to);
    let error = null;
    socket.on(secure ? "secureConnect" : "connect", () => {
      if (!where.path) socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
      events.open();
    });
    socket.on("data", (data) => events.data(data));
    socket.on("drain", () => events.drain());
    socket.on("error", (failure) => (error = failure));
    socket.on("end", () => socket.destroy());
    socket.on("close", () => events.end(error ?? new Error("the server closed the connection")));
    return {
      send: (text) => socket.write(text),
      get full() {
        return socket.writableNeedDrain;
      },
      close() {
        socket.removeAllListeners();
        socket.on("error", () => {});
        socket.destroy();
      },
    };
  };
}

module.exports = { parse, socketTransport };
