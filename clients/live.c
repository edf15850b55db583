#include "clients/live.h"

#include "clients/ask.h"
#include "clients/interrupt.h"
#include "clients/job_view.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum {
	EXPLAIN_MS = 2000, /* between two requests for checkpoint, threads and line */
	TREE_DEPTH = 6,    /* plies of the line */
	TREE_NODES = 100,  /* positions requested in order to find the line */
	DRAW_MS = 1000,    /* at most, between two frames, because the times shown advance */
	TRY_MS = 500       /* between two attempts to connect */
};

static const uint64_t ms_ns = 1000000;

void cl_live_lost(struct cl_live *live)
{
	cl_link_close(live->link);
	live->link = NULL;
	live->lost_ns = pd_now_ns();
	live->try_ns = live->lost_ns + TRY_MS * ms_ns;
}

bool cl_live_reconnect(struct cl_live *live, struct pd_fail *fail)
{
	if (live->link)
		return true;
	if (pd_now_ns() < live->try_ns)
		return false;
	if (cl_open(live->options, &live->link, fail)) {
		live->link = NULL;
		live->try_ns = pd_now_ns() + TRY_MS * ms_ns;
	}
	return live->link != NULL;
}

void cl_live_say_lost(const struct cl_live *live, char *out, size_t size)
{
	snprintf(out, size, "no connection to the server; retrying for %.0f s",
		 (double)((pd_now_ns() - live->lost_ns) / ms_ns) / 1000);
}

struct follow {
	struct cl_live *live;
	int64_t id;
	struct cl_job_view view;
	uint64_t explain_ns, draw_ns; /* when the next request, or frame, is due */
	bool watching;                /* this connection has subscribed */
	bool no_tree;                 /* the server does not know job.tree */
};

/* Closes a lost connection and returns PD_OK; returns other errors unchanged. */
static int forgive_loss(struct follow *f, int rc)
{
	if (rc != PD_E_UNREACHABLE)
		return rc;
	cl_live_lost(f->live);
	f->watching = false;
	f->draw_ns = 0;
	return PD_OK;
}

static void take_job(struct follow *f, pr_ref job)
{
	cl_job_view_update(&f->view, cl_link_keep(f->live->link), job, pd_wall_ms());
	f->draw_ns = 0;
}

/* Fills the sparklines from the job's history; without a history they start now. */
static void take_history(struct follow *f)
{
	pr_ref result;
	struct pd_fail fail;
	if (!cl_ask(f->live->link, "job.history", &result, &fail, PR_I("job", f->id)))
		cl_job_view_history(&f->view, pr_get(result, "points"));
}

static int subscribe_job(struct follow *f, struct pd_fail *fail)
{
	pr_ref job;
	if (!f->view.job)
		take_history(f);
	int rc = cl_ask(f->live->link, "job.watch", &job, fail, PR_I("job", f->id),
			PR_R("interval", f->live->interval_s, 3));
	if (rc)
		return forgive_loss(f, rc);
	f->watching = true;
	f->explain_ns = 0;
	f->view.message[0] = 0;
	take_job(f, job);
	return PD_OK;
}

static void ask_tree(struct follow *f)
{
	pr_ref result;
	struct pd_fail fail;
	if (f->no_tree || strcmp(pr_get_str(f->view.job, "state", ""), "running") != 0)
		return;
	int rc = cl_ask(f->live->link, "job.tree", &result, &fail, PR_I("job", f->id), PR_U("depth", TREE_DEPTH),
			PR_U("nodes_max", TREE_NODES));
	f->no_tree = rc == PD_E_METHOD;
	if (rc)
		forgive_loss(f, rc);
	else
		cl_job_view_tree(&f->view, result);
}

static void explain_job(struct follow *f)
{
	pr_ref result;
	struct pd_fail fail;
	int rc = cl_ask(f->live->link, "job.explain", &result, &fail, PR_I("job", f->id));
	f->explain_ns = pd_now_ns() + EXPLAIN_MS * ms_ns;
	if (rc) {
		forgive_loss(f, rc);
		return;
	}
	cl_job_view_explain(&f->view, result);
	ask_tree(f);
	f->draw_ns = 0;
}

