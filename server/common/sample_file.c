#include "server/common/sample_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "proto/base/log.h"
#include "store/files.h"

enum {
	HEAD = 16,
	SUM_AT = 8 + 8 * SV_SERIES_ROOM,
	RECORD = SUM_AT + 8,
	HOUR = 60, /* minutes */
	MINUTES = 1440,
	HOURS = 366 * 24
};

/* A ring of the file: the record of a number n is in slot n modulo `slots`. */
struct ring {
	unsigned slots;
	off_t at;
};
static const struct ring minutes = {MINUTES, HEAD}, hours = {HOURS, HEAD + (off_t)MINUTES *RECORD};
static const off_t file_bytes = HEAD + (off_t)(MINUTES + HOURS) * RECORD;

static const uint8_t head[HEAD] = {'p', 'r', 'o', 'o', 'f', 'd', '-', 's', 1, 0, 0, 0, SV_SERIES_ROOM};

_Static_assert((int)SV_SERIES_VALUES <= (int)SV_SERIES_ROOM, "room for the values");
_Static_assert(MINUTES % HOUR == 0, "the minutes of an hour are next to each other");

static const struct series_range {
	unsigned minutes, points, mean;
} ranges[] = {
#define X(name, text, minutes, points, mean) {minutes, points, mean},
	PR_SERIES_RANGES(X)
#undef X
};

/* --- records ------------------------------------------------------------------------------ */

static void pack_record(const struct sv_sample *sample, uint8_t *out)
{
	pd_put_le64(out, (uint64_t)sample->number);
	for (unsigned i = 0; i < SV_SERIES_ROOM; i++) {
		double value = i < SV_SERIES_VALUES ? sample->value[i] : NAN;
		uint64_t bits;
		memcpy(&bits, &value, sizeof bits);
		pd_put_le64(out + 8 + 8 * i, bits);
	}
	pd_put_le64(out + SUM_AT, pd_hash64(out, SUM_AT));
}

/* False unless it is the sound record of that number. */
static bool unpack_record(const uint8_t *in, int64_t number, struct sv_sample *out)
{
	if (pd_get_le64(in) != (uint64_t)number || pd_get_le64(in + SUM_AT) != pd_hash64(in, SUM_AT))
		return false;
	out->number = number;
	for (unsigned i = 0; i < SV_SERIES_VALUES; i++) {
		uint64_t bits = pd_get_le64(in + 8 + 8 * i);
		memcpy(&out->value[i], &bits, sizeof bits);
	}
	return true;
}

static unsigned slot_of(const struct ring *ring, int64_t number)
{
	PD_ASSERT(number >= 0);
	return (unsigned)(number % ring->slots);
}

/* The mean of the sound records from..from + count - 1, where `slots` has all slots of the ring from `first` on; false
 * when there is none. A value is the mean of those that are known. */
static bool mean_of(const struct ring *ring, const uint8_t *slots, unsigned first, int64_t from, unsigned count,
		    struct sv_sample *out)
{
	unsigned known[SV_SERIES_VALUES] = {0}, found = 0;
	struct sv_sample one;
	memset(out, 0, sizeof *out);
	for (int64_t number = from; number < from + count; number++) {
		if (!unpack_record(slots + (size_t)(slot_of(ring, number) - first) * RECORD, number, &one))
			continue;
		found++;
		for (unsigned i = 0; i < SV_SERIES_VALUES; i++)
			if (!isnan(one.value[i])) {
				known[i]++;
				out->value[i] += one.value[i];
			}
	}
	for (unsigned i = 0; i < SV_SERIES_VALUES; i++)
		out->value[i] = known[i] ? out->value[i] / known[i] : NAN;
	return found > 0;
}

/* --- the file ----------------------------------------------------------------------------- */

void sv_series_init(struct sv_series *s)
{
	memset(s, 0, sizeof *s);
	pd_mutex_init(&s->lock, PD_LOCK_SERIES);
}

void sv_series_open(struct sv_series *s, const char *data, bool read_only)
{
	PD_ASSERT(!s->data);
	s->data = data;
	s->read_only = read_only;
}

void sv_series_close(struct sv_series *s)
{
	pd_mutex_fini(&s->lock);
}

/* -1 with errno. */
static int open_file(const struct sv_series *s, int flags)
{
	char path[ST_PATH];
	struct pd_fail ignored;
	return st_path(path, s->data, "series", "", &ignored) ? -1 : open(path, flags | O_CLOEXEC, 0600);
}

