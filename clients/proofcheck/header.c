#include "clients/proofcheck/header.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

enum { BOUND_DIGITS = 5 };

#undef ck_fault_set /* for the static analyzer header.h defines it as a macro */

bool ck_fault_set(struct ck_fault *fault, uint64_t offset, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(fault->text, sizeof fault->text, format, args);
	va_end(args);
	fault->offset = offset;
	fault->position[0] = 0;
	return false;
}

bool ck_count_is(uint64_t said, uint64_t found, const char *name, struct ck_fault *fault)
{
	return said == found ||
	       ck_fault_set(fault, 0, "the header says %" PRIu64 " %s, but there are %" PRIu64, said, name, found);
}

static const char magic[] = "proofd certificate ";

struct lines {
	const uint8_t *bytes;
	uint64_t size, at;
	struct ck_fault *fault;
};

/* Reads the next line without its newline; false when it is missing, too long or has control characters. */
static bool next_line(struct lines *l, struct ck_text *out)
{
	uint64_t begin = l->at, end = begin;
	while (end < l->size && end - begin <= CK_LINE_MAX && l->bytes[end] != '\n')
		if (l->bytes[end] < ' ' || l->bytes[end++] == 0x7f)
			return ck_fault_set(l->fault, end, "the header has a control character");
	if (end == l->size)
		return ck_fault_set(l->fault, begin, "the file ends within its header");
	if (l->bytes[end] != '\n')
		return ck_fault_set(l->fault, begin, "a line of the header is longer than %d bytes", CK_LINE_MAX);
	*out = (struct ck_text){(const char *)l->bytes + begin, (size_t)(end - begin)};
	l->at = end + 1;
	return true;
}

/* Reads the value of the next line, which must have that name. */
static bool value_of(struct lines *l, const char *name, struct ck_text *out)
{
	uint64_t begin = l->at;
	size_t size = strlen(name);
	struct ck_text line = {0};
	*out = (struct ck_text){0};
	if (!next_line(l, &line))
		return false;
	if (line.size < size + 2 || memcmp(line.at, name, size) || memcmp(line.at + size, ": ", 2))
		return ck_fault_set(l->fault, begin, "the header's next line should be '%s: ...'", name);
	*out = (struct ck_text){line.at + size + 2, line.size - size - 2};
	return true;
}

static bool text_is(struct ck_text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.at, word, text.size);
}

