/* Campaign methods: many jobs at once, by a tag or a group.
 *
 * A call for many jobs is made of calls for single ones (job.submit, job.cancel, ...), so that rights, limits, keys,
 * changes under way and full disks are dealt with in one place. It answers when the last of them has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/doc.h"
#include "server/api/call_state.h"
#include "server/api/dispatch.h"
#include "server/api/job_submit.h"
#include "server/api/methods.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/program_game.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_print.h"
#include "server/jobs/queue/spec_request.h"

enum { LOOKS = 10000 /* jobs that one call looks at */ };

struct many {
	struct sv_call *call; /* the call for all of them */
	unsigned left;        /* calls that are not answered, and the handler while it makes them */
	unsigned changed, unchanged;
	int64_t next;        /* `before` of the next call; 0: there are no more */
	struct pd_fail fail; /* the first failure; code 0: none */
	uint32_t fresh;      /* jobs that are new */
	unsigned count;
	uint32_t jobs[]; /* numbers of the jobs of a submission, in order */
};

/* A call for one of the jobs. */
struct one {
	struct many *many;
	unsigned index;
};

static void print_many(const struct many *many, struct pr_out *out)
{
	pr_open_object(out, NULL);
	if (many->count) {
		pr_open_array(out, "jobs");
		for (unsigned i = 0; i < many->count; i++)
			pr_uint(out, NULL, many->jobs[i]);
		pr_close(out);
		pr_uint(out, "fresh", many->fresh);
	} else {
		pr_members(out, PR_U("changed", many->changed), PR_U("unchanged", many->unchanged),
			   PR_OPT(many->next, PR_I("next", many->next)));
	}
	pr_close(out);
}

static void answer_one_less(struct many *many)
{
	struct pd_buf json;
	struct pr_out out;
	if (--many->left)
		return;
	pd_buf_init(&json, PR_REPLY_MAX);
	pr_out_init(&out, &json);
	print_many(many, &out);
	if (many->fail.code)
		sv_call_refuse(many->call, &many->fail);
	else
		sv_call_reply(many->call, &json);
	pd_buf_fini(&json);
	free(many);
}

/* A call for one job is answered. */
static void settle_one(void *ctx, const struct sv_result *result)
{
	struct one *one = ctx;
	struct many *many = one->many;
	int code = result->fail ? result->fail->code : PD_OK;
	bool kept = !many->count && (code == PD_E_STATE || code == PD_E_NO_JOB); /* it may have ended meanwhile */
	many->changed += !code;
	many->unchanged += kept;
	if (code && !kept && !many->fail.code)
		many->fail = *result->fail;
	if (!code && many->count)
		sscanf(result->json, "{\"job\":%" SCNu32, &many->jobs[one->index]);
	free(one);
	answer_one_less(many);
}

static struct many *make_many(struct sv_request *r, unsigned count)
{
	struct many *many = calloc(1, sizeof *many + count * sizeof *many->jobs);
	if (!many)
		return NULL;
	*many = (struct many){.call = r->call, .left = 1, .count = count};
	r->later = true;
	return many;
}

/* Begins a call for one job, and takes over its parameters; NULL: nobody needs them. NULL without memory. */
static struct sv_call *begin_one(struct many *many, unsigned index, enum pr_method method, struct pr_doc *doc)
{
	struct one *one = malloc(sizeof *one);
	struct sv_call_read *read = calloc(1, sizeof *read);
	struct sv_call *call = one && read ? sv_call_begin(many->call->session, method, settle_one, one) : NULL;
	if (!call) {
		free(one);
		free(read);
		pr_doc_free(doc);
		return NULL;
	}
	*one = (struct one){many, index};
	read->doc = doc;
	call->read = read;
	call->params = doc ? pr_doc_root(doc) : NULL;
	many->left++;
	return call;
}

static int refuse_no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the request");
}

/* The client has gone while a reader thread had the call. */
static int check_session(const struct sv_call *call, struct pd_fail *fail)
{
	return call->session ? PD_OK : pd_fail_set(fail, PD_E_SHUTDOWN, "", "the connection is closed");
}

