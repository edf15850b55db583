/* Site: a public server (proofd --public) behind a proxy. It only reads: its sessions have the role public, and it
 * takes no tokens. Pages are HTML without scripts:
 *
 *   /                     the games, as pictures
 *   /position?...         what is proved of a position and of its moves; parameters as of /query
 *   /board.svg?...        its picture, for social previews also
 *   /results              the certificates that are kept
 *   /result?proof=NAME    one of them, with a line to cite it by
 *   /certificate?proof=NAME   its file
 *   /standard?fen=...     and /antichess, /atomic: what is proved, in the form of lila-tablebase (site_chess.h)
 *   /robots.txt           robots follow no moves
 *
 * /query, /rpc, /healthz and the files of assets.h are there as well; "/" is the site's, and the page of web.h is
 * /index.html. Each request makes one call of the session at most, and counts once in the rate of its visitor
 * (visitor.h); a certificate is sent in pieces, one a tick, so that a download costs little at a time. Answers have an
 * ETag and may be kept by caches, longer where a value is known exactly. */
#pragma once

#include "server/net/http_head.h"
#include "server/net/web_client.h"

/* Answers a request for a path of the site, or calls the session; false for another path. */
bool nt_site_serve(struct nt_conn *conn, const struct nt_head *head);
/* Every NT_TICK_MS while a certificate is being sent. */
void nt_site_send_more(struct nt_conn *conn);
