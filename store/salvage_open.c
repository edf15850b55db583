/* Salvage: opening (salvage.h): the index, the counters, the list of runs, the games. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/format.h"
#include "store/layout.h"
#include "store/lock.h"
#include "store/salvage_index.h"

static int add_game(struct st_salvage *s, const uint8_t *p, size_t size, uint32_t *index)
{
	uint64_t rules = pd_get_le64(p);
	size_t length = size - ST_GAME_HEAD;
	for (uint32_t i = 0; i < s->sum.games; i++)
		if (s->game[i].rules_version == rules && strlen(s->game[i].name) == length &&
		    !memcmp(s->game[i].name, p + ST_GAME_HEAD, length)) {
			*index = i;
			return 0;
		}
	struct st_salvaged_game *grown = realloc(s->game, (s->sum.games + 1) * sizeof *grown);
	char *name = grown ? malloc(length + 1) : NULL;
	if (grown)
		s->game = grown;
	if (!name)
		return -1;
	memcpy(name, p + ST_GAME_HEAD, length);
	name[length] = 0;
	s->game[ *index = s->sum.games++] = (struct st_salvaged_game){name, rules};
	return 0;
}

/* Which game each number stands for in a file. */
static int number_games(struct st_salvage *s, bool facts, struct st_game_ids *out)
{
	enum st_item_kind kind = facts ? ST_ITEM_FACTS_GAME : ST_ITEM_GAME;
	uint32_t last = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (s->item[i].kind != kind || s->item[i].job == last)
			continue;
		last = s->item[i].job;
		const struct st_item *x = st_salvage_single(s, kind, last, UINT64_MAX);
		const uint8_t *p = x ? st_salvage_fetch(s, x, facts) : NULL;
		struct st_game_id number = {last, 0};
		if (!p || (s->counters_sure && !facts && last >= s->counters.next_game))
			continue;
		struct st_game_id *grown = realloc(out->number, (out->count + 1) * sizeof *grown);
		if (grown)
			out->number = grown;
		if (!grown || add_game(s, p, x->size - ST_SEAL, &number.game))
			return -1;
		out->number[out->count++] = number;
	}
	return 0;
}

static void read_meta(struct st_salvage *s)
{
	size_t size;
	bool sure;
	const uint8_t *p = st_salvage_newest(s, ST_META_COUNTERS, &size, &sure);
	s->counters = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	s->counters_found = p && st_counters_unpack(p, size, &s->counters);
	s->sum.counted = s->counters_found && sure;
	s->counters_sure = s->sum.counted && s->work.heads;
	p = st_salvage_newest(s, ST_META_IDENTITY, &size, &sure);
	s->sum.identity = p ? pd_get_le64(p) : 0;
	p = st_salvage_newest(s, ST_META_RUNS, &size, &sure);
	s->sum.runs = !p || !st_run_list_unpack(p, size, &s->runs) ? ST_LIST_LOST : sure ? ST_LIST_NEWEST : ST_LIST_OLD;
	if (s->sum.runs == ST_LIST_LOST)
		s->runs = (struct st_run_list){0};
}

/* Numbers of jobs that were given, and of games that are not known any more. */
static void read_numbers(struct st_salvage *s)
{
	uint32_t last_game = 0, last_card = 0;
	s->sum.next_job = s->counters.next_job;
	for (size_t i = 0; i < s->count; i++) {
		const struct st_item *x = &s->item[i];
		bool job = x->kind >= ST_ITEM_EXISTENCE && x->kind <= ST_ITEM_SNAPSHOT && x->kind != ST_ITEM_EVENT;
		if (job && !s->counters_sure && x->job >= s->sum.next_job && x->job < UINT32_MAX)
			s->sum.next_job = x->job + 1;
		if ((x->kind == ST_ITEM_GAME || x->kind == ST_ITEM_FACTS_GAME) && x->job > last_game)
			last_game = x->job;
		if (x->kind == ST_ITEM_EXISTENCE && x->grade == ST_NEWEST && x->job != last_card) {
			last_card = x->job;
			s->existences++;
		}
		s->sum.conflicts += x->kind == ST_ITEM_CONFLICT;
	}
	if (s->counters_sure || s->counters.next_game > last_game)
		last_game = s->counters.next_game - 1;
	for (uint32_t id = 1; id && id <= last_game; id++)
		s->sum.games_lost +=
			st_salvage_game_of(s, true, id) == UINT32_MAX && st_salvage_game_of(s, false, id) == UINT32_MAX;
}

