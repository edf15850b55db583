/* Lies and copies: a backup from before a lie, or facts of another directory, bring nothing false back. */
#include <fcntl.h>

#include "server/proofs/backups/import.h"
#include "tests/server/liar_directory.h"

START_TEST(a_backup_brings_no_lies_back)
{
	char dir[64], old[128], other[128], place[160], a[192], b[192], fresh[160], elsewhere[160], moved[192];
	struct st_store *store;
	struct pd_fail fail;
	make_directory(dir);
	storedir_copy(dir, old, sizeof old); /* no backup, but a copy */
	struct facts expected = without(dir, ONE);
	snprintf(other, sizeof other, "%s.other", dir);
	snprintf(place, sizeof place, "%s/backups", other);
	snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", other);
	snprintf(a, sizeof a, "%s/before", place);
	snprintf(b, sizeof b, "%s/after", place);
	snprintf(moved, sizeof moved, "%s/moved", elsewhere);
	snprintf(fresh, sizeof fresh, "%s/new", other);
	ck_assert(!mkdir(other, 0700) && !mkdir(place, 0700) && !mkdir(elsewhere, 0700));
	back_up(dir, a);
	ck_assert_uint_eq(restore(a, fresh, NULL), 0); /* no one knows of a lie yet */
	storedir_remove(fresh);
	write_liar(dir, ONE); /* now it is known */
	start_once(dir, place);
	ck_assert(!has_file(dir));
	assert_same_facts(&expected, dir);
	back_up(dir, b);
	/* The older backup has the false facts: nothing is told before they are taken back. */
	ck_assert_uint_gt(restore(a, fresh, NULL), 0);
	ck_assert_int_eq(st_open(fresh, ST_READ_ONLY, &store, &fail), PD_E_STATE);
	start_once(fresh, NULL);
	assert_same_facts(&expected, fresh);
	assert_banned(fresh, ONE);
	storedir_remove(fresh);
	/* The newer one has none, and knows who lied by itself, wherever it is. */
	ck_assert(!rename(b, moved));
	ck_assert_uint_eq(restore(moved, fresh, NULL), 0);
	assert_same_facts(&expected, fresh);
	assert_banned(fresh, ONE);
	storedir_remove(fresh);
	/* Where the list next to it is missing, the directory that learned of the lie is asked. */
	ck_assert(!rename(a, b));
	snprintf(moved, sizeof moved, "%s/liars", place);
	ck_assert(!unlink(moved));
	ck_assert_uint_gt(restore(b, fresh, dir), 0);
	start_once(fresh, place);
	assert_same_facts(&expected, fresh);
	assert_banned(place, ONE); /* and it tells the place again */
	/* A server that opens a copy of old learns it from the place of its backups. */
	start_once(old, place);
	assert_same_facts(&expected, old);
	assert_banned(old, ONE);
	free(expected.at);
	storedir_remove(old);
	storedir_remove(fresh);
	storedir_remove(b);
	snprintf(moved, sizeof moved, "%s/elsewhere/moved", other);
	storedir_remove(moved);
	storedir_remove(elsewhere);
	storedir_remove(place);
	storedir_remove(other);
	scratch_remove(dir);
}
END_TEST

static uint64_t facts_of_workers(const char *dir)
{
	struct facts facts = facts_of(dir);
	uint64_t count = 0;
	for (size_t i = 0; i < facts.count; i++)
		count += pd_is_giver(facts.at[i].reason.job);
	free(facts.at);
	return count;
}

static int give_more(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	for (uint32_t i = 0; i < fact->count; i++)
		if (pd_hash64(key, size) % 4 == 3)
			(fact->many ? fact->many : fact->few)[i].job = pd_giver_of(TWO);
	return PD_OK;
}

static struct sv_liars assert_event(const char *dir)
{
	struct sv_liars banned;
	sv_liars_banned(dir, &banned, NULL);
	ck_assert(sv_liars_all(&banned) && !sv_liars_name(&banned, 0));
	ck_assert(sv_liars_name(&banned, pd_giver_of(ONE)) && !sv_liars_name(&banned, pd_giver_of(TWO)));
	ck_assert(!sv_liars_name(&banned, SV_SHARED)); /* the false facts are gone */
	return banned;
}

/* Where workers shared what they solved, a lie of one may be in the facts of another, in backups from before as well;
 * those from after it are good. */
