#include "proto/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"
#include "proto/base/mutex.h"
#include "proto/doc.h"
#include "proto/out.h"

enum {
	SLOTS = 1 << 16,     /* of the cache */
	SEEN = 1 << 18,      /* digests of answers */
	PROCESSES_MAX = 256, /* that wait for a question */
	BATCH = 64,          /* positions of one question */
	ANSWER_MAX = 4 << 20,
	FILE_MAX = 64 << 20
};
static const size_t memory_max = (size_t)1 << 30;

struct seen {
	uint64_t hash;   /* of a position */
	uint32_t digest; /* of the answer about it */
};

struct process {
	struct pd_child *child;
	pid_t owner; /* the process that started it: after a fork its sockets belong to that one */
};

struct pr_program {
	char *command;
	const char *files; /* as in struct pr_command */
	uint64_t digest;
	char asked[64]; /* the parameters as they were given */
	struct pd_child_limits limits;
	struct pr_terms terms;
	struct pd_mutex lock; /* guards what follows */
	struct process idle[PROCESSES_MAX];
	unsigned idle_count;
	struct pr_node **slots;
	struct seen *seen;
	size_t bytes;
	unsigned hand; /* the slot that is emptied next when there are too many bytes */
	bool failed;
	struct pd_fail why;
};

/* --- failures ----------------------------------------------------------------------------- */

/* Marks the program as failed for good. *fail becomes the first of its faults. */
static int keep_fault(struct pr_program *p, struct pd_fail *fail)
{
	pd_mutex_lock(&p->lock);
	if (!p->failed) {
		p->failed = true;
		pd_fail_set(&p->why, PD_E_IO, "game", "the program of %.40s fails: %.250s",
			    p->terms.title[0] ? p->terms.title : "the game", fail->text);
	}
	*fail = p->why;
	pd_mutex_unlock(&p->lock);
	return fail->code;
}

bool pr_program_failed(struct pr_program *p, struct pd_fail *fail)
{
	pd_mutex_lock(&p->lock);
	bool failed = p->failed;
	if (failed)
		*fail = p->why;
	pd_mutex_unlock(&p->lock);
	return failed;
}

static int wrong_answer(struct pd_fail *fail, const char *what, const char *which)
{
	return pd_fail_set(fail, PD_E_IO, "", "%s%s%.100s%s", what, *which ? " '" : "", which, *which ? "'" : "");
}

void pr_program_blame(struct pr_program *p, const char *what)
{
	struct pd_fail why;
	wrong_answer(&why, what, "");
	keep_fault(p, &why);
}

/* --- processes ---------------------------------------------------------------------------- */

/* A text that a game may write: not empty, in one line, at most `most` bytes. */
static bool good_text(const char *text, size_t most)
{
	size_t size = text ? strlen(text) : 0;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return size && size <= most;
}

