#include "server/jobs/model/job_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "server/jobs/model/spec_fields.h"

enum { RECORD_VERSION = 1 };

static const char *const contradiction_text[] = {[SV_CONTRADICTION] = "facts", [SV_CONTRADICTION_OF_LEAVES] = "leaves"};

struct sv_record sv_record_new(const struct sv_spec *spec)
{
	struct sv_record record = {.spec = *spec, .state = SV_QUEUED};
	sv_record_restart(&record);
	return record;
}

void sv_record_fini(struct sv_record *record)
{
	sv_spec_fini(&record->spec);
	free(record->result);
	free(record->engines);
	*record = (struct sv_record){0};
}

void sv_record_restart(struct sv_record *record)
{
	record->progress = (struct pn_progress){.pn = 1, .dn = 1, .lo = INT16_MIN, .hi = INT16_MAX};
	record->seconds = record->cpu = 0;
	record->started_ms = 0;
	record->crashes = 0;
	record->stopped_cleanly = false;
	free(record->result);
	record->result = NULL;
	if (record->state == SV_SOLVED || record->state == SV_EXHAUSTED || record->state == SV_RUNNING)
		record->state = SV_QUEUED;
	if (!sv_state_over(record->state) && record->state != SV_PAUSED)
		record->reason[0] = 0;
	if (!sv_state_over(record->state))
		record->finished_ms = 0;
}

struct sv_change sv_change_none(const struct sv_record *record)
{
	return (struct sv_change){.priority = record->spec.priority, .budget = record->spec.budget};
}

void sv_record_change(struct sv_record *record, const struct sv_change *change)
{
	record->spec.priority = change->priority;
	record->spec.budget = change->budget;
	record->anyway |= change->anyway;
	record->alone |= change->alone;
	if (change->clear || change->reason)
		record->on_hold = SV_HOLD_NONE;
	if (change->tableless)
		record->progress.entries = 0;
	if (change->clear) {
		record->reason[0] = 0;
		record->crashes = 0;
		record->table_lost = false;
		record->contradiction = SV_NO_CONTRADICTION;
		record->finished_ms = 0;
		record->result = NULL;
	}
	if (change->reason)
		snprintf(record->reason, sizeof record->reason, "%s", change->reason);
	if (change->finished_ms)
		record->finished_ms = change->finished_ms;
}

bool sv_record_engine_has(const struct sv_record *record, const char *version)
{
	size_t length = strlen(version);
	for (const char *p = record->engines; p && *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");
		if (word == length && !memcmp(p, version, length))
			return true;
		p += word;
	}
	return false;
}

bool sv_record_engine_add(struct sv_record *record, const char *version)
{
	size_t before = record->engines ? strlen(record->engines) : 0, size = before + strlen(version) + 2;
	if (!*version || strchr(version, ' ') || sv_record_engine_has(record, version))
		return true;
	char *engines = realloc(record->engines, size);
	if (!engines)
		return false;
	snprintf(engines + before, size - before, "%s%s", before ? " " : "", version);
	record->engines = engines;
	return true;
}

