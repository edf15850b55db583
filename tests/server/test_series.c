/* The samples of what the server did: the file keeps its size; a record that is torn or too old is a gap, whatever the
 * clock does; a damaged file is replaced, with a line in the log; a server that only reads writes nothing. */
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "server/common/core_state.h"
#include "server/common/sample_file.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

int64_t __wrap_pd_wall_ms(void);

enum { RECORD = 208, HEAD = 16, MINUTES = 1440, HOURS = 366 * 24, FILE_BYTES = HEAD + (MINUTES + HOURS) * RECORD };

static const int64_t begin = 29000160; /* a minute since 1970, the first of an hour */
static atomic_int_fast64_t later_ms;   /* of the clock of the day, which stands still otherwise */
static char place[64], path[80];
static struct sv_series series;
static struct sv_series_view view;
static const struct sv_sample *const found = view.sample;

int64_t __wrap_pd_wall_ms(void)
{
	return begin * SV_MINUTE_MS + atomic_load(&later_ms);
}

static void open_series(void)
{
	if (!*place)
		scratch_dir(place);
	snprintf(path, sizeof path, "%s/series", place);
	sv_series_init(&series);
	sv_series_open(&series, place, false);
}

static void reopen_series(void)
{
	sv_series_close(&series);
	open_series();
}

static void end_series(void)
{
	sv_series_close(&series);
	scratch_remove(place);
	*place = 0;
}

/* A minute's sample, in which every value is `value` except that of the facts, which is not known. */
static void put_sample(int64_t minute, double value)
{
	struct sv_sample sample = {.number = minute};
	for (unsigned i = 0; i < SV_SERIES_VALUES; i++)
		sample.value[i] = i == SV_SERIES_FACTS ? NAN : value;
	ck_assert(sv_series_post(&series, &sample));
	sv_series_write(&series);
}

/* How many samples there are of a range that ends at a minute; they are in `found`. */
static unsigned take_view(enum pr_series_range range, int64_t minute)
{
	struct pd_fail fail;
	ck_assert_int_eq(sv_series_read(&series, range, minute * SV_MINUTE_MS + 59999, &view, &fail), 0);
	for (unsigned i = 0; i < view.count; i++) {
		ck_assert(isnan(found[i].value[SV_SERIES_FACTS]));
		ck_assert(found[i].number * view.step_ms >= view.first_ms &&
			  found[i].number * view.step_ms <= view.last_ms);
		ck_assert(!i || found[i - 1].number < found[i].number);
	}
	return view.count;
}

static void overwrite_bytes(off_t at, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY);
	ck_assert(fd >= 0 && pwrite(fd, bytes, size, at) == (ssize_t)size);
	close(fd);
}

/* What is written to the log while a sample is put. */
static void log_of(int64_t minute, double value, char *out, size_t room)
{
	FILE *file = tmpfile();
	ck_assert_ptr_nonnull(file);
	int before = pd_log_to(fileno(file));
	put_sample(minute, value);
	pd_log_to(before);
	ssize_t size = pread(fileno(file), out, room - 1, 0);
	out[size > 0 ? size : 0] = 0;
	fclose(file);
}

START_TEST(the_file_keeps_its_size_and_a_day_has_the_newest_minutes)
{
	struct stat st;
	open_series();
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin), 0); /* and makes no file */
	ck_assert_int_ne(access(path, F_OK), 0);
	for (int64_t i = 0; i < 2 * MINUTES + 30; i++)
		put_sample(begin + i, (double)i);
	ck_assert(!stat(path, &st) && st.st_size == FILE_BYTES && (st.st_mode & 0777) == 0600);
	for (int again = 0; again < 2; again++, reopen_series()) {
		ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 2 * MINUTES + 29), MINUTES);
		for (int64_t i = 0; i < MINUTES; i++) {
			ck_assert_int_eq(found[i].number, begin + MINUTES + 30 + i);
			ck_assert_double_eq(found[i].value[SV_SERIES_RATE], (double)(MINUTES + 30 + i));
			ck_assert_double_eq(found[i].value[SV_SERIES_VALUES - 1], (double)(MINUTES + 30 + i));
		}
		/* An hour is the mean of its minutes, the present one of those that are over. */
		ck_assert_uint_eq(take_view(PR_RANGE_WEEK, begin + 2 * MINUTES + 29), 49);
		ck_assert_double_eq(found[0].value[SV_SERIES_RATE], 29.5);
		ck_assert_double_eq(found[47].value[SV_SERIES_RATE], 47 * 60 + 29.5);
		ck_assert_double_eq(found[48].value[SV_SERIES_RATE], 48 * 60 + 14.5);
	}
	/* Half a day later, half of the day is a gap. */
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 2 * MINUTES + 29 + MINUTES / 2), MINUTES / 2);
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 5 * MINUTES), 0);
	end_series();
}
END_TEST