/* 1: it is a file of samples; 0: it is another one; -1 with errno: it cannot be read. */
static int has_form(int fd)
{
	uint8_t found[HEAD];
	struct stat st;
	if (fstat(fd, &st))
		return -1;
	if (st.st_size != file_bytes)
		return 0;
	ssize_t size = pread(fd, found, HEAD, 0);
	return size < 0 ? -1 : size == HEAD && !memcmp(found, head, HEAD);
}

/* Makes the file anew, empty. */
static bool begin_file(const struct sv_series *s, int fd)
{
	struct stat st;
	if (fstat(fd, &st))
		return false;
	if (st.st_size)
		pd_log(PD_LOG_WARN,
		       "%.200s/series is damaged or of another version: its samples are lost, and a new "
		       "file is begun",
		       s->data);
	st_own_file(fd, s->data, ST_OWN_DATA);
	return !ftruncate(fd, 0) && !ftruncate(fd, file_bytes) && pwrite(fd, head, HEAD, 0) == HEAD;
}

static bool put_record(int fd, const struct ring *ring, const struct sv_sample *sample)
{
	uint8_t record[RECORD];
	pack_record(sample, record);
	return pwrite(fd, record, RECORD, ring->at + (off_t)slot_of(ring, sample->number) * RECORD) == RECORD;
}

/* Writes the sample, and the mean of its hour so far. */
static bool write_sample(const struct sv_series *s, int fd)
{
	uint8_t hour[HOUR * RECORD];
	struct sv_sample mean;
	int form = has_form(fd);
	if (form < 0 || (!form && !begin_file(s, fd)) || !put_record(fd, &minutes, &s->next))
		return false;
	int64_t begin = s->next.number / HOUR * HOUR;
	unsigned first = slot_of(&minutes, begin);
	if (pread(fd, hour, sizeof hour, minutes.at + (off_t)first * RECORD) != (ssize_t)sizeof hour)
		return false;
	bool any = mean_of(&minutes, hour, first, begin, HOUR, &mean);
	mean.number = begin / HOUR;
	return any && put_record(fd, &hours, &mean);
}

bool sv_series_post(struct sv_series *s, const struct sv_sample *sample)
{
	PD_ASSERT(sample->number >= 0);
	if (!s->data || s->read_only)
		return true;
	if (!pd_mutex_try(&s->lock))
		return false;
	s->next = *sample;
	atomic_store(&s->waiting, true);
	pd_mutex_unlock(&s->lock);
	return true;
}

void sv_series_write(struct sv_series *s)
{
	if (!atomic_load(&s->waiting))
		return;
	pd_mutex_lock(&s->lock);
	errno = 0;
	int fd = open_file(s, O_RDWR | O_CREAT);
	bool good = fd >= 0 && write_sample(s, fd);
	if (!good && !s->failing)
		pd_log(PD_LOG_WARN, "%.200s/series cannot be written, so the plots of the server have a gap: %s",
		       s->data, errno ? strerror(errno) : "the disk is full");
	if (fd >= 0)
		close(fd);
	s->failing = !good;
	atomic_store(&s->waiting, false);
	pd_mutex_unlock(&s->lock);
}

/* --- reading ------------------------------------------------------------------------------ */

/* Reads a ring into slots[ring->slots * RECORD], which is zeroed. */
static void read_ring(struct sv_series *s, const struct ring *ring, uint8_t *slots)
{
	pd_mutex_lock(&s->lock);
	int fd = open_file(s, O_RDONLY);
	if (fd >= 0 && has_form(fd) > 0 && pread(fd, slots, (size_t)ring->slots * RECORD, ring->at) < 0)
		memset(slots, 0, (size_t)ring->slots * RECORD);
	if (fd >= 0)
		close(fd);
	pd_mutex_unlock(&s->lock);
}

int sv_series_read(struct sv_series *s, enum pr_series_range range, int64_t now_ms, struct sv_series_view *out,
		   struct pd_fail *fail)
{
	PD_ASSERT((unsigned)range < PR_RANGE_COUNT && now_ms >= 0);
	const struct series_range *r = &ranges[range];
	const struct ring *ring = r->minutes < HOUR ? &minutes : &hours;
	int64_t step_ms = (int64_t)r->minutes * SV_MINUTE_MS, last = now_ms / step_ms;
	uint8_t *slots = calloc(ring->slots, RECORD);
	out->first_ms = (last - r->points + 1) * step_ms;
	out->last_ms = last * step_ms;
	out->step_ms = step_ms;
	out->count = 0;
	if (!slots)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to read what the server did");
	if (s->data)
		read_ring(s, ring, slots);
	for (int64_t number = last - r->points + 1; number <= last; number++)
		if (number >= 0 && mean_of(ring, slots, 0, number * r->mean, r->mean, &out->sample[out->count]))
			out->sample[out->count++].number = number;
	free(slots);
	return PD_OK;
}
