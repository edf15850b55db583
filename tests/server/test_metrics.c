/* The table of metrics, METRICS.md and what is served say the same; and when a server is well and ready.
 * `test_server write_metrics_page` writes the part of METRICS.md that is made from the table (./dev protocol). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/net/metrics.h"
#include "server/net/pages.h"
#include "tests/support/suite.h"

#define PAGE  TEST_DATA "/../../server/net/METRICS.md"
#define BEGIN "<!-- Made from server/net/metrics.def by `./dev protocol`; do not edit. -->\n"
#define END   "<!-- End of what is made from server/net/metrics.def. -->\n"

enum { PAGE_MAX = 1 << 16 };

static char page[PAGE_MAX];

static bool read_page(void)
{
	FILE *file = fopen(PAGE, "r");
	memset(page, 0, sizeof page);
	bool good = file && fread(page, 1, sizeof page - 1, file);
	if (file)
		fclose(file);
	return good;
}

static void describe_position(struct pd_buf *out)
{
	pd_buf_puts(out, BEGIN "\n| name | type | labels | meaning |\n| --- | --- | --- | --- |\n");
	nt_metrics_describe(out);
	pd_buf_puts(out, "\n" END);
}

START_TEST(the_page_is_what_the_table_says)
{
	struct pd_buf made;
	ck_assert(read_page());
	pd_buf_init(&made, PAGE_MAX);
	describe_position(&made);
	ck_assert(!made.failed);
	ck_assert_msg(strstr(page, made.data), "METRICS.md differs from server/net/metrics.def: run ./dev protocol");
	pd_buf_fini(&made);
}
END_TEST

static struct sv_request_counts counts;

static struct sv_figures healthy(void)
{
	return (struct sv_figures){.memory.resident = 100,
				   .memory.bound = UINT64_C(1) << 30,
				   .memory.limit = 1,
				   .on_disk = true,
				   .quota.lack = "none",
				   .store.map_bytes_free = UINT64_C(1) << 40,
				   .requests = &counts};
}

/* How many reasons there are against new jobs and against the server's health. */
static void expect_reasons(const struct sv_figures *figures, unsigned ready, unsigned health, const char *part)
{
	struct pd_buf not_ready, not_well;
	unsigned lines[2] = {0, 0};
	pd_buf_init(&not_ready, 4096);
	pd_buf_init(&not_well, 4096);
	nt_pages_reasons(figures, &not_ready, &not_well);
	for (size_t i = 0; i < not_ready.size; i++)
		lines[0] += not_ready.data[i] == '\n';
	for (size_t i = 0; i < not_well.size; i++)
		lines[1] += not_well.data[i] == '\n';
	ck_assert_uint_eq(lines[0], ready);
	ck_assert_uint_eq(lines[1], health);
	ck_assert(!part || strstr(not_ready.data, part));
	pd_buf_fini(&not_ready);
	pd_buf_fini(&not_well);
}

START_TEST(reasons_against_new_jobs)
{
	struct sv_figures f = healthy();
	expect_reasons(&f, 0, 0, NULL);
	f.stopping = true;
	expect_reasons(&f, 1, 0, "stopping");
	f = healthy();
	f.read_only = true;
	expect_reasons(&f, 1, 0, "reading only");
	f = healthy();
	f.jobs_in_trouble = 3;
	expect_reasons(&f, 1, 0, "of jobs: 3");
	f = healthy();
	f.store.map_bytes_free = 0; /* whether that is too little says the quota */
	f.memory.resident = f.memory.bound;
	expect_reasons(&f, 0, 0, NULL);
	f.quota = (struct sv_quota_figures){.lack = "disk", .text = "1M are free on the disk", .disk = 2};
	expect_reasons(&f, 1, 0, "jobs are paused: 1M are free on the disk\n");
}
END_TEST

START_TEST(a_failed_commit_is_judged_by_its_error)
{
	static const struct {
		int code;
		unsigned ready, health;
	} cases[] = {
		{PD_OK, 0, 0},        {PD_E_NO_SPACE, 1, 0}, {PD_E_NO_MEMORY, 1, 0}, {PD_E_IO, 1, 1},
		{PD_E_CORRUPT, 1, 1}, {PD_E_CONFLICT, 0, 0}, {PD_E_LIMIT, 0, 0},     {PD_E_LOCKED, 1, 1},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sv_figures f = healthy();
		f.store.commit_error = cases[i].code;
		expect_reasons(&f, cases[i].ready, cases[i].health, NULL);
	}
}
END_TEST

