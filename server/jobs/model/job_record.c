#include "server/jobs/model/job_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "server/jobs/model/spec_fields.h"

enum { RECORD_VERSION = 1, SUBS_SHOWN = 1000 };

static void print_number(struct pr_out *out, const char *key, uint32_t number)
{
	if (number == UINT32_MAX)
		pr_str(out, key, "inf");
	else
		pr_uint(out, key, number);
}

static void print_engines(struct pr_out *out, const char *engines)
{
	pr_open_array(out, "engines");
	for (const char *p = engines; p && *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");
		pr_strn(out, NULL, p, word);
		p += word;
	}
	pr_close(out);
}

void sv_job_record(const struct sv_job *job, enum sv_state state, const struct sv_change *change, struct pd_buf *buf)
{
	struct sv_change none = sv_change_none(job);
	struct sv_spec spec = job->spec; /* its strings are borrowed */
	struct pr_out out;
	const struct pn_progress *p = &job->progress;
	pr_out_init(&out, buf);
	pr_open_object(&out, NULL);
	pr_int(&out, "v", RECORD_VERSION);
	pr_str(&out, "state", sv_state_text(state));
	change = change ? change : &none;
	spec.priority = change->priority;
	spec.budget_nodes = change->budget_nodes;
	spec.budget_seconds = change->budget_seconds;
	spec.budget_cpu = change->budget_cpu;
	spec.budget_disk = change->budget_disk;
	sv_spec_print(&spec, &out);
	pr_uint(&out, "level1", p->level1);
	pr_uint(&out, "level2", p->level2);
	pr_uint(&out, "facts", p->facts);
	print_number(&out, "pn", p->pn);
	print_number(&out, "dn", p->dn);
	pr_int(&out, "threshold", p->threshold);
	pr_int(&out, "lo", p->lo);
	pr_int(&out, "hi", p->hi);
	pr_uint(&out, "entries", change->tableless ? 0 : p->entries);
	pr_uint(&out, "capacity", p->capacity);
	pr_int(&out, "value_min", job->spec.value_min);
	pr_int(&out, "value_max", job->spec.value_max);
	pr_real(&out, "seconds", job->seconds, 3);
	pr_real(&out, "cpu", job->cpu, 3);
	pr_int(&out, "submitted", job->submitted_ms);
	pr_int(&out, "started", job->started_ms);
	pr_int(&out, "finished", change->finish ? pd_wall_ms() : change->clear ? 0 : job->finished_ms);
	pr_uint(&out, "restarts", job->restarts);
	pr_uint(&out, "crashes", change->clear ? 0 : job->crashes);
	if (state == SV_RUNNING && job->stopped_cleanly)
		pr_bool(&out, "stopped", true);
	if (state == SV_QUEUED && job->ran_before)
		pr_bool(&out, "ran_before", true);
	print_engines(&out, job->engines);
	pr_str(&out, "reason", change->reason ? change->reason : change->clear ? "" : job->reason);
	if (job->on_hold != SV_HOLD_NONE && state == SV_PAUSED && !change->clear && !change->reason)
		pr_str(&out, "on_hold", job->on_hold == SV_HOLD_DISK ? "disk" : "memory");
	if (job->anyway || change->anyway)
		pr_bool(&out, "anyway", true);
	if (job->alone || change->alone)
		pr_bool(&out, "alone", true);
	if (job->turn)
		pr_uint(&out, "turn", job->turn);
	if (job->table_lost && !change->clear)
		pr_bool(&out, "table_lost", true);
	if (job->result && !change->clear)
		pr_raw(&out, "result", job->result, strlen(job->result));
	pr_close(&out);
}

static uint32_t read_number(pr_ref root, const char *key)
{
	return pr_kind_of(pr_get(root, key)) == PR_STRING ? UINT32_MAX : (uint32_t)pr_get_int(root, key, 1);
}

/* A count that was written by this program; another number is damage, and what it was is not known. */
static uint64_t read_count(pr_ref root, const char *key, int64_t absent)
{
	int64_t n = pr_get_int(root, key, absent);
	return n < 0 ? 0 : (uint64_t)n;
}

/* The submission, as it stands in a record. */
static int read_spec(pr_ref root, struct sv_spec *spec, struct pd_fail *fail)
{
	static const char *const required[] = {"game", "position", "claim", "algorithm"};
	sv_spec_init(spec);
	for (unsigned i = 0; i < sizeof required / sizeof *required; i++)
		if (pr_kind_of(pr_get(root, required[i])) != PR_STRING)
			return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "a job's record names no %s", required[i]);
	spec->value_min = (int16_t)pr_get_int(root, "value_min", -1);
	spec->value_max = (int16_t)pr_get_int(root, "value_max", 1);
	return sv_spec_read(root, spec, fail);
}

