#include "clients/proofcheck/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/print.h"
#include "proto/out.h"

enum { BAR = 30, JSON_BYTES_MAX = 1 << 20 };

static const struct {
	const char *text, *json, *colour;
} verdicts[] = {[CK_VERIFIED] = {"VERIFIED", "verified", "\033[1;32m"},
		[CK_REJECTED] = {"REJECTED", "rejected", "\033[1;31m"},
		[CK_UNKNOWN] = {"UNKNOWN", "unknown", "\033[1;33m"}};

struct ck_words ck_count(uint64_t n)
{
	struct ck_words c;
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, n), used = 0;
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			c.text[used++] = ',';
		c.text[used++] = digits[i];
	}
	c.text[used] = 0;
	return c;
}

struct ck_words ck_duration(double seconds)
{
	struct ck_words w;
	uint64_t s = seconds < 1e15 ? (uint64_t)(seconds + 0.5) : (uint64_t)1e15;
	if (seconds < 60)
		snprintf(w.text, sizeof w.text, "%.2f s", seconds);
	else if (s < 3600)
		snprintf(w.text, sizeof w.text, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else if (s < 86400)
		snprintf(w.text, sizeof w.text, "%" PRIu64 " h %02" PRIu64 " min", s / 3600, s / 60 % 60);
	else
		snprintf(w.text, sizeof w.text, "%" PRIu64 " days %" PRIu64 " h", s / 86400, s / 3600 % 24);
	return w;
}

static double rate_of(const struct ck_result *r)
{
	return r->seconds > 0 ? (double)r->header.positions / r->seconds : 0;
}

static void print_row(const char *name, struct ck_text text, const char *otherwise)
{
	pd_print(stdout, "  %-10s %.*s\n", name, text.size ? (int)text.size : (int)strlen(otherwise),
		 text.size ? text.at : otherwise);
}

static void show_header(const struct ck_header *h, const char *outcome)
{
	print_row("game", h->game, "");
	print_row("position", h->position, "the initial one");
	print_row("claim", h->claim, "");
	print_row("status", h->status, "");
	pd_print(stdout, "  %-10s ", "value");
	if (h->lo.there && h->hi.there)
		pd_print(stdout, "%" PRId64, h->lo.value);
	else
		pd_print(stdout, "%s %" PRId64, h->lo.there ? "at least" : "at most",
			 h->lo.there ? h->lo.value : h->hi.value);
	pd_print(stdout, "%s%s\n", outcome ? ": " : "", outcome ? outcome : "");
}

/* The source of the rules, unless they are built in. */
static void show_source(const struct ck_source *s, const struct ck_header *h)
{
	if (h->plugin.size)
		pd_print(stdout, "  %-10s %.*s: the digest of the file with the search's rules\n", "plug-in",
			 (int)h->plugin.size, h->plugin.at);
	if (s->file)
		pd_print(stdout, "  %-10s of %s, version %" PRIu64 "%s%s; digest of the file %016" PRIx64 "\n", "rules",
			 s->file, h->rules, *s->author ? ", by " : "", s->author, s->digest);
}

static void show_text(const struct ck_report *report, const struct ck_result *r)
{
	bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	const struct ck_header *h = &r->header;
	pd_print(stdout, "%s%s%s %s\n", colour ? verdicts[r->verdict].colour : "", verdicts[r->verdict].text,
		 colour ? "\033[0m" : "", report->file);
	if (report->quiet)
		return;
	if (r->has_header) {
		show_header(h, r->outcome);
		show_source(&report->rules, h);
	}
	if (r->verdict == CK_VERIFIED) {
		pd_print(stdout, "  %-10s %s, %s reasons, %s to be searched", "positions", ck_count(h->positions).text,
			 ck_count(h->reasons).text, ck_count(h->leaves).text);
		if (ck_has_cards(h))
			pd_print(stdout, ", %s by a theorem", ck_count(h->cards).text);
		pd_print(stdout, "\n");
		pd_print(stdout, "  %-10s %.3f s on %u thread%s, %s positions a second", "time", r->seconds,
			 report->threads, report->threads == 1 ? "" : "s", ck_count((uint64_t)rate_of(r)).text);
		if (r->searched)
			pd_print(stdout, ", %s nodes searched", ck_count(r->searched).text);
		pd_print(stdout, "\n");
		pd_print(stdout, "  %-10s %.*s\n", "digest", (int)h->digest.size, h->digest.at);
		if (*report->sha256)
			pd_print(stdout, "  %-10s %s\n", "SHA-256", report->sha256);
		return;
	}
	pd_print(stdout, "  %-10s %s\n", "reason", r->fault.text);
	if (r->fault.position[0])
		pd_print(stdout, "  %-10s %s\n", "where", r->fault.position);
	pd_print(stdout, "  %-10s byte %" PRIu64 "\n", "offset", r->fault.offset);
}

static void put_text(struct pr_out *out, const char *key, struct ck_text text)
{
	pr_strn(out, key, text.at, text.size);
}

static void put_bound(struct pr_out *out, const char *key, struct ck_bound bound)
{
	if (bound.there)
		pr_int(out, key, bound.value);
	else
		pr_null(out, key);
}

static void put_header(struct pr_out *out, const struct ck_header *h, const char *outcome)
{
	char version[24];
	snprintf(version, sizeof version, "%" PRIu64, h->rules);
	pr_uint(out, "format", h->format);
	put_text(out, "game", h->game);
	pr_str(out, "rules", version);
	if (h->plugin.size)
		put_text(out, "plugin", h->plugin);
	put_text(out, "engine", h->engine);
	put_text(out, "position", h->position);
	put_text(out, "claim", h->claim);
	put_text(out, "status", h->status);
	put_bound(out, "lo", h->lo);
	put_bound(out, "hi", h->hi);
	pr_str(out, "outcome", outcome);
	put_text(out, "detail", h->detail);
	pr_uint(out, "positions", h->positions);
	pr_uint(out, "reasons", h->reasons);
	pr_uint(out, "leaves", h->leaves);
	if (ck_has_cards(h))
		pr_uint(out, "cards", h->cards);
	pr_uint(out, "blocks", h->blocks);
	put_text(out, "digest", h->digest);
}

static void put_source(struct pr_out *out, const struct ck_source *s)
{
	char digest[24];
	snprintf(digest, sizeof digest, "%016" PRIx64, s->digest);
	pr_members(out, PR_OPEN_OBJECT("checker"), PR_S("file", s->file), PR_S("author", s->author),
		   PR_S("digest", digest), PR_CLOSE);
}

static void show_json(const struct ck_report *report, const struct ck_result *r)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, JSON_BYTES_MAX);
	pr_out_init(&out, &line);
	pr_open_object(&out, NULL);
	pr_str(&out, "verdict", verdicts[r->verdict].json);
	pr_str(&out, "file", report->file);
	if (report->rules.file)
		put_source(&out, &report->rules);
	if (r->has_header)
		put_header(&out, &r->header, r->outcome);
	if (*report->sha256)
		pr_str(&out, "sha256", report->sha256);
	if (r->verdict == CK_VERIFIED) {
		pr_members(&out, PR_U("threads", report->threads), PR_R("seconds", r->seconds, 6),
			   PR_R("positions_per_s", rate_of(r), 0), PR_U("searched_nodes", r->searched));
	} else {
		pr_members(&out, PR_S("reason", r->fault.text),
			   PR_S("where", r->fault.position[0] ? r->fault.position : NULL),
			   PR_U("offset", r->fault.offset));
	}
	pr_close(&out);
	pd_print(stdout, "%s\n", line.failed ? "{}" : line.data);
	pd_buf_fini(&line);
}

void ck_show(const struct ck_report *report, const struct ck_result *result)
{
	if (report->json)
		show_json(report, result);
	else
		show_text(report, result);
}

void ck_show_progress(uint64_t positions, uint64_t all)
{
	char bar[BAR + 1];
	unsigned part = all ? (unsigned)((double)positions / (double)all * BAR) : BAR;
	memset(bar, '.', BAR);
	memset(bar, '#', part < BAR ? part : BAR);
	bar[BAR] = 0;
	pd_print(stderr, "\r[%s] %s of %s positions", bar, ck_count(positions).text, ck_count(all).text);
	fflush(stderr);
}

void ck_hide_progress(void)
{
	pd_print(stderr, "\r\033[K");
	fflush(stderr);
}
