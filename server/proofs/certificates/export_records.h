/* Export records: the set of records of a certificate while it is gathered, keyed by position.
 *
 * A record in memory takes about as many bytes as in the file: key and reasons as varints. The records are spread over
 * shards by a hash of the key. A shard appends its records to blocks that never move, and finds them by open addressing
 * with slots of 32 bits: a tag of the hash, and the place of the record. So growing costs no second copy. Adding a
 * reason to a record writes a new copy; the old one stays in its block unused.
 *
 * To be written, each shard is sorted by key, on several threads, and the shards are merged. One thread at a time uses
 * a set. */
#pragma once

#include "server/proofs/answers/proof_step.h"
#include "server/proofs/certificates/certificate.h"

struct sv_export_shard;

struct sv_export_records {
	struct sv_export_shard *shards; /* owned; NULL: no record */
	uint64_t count;                 /* records */
	uint64_t reasons, leaves;       /* of all records; leaves: reasons with an effort */
	struct pd_buf cards;            /* of the reasons (sv_certificate_card) */
	uint64_t with_card;             /* reasons that have one: their `job` is its place */
	uint64_t effort;                /* of the leaves, nodes */
	struct pd_buf scratch;          /* the reasons of the record that is read or written */
};

void sv_export_records_init(struct sv_export_records *records);
void sv_export_records_fini(struct sv_export_records *records);
/* True when the key's record has a reason that meets the need. */
bool sv_export_records_meet(const struct sv_export_records *records, const uint8_t *key, const struct sv_need *need);
/* Adds a reason to the record of a key, or replaces the one with the same side and bound. PD_E_NO_MEMORY. */
int sv_export_records_put(struct sv_export_records *records, const uint8_t *key, size_t size,
			  const struct pd_reason *reason, struct pd_fail *fail);
struct sv_export_writing {
	const char *path;
	unsigned threads; /* that sort, at least 1 */
	bool (*go_on)(
		void *ctx,
		uint64_t written); /* called now and then with the records so far; false: PD_E_STATE; may be NULL */
	void *ctx;
};

/* Writes the certificate, records sorted by key. Empties the hash tables: nothing can be looked up or added afterwards.
 * *bytes is the size of the file. */
int sv_export_records_write(struct sv_export_records *records, const struct sv_export_writing *how,
			    const struct sv_certificate_head *head, uint64_t *bytes, struct pd_fail *fail);

/* One reason as bytes, without its key. */
enum { SV_EXPORT_REASON_MAX = 64 };
/* Writes at most SV_EXPORT_REASON_MAX bytes; returns the first byte after them. */
uint8_t *sv_export_reason_put(uint8_t *p, const struct pd_reason *reason);
/* Reads from [p, end); returns the first byte after the reason, NULL when it is incomplete. */
const uint8_t *sv_export_reason_get(const uint8_t *p, const uint8_t *end, struct pd_reason *reason);
