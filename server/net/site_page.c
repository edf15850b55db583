#include "server/net/site_page.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/doc.h"
#include "server/net/assets.h"

/* --- text ---------------------------------------------------------------------------------- */

static void put_text(struct pd_buf *out, const char *text)
{
	for (; *text; text++) {
		const char *entity = *text == '&'   ? "&amp;"
				     : *text == '<' ? "&lt;"
				     : *text == '>' ? "&gt;"
				     : *text == '"' ? "&quot;"
						    : NULL;
		if (entity)
			pd_buf_puts(out, entity);
		else
			pd_buf_put(out, text, 1);
	}
}

/* A value of a query string. */
static void put_value(struct pd_buf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			     strchr("-._~:,/", c);
		if (plain)
			pd_buf_put(out, text, 1);
		else if (c == ' ')
			pd_buf_puts(out, "+");
		else
			pd_buf_printf(out, "%%%02X", c);
	}
}

static void put_address(struct pd_buf *out, const char *path, const char *game, const char *position, const char *move)
{
	pd_buf_printf(out, "%s?game=", path);
	put_value(out, game);
	if (*position) {
		pd_buf_puts(out, "&amp;position=");
		put_value(out, position);
	}
	if (move) {
		pd_buf_puts(out, "&amp;moves=");
		put_value(out, move);
	}
}

static const char *day_of(int64_t ms, char out[16])
{
	time_t s = (time_t)(ms / 1000);
	struct tm tm;
	if (!gmtime_r(&s, &tm) || !strftime(out, 16, "%Y-%m-%d", &tm))
		strcpy(out, "?");
	return out;
}

/* --- frame --------------------------------------------------------------------------------- */

static const char *find_asset(const char *name)
{
	for (const struct nt_asset *asset = nt_assets; asset->path; asset++) {
		const char *last = strrchr(asset->path, '/');
		if (!strcmp(last, name))
			return asset->path;
	}
	return "";
}

/* A page about a position has a picture of it, and an address of its own, for other sites. */
static void put_preview(struct nt_site_page *page, const char *text, const char *game, const char *position)
{
	struct pd_buf *out = &page->html;
	pd_buf_puts(out, "<meta name=\"description\" content=\"");
	put_text(out, text);
	pd_buf_puts(
		out,
		"\">\n<meta property=\"og:type\" content=\"website\">\n<meta property=\"og:description\" content=\"");
	put_text(out, text);
	pd_buf_puts(out, "\">\n<meta name=\"twitter:card\" content=\"summary\">\n");
	if (!page->host)
		return;
	pd_buf_printf(out, "<meta property=\"og:image\" content=\"https://%s", page->host);
	put_address(out, "/board.svg", game, position, NULL);
	pd_buf_printf(out,
		      "\">\n<meta property=\"og:image:type\" content=\"image/svg+xml\">\n"
		      "<link rel=\"canonical\" href=\"https://%s",
		      page->host);
	put_address(out, "/position", game, position, NULL);
	pd_buf_puts(out, "\">\n");
}

