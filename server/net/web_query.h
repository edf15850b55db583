/* Web query: /query, which asks the session for what is proved about positions (the method fact.probe).
 *
 *   GET /query?game=connect4:7x6&position=44&moves=...&notation=...   an object
 *   POST /query   [{"game":...,"position":...,"moves":...},...]       an array, in the order asked
 *
 * An error is {"error":{"code":...,"slug":...,"field":...,"message":...}}; of one position among several it stands in
 * its place. */
#ifndef NT_WEB_QUERY_H
#define NT_WEB_QUERY_H

#include "server/net/http_head.h"
#include "server/net/web_client.h"

/* Asks; the answer may come at once. */
void nt_web_query(struct nt_conn *conn, const struct nt_head *head, struct nt_piece body);
/* The status for a call that failed. */
unsigned nt_web_query_status(const struct sv_result *result);

#endif