/* Takes the notifications that have arrived; a link reads only during cl_link_next and calls. */
static int take_notes(struct follow *f, struct pd_fail *fail)
{
	pr_ref job;
	int rc = cl_link_next(f->live->link, 1, &job, fail);
	while (!rc && job) {
		if (pr_get_int(job, "job", 0) == f->id)
			take_job(f, job);
		rc = cl_link_next(f->live->link, 0, &job, fail);
	}
	return forgive_loss(f, rc);
}

void cl_live_change(struct cl_live *live, const char *method, int64_t job, char message[CL_LIVE_MESSAGE])
{
	struct pd_fail fail;
	if (!live->link)
		return;
	int rc = cl_ask(live->link, method, NULL, &fail, PR_I("job", job));
	snprintf(message, CL_LIVE_MESSAGE, "%.290s", rc ? fail.text : "");
	if (rc == PD_E_UNREACHABLE)
		cl_live_lost(live);
}

static void change_state(struct follow *f, const char *method)
{
	cl_live_change(f->live, method, f->id, f->view.message);
	f->watching &= f->live->link != NULL;
	f->explain_ns = f->draw_ns = 0;
}

static bool take_key(struct follow *f)
{
	switch (cl_screen_key(&f->live->screen, CL_LOOK_MS)) {
	case 'q':
	case 'Q':
	case CL_KEY_ESCAPE:
		return false;
	case 'p':
		change_state(f, "job.pause");
		break;
	case 'r':
		change_state(f, "job.resume");
		break;
	default:
		break;
	}
	return true;
}

static int step_live(struct follow *f, struct pd_fail *fail)
{
	struct cl_live *live = f->live;
	struct pd_fail why;
	int rc = PD_OK;
	if (!cl_live_reconnect(live, &why)) {
		cl_live_say_lost(live, f->view.message, sizeof f->view.message);
		return PD_OK;
	}
	if (!f->watching)
		rc = subscribe_job(f, fail);
	if (!rc && f->watching)
		rc = take_notes(f, fail);
	if (!rc && f->watching && pd_now_ns() >= f->explain_ns)
		explain_job(f);
	return rc;
}

static void draw_job(struct follow *f)
{
	uint64_t now = pd_now_ns();
	if (!f->view.job || (now < f->draw_ns && !cl_screen_resized(&f->live->screen)))
		return;
	cl_job_view_draw(&f->view, &f->live->screen, pd_wall_ms(), "q quit   p pause   r resume");
	f->draw_ns = now + DRAW_MS * ms_ns;
}

int cl_live_job(struct cl_live *live, int64_t id, enum cl_live_end *end, struct pr_doc **out, pr_ref *job,
		struct pd_fail *fail)
{
	struct follow f = {.live = live, .id = id};
	int rc = PD_OK;
	bool over = false, stay = true;
	PD_ASSERT(live->screen.open && live->interval_s > 0);
	cl_job_view_init(&f.view);
	*out = NULL;
	while (!rc && !over && stay) {
		rc = step_live(&f, fail);
		over = !rc && f.view.job && cl_job_over(f.view.job);
		if (rc || over)
			break;
		draw_job(&f);
		stay = take_key(&f);
		live->signal = stay ? cl_interrupt_take() : 0;
		stay &= !live->signal;
	}
	*end = over ? CL_LIVE_OVER : live->signal ? CL_LIVE_SIGNAL : CL_LIVE_QUIT;
	if (over) {
		*out = f.view.doc;
		*job = f.view.job;
		f.view.doc = NULL;
	} else if (!rc && f.watching) { /* the connection stays open */
		cl_ask(live->link, "job.unwatch", NULL, fail, PR_I("job", id));
	}
	cl_job_view_fini(&f.view);
	return rc;
}
