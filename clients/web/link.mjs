// Link: the page's connection. It is a script of its own, which runs as soon as it is there: the connection is made
// while the browser still reads the other modules.

import { Rpc } from "./rpc.mjs";

export const rpc = new Rpc(new URL("rpc", location.href.replace(/^http/, "ws")).href.replace(/#.*/, ""));
rpc.open();