void sv_record_write(const struct sv_record *record, struct pd_buf *buf)
{
	struct pr_out out;
	const struct pn_progress *p = &record->progress;
	pr_out_init(&out, buf);
	pr_open_object(&out, NULL);
	pr_members(&out, PR_I("v", RECORD_VERSION), PR_S("state", sv_state_text(record->state)));
	sv_spec_print(&record->spec, &out);
	pr_members(&out, PR_U("level1", p->level1), PR_U("level2", p->level2), PR_U("positions", p->positions),
		   PR_U("facts", p->facts), SV_NUMBER("pn", p->pn), SV_NUMBER("dn", p->dn),
		   PR_I("threshold", p->threshold), PR_I("lo", p->lo), PR_I("hi", p->hi), PR_U("entries", p->entries),
		   PR_U("capacity", p->capacity), PR_I("value_min", record->spec.scale.lo),
		   PR_I("value_max", record->spec.scale.hi), PR_R("seconds", record->seconds, 3),
		   PR_R("cpu", record->cpu, 3), PR_I("submitted", record->submitted_ms),
		   PR_I("started", record->started_ms), PR_I("finished", record->finished_ms),
		   PR_U("restarts", record->restarts), PR_U("crashes", record->crashes),
		   PR_OPT(record->state == SV_RUNNING && record->stopped_cleanly, PR_B("stopped", true)),
		   PR_OPT(record->state == SV_QUEUED && record->ran_before, PR_B("ran_before", true)));
	sv_print_engines(&out, record->engines);
	pr_members(&out, PR_S("reason", record->reason),
		   PR_OPT(record->on_hold != SV_HOLD_NONE && record->state == SV_PAUSED,
			  PR_S("on_hold", record->on_hold == SV_HOLD_DISK ? "disk" : "memory")),
		   PR_OPT(record->anyway, PR_B("anyway", true)), PR_OPT(record->alone, PR_B("alone", true)),
		   PR_OPT(record->turn, PR_U("turn", record->turn)),
		   PR_OPT(record->table_lost, PR_B("table_lost", true)),
		   PR_OPT(record->contradiction && record->state == SV_FAILED,
			  PR_S("contradiction", contradiction_text[record->contradiction])));
	if (record->result)
		pr_raw(&out, "result", record->result, strlen(record->result));
	pr_close(&out);
}

void sv_record_event(const struct pn_progress *p, const char *what, struct pd_buf *buf)
{
	struct pr_out out;
	pr_out_init(&out, buf);
	pr_open_object(&out, NULL);
	pr_members(&out, PR_I("t", pd_wall_ms()), PR_S("event", what), PR_U("nodes", p->level1 + p->level2),
		   SV_NUMBER("pn", p->pn), SV_NUMBER("dn", p->dn), PR_U("entries", p->entries),
		   PR_U("facts", p->facts));
	pr_close(&out);
}

static uint32_t read_number(pr_ref root, const char *key)
{
	return pr_kind_of(pr_get(root, key)) == PR_STRING ? UINT32_MAX : (uint32_t)pr_get_int(root, key, 1);
}

/* A negative count is damage, and the number is unknown. */
static uint64_t read_count(pr_ref root, const char *key, int64_t absent)
{
	int64_t n = pr_get_int(root, key, absent);
	return n < 0 ? 0 : (uint64_t)n;
}

static int read_spec(pr_ref root, struct sv_spec *spec, struct pd_fail *fail)
{
	static const char *const required[] = {"game", "position", "claim", "algorithm"};
	sv_spec_init(spec);
	for (unsigned i = 0; i < sizeof required / sizeof *required; i++)
		if (pr_kind_of(pr_get(root, required[i])) != PR_STRING)
			return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "a job's record names no %s", required[i]);
	spec->scale.lo = (int16_t)pr_get_int(root, "value_min", -1);
	spec->scale.hi = (int16_t)pr_get_int(root, "value_max", 1);
	return sv_spec_read(root, spec, fail);
}

static void read_progress(pr_ref root, struct pn_progress *p)
{
	p->level1 = read_count(root, "level1", 0);
	p->level2 = read_count(root, "level2", 0);
	p->positions = read_count(root, "positions", 0);
	p->facts = read_count(root, "facts", 0);
	p->pn = read_number(root, "pn");
	p->dn = read_number(root, "dn");
	p->threshold = (int16_t)pr_get_int(root, "threshold", 0);
	p->lo = (int16_t)pr_get_int(root, "lo", INT16_MIN);
	p->hi = (int16_t)pr_get_int(root, "hi", INT16_MAX);
	p->entries = read_count(root, "entries", 0);
	p->capacity = read_count(root, "capacity", 0);
}

static enum sv_hold read_hold(pr_ref root, enum sv_state state)
{
	const char *hold = pr_get_str(root, "on_hold", "");
	if (state != SV_PAUSED)
		return SV_HOLD_NONE;
	return !strcmp(hold, "disk") ? SV_HOLD_DISK : !strcmp(hold, "memory") ? SV_HOLD_MEMORY : SV_HOLD_NONE;
}

