/* Web query: /query, what is proved about positions (the method fact.probe).
 *
 *   GET /query?game=connect4:7x6&position=44&moves=...&notation=...   an object
 *   POST /query   [{"game":...,"position":...,"moves":...},...]       an array, in the order of the request
 *
 * An error is {"error":{"code":...,"slug":...,"field":...,"message":...}}; for one position among several it takes the
 * place of the answer. */
#pragma once

#include "server/net/http_head.h"
#include "server/net/web_client.h"

/* Calls the session; the answer may come at once. */
void nt_web_query(struct nt_conn *conn, const struct nt_head *head, struct nt_piece body);
/* The status for a call that failed. */
unsigned nt_web_query_status(const struct sv_result *result);