START_TEST(a_backup_brings_nothing_back_that_may_rest_on_a_lie)
{
	char dir[64], old[128], other[128], place[160], a[192], b[192], fresh[160];
	struct sv_imported sum;
	struct pd_fail fail;
	make_directory(dir);
	put_text(dir, "liars", "shared\n");
	storedir_copy(dir, old, sizeof old);
	snprintf(other, sizeof other, "%s.other", dir);
	snprintf(place, sizeof place, "%s/backups", other);
	snprintf(a, sizeof a, "%s/before", place);
	snprintf(b, sizeof b, "%s/after", place);
	snprintf(fresh, sizeof fresh, "%s/new", other);
	ck_assert(!mkdir(other, 0700) && !mkdir(place, 0700));
	back_up(dir, a);
	put_file(dir, "89abcdef\nall\n"); /* ONE lied, and had shared */
	start_once(dir, place);
	ck_assert(!has_file(dir));
	ck_assert_uint_eq(facts_of_workers(dir), 0);
	struct sv_liars known = assert_event(dir), there = assert_event(place);
	ck_assert(known.count == 2 && !memcmp(known.giver, there.giver, 2 * sizeof *known.giver));
	back_up(dir, b);
	ck_assert_uint_gt(restore(a, fresh, NULL), 0);
	start_once(fresh, NULL);
	ck_assert_uint_eq(facts_of_workers(fresh), 0);
	known = assert_event(fresh);
	ck_assert(!memcmp(known.giver, there.giver, 2 * sizeof *known.giver));
	storedir_remove(fresh);
	/* What a worker gave after the event stays. */
	struct st_store *store;
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_facts_rewrite(store, give_more, NULL, &fail));
	st_close(store);
	ck_assert_uint_gt(facts_of_workers(dir), 0);
	storedir_remove(b);
	back_up(dir, b);
	ck_assert_uint_eq(restore(b, fresh, NULL), 0);
	start_once(fresh, place);
	start_once(dir, place);
	ck_assert_uint_gt(facts_of_workers(fresh), 0);
	ck_assert_uint_gt(facts_of_workers(dir), 0);
	/* Facts of a directory that does not know the event are imported only when each is checked. */
	struct sv_import_order order = {.threads = 1, .unverified = true};
	ck_assert_int_eq(sv_import_facts(old, fresh, &order, &sum, &fail), PD_E_STATE);
	ck_assert_msg(!sv_import_facts(dir, fresh, &order, &sum, &fail), "%s", fail.text);
	ck_assert_uint_eq(assert_event(fresh).count, 2);
	/* A server that opens a copy of old catches up. */
	start_once(old, place);
	ck_assert_uint_eq(facts_of_workers(old), 0);
	assert_event(old);
	/* That workers shared goes with their unchecked facts. */
	put_text(dir, "liars", "shared\n");
	ck_assert(!unlinkat(AT_FDCWD, strcat(strcpy(a, fresh), "/liars"), 0));
	ck_assert_msg(!sv_import_facts(dir, fresh, &order, &sum, &fail), "%s", fail.text);
	sv_liars_banned(fresh, &known, NULL);
	ck_assert(known.count == 1 && known.giver[0] == SV_SHARED);
	storedir_remove(old);
	scratch_remove_all(other);
	scratch_remove(dir);
}
END_TEST

START_TEST(unverified_facts_of_a_liar_are_not_imported)
{
	char dir[64], into[64];
	struct insession s;
	struct sv_imported sum;
	struct pd_fail fail;
	make_directory(dir);
	scratch_dir(into);
	insession_open(&s, into, 0, 0.05);
	insession_close(&s);
	put_text(into, "liars", "89abcdef\n");
	struct sv_import_order order = {.threads = 1, .unverified = true};
	ck_assert_int_eq(sv_import_facts(dir, into, &order, &sum, &fail), PD_E_STATE);
	ck_assert_ptr_nonnull(strstr(fail.text, "worker 89abcdef, a liar"));
	order.unverified = false; /* each fact is checked by the rules */
	ck_assert_msg(!sv_import_facts(dir, into, &order, &sum, &fail), "%s", fail.text);
	scratch_remove(into);
	scratch_remove(dir);
}
END_TEST

SUITE(lies_backup)
{
	tcase_set_timeout(c, 300);
	pd_log_threshold(PD_LOG_ERROR);
	tcase_add_test(c, a_backup_brings_no_lies_back);
	tcase_add_test(c, a_backup_brings_nothing_back_that_may_rest_on_a_lie);
	tcase_add_test(c, unverified_facts_of_a_liar_are_not_imported);
}
