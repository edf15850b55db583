#include "tests/support/wire_again.h"

#include <stdlib.h>
#include <string.h>

#include "proto/cluster/wire_read.h"
#include "proto/cluster/wire_write.h"

/* The decoded bodies of a message, one buffer for each kind. */
struct all {
	struct cw_hello hello;
	struct cw_task task;
	struct cw_known known;
	struct cw_result result;
	struct cw_heartbeat heartbeat;
	struct cw_refuse refuse;
};

static bool copy_bodies(const struct cw_reader *begin, struct all *all, struct pd_buf *out)
{
	struct pd_fail fail;
	struct cw_reader reader = *begin;
	uint64_t id, rate;
	int more;
	while ((more = cw_next_hello(&reader, &all->hello, &fail)) > 0)
		cw_put_hello(out, &all->hello);
	if (more < 0)
		return false;
	for (reader = *begin; (more = cw_next_task(&reader, &all->task, &fail)) > 0;)
		cw_put_task(out, &all->task);
	if (more < 0)
		return false;
	for (reader = *begin; (more = cw_next_known(&reader, &all->known, &fail)) > 0;)
		cw_put_known(out, &all->known);
	if (more < 0)
		return false;
	for (reader = *begin; (more = cw_next_result(&reader, &all->result, &fail)) > 0;)
		cw_put_result(out, &all->result);
	if (more < 0)
		return false;
	for (reader = *begin; (more = cw_next_heartbeat(&reader, &all->heartbeat, &fail)) > 0;)
		cw_put_heartbeat(out, &all->heartbeat);
	if (more < 0)
		return false;
	for (reader = *begin; (more = cw_next_cancel(&reader, &id, &fail)) > 0;)
		cw_put_cancel(out, id);
	if (more < 0)
		return false;
	for (reader = *begin; (more = cw_next_refuse(&reader, &all->refuse, &fail)) > 0;)
		cw_put_refuse(out, &all->refuse);
	if (more < 0)
		return false;
	for (reader = *begin; (more = cw_next_sharing(&reader, &rate, &fail)) > 0;)
		cw_put_sharing(out, rate);
	return more == 0;
}

bool wire_again(const uint8_t *data, size_t size, struct pd_buf *out)
{
	struct cw_reader reader;
	struct pd_fail fail;
	uint8_t *copy = malloc(size ? size : 1);
	struct all *all = malloc(sizeof *all);
	bool good = false;
	if (copy && all) {
		if (size)
			memcpy(copy, data, size);
		good = cw_open(&reader, copy, size, NULL, &fail) == PD_OK;
		if (good) {
			cw_begin(out, &reader.envelope);
			good = copy_bodies(&reader, all, out) && cw_end(out, NULL);
		}
	}
	free(copy);
	free(all);
	return good;
}
