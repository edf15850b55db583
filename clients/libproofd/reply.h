/* Reply: a JSON value that was received, shared by its users (private to clients/libproofd). */
#pragma once

#include <stdatomic.h>

#include "clients/libproofd/types.h"
#include "proto/doc.h"

struct proofd_reply {
	atomic_uint users;  /* watches of the same job share its states, which any thread may free */
	struct pr_doc *doc; /* owned */
	pr_ref value;       /* a part of `doc` */
};

/* Takes ownership of `doc`, even on failure; NULL if memory runs out. */
struct proofd_reply *pc_reply_new(struct pr_doc *doc, pr_ref value);
/* Frees a reply that has a single user, and returns its document for the caller to free; *value is borrowed from it. */
struct pr_doc *pc_reply_take(struct proofd_reply *reply, pr_ref *value);
void pc_reply_free(struct proofd_reply *reply); /* NULL is fine */
/* The same reply for another user; each user frees it. */
struct proofd_reply *pc_reply_share(struct proofd_reply *reply);

/* Decodes base64 into `out`, which has room for strlen(text) bytes. Returns the number of bytes, or -1. */
int64_t pc_decode_base64(const char *text, uint8_t *out);

/* True if a job in this state has ended. */
bool pc_is_over(const char *state);

/* A proofd_value is a pr_ref under another type. */
static inline pr_ref pc_ref(proofd_value value)
{
	return (pr_ref)(const void *)value;
}

static inline proofd_value pc_value(pr_ref value)
{
	return (proofd_value)(const void *)value;
}
