#include "clients/player.h"

#include "clients/ask.h"
#include "clients/interrupt.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum { STEP_MS = 20, SECONDS = 5, SLICE_S = 1 /* turns of several searches on one thread */ };

/* The position of an order. */
#define ORDER_POSITION(order)                                                                                          \
	PR_S("game", (order)->game), PR_S("position", (order)->position), PR_OPEN_ARRAY("moves"),                      \
		PR_OPT_S(NULL, (order)->move), PR_CLOSE

bool cl_adviser_is_remote(const struct cl_options *options)
{
	const char *home = getenv("PROOFD_SERVER");
	return !cl_given(options, CL_OPT_DATA) &&
	       (cl_given(options, CL_OPT_SERVER) || cl_given(options, CL_OPT_SOCKET) || (home && *home));
}

int cl_adviser_open(struct cl_adviser *a, const struct cl_options *options, struct pd_fail *fail)
{
	*a = (struct cl_adviser){0};
	if (cl_adviser_is_remote(options))
		return cl_open(options, &a->link, fail);
	struct sv_config config;
	sv_config_init(&config);
	config.data = options->text[CL_OPT_DATA];
	config.graphs = options->text[CL_OPT_GRAPHS];
	config.nice = 0;
	config.slice_s = SLICE_S;
	if (cl_given(options, CL_OPT_THREADS))
		config.threads = (unsigned)options->whole[CL_OPT_THREADS];
	return cl_link_embed(&config, &a->link, fail);
}

void cl_adviser_close(struct cl_adviser *a)
{
	struct pd_fail fail;
	if (a->link && a->job)
		cl_adviser_stop(a, &fail);
	cl_link_close(a->link);
	a->link = NULL;
}

void cl_advice_append(struct cl_advice *advice, const char *moves)
{
	size_t used = strlen(advice->line), room = sizeof advice->line - used;
	if (*moves && strlen(moves) + 2 <= room)
		snprintf(advice->line + used, room, "%s%s", used ? " " : "", moves);
}

static void read_line(struct cl_advice *advice, pr_ref line)
{
	advice->line[0] = 0;
	for (size_t i = 0; i < pr_count(line); i++)
		cl_advice_append(advice, pr_text(pr_at(line, i), ""));
}

static void read_move(struct cl_advice *advice, const char *move)
{
	if (move)
		snprintf(advice->move, sizeof advice->move, "%s", move);
}

void cl_advice_bounds(struct cl_advice *advice, pr_ref value)
{
	advice->lo = pr_get_int(value, "lo", advice->lo);
	advice->hi = pr_get_int(value, "hi", advice->hi);
	advice->exact = cl_is_bounded(value) && advice->lo == advice->hi;
}

static void read_job(struct cl_advice *advice, pr_ref job)
{
	pr_ref answer = pr_get(job, "result");
	int64_t capacity = pr_get_int(job, "capacity", 0);
	advice->nodes = (int64_t)cl_job_nodes(job);
	advice->fill = capacity > 0 ? (double)pr_get_int(job, "entries", 0) / (double)capacity : 0;
	advice->pn = cl_job_number_of(job, "pn");
	advice->dn = cl_job_number_of(job, "dn");
	advice->threshold = pr_get_int(job, "threshold", 0);
	cl_advice_bounds(advice, pr_get(job, "value"));
	read_move(advice, pr_get_str(job, "leading", NULL));
	if (answer) {
		cl_advice_bounds(advice, pr_get(answer, "value"));
		read_move(advice, pr_get_str(answer, "move", NULL));
		advice->plies = pr_get_int(answer, "plies", -1);
		read_line(advice, pr_get(answer, "line"));
	}
	advice->over = cl_job_over(job);
}

int cl_advice_proved(struct cl_adviser *a, const struct cl_order *order, struct cl_advice *advice, struct pd_fail *fail)
{
	pr_ref result;
	int rc = cl_ask(a->link, "fact.line", &result, fail, ORDER_POSITION(order));
	if (rc)
		return rc == PD_E_NO_FACT ? PD_OK : rc;
	pr_ref line = pr_get(result, "line");
	cl_advice_bounds(advice, pr_get(result, "value"));
	read_line(advice, line);
	if (pr_count(line))
		read_move(advice, pr_text(pr_at(line, 0), NULL));
	advice->over = advice->exact && pr_count(line);
	if (!advice->over)
		return PD_OK;
	/* the rank of the fact: the game is decided within that many plies */
	rc = cl_ask(a->link, "fact.query", &result, fail, ORDER_POSITION(order));
	if (!rc)
		advice->plies = pr_get_int(pr_at(pr_get(result, "facts"), 0), "rank", -1);
	return rc;
}

static int submit_job(struct cl_adviser *a, const struct cl_order *order, struct pd_fail *fail)
{
	pr_ref result;
	int rc = cl_ask(a->link, "job.submit", &result, fail, ORDER_POSITION(order), PR_OPT_S("claim", order->claim),
			PR_U("priority", 100), PR_I("threads", order->threads), PR_OPT_I("memory", order->memory),
			PR_OPEN_OBJECT("budget"), PR_OPT_I("nodes", order->nodes), PR_CLOSE);
	if (!rc)
		a->job = pr_get_int(result, "job", 0);
	PD_ASSERT(rc || a->job > 0);
	return rc;
}

