#include "proto/graph_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

enum {
	WORDS_MAX = PD_GRAPH_CHILDREN_MAX + 3, /* of a line: name, kind, children, and one too many */
	HEAD_WORDS = 4,                        /* enough to tell what a line is */
	FEW = 24                               /* up to this many children are compared pairwise */
};

/* A word of a line, printable in a message. */
struct shown_name {
	char text[PD_GRAPH_NAME_MAX + 1];
};

struct reader {
	struct pd_graph *graph; /* owned until the reader returns it */
	const struct pr_graph_source *source;
	char *buffer;                /* owned; of a source that is read in pieces */
	const char *at, *end;        /* text that is not read yet */
	bool last;                   /* no text comes after `end` */
	uint64_t line;               /* number of the current line, from 1 */
	struct pd_graph_word *words; /* owned; of the current line */
	unsigned count;
	bool has_values, has_infinite;
	char root[PD_GRAPH_NAME_MAX + 1]; /* "" when it is not given */
	uint64_t root_line;
	uint32_t sorted[PD_GRAPH_CHILDREN_MAX];
	struct pd_fail *fail;
};

static struct shown_name shown_name(const struct pd_graph_word *w)
{
	struct shown_name out = {""};
	size_t size = w->size < PD_GRAPH_NAME_MAX ? w->size : PD_GRAPH_NAME_MAX;
	memcpy(out.text, w->text, size);
	bool sound = size == w->size && pd_graph_is_name(w->text, size);
	for (size_t i = 0; i < size && !sound; i++)
		if (out.text[i] <= ' ' || out.text[i] > '~')
			out.text[i] = '?';
	return out;
}

