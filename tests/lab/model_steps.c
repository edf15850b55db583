#include "tests/lab/model_steps.h"

#include <stdio.h>

#include "store/store.h"
#include "tests/lab/model_truth.h"
#include "tests/support/storemodel.h"

static struct step draw_step(enum kind kind, uint64_t *random)
{
	struct step s = {.kind = kind, .salt = 1 + (uint32_t)model_random(random, 1 << 30)};
	bool big = model_random(random, 6) == 0;
	s.n = 1 + (uint32_t)model_random(random, big ? TRUTH_IDS : 12);
	s.b = (uint32_t)model_random(random, TRUTH_KEYS);
	if (kind == GAME || kind == FACT || kind == FACT_LONG || kind == CONFLICT)
		s.a = (uint32_t)model_random(random, TRUTH_GAMES);
	else if (kind == MAINTAIN)
		s.a = model_random(random, 2) != 0;
	else
		s.a = (uint32_t)model_random(random, 20) ? 1 + (uint32_t)model_random(random, 3) : TRUTH_JOBS + 2;
	if (kind == JOB_PUT && big)
		s.n = model_random(random, 4) ? (uint32_t)model_random(random, ST_JOB_MAX) : ST_JOB_MAX + 1;
	if (kind == FAULT_COMMIT)
		s.n = 1 + s.n % 3;
	if (kind == FACT_LONG)
		s.n = 1;
	return s;
}

unsigned steps_draw(uint64_t seed, struct step *steps)
{
	static const uint8_t inside[] = {
		JOB_NEW, JOB_NEW, JOB_PUT,        JOB_PUT,      EVENT,        EVENT,        QUESTION,   QUESTION, TABLE,
		TABLE,   TABLE,   SNAPSHOT_START, SNAPSHOT_PUT, SNAPSHOT_PUT, SNAPSHOT_END, TABLE_DROP, GAME,     GAME,
		GAME,    FACT,    FACT,           FACT,         FACT,         FACT_LONG,    CONFLICT,   COMPARE};
	static const uint8_t between[] = {MAINTAIN,     MAINTAIN,  MAINTAIN,    MAINTAIN,    REWRITE,     REWRITE_FAILS,
					  REOPEN,       REOPEN,    CRASH,       CRASH,       COMPARE,     FAULT_PUT,
					  FAULT_COMMIT, FAULT_OFF, READER_OPEN, READER_LOOK, READER_LOOK, READER_CLOSE};
	uint64_t random = seed ^ UINT64_C(0x10de15);
	unsigned count = 0, most = 20 + (unsigned)model_random(&random, STEPS_MAX - 80);
	while (count < most) {
		steps[count++] = draw_step(BEGIN, &random);
		for (uint64_t n = model_random(&random, 12); n; n--)
			steps[count++] = draw_step((enum kind)inside[model_random(&random, sizeof inside)], &random);
		if (model_random(&random, 30) == 0)
			steps[count++] = draw_step(CRASH, &random);
		steps[count++] = draw_step(model_random(&random, 8) ? COMMIT : ABORT, &random);
		for (uint64_t n = model_random(&random, 4); n; n--)
			steps[count++] = draw_step((enum kind)between[model_random(&random, sizeof between)], &random);
	}
	return count;
}

void step_print(const struct step *s)
{
	static const char *const text[KINDS] = {
		[BEGIN] = "st_batch_begin()",
		[COMMIT] = "st_batch_commit()",
		[ABORT] = "st_batch_abort()",
		[JOB_NEW] = "st_batch_job_new()",
		[JOB_PUT] = "st_batch_job_put(job %1$u) /* %3$u bytes */",
		[EVENT] = "st_batch_event(job %1$u) /* %3$u of them */",
		[QUESTION] = "st_batch_table_question(job %1$u) /* drawn from %4$u */",
		[TABLE] = "st_batch_table(job %1$u) /* %3$u entries from number %2$u on, versions from %4$u on */",
		[SNAPSHOT_START] = "st_batch_snapshot_start(job %1$u)",
		[SNAPSHOT_PUT] =
			"st_batch_snapshot_put(job %1$u) /* %3$u entries from number %2$u on, versions from %4$u on */",
		[SNAPSHOT_END] = "st_batch_snapshot_end(job %1$u)",
		[TABLE_DROP] = "st_batch_table_drop(job %1$u)",
		[GAME] = "st_batch_game(\"game:%1$u\", 7)",
		[FACT] = "st_batch_fact(game:%1$u) /* %3$u of them from key %2$u on, drawn from %4$u */",
		[FACT_LONG] = "st_batch_fact(game:%1$u) /* a key that is too long */",
		[CONFLICT] = "st_batch_fact(game:%1$u) /* the contrary of key %2$u */",
		[FAULT_PUT] = "st_fault(ST_FAULT_PUT, %3$u)",
		[FAULT_COMMIT] = "st_fault(ST_FAULT_COMMIT, %3$u)",
		[FAULT_OFF] = "st_fault(both, 0)",
		[MAINTAIN] = "st_facts_maintain(idle %1$u) /* %3$u times at most */",
		[REWRITE] = "st_facts_rewrite() /* by %4$u */",
		[REWRITE_FAILS] = "st_facts_rewrite() /* by %4$u; the filter fails at fact %3$u */",
		[REOPEN] = "st_close(), st_open()",
		[CRASH] = "_exit(), st_open() in another process",
		[COMPARE] = "compare",
		[READER_OPEN] = "outside: st_open(ST_READ_ONLY)",
		[READER_LOOK] = "outside: compare",
		[READER_CLOSE] = "outside: st_close()",
	};
	const char *p = text[s->kind];
	printf("\t");
	for (; *p; p++)
		if (p[0] == '%' && p[1] && p[2] == '$') {
			const uint32_t value[] = {s->a, s->b, s->n, s->salt};
			printf("%u", (unsigned)value[p[1] - '1']);
			p += 3;
		} else {
			putchar(*p);
		}
	printf(";\n");
}
