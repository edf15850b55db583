/* Export records: the set of records of a certificate while it is gathered, keyed by position.
 *
 * Records are packed in one buffer: struct, reasons in the order of a certificate, key. A hash table (open addressing)
 * finds them by key. Adding a reason to a record writes a new copy; the old one stays in the buffer unused. */
#pragma once

#include "server/proofs/certificates/certificate.h"
#include "server/proofs/answers/proof_step.h"

struct sv_export_records {
	struct pd_buf bytes;      /* the records */
	uint64_t *slots;          /* owned; offsets of records plus 1; 0: empty */
	uint64_t room;            /* slots */
	uint64_t count;           /* records */
	uint64_t reasons, leaves; /* of all records; leaves: reasons with an effort */
	struct pd_buf cards;      /* of the reasons (sv_certificate_card) */
	uint64_t with_card;       /* reasons that have one: their `job` is its place */
	uint64_t effort;          /* of the leaves, nodes */
};

void sv_export_records_init(struct sv_export_records *records);
void sv_export_records_fini(struct sv_export_records *records);
/* True when the key's record has a reason that meets the need. */
bool sv_export_records_meet(const struct sv_export_records *records, const uint8_t *key, const struct sv_need *need);
/* Adds a reason to the record of a key, or replaces the one with the same side and bound. PD_E_NO_MEMORY. */
int sv_export_records_put(struct sv_export_records *records, const uint8_t *key, size_t size,
			  const struct pd_reason *reason, struct pd_fail *fail);
/* Writes the certificate, records sorted by key. Empties the hash table: nothing can be looked up or added afterwards.
 * *bytes is the size of the file. */
int sv_export_records_write(struct sv_export_records *records, const char *path, const struct sv_certificate_head *head,
			    uint64_t *bytes, struct pd_fail *fail);