/* --- submitting --------------------------------------------------------------------------- */

/* The questions of a submission. A reader thread reads them: their positions may be many moves away, and the rules a
 * program (V3). */
struct reading {
	struct sv_read_request base;
	struct many *many;
	struct game *game;   /* held until the jobs are submitted */
	struct pd_fail fail; /* code 0: all could be read */
	struct sv_spec specs[];
};

static int name_question(unsigned index, const struct pd_fail *why, struct pd_fail *fail)
{
	char field[sizeof fail->field];
	snprintf(field, sizeof field, "questions[%u]%s%.30s", index, why->field[0] ? "." : "", why->field);
	return pd_fail_set(fail, (enum pd_error)why->code, field, "%s", why->text);
}

static int read_one(struct sv_core *core, struct reading *reading, unsigned index)
{
	pr_ref params = reading->many->call->params;
	struct pr_doc *doc;
	struct pd_fail why;
	int rc = pr_doc_merge(params, "questions", pr_at(pr_get(params, "questions"), index), &doc, &reading->fail);
	if (rc)
		return rc;
	why.code = sv_spec_request(core, pr_doc_root(doc), &reading->specs[index], &why);
	pr_doc_free(doc);
	bool bad = sv_program_misled(&why) || why.code;
	return bad ? name_question(index, &why, &reading->fail) : PD_OK;
}

/* On a reader thread. */
static void read_questions(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base,
			   bool cancelled)
{
	struct reading *reading = (struct reading *)base;
	const char *name = pr_get_str(base->params, "game", "");
	(void)reader;
	sv_program_misled(&reading->fail); /* by an earlier call */
	int rc = cancelled ? PD_OK : sv_game_get(core, name, &reading->game, &reading->fail);
	for (unsigned i = 0; !rc && i < reading->many->count; i++)
		rc = sv_read_request_wanted(core, base)
			     ? read_one(core, reading, i)
			     : pd_fail_set(&reading->fail, PD_E_SHUTDOWN, "", "the submission is no longer wanted");
	reading->fail.code = rc;
}

/* Makes the task of the job at `index`. On failure *fail names it, and the call for it is answered. */
static int prepare_one(struct many *many, struct sv_spec *spec, unsigned index, struct sv_tasks *tasks,
		       struct pd_fail *fail)
{
	struct sv_call *call = begin_one(many, index, PR_JOB_SUBMIT, NULL);
	if (!call)
		return refuse_no_memory(fail);
	struct sv_request one = {.core = call->core, .session = call->session, .call = call, .on_loop = true};
	const struct sv_task *last = TAILQ_LAST(tasks, sv_tasks);
	pd_buf_init(&one.json, PR_REPLY_MAX);
	pr_out_init(&one.out, &one.json);
	int rc = sv_submit_prepare(&one, spec, false, tasks);
	many->fresh += TAILQ_LAST(tasks, sv_tasks) != last;
	if (rc) {
		one.fail.code = rc;
		name_question(index, &one.fail, fail);
		sv_call_refuse(call, fail);
	} else if (!one.later) {
		sv_call_reply(call, &one.json);
	}
	pd_buf_fini(&one.json);
	return rc;
}

/* Submits what was read, all or nothing. */
static void submit_questions(struct sv_core *core, struct sv_completion *completion)
{
	struct reading *reading = (struct reading *)completion;
	struct many *many = reading->many;
	struct sv_tasks tasks = TAILQ_HEAD_INITIALIZER(tasks);
	struct pd_fail fail = reading->fail;
	int rc = fail.code ? fail.code : check_session(many->call, &fail);
	if (!rc && sv_closing(core))
		rc = pd_fail_set(&fail, PD_E_SHUTDOWN, "", "the server is stopping");
	for (unsigned i = 0; !rc && i < many->count; i++)
		rc = prepare_one(many, &reading->specs[i], i, &tasks, &fail);
	if (rc) {
		fail.code = rc;
		many->fail = fail;
		sv_submit_drop(core, &tasks, &fail);
	} else {
		sv_submit_post(core, &tasks);
	}
	for (unsigned i = 0; i < many->count; i++)
		sv_spec_fini(&reading->specs[i]);
	if (reading->game)
		sv_game_put(core, reading->game);
	free(reading);
	answer_one_less(many);
}