static void read_progress(pr_ref root, struct pn_progress *p)
{
	p->level1 = read_count(root, "level1", 0);
	p->level2 = read_count(root, "level2", 0);
	p->facts = read_count(root, "facts", 0);
	p->pn = read_number(root, "pn");
	p->dn = read_number(root, "dn");
	p->threshold = (int16_t)pr_get_int(root, "threshold", 0);
	p->lo = (int16_t)pr_get_int(root, "lo", INT16_MIN);
	p->hi = (int16_t)pr_get_int(root, "hi", INT16_MAX);
	p->entries = read_count(root, "entries", 0);
	p->capacity = read_count(root, "capacity", 0);
}

int sv_job_unrecord(uint32_t id, const void *record, size_t size, struct sv_job **out, struct pd_fail *fail)
{
	struct pr_doc *doc;
	struct sv_spec spec = {0};
	if (!record)
		return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "the record of job %u has a wrong checksum", id);
	int rc = pr_doc_parse(record, size, &doc, fail);
	if (rc)
		return pd_fail_set(fail, rc == PD_E_NO_MEMORY ? PD_E_NO_MEMORY : PD_E_CORRUPT, "jobs",
				   "the record of job %u is not JSON", id);
	pr_ref root = pr_doc_root(doc);
	enum sv_state state;
	if (pr_get_int(root, "v", 0) != RECORD_VERSION || !sv_state_parse(pr_get_str(root, "state", ""), &state))
		rc = pd_fail_set(fail, PD_E_FORMAT, "jobs", "the record of job %u is of another version than %d", id,
				 RECORD_VERSION);
	if (!rc)
		rc = read_spec(root, &spec, fail);
	struct sv_job *job = rc ? NULL : sv_job_new(&spec);
	if (!job) {
		sv_spec_fini(&spec);
		pr_doc_free(doc);
		return rc ? rc : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the jobs");
	}
	job->id = id;
	job->state = state;
	read_progress(root, &job->progress);
	job->kept = job->progress;
	job->seconds = pr_get_real(root, "seconds", 0);
	job->cpu = pr_get_real(root, "cpu", 0);
	job->submitted_ms = pr_get_int(root, "submitted", 0);
	job->started_ms = pr_get_int(root, "started", 0);
	job->finished_ms = pr_get_int(root, "finished", 0);
	job->restarts = (unsigned)pr_get_int(root, "restarts", 0);
	job->crashes = (unsigned)pr_get_int(root, "crashes", 0);
	job->stopped_cleanly = pr_get_bool(root, "stopped", false);
	job->ran_before = state == SV_QUEUED && pr_get_bool(root, "ran_before", false);
	snprintf(job->reason, sizeof job->reason, "%s", pr_get_str(root, "reason", ""));
	const char *hold = pr_get_str(root, "on_hold", "");
	job->on_hold = state != SV_PAUSED        ? SV_HOLD_NONE
		       : !strcmp(hold, "disk")   ? SV_HOLD_DISK
		       : !strcmp(hold, "memory") ? SV_HOLD_MEMORY
						 : SV_HOLD_NONE;
	job->anyway = pr_get_bool(root, "anyway", false);
	job->alone = pr_get_bool(root, "alone", false);
	job->turn = read_count(root, "turn", 0);
	job->table_lost = pr_get_bool(root, "table_lost", false);
	if (pr_has(root, "result"))
		job->result = pr_dump(pr_get(root, "result"), &size);
	pr_ref engines = pr_get(root, "engines"); /* older records name none */
	bool ok = !pr_has(root, "result") || job->result;
	for (size_t i = 0; ok && i < pr_count(engines); i++)
		ok = sv_job_engine_add(job, pr_text(pr_at(engines, i), ""));
	pr_doc_free(doc);
	if (!ok) {
		sv_job_free(job);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the jobs");
	}
	*out = job;
	return PD_OK;
}

struct sv_job *sv_job_unreadable(uint32_t id, const struct pd_fail *why)
{
	struct sv_spec spec;
	sv_spec_init(&spec);
	spec.game = strdup("");
	spec.position = strdup("");
	struct sv_job *job = spec.game && spec.position ? sv_job_new(&spec) : NULL;
	if (!job) {
		sv_spec_fini(&spec);
		return NULL;
	}
	job->id = id;
	job->state = SV_FAILED;
	job->damaged = true;
	snprintf(job->reason, sizeof job->reason,
		 "its record is damaged: %.100s; cancel it, or take the directory to proofctl repair", why->text);
	return job;
}

/* --- printing ----------------------------------------------------------------------------- */

static void print_time(struct pr_out *out, const char *key, int64_t ms)
{
	if (ms)
		pr_int(out, key, ms);
	else
		pr_null(out, key);
}