START_TEST(a_year_has_means_of_half_days_and_ends)
{
	open_series();
	int64_t half = begin / 720 * 720;
	for (int64_t i = 0; i < HOURS + 100; i++)
		put_sample(half + i * 60, (double)i);
	int64_t now = half + (HOURS + 99) * 60;
	ck_assert_uint_eq(take_view(PR_RANGE_MONTH, now), 744);
	ck_assert_double_eq(found[743].value[SV_SERIES_RATE], HOURS + 99);
	ck_assert_uint_eq(take_view(PR_RANGE_WEEK, now), 168);
	ck_assert_uint_eq(take_view(PR_RANGE_YEAR, now), 732);
	ck_assert_double_eq(found[700].value[SV_SERIES_RATE], (double)(found[700].number - half / 720) * 12 + 5.5);
	ck_assert_int_eq(view.step_ms, 720 * SV_MINUTE_MS);
	end_series();
}
END_TEST

START_TEST(a_clock_that_goes_backwards_replaces_what_it_said)
{
	open_series();
	for (int64_t i = 0; i < 120; i++)
		put_sample(begin + i, 1);
	for (int64_t i = 30; i < 90; i++) /* an hour back, after half an hour of the second hour */
		put_sample(begin + i, 2);
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 89), 90); /* what is later than now is not shown */
	ck_assert_double_eq(found[29].value[0], 1);
	ck_assert_double_eq(found[30].value[0], 2);
	ck_assert_uint_eq(take_view(PR_RANGE_WEEK, begin + 89), 2);
	ck_assert_double_eq(found[0].value[0], 1.5);
	/* Years ahead and back again: only the slots that were used meanwhile are gaps. */
	put_sample(begin + 1000 * MINUTES + 5, 3);
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 89), 89);
	ck_assert_int_eq(found[5].number, begin + 6);
	put_sample(begin + 5, 4);
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 89), 90);
	ck_assert_double_eq(found[5].value[0], 4);
	end_series();
}
END_TEST

START_TEST(a_torn_record_is_a_gap)
{
	uint8_t old[RECORD], next[RECORD];
	open_series();
	put_sample(begin, 1);
	int64_t minute = begin + MINUTES;
	off_t at = HEAD + (off_t)(minute % MINUTES) * RECORD;
	int fd = open(path, O_RDONLY);
	ck_assert_int_eq(pread(fd, old, RECORD, at), RECORD);
	put_sample(minute, 2);
	ck_assert_int_eq(pread(fd, next, RECORD, at), RECORD);
	close(fd);
	for (unsigned size = 0; size <= RECORD; size++) { /* killed after so many bytes */
		overwrite_bytes(at, old, RECORD);
		overwrite_bytes(at, next, size);
		reopen_series();
		bool whole = !memcmp(old + size, next + size, RECORD - size);
		ck_assert_uint_eq(take_view(PR_RANGE_DAY, minute), whole);
		ck_assert_uint_eq(take_view(PR_RANGE_DAY, minute - MINUTES), size == 0);
		ck_assert_uint_eq(take_view(PR_RANGE_WEEK, minute), 2); /* the hours have records of their own */
	}
	for (unsigned bit = 0; bit < 8 * RECORD; bit++) {
		memcpy(old, next, RECORD);
		old[bit / 8] ^= (uint8_t)(1u << bit % 8);
		overwrite_bytes(at, old, RECORD);
		ck_assert_uint_eq(take_view(PR_RANGE_DAY, minute), 0);
	}
	overwrite_bytes(at + RECORD, next, RECORD); /* in another's place */
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, minute + 1), 0);
	put_sample(minute, 3);
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, minute), 1);
	end_series();
}
END_TEST

/* 0: cut off, 1: longer, 2: no head, 3: another version, 4: not even a head */
START_TEST(a_damaged_file_is_replaced_with_a_line_in_the_log)
{
	char log[512];
	open_series();
	put_sample(begin, 1);
	ck_assert_int_eq(unlink(path), 0); /* it may be deleted at any time */
	log_of(begin + 1, 1, log, sizeof log);
	ck_assert_str_eq(log, "");
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 1), 1);
	if (_i == 2 || _i == 3)
		overwrite_bytes(_i == 2 ? 0 : 8, "?", 1);
	else
		ck_assert_int_eq(truncate(path, _i == 0 ? FILE_BYTES / 2 : _i == 1 ? FILE_BYTES + 1 : 5), 0);
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 1), 0);
	if (_i % 2)
		reopen_series();
	log_of(begin + 2, 1, log, sizeof log);
	ck_assert_msg(strstr(log, "/series is damaged or of another version"), "%s", log);
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 2), 1);
	log_of(begin + 3, 1, log, sizeof log);
	ck_assert_str_eq(log, "");
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 3), 2);
	end_series();
}
END_TEST

