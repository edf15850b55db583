/* Reader: look-ups of facts in the memtable, then in the runs (private to store/; S3).
 *
 * The read transaction begins after the memtable was asked: a fact that leaves the memtable meanwhile is in a run by
 * then. */
#ifndef ST_READER_H
#define ST_READER_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "store/key.h"

struct st_reader;

/* As st_fact_get, with the database key. The read transaction stays active until st_reader_reset. */
int st_reader_find(struct st_reader *reader, const struct st_fact_key *key, struct pd_fact *out, struct pd_fail *fail);
void st_reader_reset(struct st_reader *reader);

#endif