/* Keeps writers out meanwhile. */
static int keep_out(const char *dir, int *fd, struct pd_fail *fail)
{
	int rc = st_lock_owned(dir) ? PD_E_LOCKED : st_lock_read(dir, fd, fail);
	if (rc != PD_E_LOCKED)
		return rc;
	return pd_fail_set(fail, PD_E_LOCKED, "data",
			   "a process writes to %s: end it first, because a directory in use cannot be repaired", dir);
}

/* A version that all files state which are there is no damage: what a newer program has written is not known here. */
static int check_versions(const struct st_salvage *s, struct pd_fail *fail)
{
	uint32_t work = s->version[0], facts = s->version[1], other = work ? work : facts;
	if (!other || other == ST_FORMAT_VERSION || (facts && facts != other))
		return PD_OK;
	return st_format_refuse(work ? "work.mdb" : "facts.mdb", other, fail);
}

static int scan_directory(struct st_salvage *s, const char *dir, struct pd_fail *fail)
{
	s->buffer = malloc(ST_RECORD_ROOM);
	int rc = s->buffer ? keep_out(dir, &s->lock_fd, fail) : st_salvage_no_memory(fail);
	if (!rc)
		rc = st_scan_open(&s->work, dir, "work.mdb", fail);
	if (!rc)
		rc = st_scan_open(&s->facts, dir, "facts.mdb", fail);
	if (!rc && s->work.fd < 0 && s->facts.fd < 0)
		return pd_fail_set(fail, PD_E_NOT_FOUND, "data",
				   "%s holds no data directory: work.mdb and facts.mdb are both missing", dir);
	if (!rc)
		rc = st_salvage_collect(s, false, fail);
	if (!rc)
		rc = st_salvage_collect(s, true, fail);
	if (!rc)
		rc = check_versions(s, fail);
	if (rc)
		return rc;
	st_salvage_sort(s);
	read_meta(s);
	if (number_games(s, false, &s->work_games) || number_games(s, true, &s->facts_games))
		return st_salvage_no_memory(fail);
	read_numbers(s);
	return PD_OK;
}

int st_salvage_open(const char *dir, const char *job_head, struct st_salvage **out, struct pd_fail *fail)
{
	PD_ASSERT(job_head && *job_head);
	struct st_salvage *s = calloc(1, sizeof *s);
	if (!s)
		return st_salvage_no_memory(fail);
	s->lock_fd = s->work.fd = s->facts.fd = -1;
	s->job_head = job_head;
	int rc = scan_directory(s, dir, fail);
	if (rc)
		st_salvage_close(s);
	else
		*out = s;
	return rc;
}

void st_salvage_close(struct st_salvage *s)
{
	if (!s)
		return;
	st_scan_close(&s->work);
	st_scan_close(&s->facts);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	for (uint32_t i = 0; i < s->sum.games; i++)
		free(s->game[i].name);
	free(s->game);
	free(s->work_games.number);
	free(s->facts_games.number);
	free(s->item);
	free(s->buffer);
	free(s);
}

const struct st_salvaged *st_salvage_sum(const struct st_salvage *s)
{
	return &s->sum;
}

const char *st_salvage_game(const struct st_salvage *s, uint32_t index, uint64_t *rules_version)
{
	PD_ASSERT(index < s->sum.games);
	*rules_version = s->game[index].rules_version;
	return s->game[index].name;
}
