// Link: the page's connection. The script stands alone, so that it connects while the browser still loads the other
// modules.

import { Rpc } from "./rpc.mjs";

export const rpc = new Rpc(new URL("rpc", location.href.replace(/^http/, "ws")).href.replace(/#.*/, ""));
rpc.open();
