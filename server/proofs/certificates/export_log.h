/* Export log: what an export has gathered so far, in a file beside its certificate, so that an export that was killed
 * goes on instead of beginning again.
 *
 * The file FILE.work begins with a text that says which export it is. Blocks follow, each with a checksum: entries in
 * the order in which they were put, and, in most blocks, the state of the export after them. What follows the last
 * state is dropped when the file is opened again. A file with another or an incomplete text is begun anew.
 *
 * The file is made when the first block is written: a small export has none. Entries reach the disk's cache at every
 * block, and the disk every few seconds; so a kill loses what was gathered since the last state, and a power cut a few
 * seconds more. One thread. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"

struct sv_export_log {
	FILE *file; /* owned; NULL: not made yet */
	char path[4104];
	struct pd_buf title;   /* the text that says which export it is */
	struct pd_buf entries; /* not written yet */
	uint64_t written_ns, synced_ns;
};

/* Both return PD_OK or fail, which ends the reading. The bytes are borrowed. `state` is called once, last. */
struct sv_export_log_reader {
	int (*entry)(void *ctx, const uint8_t *bytes, size_t size, struct pd_fail *fail);
	int (*state)(void *ctx, const uint8_t *bytes, size_t size, struct pd_fail *fail);
	void *ctx;
};

/* Opens the log of the certificate `path` and gives what it holds to the reader; nothing when there is none. PD_E_IO.
 * sv_export_log_close follows in any case. */
int sv_export_log_open(struct sv_export_log *log, const char *path, const char *title,
		       const struct sv_export_log_reader *reader, struct pd_fail *fail);
/* Appends an entry of 1 to 65,535 bytes. */
void sv_export_log_put(struct sv_export_log *log, const void *bytes, size_t size);
/* Whether a block is due: enough has been put since the last one, or enough time has passed. */
bool sv_export_log_is_due(const struct sv_export_log *log);
/* Writes the entries as a block, with the state after them; NULL: without one. PD_E_IO, PD_E_NO_SPACE, PD_E_NO_MEMORY;
 * the last state that was written then still counts. */
int sv_export_log_write(struct sv_export_log *log, const struct pd_buf *state, struct pd_fail *fail);
/* Closes the log, and removes its file unless `keep`. */
void sv_export_log_close(struct sv_export_log *log, bool keep);