START_TEST(what_cannot_be_written_is_said_once)
{
	char log[512];
	open_series();
	ck_assert_int_eq(mkdir(path, 0700), 0); /* root may write to every file */
	log_of(begin, 1, log, sizeof log);
	ck_assert_msg(strstr(log, "/series cannot be written"), "%s", log);
	log_of(begin + 1, 1, log, sizeof log);
	ck_assert_str_eq(log, "");
	ck_assert_int_eq(rmdir(path), 0);
	log_of(begin + 2, 1, log, sizeof log);
	ck_assert_str_eq(log, "");
	ck_assert_uint_eq(take_view(PR_RANGE_DAY, begin + 2), 1);
	end_series();
}
END_TEST

START_TEST(a_reader_writes_nothing_and_sees_what_is_written)
{
	struct sv_series reader;
	struct sv_sample sample = {.number = begin};
	struct pd_fail fail;
	open_series();
	sv_series_init(&reader);
	sv_series_open(&reader, place, true);
	ck_assert(sv_series_post(&reader, &sample));
	sv_series_write(&reader);
	ck_assert_int_ne(access(path, F_OK), 0);
	put_sample(begin, 7);
	ck_assert_int_eq(sv_series_read(&reader, PR_RANGE_DAY, begin * SV_MINUTE_MS, &view, &fail), 0);
	ck_assert(view.count == 1 && found[0].value[0] == 7);
	sv_series_close(&reader);
	end_series();
}
END_TEST

/* The points of the range, after a tick of the loop. */
static struct pr_doc *points_of(struct insession *s, const char *params, pr_ref *points)
{
	bool ok;
	pr_ref result;
	sv_core_tick(s->core);
	struct pr_doc *doc = insession_call(s, "server.series", params, &ok, &result);
	ck_assert(ok);
	*points = pr_get(result, "points");
	return doc;
}

/* Waits until there are so many points. The core is ticked while a call waits for its reply, too. */
static struct pr_doc *await_points(struct insession *s, unsigned count, pr_ref *points)
{
	struct pr_doc *doc;
	while (pr_count((doc = points_of(s, "", points), *points)) < count)
		pr_doc_free(doc);
	return doc;
}

START_TEST(the_loop_takes_a_sample_when_a_minute_is_over)
{
	struct insession s;
	pr_ref points;
	scratch_dir(place);
	insession_open(&s, place, 1, 0.05);
	unsigned job = insession_submit(&s, "\"game\":\"mnk:3,3,3\",\"memory\":\"4M\"");
	insession_assert_ends(&s, job, "solved");
	sv_core_tick(s.core); /* from here on it counts, if not earlier */
	atomic_store(&later_ms, 60000);
	pr_doc_free(await_points(&s, 1, &points));
	ck_assert_int_eq(insession_code(&s, "fact.query", "\"game\":\"mnk:3,3,3\""), 0);
	atomic_store(&later_ms, 120000);
	struct pr_doc *doc = await_points(&s, 2, &points);
	pr_ref point = pr_at(points, 1);
	double queries = pr_get_real(point, "queries", 0);
	ck_assert_int_eq(pr_get_int(point, "t", 0), (begin + 1) * SV_MINUTE_MS);
	ck_assert_double_gt(pr_get_real(point, "facts", 0), 0);
	ck_assert_double_gt(pr_get_real(point, "memory", 0), 0);
	ck_assert(queries > 0 && queries <= 1); /* in a second at least */
	ck_assert_double_gt(pr_get_real(point, "calls", 0), queries);
	ck_assert_double_eq(pr_get_real(point, "failed", 9), 0);
	ck_assert_double_eq(pr_get_real(point, "running", 9), 0);
	ck_assert_double_eq(pr_get_real(point, "workers", -1), -1); /* it can have none */
	pr_doc_free(doc);
	doc = points_of(&s, "\"range\":\"year\"", &points);
	ck_assert_uint_eq(pr_count(points), 1);
	pr_doc_free(doc);
	insession_close(&s);
	scratch_remove_all(place);
}
END_TEST

SUITE(series)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, the_file_keeps_its_size_and_a_day_has_the_newest_minutes);
	tcase_add_test(c, a_year_has_means_of_half_days_and_ends);
	tcase_add_test(c, a_clock_that_goes_backwards_replaces_what_it_said);
	tcase_add_test(c, a_torn_record_is_a_gap);
	tcase_add_loop_test(c, a_damaged_file_is_replaced_with_a_line_in_the_log, 0, 5);
	tcase_add_test(c, what_cannot_be_written_is_said_once);
	tcase_add_test(c, a_reader_writes_nothing_and_sees_what_is_written);
	tcase_add_test(c, the_loop_takes_a_sample_when_a_minute_is_over);
}