static int no_memory(struct reader *r)
{
	return pd_fail_set(r->fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
}

/* An error in the current line; the message says what would be right. */
static __attribute__((format(printf, 3, 4))) int bad_line(struct reader *r, int code, const char *format, ...)
{
	char what[256];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return pd_fail_set(r->fail, code, "game", "line %llu of the graph: %s", (unsigned long long)r->line, what);
}

static int bad_word(struct reader *r, const struct pd_graph_word *w, const char *what)
{
	return bad_line(r, PD_E_GAME, "'%s' %s", shown_name(w).text, what);
}

/* --- lines and words ---------------------------------------------------------------------- */

/* Appends more text to the buffer. */
static int fill_buffer(struct reader *r)
{
	const struct pr_graph_source *s = r->source;
	size_t kept = (size_t)(r->end - r->at), got = 0;
	PD_ASSERT(!s->text && kept <= PR_GRAPH_LINE_MAX);
	if (kept == PR_GRAPH_LINE_MAX)
		return pd_fail_set(r->fail, PD_E_LIMIT, "game", "line %llu of the graph has more than %d bytes",
				   (unsigned long long)r->line + 1, (int)PR_GRAPH_LINE_MAX);
	memmove(r->buffer, r->at, kept);
	r->at = r->buffer;
	r->end = r->buffer + kept;
	int rc = s->read(s->ctx, false, r->buffer + kept, PR_GRAPH_LINE_MAX - kept, &got, r->fail);
	r->end += got;
	r->last = !got;
	return rc;
}

/* Restarts at the first byte. */
static int rewind_text(struct reader *r)
{
	static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark, which some editors write */
	const struct pr_graph_source *s = r->source;
	size_t got = s->size, size = sizeof mark - 1;
	r->line = 0;
	r->at = s->text ? s->text : r->buffer;
	r->last = s->text != NULL;
	int rc = s->text ? PD_OK : s->read(s->ctx, true, r->buffer, PR_GRAPH_LINE_MAX, &got, r->fail);
	if (rc)
		return rc;
	PD_ASSERT(s->text || got <= PR_GRAPH_LINE_MAX);
	r->end = r->at + got;
	while (!rc && !r->last && (size_t)(r->end - r->at) < size)
		rc = fill_buffer(r);
	if (!rc && (size_t)(r->end - r->at) >= size && !memcmp(r->at, mark, size))
		r->at += size;
	return rc;
}

/* The next line, without its end; *begin is NULL after the last line. */
static int next_line(struct reader *r, const char **begin, const char **end)
{
	size_t looked = 0; /* bytes known to have no end of line */
	for (;;) {
		size_t left = (size_t)(r->end - r->at);
		const char *stop = left > looked ? memchr(r->at + looked, '\n', left - looked) : NULL;
		looked = left;
		if (stop || (r->last && left)) {
			*begin = r->at;
			*end = stop ? stop : r->end;
			r->at = stop ? stop + 1 : r->end;
			r->line++;
			return PD_OK;
		}
		if (r->last) {
			*begin = NULL;
			return PD_OK;
		}
		int rc = fill_buffer(r);
		if (rc)
			return rc;
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Divides a line into at most `most` words; a word that begins with # ends the line. */
static void split_line(struct reader *r, const char *p, const char *end, unsigned most)
{
	r->count = 0;
	while (r->count < most) {
		while (p < end && is_blank(*p))
			p++;
		if (p == end || *p == '#')
			break;
		const char *begin = p;
		while (p < end && !is_blank(*p))
			p++;
		size_t size = (size_t)(p - begin);
		r->words[r->count++] =
			(struct pd_graph_word){.text = begin, .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
	}
}

static bool is_word(const struct reader *r, unsigned i, const char *word)
{
	size_t size = strlen(word);
	return i < r->count && r->words[i].size == size && !memcmp(r->words[i].text, word, size);
}

/* A decimal number of 16 bits. */
static bool number_of(const struct reader *r, unsigned i, int16_t *out)
{
	const struct pd_graph_word *w = &r->words[i];
	bool minus = i < r->count && w->size && w->text[0] == '-';
	long value = 0;
	if (i >= r->count || w->size == minus || w->size > 6u + minus)
		return false;
	for (uint32_t k = minus; k < w->size; k++) {
		if (w->text[k] < '0' || w->text[k] > '9')
			return false;
		value = 10 * value + w->text[k] - '0';
	}
	value = minus ? -value : value;
	*out = (int16_t)value;
	return value >= INT16_MIN && value <= INT16_MAX;
}

/* --- what a line is ----------------------------------------------------------------------- */

static bool is_node(const struct reader *r)
{
	bool head = is_word(r, 0, "root") || is_word(r, 0, "infinite") || is_word(r, 0, "values");
	return (is_word(r, 1, "or") || is_word(r, 1, "and") || is_word(r, 1, "=")) && (r->count > 2 || !head);
}

static int read_head(struct reader *r)
{
	struct pd_graph *g = r->graph;
	bool values = is_word(r, 0, "values"), infinite = is_word(r, 0, "infinite"), root = is_word(r, 0, "root");
	if (!values && !infinite && !root)
		return r->count > 1 ? bad_word(r, &r->words[1], "should be 'or', 'and' or '='")
				    : bad_word(r, &r->words[0], "should be followed by 'or', 'and' or '='");
	if (g->node_count)
		return bad_word(r, &r->words[0], "should come before the first node");
	if (values ? r->has_values : infinite ? r->has_infinite : r->root[0])
		return bad_word(r, &r->words[0], "occurs twice");
	if (values) {
		r->has_values = true;
		if (r->count != 3 || !number_of(r, 1, &g->value_min) || !number_of(r, 2, &g->value_max) ||
		    g->value_min >= g->value_max)
			return bad_line(r, PD_E_GAME,
					"'values' should be followed by two integers, the lower first, from -32768 "
					"to 32767");
	} else if (infinite) {
		r->has_infinite = true;
		if (r->count != 2 || !number_of(r, 1, &g->infinite_value))
			return bad_line(r, PD_E_GAME,
					"'infinite' should be followed by an integer on the graph's scale");
	} else {
		if (r->count != 2 || !pd_graph_is_name(r->words[1].text, r->words[1].size))
			return bad_line(r, PD_E_GAME, "'root' should be followed by the name of a node");
		memcpy(r->root, r->words[1].text, r->words[1].size);
		r->root_line = r->line;
	}
	return PD_OK;
}

/* Completes and checks the scale of the header, at the first node. */
static int settle_scale(struct reader *r)
{
	struct pd_graph *g = r->graph;
	if (!r->has_infinite)
		g->infinite_value = g->value_min <= 0 && g->value_max >= 0 ? 0 : g->value_min;
	if (g->infinite_value < g->value_min || g->infinite_value > g->value_max)
		return bad_line(r, PD_E_GAME, "before this line, 'infinite' should be an integer on the graph's scale");
	return PD_OK;
}

/* --- the first pass: names ---------------------------------------------------------------- */

static int add_name(struct reader *r)
{
	const struct pd_graph_word *w = &r->words[0];
	if (!r->graph->node_count) {
		int rc = settle_scale(r);
		if (rc)
			return rc;
	}
	if (!pd_graph_is_name(w->text, w->size))
		return bad_word(r, w, "is not a name: a name has 1 to 64 bytes of UTF-8, no blanks and no slashes");
	int rc = pd_graph_add(r->graph, w->text, w->size);
	if (rc == PD_E_CONFLICT)
		return bad_word(r, w, "already has a line of its own");
	if (rc == PD_E_LIMIT)
		return bad_line(r, PD_E_LIMIT, "a graph has at most %d nodes, and 4 GiB of names",
				(int)PD_GRAPH_NODES_MAX);
	return rc ? no_memory(r) : PD_OK;
}

static int read_names(struct reader *r)
{
	const char *begin, *end;
	int rc = rewind_text(r);
	while (!rc && !(rc = next_line(r, &begin, &end)) && begin) {
		split_line(r, begin, end, HEAD_WORDS);
		if (r->count)
			rc = is_node(r) ? add_name(r) : read_head(r);
	}
	if (!rc && !r->graph->node_count)
		rc = pd_fail_set(r->fail, PD_E_GAME, "game",
				 "the graph has no node; the line of a node is NAME or CHILD ..., NAME and CHILD ..., "
				 "or NAME = VALUE");
	return rc;
}

/* --- the second pass: children ------------------------------------------------------------ */

static int compare_indices(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* A child that is listed twice; PD_GRAPH_NONE when there is none. */
static uint32_t name_twice(struct reader *r, const uint32_t *children, unsigned count)
{
	if (count <= FEW) {
		for (unsigned i = 1; i < count; i++)
			for (unsigned k = 0; k < i; k++)
				if (children[i] == children[k])
					return children[i];
		return PD_GRAPH_NONE;
	}
	memcpy(r->sorted, children, count * sizeof *children);
	qsort(r->sorted, count, sizeof *r->sorted, compare_indices);
	for (unsigned i = 1; i < count; i++)
		if (r->sorted[i] == r->sorted[i - 1])
			return r->sorted[i];
	return PD_GRAPH_NONE;
}

static int read_children(struct reader *r, struct pd_graph_node *node)
{
	struct pd_graph *g = r->graph;
	struct pd_graph_word *words = r->words + 2;
	unsigned count = r->count - 2;
	if (!count)
		return bad_word(r, &r->words[1], "should be followed by the names of children");
	if (count > PD_GRAPH_CHILDREN_MAX)
		return bad_line(r, PD_E_LIMIT, "a node has at most %d children", (int)PD_GRAPH_CHILDREN_MAX);
	node->first_moves = is_word(r, 1, "or");
	node->child = g->child_count;
	node->count = (uint16_t)count;
	pd_graph_find_all(g, words, count);
	for (unsigned i = 0; i < count; i++) {
		if (words[i].node == PD_GRAPH_NONE)
			return bad_word(r, &words[i], "is a child, but no line begins with it");
		int rc = pd_graph_add_child(g, words[i].node);
		if (rc == PD_E_LIMIT)
			return bad_line(r, PD_E_LIMIT, "a graph has at most %u children in all",
					(unsigned)PD_GRAPH_EDGES_MAX);
		if (rc)
			return no_memory(r);
	}
	uint32_t child = name_twice(r, g->children + node->child, count);
	if (child == PD_GRAPH_NONE)
		return PD_OK;
	unsigned i = count;
	while (words[i - 1].node != child)
		i--;
	return bad_word(r, &words[i - 1], "occurs twice among the children");
}

static int read_value(struct reader *r, struct pd_graph_node *node)
{
	const struct pd_graph *g = r->graph;
	int16_t value;
	if (r->count != 3 || !number_of(r, 2, &value) || value < g->value_min || value > g->value_max)
		return bad_line(r, PD_E_GAME, "'=' should be followed by an integer from %d to %d", g->value_min,
				g->value_max);
	node->terminal = true;
	node->value = value;
	return PD_OK;
}

static int read_nodes(struct reader *r)
{
	struct pd_graph *g = r->graph;
	const char *begin, *end;
	uint32_t index = 0;
	int rc = rewind_text(r);
	while (!rc && !(rc = next_line(r, &begin, &end)) && begin) {
		split_line(r, begin, end, WORDS_MAX);
		if (!r->count || !is_node(r))
			continue;
		/* The file may have changed meanwhile. */
		const char *name = index < g->node_count ? pd_graph_name(g, index) : "";
		if (!is_word(r, 0, name))
			return bad_word(r, &r->words[0], "was not there when the file was read the first time");
		struct pd_graph_node *node = &g->nodes[index++];
		rc = is_word(r, 1, "=") ? read_value(r, node) : read_children(r, node);
	}
	if (!rc && index < g->node_count)
		rc = bad_line(r, PD_E_GAME, "more lines followed it when the file was read the first time");
	return rc;
}

/* --- the whole ---------------------------------------------------------------------------- */

static int read_graph(struct reader *r)
{
	struct pd_graph *g = r->graph = calloc(1, sizeof *r->graph);
	r->words = calloc(WORDS_MAX, sizeof *r->words);
	r->buffer = r->source->text ? NULL : malloc(PR_GRAPH_LINE_MAX);
	if (!g || !r->words || (!r->source->text && !r->buffer))
		return no_memory(r);
	g->value_min = -1;
	g->value_max = 1;
	int rc = read_names(r);
	if (!rc)
		rc = read_nodes(r);
	if (rc)
		return rc;
	g->root = r->root[0] ? pd_graph_find(g, r->root, strlen(r->root)) : 0;
	r->line = r->root_line;
	if (g->root == PD_GRAPH_NONE)
		return bad_line(r, PD_E_GAME,
				"'root' should be followed by the name of a node, and no line begins with this one");
	g->no_twins = true;
	g->digest = pd_graph_digest(g);
	pd_graph_trim(g);
	return PD_OK;
}

int pr_graph_lines_read(const struct pr_graph_source *source, struct pd_graph **out, struct pd_fail *fail)
{
	struct reader *r = calloc(1, sizeof *r);
	if (!r)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "game", "no memory for the graph");
	r->source = source;
	r->fail = fail;
	int rc = read_graph(r);
	if (rc) {
		pd_graph_free(r->graph);
	} else {
		*out = r->graph;
	}
	free(r->words);
	free(r->buffer);
	free(r);
	return rc;
}
