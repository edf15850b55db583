#include "server/jobs/model/removed_jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "store/store.h"

static struct sv_removed_jobs_range *find_range(const struct sv_removed_jobs *f, const char *version, size_t size)
{
	for (size_t i = 0; i < f->count; i++)
		if (strlen(f->range[i].version) == size && !memcmp(f->range[i].version, version, size))
			return &f->range[i];
	return NULL;
}

/* The version worked on some of the jobs first..last. */
static bool widen_range(struct sv_removed_jobs *f, const char *version, size_t size, uint32_t first, uint32_t last)
{
	PD_ASSERT(version && size);
	struct sv_removed_jobs_range *r = find_range(f, version, size);
	if (!r) {
		struct sv_removed_jobs_range *grown = realloc(f->range, (f->count + 1) * sizeof *grown);
		char *copy = strndup(version, size);
		f->range = grown ? grown : f->range;
		if (!grown || !copy) {
			free(copy);
			return false;
		}
		r = &f->range[f->count++];
		*r = (struct sv_removed_jobs_range){copy, first, last};
	}
	r->first = first < r->first ? first : r->first;
	r->last = last > r->last ? last : r->last;
	return true;
}

/* The text has a line "VERSION FIRST LAST" for each. */
static int read_text(void *ctx, const void *record, size_t size)
{
	struct sv_removed_jobs *f = ctx;
	char *text = strndup(record, size);
	int rc = text ? PD_OK : PD_E_NO_MEMORY;
	for (char *line = text, *next; !rc && *line; line = next) {
		uint32_t first, last;
		size_t length = strcspn(line, "\n"), word = strcspn(line, " \n");
		next = line + length + (line[length] == '\n');
		if (!word || sscanf(line + word, " %" SCNu32 " %" SCNu32, &first, &last) != 2)
			rc = PD_E_CORRUPT;
		else if (!widen_range(f, line, word, first, last))
			rc = PD_E_NO_MEMORY;
	}
	free(text);
	return rc;
}

int sv_removed_jobs_read(struct sv_removed_jobs *f, struct st_store *store, struct pd_fail *fail)
{
	*f = (struct sv_removed_jobs){0};
	*fail = (struct pd_fail){0};
	int rc = st_note_get(store, read_text, f, fail);
	if (!rc)
		return PD_OK;
	sv_removed_jobs_fini(f);
	if (fail->code)
		return rc;
	return rc == PD_E_NO_MEMORY
		       ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the list of removed jobs")
		       : pd_fail_set(fail, PD_E_CORRUPT, "work.mdb", "the list of removed jobs does not decode");
}

void sv_removed_jobs_fini(struct sv_removed_jobs *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->range[i].version);
	free(f->range);
	*f = (struct sv_removed_jobs){0};
}

bool sv_removed_jobs_add(struct sv_removed_jobs *f, uint32_t job, const char *engines)
{
	bool ok = true;
	for (const char *p = engines; ok && p && *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");
		ok = widen_range(f, p, word, job, job);
		p += word;
	}
	return ok;
}

bool sv_removed_jobs_set(struct sv_removed_jobs *f, const char *word, uint32_t first, uint32_t last)
{
	if (!widen_range(f, word, strlen(word), first, last))
		return false;
	struct sv_removed_jobs_range *r = find_range(f, word, strlen(word));
	r->first = first;
	r->last = last;
	return true;
}

void sv_removed_jobs_drop(struct sv_removed_jobs *f, const char *version)
{
	struct sv_removed_jobs_range *r = find_range(f, version, strlen(version));
	if (!r)
		return;
	free(r->version);
	*r = f->range[--f->count];
}

bool sv_removed_jobs_has(const struct sv_removed_jobs *f, uint32_t job, const char *version)
{
	const struct sv_removed_jobs_range *r = find_range(f, version, strlen(version));
	return r && job >= r->first && job <= r->last;
}

int sv_removed_jobs_write(const struct sv_removed_jobs *f, struct st_batch *batch, struct pd_fail *fail)
{
	struct pd_buf text;
	pd_buf_init(&text, ST_JOB_MAX);
	for (size_t i = 0; i < f->count; i++)
		if (f->range[i].first || f->range[i].last)
			pd_buf_printf(&text, "%s %" PRIu32 " %" PRIu32 "\n", f->range[i].version, f->range[i].first,
				      f->range[i].last);
	int rc = text.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the list of removed jobs")
			     : st_batch_note(batch, text.data, text.size, fail);
	pd_buf_fini(&text);
	return rc;
}
