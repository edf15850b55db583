/* Web page: a certificate as a folder that works from disk and on any web server. index.html is one file with the page
 * of clients/web/play.html and the certificate in it; next to it stands the certificate, as the page saves it. */
#pragma once

#include "clients/options.h"
#include "proto/base/error.h"

/* What was made. */
struct cl_web {
	char page[4096], certificate[4096];   /* paths of the two files */
	char claim[64], status[16], game[64]; /* of the certificate */
	char sha256[65];
	uint64_t page_bytes, certificate_bytes, positions;
};

/* Makes the folder `dir` of the certificate at `path`: unpacked if it is compressed, and only if proofcheck verifies
 * it. Existing files of these names are replaced. PD_E_USAGE when there is no page for this certificate, PD_E_STATE
 * when it is rejected, PD_E_IO; PD_E_UNSUPPORTED without proofcheck. */
int cl_web_make(const struct cl_options *options, const char *path, const char *dir, struct cl_web *out,
		struct pd_fail *fail);

/* The page without a certificate, a text; made of clients/web by single_page.cmake. */
extern const unsigned char cl_web_page[];