static enum sv_contradiction read_contradiction(pr_ref root, enum sv_state state)
{
	const char *text = pr_get_str(root, "contradiction", "");
	for (int c = SV_CONTRADICTION; state == SV_FAILED && c <= SV_CONTRADICTION_OF_LEAVES; c++)
		if (!strcmp(text, contradiction_text[c]))
			return (enum sv_contradiction)c;
	return SV_NO_CONTRADICTION;
}

/* Everything except the spec. False without memory. */
static bool read_rest(pr_ref root, struct sv_record *record)
{
	read_progress(root, &record->progress);
	record->seconds = pr_get_real(root, "seconds", 0);
	record->cpu = pr_get_real(root, "cpu", 0);
	record->submitted_ms = pr_get_int(root, "submitted", 0);
	record->started_ms = pr_get_int(root, "started", 0);
	record->finished_ms = pr_get_int(root, "finished", 0);
	record->restarts = (unsigned)pr_get_int(root, "restarts", 0);
	record->crashes = (unsigned)pr_get_int(root, "crashes", 0);
	record->stopped_cleanly = pr_get_bool(root, "stopped", false);
	record->ran_before = record->state == SV_QUEUED && pr_get_bool(root, "ran_before", false);
	snprintf(record->reason, sizeof record->reason, "%s", pr_get_str(root, "reason", ""));
	record->on_hold = read_hold(root, record->state);
	record->anyway = pr_get_bool(root, "anyway", false);
	record->alone = pr_get_bool(root, "alone", false);
	record->turn = read_count(root, "turn", 0);
	record->table_lost = pr_get_bool(root, "table_lost", false);
	record->contradiction = read_contradiction(root, record->state);
	if (pr_has(root, "result"))
		record->result = pr_dump(pr_get(root, "result"), NULL);
	pr_ref engines = pr_get(root, "engines"); /* older records name none */
	bool ok = !pr_has(root, "result") || record->result;
	for (size_t i = 0; ok && i < pr_count(engines); i++)
		ok = sv_record_engine_add(record, pr_text(pr_at(engines, i), ""));
	return ok;
}

int sv_record_read(uint32_t id, const void *bytes, size_t size, struct sv_record *out, struct pd_fail *fail)
{
	struct pr_doc *doc;
	*out = (struct sv_record){.id = id};
	if (!bytes)
		return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "the record of job %u has a wrong checksum", id);
	int rc = pr_doc_parse(bytes, size, &doc, fail);
	if (rc)
		return pd_fail_set(fail, rc == PD_E_NO_MEMORY ? PD_E_NO_MEMORY : PD_E_CORRUPT, "jobs",
				   "the record of job %u is not JSON", id);
	pr_ref root = pr_doc_root(doc);
	if (pr_get_int(root, "v", 0) != RECORD_VERSION || !sv_state_parse(pr_get_str(root, "state", ""), &out->state))
		rc = pd_fail_set(fail, PD_E_FORMAT, "jobs", "the record of job %u is not of version %d", id,
				 RECORD_VERSION);
	if (!rc)
		rc = read_spec(root, &out->spec, fail);
	if (!rc && !read_rest(root, out))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the jobs");
	pr_doc_free(doc);
	if (rc)
		sv_record_fini(out);
	return rc;
}

bool sv_record_unreadable(uint32_t id, const struct pd_fail *why, struct sv_record *out)
{
	struct sv_spec spec;
	sv_spec_init(&spec);
	spec.game = strdup("");
	spec.position = strdup("");
	*out = sv_record_new(&spec);
	out->id = id;
	out->state = SV_FAILED;
	out->damaged = true;
	snprintf(out->reason, sizeof out->reason,
		 "its record is damaged: %.100s; cancel it, or take the directory to proofctl repair", why->text);
	if (spec.game && spec.position)
		return true;
	sv_record_fini(out);
	return false;
}
