/* Web query: /query, what is proved about positions (the method fact.probe).
 *
 *   GET /query?game=connect4:7x6&position=44&moves=...&notation=...   an object
 *   POST /query   [{"game":...,"position":...,"moves":...},...]       an array, in the order of the request
 *
 * An error is {"error":{"code":...,"slug":...,"field":...,"message":...}}; for one position among several it takes the
 * place of the answer. */
#pragma once

#include "proto/out.h"
#include "server/net/http_head.h"
#include "server/net/web_client.h"

/* Calls the session; the answer may come at once. */
void nt_web_query(struct nt_conn *conn, const struct nt_head *head, struct nt_piece body);
/* A parameter of a query string, and the member that it becomes; the last one of a list has no name. */
struct nt_query_name {
	const char *name, *member;
};

/* Prints the parameters of a query string as members of an object; PD_E_PARAMS. */
int nt_query_read(struct nt_piece query, const struct nt_query_name *names, struct pr_out *out, struct pd_fail *fail);
/* game, position, moves, notation. */
extern const struct nt_query_name nt_query_position[];

/* Changes the names in an error of fact.probe to those that the client wrote: of the only position, or of several. */
void nt_query_own_names(struct pd_fail *fail, bool one);

/* The status for an error. */
unsigned nt_web_status(int code);
/* The status for a call that failed. */
unsigned nt_web_query_status(const struct sv_result *result);