START_TEST(samples_are_what_the_figures_say)
{
	struct nt_conns *conns = calloc(1, sizeof *conns);
	struct sv_figures f = healthy();
	struct pd_buf out;
	conns->total.stalled = 7;
	f.job_count = 2;
	f.job[0] = (struct sv_job_figures){
		.job = 4294967295u, .rate = 0.5, .pn = UINT32_MAX, .dn = 0, .nodes = UINT64_MAX};
	f.job[1] = (struct sv_job_figures){.job = 2, .rate = 1e9, .pn = 1, .dn = UINT32_MAX - 1};
	f.store.commit_bucket[0] = 1, f.store.commit_bucket[1] = 2, f.store.commit_bucket[ST_COMMIT_BUCKETS - 1] = 4;
	f.store.commit_ns_sum = 1500000000;
	f.quota = (struct sv_quota_figures){.lack = "memory", .text = "much", .disk = 3, .memory = 4};
	counts.answered[PR_FACT_QUERY][sv_result_row(PD_E_GAME)] = 9;
	const struct nt_view view = {&f, conns, 1500, true};
	pd_buf_init(&out, 1 << 20);
	nt_metrics_write(&view, &out);
	ck_assert(!out.failed);
	static const char *const lines[] = {
		"\nproofd_ready 1\n",
		"\nproofd_job_proof_number{job=\"4294967295\"} +Inf\n",
		"\nproofd_job_disproof_number{job=\"4294967295\"} 0\n",
		"\nproofd_job_disproof_number{job=\"2\"} 4294967294\n",
		"\nproofd_job_nodes_total{job=\"4294967295\"} 18446744073709551615\n",
		"\nproofd_job_nodes_per_second{job=\"4294967295\"} 0.5\n",
		"\nproofd_job_nodes_per_second{job=\"2\"} 1000000000\n",
		"\nproofd_commit_seconds_bucket{le=\"0.001\"} 1\n",
		"\nproofd_commit_seconds_bucket{le=\"0.0025\"} 3\n",
		"\nproofd_commit_seconds_bucket{le=\"+Inf\"} 7\n",
		"\nproofd_commit_seconds_sum 1.5\n",
		"\nproofd_commit_seconds_count 7\n",
		"\nproofd_connections_ended_total{reason=\"stalled\"} 7\n",
		"\nproofd_requests_total{method=\"fact.query\",result=\"bad-game\"} 9\n",
		"\nproofd_quota_lack{quota=\"disk\"} 0\n",
		"\nproofd_quota_lack{quota=\"memory\"} 1\n",
		"\nproofd_jobs_on_hold{quota=\"disk\"} 3\n",
		"\nproofd_jobs_on_hold{quota=\"memory\"} 4\n",
		"\nprocess_start_time_seconds 1.5\n",
	};
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		ck_assert_msg(strstr(out.data, lines[i]), "%s is not in\n%s", lines[i], out.data);
	pd_buf_fini(&out);
	free(conns);
}
END_TEST

START_TEST(every_error_has_a_row)
{
#define X(name, number, slug, meaning) ck_assert_int_eq(sv_result_code(sv_result_row(name)), name);
	PD_ERRORS(X)
#undef X
	ck_assert_uint_eq(sv_result_row(PD_OK), 0);
	ck_assert_int_eq(sv_result_code(sv_result_row(12345)), PD_E_INTERNAL);
}
END_TEST

static int write_page(void)
{
	struct pd_buf made;
	const char *begin = read_page() ? strstr(page, BEGIN) : NULL, *end = begin ? strstr(begin, END) : NULL;
	if (!end) {
		fputs("METRICS.md lacks the lines between which the metrics stand\n", stderr);
		return 1;
	}
	pd_buf_init(&made, PAGE_MAX);
	pd_buf_put(&made, page, (size_t)(begin - page));
	describe_position(&made);
	pd_buf_puts(&made, end + strlen(END));
	FILE *file = made.failed ? NULL : fopen(PAGE, "w");
	bool good = file && fwrite(made.data, 1, made.size, file) == made.size;
	good = file && !fclose(file) && good;
	pd_buf_fini(&made);
	return good ? 0 : 1;
}

PROGRAM(write_metrics_page)
{
	return write_page();
}

SUITE(metrics)
{
	tcase_add_test(c, the_page_is_what_the_table_says);
	tcase_add_test(c, reasons_against_new_jobs);
	tcase_add_test(c, a_failed_commit_is_judged_by_its_error);
	tcase_add_test(c, samples_are_what_the_figures_say);
	tcase_add_test(c, every_error_has_a_row);
}