static void copy_text(char *out, size_t size, pr_ref from, const char *key)
{
	snprintf(out, size, "%s", pr_get_str(from, key, ""));
	for (char *c = out; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
}

static int read_terms(pr_ref r, const char *params, struct pr_terms *t, struct pd_fail *fail)
{
	pr_ref values = pr_get(r, "values");
	int64_t worst = pr_number(pr_at(values, 0), -1), best = pr_number(pr_at(values, 1), 1);
	int64_t step = pr_get_int(r, "step", 2), infinite = pr_get_int(r, "infinite", 0);
	int64_t moves = pr_get_int(r, "moves", 0), plies = pr_get_int(r, "plies", 0), size = pr_get_int(r, "size", 64);
	const char *start = pr_get_str(r, "start", NULL), *name = pr_get_str(r, "params", params);
	int64_t version = pr_get_int(r, "version", 1);
	memset(t, 0, sizeof *t);
	t->repeats = pr_get_bool(r, "repeats", false);
	if (size < 1 || size >= PR_PROGRAM_TEXT || !good_text(start, (size_t)size))
		return wrong_answer(fail, "`start` is a text of 1 to `size` bytes, and `size` at most 255", "");
	if (pr_count(values) != 2 || worst < -1000 || best > 1000 || worst >= best || step < 1 || (best - worst) % step)
		return wrong_answer(fail, "`values` are the worst and the best for First, a multiple of `step` apart",
				    "");
	if (t->repeats && (infinite < worst || infinite > best || (infinite - worst) % step))
		return wrong_answer(fail, "`infinite` is not on the scale of `values` and `step`", "");
	if (moves < 1 || moves > PR_PROGRAM_MOVES_MAX || plies < !t->repeats || plies > 8192 || version < 1 ||
	    strlen(name) > 63)
		return wrong_answer(
			fail,
			"`moves` is 1 to 4000, `plies` 1 to 8192 (0 where positions come back), `version` at least 1",
			"");
	copy_text(t->title, sizeof t->title, r, "title");
	copy_text(t->params, sizeof t->params, r, "parameters");
	copy_text(t->notation, sizeof t->notation, r, "notation");
	copy_text(t->example, sizeof t->example, r, "example");
	copy_text(t->author, sizeof t->author, r, "author");
	snprintf(t->name, sizeof t->name, "%s", name);
	snprintf(t->start, sizeof t->start, "%s", start);
	t->version = (uint64_t)version;
	t->worst = (int16_t)worst;
	t->best = (int16_t)best;
	t->step = (int16_t)step;
	t->infinite = (int16_t)infinite;
	t->moves = (uint32_t)moves;
	t->plies = (uint32_t)plies;
	t->size = (uint32_t)size;
	return PD_OK;
}

/* Asks a process, and reads its answer. The question gets a number, its member `n`, which the answer must repeat: a
 * line too many would otherwise pass for the answer to the next question. */
static int ask_child(struct pd_child *child, const struct pd_buf *question, struct pr_doc **out, struct pd_fail *fail)
{
	static _Atomic uint32_t questions;
	const uint32_t number = ++questions;
	struct pd_buf answer, numbered;
	pd_buf_init(&numbered, question->size + 32);
	pd_buf_printf(&numbered, "{\"n\":%u,", number);
	if (!question->failed)
		pd_buf_put(&numbered, question->data + 1, question->size - 1);
	if (question->failed || numbered.failed) {
		pd_buf_fini(&numbered);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a question to the program");
	}
	pd_buf_init(&answer, ANSWER_MAX);
	int rc = pd_child_ask(child, numbered.data, numbered.size, &answer, fail);
	pd_buf_fini(&numbered);
	if (!rc && pr_doc_parse(answer.size ? answer.data : "", answer.size, out, fail)) {
		struct pd_fail why = *fail;
		rc = pd_fail_set(fail, PD_E_IO, "", "its answer is not JSON (%.100s): %.100s", why.text,
				 answer.size ? answer.data : "");
	} else if (!rc && pr_kind_of(pr_doc_root(*out)) != PR_OBJECT) {
		pr_doc_free(*out);
		rc = pd_fail_set(fail, PD_E_IO, "", "its answer is not an object: %.100s", answer.data);
	} else if (!rc && pr_get_int(pr_doc_root(*out), "n", -1) != number) {
		pr_doc_free(*out);
		rc = pd_fail_set(fail, PD_E_IO, "",
				 "its answer lacks the question's number, `n` = %u; it may have written more than one "
				 "line: %.100s",
				 number, answer.data);
	}
	pd_buf_fini(&answer);
	return rc;
}

/* Is called when a new process has answered: it has read its files by then. */
static int check_files(const struct pr_program *p, struct pd_fail *fail)
{
	uint64_t now = p->digest;
	int rc = p->files ? pr_program_digest(p->files, &now, fail) : PD_OK;
	return rc || now == p->digest
		       ? rc
		       : wrong_answer(fail, "its files have changed; restart the server, which then uses no old facts",
				      "");
}

/* Starts a process and opens the game in it. PD_E_GAME: it refuses the parameters. */
static int start_child(const struct pr_program *p, struct pd_child **out, struct pr_terms *terms, struct pd_fail *fail)
{
	struct pd_buf question;
	struct pr_out json;
	struct pr_doc *doc;
	int rc = pd_child_start(p->command, &p->limits, out, fail);
	if (rc)
		return rc;
	pd_buf_init(&question, 4096);
	pr_out_init(&json, &question);
	pr_members(&json, PR_OPEN_OBJECT(NULL), PR_S("open", p->asked), PR_CLOSE);
	pd_buf_puts(&question, "\n");
	rc = ask_child(*out, &question, &doc, fail);
	pd_buf_fini(&question);
	if (!rc) {
		const char *refusal = pr_get_str(pr_doc_root(doc), "error", NULL);
		rc = refusal ? pd_fail_set(fail, PD_E_GAME, "game", "%.250s", refusal)
			     : read_terms(pr_doc_root(doc), p->asked, terms, fail);
		pr_doc_free(doc);
	}
	rc = rc ? rc : check_files(p, fail);
	if (rc)
		pd_child_end(*out);
	return rc;
}

/* A process for one question. */
static int take_child(struct pr_program *p, struct pd_child **out, struct pd_fail *fail)
{
	struct pr_terms terms;
	struct process idle = {NULL, 0};
	pd_mutex_lock(&p->lock);
	do {
		idle = p->idle_count ? p->idle[--p->idle_count] : (struct process){NULL, 0};
	} while (idle.child && idle.owner != getpid()); /* left behind by a fork; the parent ends it */
	pd_mutex_unlock(&p->lock);
	if ((*out = idle.child) != NULL)
		return PD_OK;
	int rc = start_child(p, out, &terms, fail);
	if (!rc && memcmp(&terms, &p->terms, sizeof terms) != 0) {
		pd_child_end(*out);
		rc = wrong_answer(fail, "it opens the game with other terms than before", "");
	}
	return rc;
}

static void return_child(struct pr_program *p, struct pd_child *child)
{
	pd_mutex_lock(&p->lock);
	bool room = p->idle_count < PROCESSES_MAX;
	if (room)
		p->idle[p->idle_count++] = (struct process){child, getpid()};
	pd_mutex_unlock(&p->lock);
	if (!room)
		pd_child_end(child);
}

/* Asks any process. */
static int ask_program(struct pr_program *p, const struct pd_buf *question, struct pr_doc **out, struct pd_fail *fail)
{
	struct pd_child *child;
	int rc = take_child(p, &child, fail);
	if (rc)
		return rc;
	rc = ask_child(child, question, out, fail);
	if (rc)
		pd_child_end(child);
	else
		return_child(p, child);
	return rc;
}

/* --- positions ---------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct pr_move *)a)->text, ((const struct pr_move *)b)->text);
}

static int by_after(const void *a, const void *b)
{
	const struct pr_move *x = *(struct pr_move *const *)a, *y = *(struct pr_move *const *)b;
	int order = strcmp(x->after, y->after);
	return order ? order : (x > y) - (x < y);
}

/* Marks moves that lead where an earlier one leads. */
static bool mark_twins(struct pr_node *n)
{
	struct pr_move **order = malloc((n->count + 1) * sizeof(struct pr_move *));
	for (uint32_t i = 0; order && i < n->count; i++)
		order[i] = &n->move[i];
	if (order)
		qsort(order, n->count, sizeof(struct pr_move *), by_after);
	for (uint32_t i = 1; order && i < n->count; i++)
		order[i]->twin = !strcmp(order[i]->after, order[i - 1]->after);
	free(order);
	return order != NULL;
}

/* Checks one answer and its texts. *bytes: how many they have. */
static int check_answer(const struct pr_program *p, pr_ref r, const char *position, size_t *bytes, struct pd_fail *fail)
{
	const struct pr_terms *t = &p->terms;
	pr_ref moves = pr_get(r, "moves");
	size_t count = pr_count(moves);
	if (pr_has(r, "over")) {
		int64_t value = pr_get_int(r, "over", INT64_MIN);
		if (value < t->worst || value > t->best || (value - t->worst) % t->step || moves)
			return wrong_answer(fail, "`over` is a value on the scale, without `moves`, at", position);
	} else if (pr_kind_of(moves) != PR_ARRAY || pr_kind_of(pr_get(r, "first")) != PR_BOOL || !count ||
		   count > t->moves) {
		return wrong_answer(fail, "a position has `over`, or `first` and 1 to `moves` moves, unlike", position);
	}
	*bytes = strlen(position) + 1;
	for (size_t i = 0; i < count; i++) {
		pr_ref move = pr_at(moves, i);
		const char *text = pr_text(pr_at(move, 0), NULL), *after = pr_text(pr_at(move, 1), NULL);
		if (pr_count(move) != 2 || !good_text(text, PR_PROGRAM_MOVE) || strchr(text, ' ') ||
		    !good_text(after, t->size))
			return wrong_answer(
				fail,
				"a move is a name of 1 to 31 bytes without spaces, and a position of at most "
				"`size` bytes, unlike one at",
				position);
		*bytes += strlen(text) + strlen(after) + 2;
	}
	return PD_OK;
}

static const char *keep_text(char **at, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = memcpy(*at, text, size);
	*at += size;
	return copy;
}

static int make_node(const struct pr_program *p, pr_ref r, const char *position, struct pr_node **out,
		     struct pd_fail *fail)
{
	pr_ref moves = pr_get(r, "moves");
	size_t count = pr_count(moves), bytes = 0;
	int rc = check_answer(p, r, position, &bytes, fail);
	if (rc)
		return rc;
	bytes += sizeof(struct pr_node) + count * sizeof(struct pr_move);
	struct pr_node *n = calloc(1, bytes);
	if (!n)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a position");
	char *at = (char *)&n->move[count];
	n->position = keep_text(&at, position);
	n->hash = pd_hash64(position, strlen(position));
	n->bytes = (uint32_t)bytes;
	n->count = (uint32_t)count;
	n->over = pr_has(r, "over");
	n->value = (int16_t)pr_get_int(r, "over", 0);
	n->first = pr_get_bool(r, "first", false);
	for (size_t i = 0; i < count; i++) {
		n->move[i].text = keep_text(&at, pr_text(pr_at(pr_at(moves, i), 0), ""));
		n->move[i].after = keep_text(&at, pr_text(pr_at(pr_at(moves, i), 1), ""));
	}
	PD_ASSERT(at == (char *)n + bytes);
	qsort(n->move, count, sizeof *n->move, by_text);
	for (size_t i = 1; !rc && i < count; i++)
		if (!strcmp(n->move[i].text, n->move[i - 1].text))
			rc = wrong_answer(fail, "two moves have the same name at", position);
	if (!rc && !mark_twins(n))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a position");
	if (rc)
		free(n);
	else
		*out = n;
	return rc;
}

/* What the program said of the position, as a number. */
static uint32_t digest_node(const struct pr_node *n)
{
	uint64_t sum = (uint64_t)n->over << 17 | (uint64_t)n->first << 16 | (uint16_t)n->value;
	for (uint32_t i = 0; i < n->count; i++) {
		const uint64_t part[3] = {sum, pd_hash64(n->move[i].text, strlen(n->move[i].text)),
					  pd_hash64(n->move[i].after, strlen(n->move[i].after))};
		sum = pd_hash64(part, sizeof part);
	}
	return (uint32_t)(sum ^ sum >> 32);
}

/* --- the cache ---------------------------------------------------------------------------- */

static void empty_slot(struct pr_program *p, struct pr_node **slot)
{
	struct pr_node *n = *slot;
	PD_ASSERT(pd_mutex_held(&p->lock));
	*slot = NULL;
	if (!n)
		return;
	p->bytes -= n->bytes;
	if (!--n->users)
		free(n);
}

static struct pr_node *find_node(struct pr_program *p, const char *position)
{
	uint64_t hash = pd_hash64(position, strlen(position));
	struct pr_node *n = p->slots[hash % SLOTS];
	return n && n->hash == hash && !strcmp(n->position, position) ? n : NULL;
}

/* Takes the node into the cache, with the caller as a user, unless the answer contradicts an earlier one. */
static int keep_node(struct pr_program *p, struct pr_node *n, struct pd_fail *fail)
{
	struct pr_node **slot = &p->slots[n->hash % SLOTS];
	struct seen *seen = &p->seen[(n->hash >> 16) % SEEN], now = {n->hash, digest_node(n)};
	pd_mutex_lock(&p->lock);
	bool differs = seen->hash == now.hash && seen->digest != now.digest;
	bool keep = !p->failed; /* what is known stays known */
	*seen = now;
	n->users = 1;
	if (keep) {
		empty_slot(p, slot);
		*slot = n;
		n->users++;
		p->bytes += n->bytes;
	}
	for (unsigned i = 0; i < SLOTS && p->bytes > PR_PROGRAM_CACHE; i++, p->hand++)
		if (&p->slots[p->hand % SLOTS] != slot)
			empty_slot(p, &p->slots[p->hand % SLOTS]);
	pd_mutex_unlock(&p->lock);
	if (!differs)
		return PD_OK;
	wrong_answer(fail, "it answers in another way than before about", n->position);
	pr_program_put(p, n);
	return fail->code;
}

void pr_program_put(struct pr_program *p, const struct pr_node *node)
{
	struct pr_node *n = (struct pr_node *)(uintptr_t)node;
	pd_mutex_lock(&p->lock);
	bool last = n && !--n->users;
	pd_mutex_unlock(&p->lock);
	if (last)
		free(n);
}

/* Asks for the positions. One that is given may be refused (PD_E_POSITION), or written otherwise. Of one position *out
 * is the node, with the caller as its user. */
static int ask_positions(struct pr_program *p, const char *const *list, size_t count, enum pr_source source,
			 const struct pr_node **out, struct pd_fail *fail)
{
	struct pd_buf question;
	struct pr_out json;
	struct pr_doc *doc;
	struct pr_node *n = NULL;
	pd_buf_init(&question, ANSWER_MAX);
	pr_out_init(&json, &question);
	pr_members(&json, PR_OPEN_OBJECT(NULL), PR_OPEN_ARRAY("positions"));
	for (size_t i = 0; i < count; i++)
		pr_str(&json, NULL, list[i]);
	pr_members(&json, PR_CLOSE, PR_CLOSE);
	pd_buf_puts(&question, "\n");
	int rc = ask_program(p, &question, &doc, fail);
	pd_buf_fini(&question);
	if (rc)
		return rc;
	pr_ref answers = pr_get(pr_doc_root(doc), "positions");
	if (pr_count(answers) != count || pr_kind_of(answers) != PR_ARRAY)
		rc = wrong_answer(fail, "its answer has not as many `positions` as it was asked", "");
	for (size_t i = 0; !rc && i < count; i++) {
		pr_ref r = pr_at(answers, i);
		const char *error = pr_get_str(r, "error", NULL), *position = pr_get_str(r, "position", list[i]);
		if (error && source == PR_GIVEN)
			rc = pd_fail_set(fail, PD_E_POSITION, "position", "%.250s", error);
		else if (error || (source == PR_OWN && strcmp(position, list[i]) != 0) ||
			 !good_text(position, p->terms.size))
			rc = wrong_answer(fail, "it refuses, or writes otherwise, a position of its own:", list[i]);
		else if (!(rc = make_node(p, r, position, &n, fail)) && !(rc = keep_node(p, n, fail)) && count > 1)
			pr_program_put(p, n);
	}
	pr_doc_free(doc);
	if (!rc && count == 1)
		*out = n;
	return rc;
}

/* Asks for the positions after the moves that are not in the cache. */
static int ask_ahead(struct pr_program *p, const struct pr_node *n, struct pd_fail *fail)
{
	const char *list[BATCH];
	size_t fit = ANSWER_MAX / (p->terms.moves * (3 * (PR_PROGRAM_MOVE + p->terms.size) + 8)); /* escaped */
	int rc = PD_OK;
	fit = fit < 1 ? 1 : fit > BATCH ? BATCH : fit;
	for (uint32_t i = 0; !rc && i < n->count;) {
		size_t count = 0;
		pd_mutex_lock(&p->lock);
		for (; i < n->count && count < fit; i++)
			if (!n->move[i].twin && !find_node(p, n->move[i].after))
				list[count++] = n->move[i].after;
		pd_mutex_unlock(&p->lock);
		const struct pr_node *only = NULL;
		rc = count ? ask_positions(p, list, count, PR_OWN, &only, fail) : PD_OK;
		if (only)
			pr_program_put(p, only);
	}
	return rc;
}

int pr_program_get(struct pr_program *p, const char *position, enum pr_source source, bool ahead,
		   const struct pr_node **out, struct pd_fail *fail)
{
	int rc = PD_OK;
	pd_mutex_lock(&p->lock);
	struct pr_node *n = find_node(p, position);
	bool failed = p->failed;
	if (n)
		n->users++;
	else if (failed)
		*fail = p->why;
	pd_mutex_unlock(&p->lock);
	*out = n;
	if (!n && failed)
		return fail->code;
	if (!n && source == PR_GIVEN && !good_text(position, PR_PROGRAM_TEXT - 1))
		return pd_fail_set(fail, PD_E_POSITION, "position", "a position is a line of 1 to 255 bytes");
	if (!n)
		rc = ask_positions(p, &position, 1, source, out, fail);
	if (!rc && ahead && !failed && ask_ahead(p, *out, fail))
		keep_fault(p, fail); /* the position itself is known */
	return !rc || rc == PD_E_POSITION ? rc : keep_fault(p, fail);
}

size_t pr_program_picture(struct pr_program *p, const char *position, char *out, size_t size)
{
	struct pd_buf question;
	struct pr_out json;
	struct pr_doc *doc = NULL;
	struct pd_fail fail;
	const char *drawn = "";
	pd_buf_init(&question, 4096);
	pr_out_init(&json, &question);
	pr_members(&json, PR_OPEN_OBJECT(NULL), PR_S("picture", position), PR_CLOSE);
	pd_buf_puts(&question, "\n");
	if (!pr_program_failed(p, &fail) && !ask_program(p, &question, &doc, &fail))
		drawn = pr_get_str(pr_doc_root(doc), "picture", "");
	bool good = strlen(drawn) < 2000;
	for (const char *c = drawn; *c; c++)
		good = good && ((unsigned char)*c >= ' ' || *c == '\n');
	int n = snprintf(out, size, "%s\n", good && *drawn ? drawn : position);
	if (doc)
		pr_doc_free(doc);
	pd_buf_fini(&question);
	return (size_t)n;
}

/* --- opening ------------------------------------------------------------------------------ */

int pr_program_open(const struct pr_command *command, const char *params, struct pr_program **out, struct pd_fail *fail)
{
	struct pr_program *p = calloc(1, sizeof *p);
	struct pd_child *child;
	int rc = PD_E_NO_MEMORY;
	if (!p)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "game", "no memory for a program");
	pd_mutex_init(&p->lock, PD_LOCK_PROGRAM);
	p->limits = (struct pd_child_limits){memory_max, ANSWER_MAX, command->seconds};
	p->command = strdup(command->words);
	p->files = command->files;
	p->digest = command->digest;
	p->slots = calloc(SLOTS, sizeof(struct pr_node *));
	p->seen = calloc(SEEN, sizeof *p->seen);
	if (!p->command || !p->slots || !p->seen)
		pd_fail_set(fail, PD_E_NO_MEMORY, "game", "no memory for a program");
	else if ((size_t)snprintf(p->asked, sizeof p->asked, "%s", params) >= sizeof p->asked)
		rc = pd_fail_set(fail, PD_E_GAME, "game", "parameters have at most 63 bytes");
	else
		rc = start_child(p, &child, &p->terms, fail);
	if (!rc) {
		return_child(p, child);
		*out = p;
		return PD_OK;
	}
	pr_program_close(p);
	if (rc == PD_E_IO) {
		struct pd_fail why = *fail;
		rc = pd_fail_set(fail, PD_E_UNSUPPORTED, "game", "its program cannot be used: %.250s", why.text);
	}
	return rc;
}