/* Parses a decimal number without sign and leading zeros. */
static bool is_number(struct ck_text text, uint64_t *out)
{
	uint64_t n = 0;
	if (!text.size || (text.at[0] == '0' && text.size > 1))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		uint64_t digit = (uint64_t)(text.at[i] - '0');
		if (text.at[i] < '0' || text.at[i] > '9' || n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*out = n;
	return true;
}

static bool is_bound(struct ck_text text, int64_t *out)
{
	bool minus = text.size && text.at[0] == '-';
	struct ck_text digits = {text.at + minus, text.size - minus};
	uint64_t n;
	if (digits.size > BOUND_DIGITS || !is_number(digits, &n) || n > 32767u + minus || (minus && !n))
		return false;
	*out = minus ? -(int64_t)n : (int64_t)n;
	return true;
}

static bool number_of(struct lines *l, const char *name, uint64_t *out)
{
	uint64_t begin = l->at;
	struct ck_text text;
	if (!value_of(l, name, &text))
		return false;
	return is_number(text, out) ||
	       ck_fault_set(l->fault, begin, "'%s' in the header must be a decimal number", name);
}

static bool bound_of(struct lines *l, const char *name, struct ck_bound *out)
{
	uint64_t begin = l->at;
	struct ck_text text;
	if (!value_of(l, name, &text))
		return false;
	out->there = !text_is(text, "-");
	out->value = 0;
	return !out->there || is_bound(text, &out->value) ||
	       ck_fault_set(l->fault, begin, "'%s' in the header must be an integer from -32768 to 32767, or '-'",
			    name);
}

static bool root_of(struct lines *l, struct ck_header *h)
{
	uint64_t begin = l->at;
	struct ck_text text;
	if (!value_of(l, "root", &text))
		return false;
	if (!text.size || text.size % 2 || text.size > 2 * CK_KEY_MAX)
		return ck_fault_set(l->fault, begin,
				    "'root' in the header must be a key of 1 to %d bytes in hexadecimal", CK_KEY_MAX);
	for (size_t i = 0; i < text.size; i++) {
		int n = ck_hex_digit(text.at[i]);
		if (n < 0)
			return ck_fault_set(l->fault, begin, "'root' in the header must be lower-case hexadecimal");
		h->root[i / 2] = (uint8_t)(i % 2 ? h->root[i / 2] | n : n << 4);
	}
	h->root_size = text.size / 2;
	return true;
}

/* Reads the claim: `value`, or "First gets at least N" or its negation. */
static bool claim_of(struct lines *l, struct ck_header *h, bool *refusal)
{
	static const struct {
		const char *word;
		int least;
		bool refusal;
	} words[] = {{"first-wins", 1, false},
		     {"first-draws", 0, false},
		     {"second-wins", 0, true},
		     {"second-draws", 1, true}};
	static const char prefix[] = "first>=";
	size_t size = sizeof prefix - 1;
	uint64_t begin = l->at;
	if (!value_of(l, "claim", &h->claim))
		return false;
	*refusal = false;
	h->value = text_is(h->claim, "value");
	if (h->value)
		return true;
	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
		if (text_is(h->claim, words[i].word)) {
			h->least = words[i].least;
			*refusal = words[i].refusal;
			return true;
		}
	if (h->claim.size > size && !memcmp(h->claim.at, prefix, size) &&
	    is_bound((struct ck_text){h->claim.at + size, h->claim.size - size}, &h->least))
		return true;
	return ck_fault_set(
		l->fault, begin,
		"'claim' in the header must be value, first-wins, second-wins, first-draws, second-draws or first>=N");
}

static bool status_of(struct lines *l, struct ck_header *h, bool refusal)
{
	uint64_t begin = l->at;
	if (!value_of(l, "status", &h->status))
		return false;
	if (h->value)
		return text_is(h->status, "solved") ||
		       ck_fault_set(l->fault, begin, "'status' in the header must be solved for the claim 'value'");
	bool proved = text_is(h->status, "proved");
	if (!proved && !text_is(h->status, "disproved"))
		return ck_fault_set(l->fault, begin,
				    "'status' in the header must be proved or disproved for this claim");
	h->lower = proved != refusal;
	h->least -= !h->lower; /* the negation of "at least N" is "at most N - 1" */
	return true;
}

/* Reads the bounds, which must be those that the claim needs, and strong enough. */
static bool bounds_of(struct lines *l, struct ck_header *h)
{
	uint64_t begin = l->at;
	if (!bound_of(l, "lo", &h->lo) || !bound_of(l, "hi", &h->hi))
		return false;
	if (h->value)
		return (h->lo.there && h->hi.there && h->lo.value == h->hi.value) ||
		       ck_fault_set(l->fault, begin, "the claim 'value' needs equal lo and hi");
	if (h->lo.there != h->lower || h->hi.there == h->lower)
		return ck_fault_set(l->fault, begin, "the claim needs a bound '%s' and none for '%s'",
				    h->lower ? "lo" : "hi", h->lower ? "hi" : "lo");
	if (h->lower ? h->lo.value < h->least : h->hi.value > h->least)
		return ck_fault_set(l->fault, begin, "the claim needs %s %" PRId64 ", but '%s' in the header is weaker",
				    h->lower ? "lo >=" : "hi <=", h->least, h->lower ? "lo" : "hi");
	return true;
}

/* Reads the value of the next line, which must be that many hexadecimal digits. */
static bool hex_of(struct lines *l, const char *name, size_t digits, struct ck_text *out)
{
	uint64_t begin = l->at;
	if (!value_of(l, name, out))
		return false;
	bool good = out->size == digits;
	for (size_t i = 0; i < out->size; i++)
		good = good && ck_hex_digit(out->at[i]) >= 0;
	return good || ck_fault_set(l->fault, begin, "'%s' in the header must be %zu lower-case hexadecimal digits",
				    name, digits);
}

static bool digest_of(struct lines *l, struct ck_header *h)
{
	h->digest_line = l->at;
	return hex_of(l, "digest", 32, &h->digest);
}

/* Reads the line `plugin`, which is there only for rules from a plug-in. It says which rules the search used; the
 * checker uses its own. */
static bool plugin_of(struct lines *l, struct ck_header *h)
{
	static const char name[] = "plugin: ";
	bool there = l->size - l->at >= sizeof name - 1 && !memcmp(l->bytes + l->at, name, sizeof name - 1);
	return !there || hex_of(l, "plugin", 16, &h->plugin);
}

static bool detail_of(struct lines *l, struct ck_header *h)
{
	uint64_t begin = l->at;
	if (!value_of(l, "detail", &h->detail))
		return false;
	h->full = text_is(h->detail, "full");
	return h->full || text_is(h->detail, "frontier") ||
	       ck_fault_set(l->fault, begin, "'detail' in the header must be full or frontier");
}

/* Reads the first line. Only its number differs between formats. */
static bool format_of(struct lines *l, struct ck_header *h)
{
	size_t size = sizeof magic - 1;
	struct ck_text line;
	uint64_t format;
	if (l->size <= size || memcmp(l->bytes, magic, size))
		return ck_fault_set(l->fault, 0, "the file does not begin with the line 'proofd certificate %d'",
				    CK_FORMAT_MAX);
	if (!next_line(l, &line))
		return false;
	if (!is_number((struct ck_text){line.at + size, line.size - size}, &format) || format < CK_FORMAT_MIN ||
	    format > CK_FORMAT_MAX)
		return ck_fault_set(l->fault, 0,
				    "the file does not begin with the line 'proofd certificate N', where N is %d to %d",
				    CK_FORMAT_MIN, CK_FORMAT_MAX);
	h->format = (unsigned)format;
	return true;
}

static bool read_lines(struct lines *l, struct ck_header *h)
{
	struct ck_text line;
	bool refusal;
	if (!format_of(l, h) || !value_of(l, "game", &h->game) || !number_of(l, "rules", &h->rules) ||
	    !plugin_of(l, h) || !value_of(l, "engine", &h->engine) || !value_of(l, "position", &h->position) ||
	    !root_of(l, h) || !claim_of(l, h, &refusal) || !status_of(l, h, refusal) || !bounds_of(l, h) ||
	    !detail_of(l, h) || !number_of(l, "positions", &h->positions) || !number_of(l, "reasons", &h->reasons) ||
	    !number_of(l, "leaves", &h->leaves) || (ck_has_cards(h) && !number_of(l, "cards", &h->cards)) ||
	    !number_of(l, "blocks", &h->blocks) || !number_of(l, "graph", &h->graph) || !digest_of(l, h))
		return false;
	PD_ASSERT(h->root_size >= 1 && h->digest.size == 32 && h->digest_line < l->at);
	PD_ASSERT(h->value ? h->lo.there && h->hi.there : h->lo.there != h->hi.there);
	uint64_t begin = l->at;
	if (!next_line(l, &line))
		return false;
	return !line.size || ck_fault_set(l->fault, begin, "the header must end with an empty line after 'digest'");
}

enum ck_verdict ck_header_read(const uint8_t *bytes, uint64_t size, struct ck_header *h, uint64_t *end,
			       struct ck_fault *fault)
{
	struct lines l = {bytes, size, 0, fault};
	memset(h, 0, sizeof *h);
	bool good = read_lines(&l, h);
	*end = l.at;
	if (good)
		return CK_VERIFIED;
	return size > sizeof magic && !memcmp(bytes, magic, sizeof magic - 1) && !h->format ? CK_UNKNOWN : CK_REJECTED;
}
