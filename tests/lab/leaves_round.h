/* Leaves: one round of the laboratory, a certificate of a random position and what the checker says of its leaves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clients/proofcheck/record.h"
#include "proto/base/buf.h"
#include "tests/support/walk.h"

/* What a row of the table says. */
struct leaves_sum {
	uint64_t certificates, unsolved; /* unsolved: the nodes of the search did not suffice */
	uint64_t leaves, refused;
	uint64_t told, made; /* nodes of all leaves: by the certificates, by the checker */
	uint64_t other;      /* leaves with another number of nodes than told */
	double *ratio;       /* owned; made over told, of each leaf */
	uint64_t room;
	uint64_t changes, lies; /* changed records; those that are false */
	uint64_t accepted;      /* of the false ones: faults */
	uint64_t missed;        /* of the true ones: not found within the limit */
	uint64_t faults;        /* anything else: a true certificate is rejected, an export fails */
};

struct leaves_round {
	uint64_t number, random;
	const char *dir; /* for graphs and certificates */
	char name[256];  /* of the game and the position, for messages */
	struct game *game;
	struct walk_state root;
	struct pd_buf file; /* the certificate */
	struct leaves_sum *sum;
};

/* The games, in turns. */
unsigned leaves_variants(void);
const char *leaves_variant(unsigned index);
/* Solves a random position of the variant and exports it; false when there is no certificate. */
bool leaves_make(struct leaves_round *round, unsigned variant);
void leaves_fini(struct leaves_round *round);

/* A certificate as the checker opens it. */
struct leaves_open {
	struct ck_cert cert;
	struct ck_game game;
	struct ck_judge *judge; /* owned */
	const char *wrong;      /* NULL: it is open */
	struct ck_fault fault;
};
void leaves_open(struct leaves_open *open, const struct pd_buf *file);
void leaves_close(struct leaves_open *open);
/* Whether ck_check verifies it; `fault` has room for the reason. */
bool leaves_verified(const struct pd_buf *file, struct ck_fault *fault);

/* Searches every leaf as the checker does. */
void leaves_judge(struct leaves_round *round);
/* Changes ranks and efforts of `changes` records, each in a certificate that is otherwise as it was, and compares what
 * the checker says of the record with the truth. Nothing is done when the position leads to too many positions. */
void leaves_change(struct leaves_round *round, unsigned changes);

/* Prints a finding and counts it. */
void leaves_fault(struct leaves_round *round, const char *format, ...) __attribute__((format(printf, 2, 3)));