void pr_program_close(struct pr_program *p)
{
	pd_mutex_lock(&p->lock);
	for (unsigned i = 0; p->slots && i < SLOTS; i++)
		empty_slot(p, &p->slots[i]);
	pd_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->idle_count; i++)
		if (p->idle[i].owner == getpid())
			pd_child_end(p->idle[i].child);
	pd_mutex_fini(&p->lock);
	free(p->slots);
	free(p->seen);
	free(p->command);
	free(p);
}

const struct pr_terms *pr_program_terms(const struct pr_program *p)
{
	return &p->terms;
}

int pr_program_digest(const char *files, uint64_t *out, struct pd_fail *fail)
{
	struct pd_buf all;
	char *copy = strdup(files), *rest = NULL, piece[1 << 14];
	int rc = copy ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "game-files", "no memory");
	pd_buf_init(&all, FILE_MAX);
	for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL; !rc && name; name = strtok_r(NULL, ",", &rest)) {
		FILE *file = fopen(name, "rbe");
		size_t before = all.size, n;
		while (file && (n = fread(piece, 1, sizeof piece, file)) > 0)
			pd_buf_put(&all, piece, n);
		if (!file || ferror(file) || all.failed)
			rc = pd_fail_set(fail, file ? PD_E_IO : PD_E_NOT_FOUND, "game-files",
					 "the file %.200s cannot be read, or is larger than 64 MB", name);
		if (file)
			fclose(file);
		const uint64_t size = all.size - before; /* so that no byte can move to the next file */
		pd_buf_put(&all, &size, sizeof size);
	}
	*out = pd_hash64(all.data ? all.data : "", all.size);
	*out += !*out;
	pd_buf_fini(&all);
	free(copy);
	return rc;
}