static void print_value(struct pr_out *out, const struct sv_job *job)
{
	const struct pn_progress *p = &job->progress;
	char text[64];
	bool known = p->lo != INT16_MIN || p->hi != INT16_MAX;
	pr_open_object(out, "value");
	if (known) {
		game_value_text(game_words_named(job->spec.game),
				(struct game_interval){job->spec.value_min, job->spec.value_max},
				(struct game_interval){p->lo, p->hi}, text, sizeof text);
		pr_int(out, "lo", p->lo);
		pr_int(out, "hi", p->hi);
	} else {
		snprintf(text, sizeof text, "unknown");
		pr_null(out, "lo");
		pr_null(out, "hi");
	}
	pr_str(out, "text", text);
	pr_close(out);
}

/* Why a job whose checkpoint has no room is shown as paused, and what was requested meanwhile. */
static const char *print_trouble(const struct sv_job *job, char *out, size_t size)
{
	bool stops = job->want == SV_WANT_PAUSE || job->want == SV_WANT_CANCEL;
	snprintf(out, size, "%s%s%s", stops ? sv_state_text(job->want == SV_WANT_PAUSE ? SV_PAUSED : SV_CANCELLED) : "",
		 stops ? " on request, which is written when there is room: " : "", job->trouble);
	return out;
}

static void print_subs(struct pr_out *out, const struct sv_job *job)
{
	const struct sv_job *sub;
	unsigned left = SUBS_SHOWN;
	if (TAILQ_EMPTY(&job->subs))
		return;
	pr_open_array(out, "sub_jobs");
	for (sub = TAILQ_FIRST(&job->subs); sub && left; sub = TAILQ_NEXT(sub, sub), left--)
		pr_uint(out, NULL, sub->id);
	pr_close(out);
}

void sv_job_print(const struct sv_job *job, uint64_t disk, bool result, struct pr_out *out)
{
	const struct pn_progress *p = &job->progress;
	/* What a run has noted for its end counts once that is on disk (D1). */
	bool over = sv_state_over(job->state);
	char trouble[sizeof job->trouble + 80];
	const char *reason = job->disk_trouble                 ? print_trouble(job, trouble, sizeof trouble)
			     : over || job->state == SV_PAUSED ? job->reason
							       : "";
	pr_open_object(out, NULL);
	pr_uint(out, "job", job->id);
	pr_str(out, "state", sv_state_text(sv_job_shown(job)));
	sv_spec_print(&job->spec, out);
	pr_open_object(out, "nodes");
	pr_uint(out, "level1", p->level1);
	pr_uint(out, "level2", p->level2);
	pr_close(out);
	pr_real(out, "seconds", job->seconds, 3);
	pr_real(out, "cpu", job->cpu, 3);
	pr_uint(out, "table_bytes", job->table_bytes);
	pr_real(out, "rate", job->rate, 0);
	print_number(out, "pn", p->pn);
	print_number(out, "dn", p->dn);
	pr_str(out, "leading", job->state != SV_SOLVED && job->leading[0] ? job->leading : NULL);
	pr_int(out, "threshold", p->threshold);
	print_value(out, job);
	pr_uint(out, "entries", p->entries);
	pr_uint(out, "capacity", p->capacity);
	pr_uint(out, "facts", p->facts);
	pr_uint(out, "budget_level2", p->level2_budget);
	pr_uint(out, "disk", disk);
	print_time(out, "submitted", job->submitted_ms);
	print_time(out, "started", job->started_ms);
	print_time(out, "finished", over ? job->finished_ms : 0);
	pr_uint(out, "restarts", job->restarts);
	pr_uint(out, "crashes", job->crashes);
	print_engines(out, job->engines);
	if (reason[0])
		pr_str(out, "reason", reason);
	else
		pr_null(out, "reason");
	if (result)
		print_subs(out, job);
	if (result && over && job->result)
		pr_raw(out, "result", job->result, strlen(job->result));
	pr_close(out);
}

void sv_job_value_text(const struct sv_job *job, char *out, size_t room)
{
	const struct pn_progress *p = &job->progress;
	out[0] = 0;
	if (p->lo != INT16_MIN || p->hi != INT16_MAX)
		game_value_text(game_words_named(job->spec.game),
				(struct game_interval){job->spec.value_min, job->spec.value_max},
				(struct game_interval){p->lo, p->hi}, out, room);
}

void sv_job_event(const struct sv_job *job, const char *what, struct pd_buf *buf)
{
	struct pr_out out;
	const struct pn_progress *p = &job->progress;
	pr_out_init(&out, buf);
	pr_open_object(&out, NULL);
	pr_int(&out, "t", pd_wall_ms());
	pr_str(&out, "event", what);
	pr_uint(&out, "nodes", p->level1 + p->level2);
	print_number(&out, "pn", p->pn);
	print_number(&out, "dn", p->dn);
	pr_uint(&out, "entries", p->entries);
	pr_uint(&out, "facts", p->facts);
	pr_close(&out);
}
