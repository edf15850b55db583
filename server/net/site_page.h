/* Site page: the HTML of site.h, made of the results of methods. */
#pragma once

#include "proto/base/buf.h"
#include "proto/ref.h"

/* What all pages need. */
struct nt_site_page {
	const char *host; /* of links for other sites, https://HOST; NULL: there are none */
	struct pd_buf html;
};

/* Each appends a whole page to `html`, from the result of: game.list; the only answer of fact.probe; proof.list;
 * proof.cite. */
void nt_site_games(struct nt_site_page *page, pr_ref result);
void nt_site_position(struct nt_site_page *page, pr_ref answer);
void nt_site_results(struct nt_site_page *page, pr_ref result);
void nt_site_result(struct nt_site_page *page, pr_ref result);