int sv_method_campaign_submit(struct sv_request *r)
{
	unsigned count = (unsigned)pr_count(pr_get(r->params, "questions"));
	int rc = check_session(r->call, &r->fail);
	struct reading *reading = rc ? NULL : calloc(1, sizeof *reading + count * sizeof *reading->specs);
	struct many *many = reading ? make_many(r, count) : NULL;
	if (!many) {
		free(reading);
		return rc ? rc : refuse_no_memory(&r->fail);
	}
	reading->many = many;
	reading->base.base.deliver = submit_questions;
	reading->base.run = read_questions;
	reading->base.params = r->params;
	rc = sv_read_request_send(r->core, SV_QUERIES, &r->session->client, &reading->base, &r->fail);
	if (rc) {
		r->later = false;
		free(many);
		free(reading);
	}
	return rc;
}

/* --- changing ----------------------------------------------------------------------------- */

/* Lists the numbers of up to PR_CHANGE_MAX jobs that are concerned, the newest first. A cancel spares those that are
 * over, although job.cancel may end exhausted ones for good: their results are the campaign's. */
static int pick_jobs(struct sv_request *r, uint32_t jobs[PR_CHANGE_MAX], unsigned *count, int64_t *next)
{
	const struct sv_job_set *set;
	const char *text = pr_get_str(r->params, "state", NULL);
	enum sv_state state = SV_QUEUED;
	unsigned looks = LOOKS;
	*count = 0;
	if (text && !sv_state_parse(text, &state))
		return pd_fail_set(&r->fail, PD_E_PARAMS, "state", "'%.20s' is not a state of a job", text);
	int rc = sv_request_set(r, &set);
	if (rc)
		return rc;
	uint32_t place = sv_set_place(set, pr_get_int(r->params, "before", INT64_MAX));
	bool spare = !strcmp(pr_get_str(r->params, "action", ""), "cancel");
	for (; place && *count < PR_CHANGE_MAX && looks; place--, looks--) {
		const struct sv_job *job = set->jobs[place - 1];
		if ((!text || sv_job_shown(job) == state) && !(spare && sv_state_over(job->record.state)))
			jobs[(*count)++] = job->record.id;
	}
	*next = place ? (int64_t)set->jobs[place - 1]->record.id + 1 : 0;
	sv_unlock(r->core);
	return PD_OK;
}

/* The parameters of a call for one of the jobs. */
static int write_change(pr_ref params, uint32_t job, struct pr_doc **doc, struct pd_fail *fail)
{
	struct pd_buf text;
	struct pr_out out;
	char *budget = pr_has(params, "budget") ? pr_dump(pr_get(params, "budget"), NULL) : NULL;
	pd_buf_init(&text, PR_LINE_MAX);
	pr_out_init(&out, &text);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_U("job", job),
		   PR_OPT(pr_has(params, "priority"), PR_I("priority", pr_get_int(params, "priority", 0))));
	if (budget)
		pr_raw(&out, "budget", budget, strlen(budget));
	pr_close(&out);
	int rc = text.failed || (!budget && pr_has(params, "budget")) ? refuse_no_memory(fail)
								      : pr_doc_parse(text.data, text.size, doc, fail);
	free(budget);
	pd_buf_fini(&text);
	return rc;
}

static int check_change(struct sv_request *r, const char *action)
{
	bool settings = pr_has(r->params, "priority") || pr_has(r->params, "budget"), set = !strcmp(action, "set");
	if (!pr_has(r->params, "tag") && !pr_has(r->params, "group"))
		return pd_fail_set(&r->fail, PD_E_PARAMS, "tag", "say which jobs: give 'tag' or 'group'");
	if (set && !settings)
		return pd_fail_set(&r->fail, PD_E_PARAMS, "priority", "say what to set: 'priority' or 'budget'");
	if (!set && settings)
		return pd_fail_set(&r->fail, PD_E_PARAMS, "action", "'priority' and 'budget' are for the action set");
	return check_session(r->call, &r->fail);
}

