#include "server/net/pages.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/net/metrics.h"

/* Whether an error of a commit is a fault, not a conflict, a limit or a lack of space or memory. */
static bool is_fault(int code)
{
	return code && code != PD_E_CONFLICT && code != PD_E_LIMIT && code != PD_E_NO_SPACE && code != PD_E_NO_MEMORY;
}

void nt_pages_reasons(const struct sv_figures *f, struct pd_buf *ready, struct pd_buf *health)
{
	if (is_fault(f->store.commit_error))
		pd_buf_printf(health, "the latest transaction could not be committed: %s\n",
			      pd_error_meaning(f->store.commit_error));
	if (f->stopping)
		pd_buf_puts(ready, "the server is stopping\n");
	if (f->read_only)
		pd_buf_puts(ready, "the data directory is open for reading only\n");
	if (f->store.commit_error && f->store.commit_error != PD_E_CONFLICT && f->store.commit_error != PD_E_LIMIT)
		pd_buf_printf(ready, "the latest transaction could not be committed: %s\n",
			      pd_error_meaning(f->store.commit_error));
	if (f->jobs_in_trouble)
		pd_buf_printf(ready, "checkpoints cannot be written for now, of jobs: %llu\n",
			      (unsigned long long)f->jobs_in_trouble);
	if (f->quota.text[0]) /* as the scheduler sees it */
		pd_buf_printf(ready, "jobs are paused: %s\n", f->quota.text);
}

/* A page that is "ok", or says why not. */
static void give_state(struct nt_page *page, const struct pd_buf *reasons)
{
	page->status = reasons->size ? 503 : 200;
	page->type = "text/plain; charset=utf-8";
	if (reasons->size)
		pd_buf_put(&page->body, reasons->data, reasons->size);
	else
		pd_buf_puts(&page->body, "ok\n");
	page->body.failed = page->body.failed || reasons->failed;
}

static void give_metrics(struct nt_pages *pages, struct nt_page *page, bool ready)
{
	const struct nt_view view = {&pages->figures, pages->conns, pages->start_ms, ready};
	page->status = 200;
	page->type = NT_METRICS_TYPE;
	nt_metrics_write(&view, &page->body);
}

bool nt_pages_answer(struct nt_pages *pages, const char *path, struct nt_page *page)
{
	bool metrics = !strcmp(path, "/metrics"), health = !strcmp(path, "/healthz"), ready = !strcmp(path, "/readyz");
	struct pd_buf not_ready, not_well;
	if (!metrics && !health && !ready)
		return false;
	PD_ASSERT(pages->conns->core); /* the loop runs only then */
	pd_buf_init(&not_ready, 1 << 16);
	pd_buf_init(&not_well, 1 << 16);
	pd_buf_init(&page->body, NT_PAGE_MAX);
	sv_figures(pages->conns->core, &pages->figures);
	pages->figures.stopping = pages->figures.stopping || pages->stopping;
	nt_pages_reasons(&pages->figures, &not_ready, &not_well);
	if (metrics)
		give_metrics(pages, page, !not_ready.size);
	else
		give_state(page, health ? &not_well : &not_ready);
	pd_buf_fini(&not_ready);
	pd_buf_fini(&not_well);
	return true;
}

void nt_pages_init(struct nt_pages *pages, const struct nt_conns *conns)
{
	PD_ASSERT(conns);
	*pages = (struct nt_pages){.conns = conns, .start_ms = pd_wall_ms()};
}
