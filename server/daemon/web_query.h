/* Web query: /query, which asks the session for what is proved about positions (the method fact.probe).
 *
 *   GET /query?game=connect4:7x6&position=44&moves=...&notation=...   an object
 *   POST /query   [{"game":...,"position":...,"moves":...},...]       an array, in the order asked
 *
 * An error is {"error":{"code":...,"slug":...,"field":...,"message":...}}; of one position among several it stands in
 * its place. */
#ifndef DM_WEB_QUERY_H
#define DM_WEB_QUERY_H

#include "server/daemon/http_head.h"
#include "server/daemon/web_client.h"

/* Asks; the answer may come at once. */
void dm_web_query(struct dm_conn *conn, const struct dm_head *head, struct dm_piece body);
/* Answers the request in work with the session's reply line. */
void dm_web_query_answer(struct dm_conn *conn, const char *line, size_t size);
/* The status for an error reply. */
unsigned dm_web_query_status(const char *line, size_t size);

#endif