int sv_method_campaign_change(struct sv_request *r)
{
	uint32_t jobs[PR_CHANGE_MAX];
	unsigned count = 0;
	int64_t next = 0;
	char name[32];
	enum pr_method method;
	const char *action = pr_get_str(r->params, "action", "");
	snprintf(name, sizeof name, "job.%.20s", action);
	bool known = pr_method_find(name, &method);
	PD_ASSERT(known); /* the table of methods lists the actions */
	int rc = check_change(r, action);
	rc = rc ? rc : pick_jobs(r, jobs, &count, &next);
	struct many *many = rc ? NULL : make_many(r, 0);
	if (!many)
		return rc ? rc : refuse_no_memory(&r->fail);
	many->next = next;
	for (unsigned i = 0; i < count; i++) {
		struct pr_doc *doc;
		struct sv_call *call =
			write_change(r->params, jobs[i], &doc, &many->fail) ? NULL : begin_one(many, i, method, doc);
		if (!call) {
			refuse_no_memory(&many->fail);
			break;
		}
		sv_dispatch_part(call);
	}
	answer_one_less(many);
	return PD_OK;
}

/* --- reading ------------------------------------------------------------------------------ */

static void print_states(const struct sv_job_set *set, struct pr_out *out)
{
	pr_open_object(out, "states");
	for (unsigned i = 0; i < SV_STATE_COUNT; i++)
		pr_uint(out, sv_state_text((enum sv_state)i), set->states[i]);
	pr_close(out);
}

/* Under the lock. */
static void print_campaign(const char *name, const struct sv_job_set *set, struct pr_out *out)
{
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("name", name), PR_U("jobs", set->count),
		   PR_IF(set->count, PR_U("first", set->jobs[0]->record.id)));
	print_states(set, out);
	pr_close(out);
}

int sv_method_campaign_list(struct sv_request *r)
{
	const struct sv_job_set *set;
	const struct sv_job_group *tag;
	const char *name = pr_get_str(r->params, "tag", pr_get_str(r->params, "group", NULL));
	int rc = sv_request_set(r, &set);
	if (rc)
		return rc;
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "campaigns");
	if (name)
		print_campaign(name, set, &r->out);
	else
		LIST_FOREACH(tag, &sv_index(r->core)->tags.list, link)
			if (tag->set.count) /* else its jobs are being submitted */
				print_campaign(tag->name, &tag->set, &r->out);
	sv_unlock(r->core);
	pr_close(&r->out);
	pr_close(&r->out);
	return PD_OK;
}

int sv_method_campaign_table(struct sv_request *r)
{
	const struct sv_job_set *set;
	int64_t since = pr_get_int(r->params, "since", 0), limit = pr_get_int(r->params, "limit", PR_ROWS_MAX);
	unsigned looks = LOOKS;
	int rc = sv_request_set(r, &set);
	if (rc)
		return rc;
	uint32_t place = sv_set_place(set, pr_get_int(r->params, "before", INT64_MAX));
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "rows");
	for (; place && limit && looks; place--, looks--) {
		const struct sv_job *job = set->jobs[place - 1];
		if (job->entry.revision <= (uint64_t)since && !sv_job_owned(job))
			continue;
		sv_job_print_row(job, &r->out);
		limit--;
	}
	pr_close(&r->out);
	pr_members(&r->out, PR_U("revision", sv_index(r->core)->revision), PR_U("jobs", set->count));
	print_states(set, &r->out);
	pr_members(&r->out, PR_OPT(place, PR_I("next", (int64_t)set->jobs[place - 1]->record.id + 1)));
	pr_close(&r->out);
	sv_unlock(r->core);
	return PD_OK;
}