int cl_adviser_begin(struct cl_adviser *a, const struct cl_order *order, struct pd_fail *fail)
{
	PD_ASSERT(a->link && order->nodes >= 0 && order->memory >= 0);
	int rc = a->job ? cl_adviser_stop(a, fail) : PD_OK;
	if (rc)
		return rc;
	a->advice = (struct cl_advice){.plies = -1, .pn = 1, .dn = 1};
	rc = cl_advice_proved(a, order, &a->advice, fail);
	return rc || a->advice.over ? rc : submit_job(a, order, fail);
}

static int get_job(struct cl_adviser *a, struct pd_fail *fail)
{
	pr_ref job;
	int rc = cl_ask(a->link, "job.get", &job, fail, PR_I("job", a->job));
	if (!rc)
		read_job(&a->advice, job);
	return rc;
}

/* Removes the job, which is over; its facts stay. */
static int remove_job(struct cl_adviser *a, struct pd_fail *fail)
{
	int rc = cl_ask(a->link, "job.remove", NULL, fail, PR_I("job", a->job));
	a->job = 0;
	return rc == PD_E_NO_JOB ? PD_OK : rc;
}

int cl_adviser_poll(struct cl_adviser *a, unsigned wait_ms, struct pd_fail *fail)
{
	pr_ref note;
	if (a->advice.over)
		return PD_OK;
	PD_ASSERT(a->job);
	int rc = cl_link_next(a->link, wait_ms, &note, fail);
	return rc ? rc : get_job(a, fail);
}

int cl_adviser_stop(struct cl_adviser *a, struct pd_fail *fail)
{
	if (!a->job)
		return PD_OK;
	int rc = cl_ask(a->link, "job.cancel", NULL, fail, PR_I("job", a->job));
	if (rc && rc != PD_E_STATE) /* it is over already */
		return rc;
	rc = get_job(a, fail);
	a->advice.over = true;
	return rc ? rc : remove_job(a, fail);
}

struct cl_order cl_adviser_order(const struct cl_options *options, const char *game, const char *position)
{
	return (struct cl_order){game,
				 position,
				 options->whole[CL_OPT_NODES],
				 options->whole[CL_OPT_MEMORY],
				 options->whole[CL_OPT_THREADS],
				 NULL};
}

double cl_adviser_seconds(const struct cl_options *options)
{
	if (cl_given(options, CL_OPT_SECONDS))
		return options->real[CL_OPT_SECONDS];
	return cl_given(options, CL_OPT_NODES) ? 0 : SECONDS;
}

int cl_adviser_run(struct cl_adviser *a, const struct cl_order *order, double seconds, int *signal,
		   struct pd_fail *fail)
{
	uint64_t deadline_ns = pd_now_ns() + (uint64_t)(1e9 * seconds);
	int rc = cl_adviser_begin(a, order, fail);
	while (!rc && !a->advice.over && !*signal && !(seconds > 0 && pd_now_ns() >= deadline_ns)) {
		rc = cl_adviser_poll(a, STEP_MS, fail);
		*signal = cl_interrupt_take();
	}
	return rc;
}

void cl_player_close(struct cl_player *p)
{
	game_close(p->game);
	free(p->states);
	*p = (struct cl_player){0};
}

int cl_player_open(struct cl_player *p, const char *name, struct pd_fail *fail)
{
	struct cl_player new = {0};
	int rc = game_open(name, NULL, &new.game, fail);
	if (rc)
		return rc;
	new.states = calloc(CL_PLIES_MAX + 1, new.game->state_size);
	if (!new.states) {
		game_close(new.game);
		return cl_no_memory(fail);
	}
	new.game->rules->start(new.game, new.states);
	cl_player_close(p);
	*p = new;
	return PD_OK;
}

int cl_player_set(struct cl_player *p, const char *position, struct pd_fail *fail)
{
	uint8_t state[GAME_STATE_MAX];
	int rc = p->game->rules->parse(p->game, position, state, fail);
	if (rc)
		return rc;
	memcpy(p->states, state, p->game->state_size);
	p->plies = 0;
	return PD_OK;
}

int cl_player_move(struct cl_player *p, const char *text, struct pd_fail *fail)
{
	const struct game_rules *rules = p->game->rules;
	size_t size = p->game->state_size;
	game_move move;
	int rc = rules->move_parse(p->game, cl_player_state(p), text, &move, fail);
	if (rc)
		return rc;
	if (p->plies == CL_PLIES_MAX) { /* the oldest position is forgotten */
		memmove(p->states, p->states + size, p->plies * size);
		p->plies--;
	}
	PD_ASSERT(p->plies < CL_PLIES_MAX);
	memcpy(p->states + (p->plies + 1) * size, cl_player_state(p), size);
	p->plies++;
	rules->play(p->game, p->states + p->plies * size, move);
	return PD_OK;
}

bool cl_player_undo(struct cl_player *p)
{
	if (!p->plies)
		return false;
	p->plies--;
	return true;
}

bool cl_player_over(const struct cl_player *p)
{
	int value;
	return p->game->rules->terminal(p->game, cl_player_state(p), &value);
}

void cl_player_choose(const struct cl_player *p, const struct cl_advice *advice, char out[32])
{
	game_move moves[GAME_MOVES_MAX];
	const struct game_rules *rules = p->game->rules;
	snprintf(out, 32, "%s", advice->move);
	if (!out[0] && !cl_player_over(p) && rules->moves(p->game, cl_player_state(p), moves))
		rules->move_print(p->game, cl_player_state(p), moves[0], out, 32);
}