static void begin_head(struct nt_site_page *page, const char *title)
{
	struct pd_buf *out = &page->html;
	pd_buf_puts(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	put_text(out, title);
	pd_buf_puts(out, "</title>\n<meta property=\"og:title\" content=\"");
	put_text(out, title);
	pd_buf_printf(out, "\">\n<link rel=\"stylesheet\" href=\"%s\">\n<link rel=\"icon\" href=\"%s\">\n",
		      find_asset("/site.css"), find_asset("/icon.svg"));
}

static void begin_body(struct nt_site_page *page, const char *title)
{
	pd_buf_puts(&page->html, "</head>\n<body>\n<header><a href=\"/\">Games</a> <a href=\"/results\">Results</a>"
				 "</header>\n<main>\n<h1>");
	put_text(&page->html, title);
	pd_buf_puts(&page->html, "</h1>\n");
}

static void end_page(struct nt_site_page *page)
{
	pd_buf_puts(&page->html, "</main>\n<footer>proofd " PD_VERSION
				 ". Everything here is proved; certificates can be checked with "
				 "proofcheck, which shares no code with the search.</footer>\n</body>\n</html>\n");
}

/* A picture that leads to its position. */
static void put_tile(struct pd_buf *out, const char *game, const char *position, const char *title)
{
	pd_buf_puts(out, "<li><a href=\"");
	put_address(out, "/position", game, position, NULL);
	pd_buf_puts(out, "\"><img loading=\"lazy\" alt=\"\" src=\"");
	put_address(out, "/board.svg", game, position, NULL);
	pd_buf_puts(out, "\"><strong>");
	put_text(out, title);
	pd_buf_puts(out, "</strong> <span>");
	put_text(out, game);
	pd_buf_puts(out, "</span></a></li>\n");
}

/* --- pages --------------------------------------------------------------------------------- */

void nt_site_games(struct nt_site_page *page, pr_ref result)
{
	pr_ref games = pr_get(result, "games");
	begin_head(page, "Proofs of games");
	begin_body(page, "Games");
	pd_buf_puts(&page->html, "<ul class=\"tiles\">\n");
	for (size_t i = 0; i < pr_count(games); i++) {
		pr_ref game = pr_at(games, i);
		if (!strcmp(pr_get_str(game, "name", ""), "andor"))
			continue; /* its games are files */
		put_tile(&page->html, pr_get_str(game, "example", ""), "", pr_get_str(game, "title", ""));
	}
	pd_buf_puts(&page->html, "</ul>\n");
	end_page(page);
}

/* "First wins, within 7 plies" */
static void print_verdict(pr_ref v, char *out, size_t size)
{
	pr_ref rank = pr_get(v, "rank");
	const char *text = pr_get_str(v, "text", "unknown");
	if (pr_kind_of(rank) == PR_INT && pr_number(rank, 0) && strcmp(pr_get_str(v, "category", ""), "unknown") != 0)
		snprintf(out, size, "%s, within %lld plies", text, (long long)pr_number(rank, 0));
	else
		snprintf(out, size, "%s", text);
}

static void put_moves(struct pd_buf *out, pr_ref answer, const char *game, const char *position)
{
	pr_ref moves = pr_get(answer, "moves");
	char verdict[200];
	pd_buf_puts(out, "<table>\n<thead><tr><th>Move</th><th>What it leads to</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < pr_count(moves); i++) {
		pr_ref move = pr_at(moves, i);
		const char *text = pr_get_str(move, "move", "");
		print_verdict(move, verdict, sizeof verdict);
		pd_buf_puts(out, "<tr><td><a rel=\"nofollow\" href=\"");
		put_address(out, "/position", game, position, text);
		pd_buf_puts(out, "\">");
		put_text(out, text);
		pd_buf_printf(out, "</a></td><td class=\"%s\">", pr_get_str(move, "category", ""));
		put_text(out, verdict);
		pd_buf_puts(out, "</td></tr>\n");
	}
	pd_buf_puts(out, "</tbody>\n</table>\n");
}

void nt_site_position(struct nt_site_page *page, pr_ref answer)
{
	const char *game = pr_get_str(answer, "game", ""), *position = pr_get_str(answer, "position", "");
	const char *shown = *position ? position : "the initial position";
	struct pd_buf *out = &page->html;
	char title[300], verdict[200], day[16], text[400];
	print_verdict(answer, verdict, sizeof verdict);
	snprintf(title, sizeof title, "%.95s: %.190s", game, verdict);
	snprintf(text, sizeof text, "%.200s: %.190s", shown, verdict);
	begin_head(page, title);
	put_preview(page, text, game, position);
	if (pr_get_int(answer, "lo", 0) != pr_get_int(answer, "hi", 1))
		pd_buf_puts(out, "<meta name=\"robots\" content=\"noindex\">\n");
	begin_body(page, title);
	pd_buf_puts(out, "<p class=\"board\"><img alt=\"");
	put_text(out, shown);
	pd_buf_puts(out, "\" src=\"");
	put_address(out, "/board.svg", game, position, NULL);
	pd_buf_puts(out, "\"></p>\n<p><code>");
	put_text(out, shown);
	pd_buf_puts(out, "</code></p>\n");
	if (!pr_get_bool(answer, "terminal", false))
		put_moves(out, answer, game, position);
	pd_buf_puts(out, "<p class=\"cite\">Cite as: ");
	put_text(out, game);
	pd_buf_puts(out, ", ");
	put_text(out, text);
	pd_buf_printf(out, ". proofd " PD_VERSION ", %s", day_of(pd_wall_ms(), day));
	pd_buf_puts(out, page->host ? ", https://" : ".");
	if (page->host) {
		put_text(out, page->host);
		put_address(out, "/position", game, position, NULL);
	}
	pd_buf_puts(out, "</p>\n<p><a href=\"");
	put_address(out, "/query", game, position, NULL);
	pd_buf_puts(out, "\">As JSON</a></p>\n");
	end_page(page);
}

void nt_site_results(struct nt_site_page *page, pr_ref result)
{
	pr_ref proofs = pr_get(result, "proofs");
	struct pd_buf *out = &page->html;
	begin_head(page, "Results with certificates");
	begin_body(page, "Results with certificates");
	if (!pr_count(proofs))
		pd_buf_puts(out, "<p>No certificate is kept yet.</p>\n");
	pd_buf_puts(out, "<ul class=\"tiles\">\n");
	for (size_t i = 0; i < pr_count(proofs); i++) {
		pr_ref proof = pr_at(proofs, i);
		char title[100];
		if (pr_get_bool(proof, "damaged", false))
			continue;
		snprintf(title, sizeof title, "%.40s: %.40s", pr_get_str(proof, "claim", ""),
			 pr_get_str(proof, "status", ""));
		put_tile(out, pr_get_str(proof, "game", ""), pr_get_str(proof, "position", ""), title);
		pd_buf_printf(
			out, "<li class=\"detail\"><a href=\"/result?proof=%s\">Certificate</a>, %s, %lld bytes</li>\n",
			pr_get_str(proof, "proof", ""), pr_get_str(proof, "detail", ""),
			(long long)pr_get_int(proof, "bytes", 0));
	}
	pd_buf_puts(out, "</ul>\n");
	end_page(page);
}

void nt_site_result(struct nt_site_page *page, pr_ref r)
{
	const char *game = pr_get_str(r, "game", ""), *position = pr_get_str(r, "position", "");
	const char *name = pr_get_str(r, "proof", "");
	struct pd_buf *out = &page->html;
	char title[300];
	snprintf(title, sizeof title, "%.95s: %.24s, %.24s", game, pr_get_str(r, "claim", ""),
		 pr_get_str(r, "status", ""));
	begin_head(page, title);
	put_preview(page, pr_get_str(r, "text", ""), game, position);
	begin_body(page, title);
	pd_buf_puts(out, "<ul class=\"tiles\">\n");
	put_tile(out, game, position, *position ? position : "the initial position");
	pd_buf_puts(out, "</ul>\n<p class=\"cite\">Cite as: ");
	put_text(out, pr_get_str(r, "text", ""));
	if (page->host)
		pd_buf_printf(out, " https://%s/result?proof=%s", page->host, name);
	pd_buf_printf(out,
		      "</p>\n<p><a href=\"/certificate?proof=%s\" download=\"%s.cert\">Certificate</a> (%lld bytes; "
		      "check it with <code>proofcheck %s.cert</code>)</p>\n",
		      name, name, (long long)pr_get_int(r, "bytes", 0), name);
	end_page(page);
}
