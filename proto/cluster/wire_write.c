#include "proto/cluster/wire_write.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/utf8.h"
#include "proto/cluster/layout.h"
#include "proto/cluster/wire_read.h"

enum {
	NUMBER_BYTES = 2 + PD_VARINT_MAX,  /* the most that a number's field takes */
	NUMBERS_BYTES = 12 * NUMBER_BYTES, /* the most that all numbers of a body take */
	LENGTH_BYTES = 3, /* of a body's length, which is below 2^21 and written when the body is complete */
	HEAD_BYTES = 1 + LENGTH_BYTES,
};

_Static_assert(CW_TASK_ROOM >= HEAD_BYTES + NUMBERS_BYTES + 6 + CW_NAME_MAX + CW_KEY_MAX, "room of a task");
_Static_assert(CW_KNOWN_ROOM >= HEAD_BYTES + 13 + CW_NAME_MAX + CW_SOLVED_MAX * (CW_SOLVED_NUMBERS + CW_KEY_MAX),
	       "room of known positions");
_Static_assert(CW_RESULT_ROOM >= 2 * HEAD_BYTES + NUMBERS_BYTES + CW_PROOF_MAX, "room of a result");
_Static_assert(CW_CANCEL_ROOM >= HEAD_BYTES + NUMBER_BYTES, "room of a cancel");
_Static_assert(CW_MESSAGE_MAX < 1 << 7 * LENGTH_BYTES, "the length of a body");

void cw_begin(struct pd_buf *out, const struct cw_envelope *envelope)
{
	uint8_t head[CW_ENVELOPE_SIZE] = {0};
	memcpy(head, CW_MAGIC, CW_MAGIC_SIZE);
	head[CW_AT_MAJOR] = CW_MAJOR;
	head[CW_AT_MINOR] = CW_MINOR;
	head[CW_AT_KIND] = envelope->kind;
	pd_put_le64(head + CW_AT_WORKER, envelope->worker);
	pd_put_le64(head + CW_AT_EPOCH, envelope->epoch);
	pd_put_le64(head + CW_AT_NUMBER, envelope->number);
	pd_buf_reset(out);
	pd_buf_put(out, head, sizeof head);
}

size_t cw_room(const struct pd_buf *out)
{
	size_t most = out->limit < CW_MESSAGE_MAX ? out->limit : CW_MESSAGE_MAX;
	size_t used = out->size + CW_SEAL_FIELD;
	return out->failed || used > most ? 0 : most - used;
}

/* Makes room for a body of at most `most` bytes; returns its start, after its tag and length; NULL: no room. */
static uint8_t *body_begin(struct pd_buf *out, enum cw_body_tag tag, size_t most)
{
	if (!pd_buf_reserve(out, HEAD_BYTES + most))
		return NULL;
	uint8_t *head = (uint8_t *)out->data + out->size;
	head[0] = (uint8_t)tag;
	return head + HEAD_BYTES;
}

/* A varint of exactly `bytes` bytes, however small `length` is. */
static void put_length(uint8_t *place, size_t bytes, size_t length)
{
	for (size_t i = 0; i < bytes; i++, length >>= 7)
		place[i] = (uint8_t)((length & 0x7f) | (i + 1 < bytes ? 0x80 : 0));
	PD_ASSERT(!length);
}

/* The body reaches from `begin` to `end`. */
static void body_end(struct pd_buf *out, uint8_t *begin, uint8_t *end)
{
	PD_ASSERT((size_t)((char *)end - out->data) < out->capacity);
	put_length(begin - LENGTH_BYTES, LENGTH_BYTES, (size_t)(end - begin));
	out->size = (size_t)((char *)end - out->data);
	out->data[out->size] = 0;
}

/* --- fields of a body: each returns the first byte behind it ------------------------------------ */

static uint8_t *put_number(uint8_t *p, unsigned tag, uint64_t value)
{
	if (!value)
		return p;
	p[0] = (uint8_t)tag;
	uint8_t *end = pd_put_varint(p + 2, value);
	p[1] = (uint8_t)(end - (p + 2));
	return end;
}

static uint8_t *put_bytes(uint8_t *p, unsigned tag, const void *data, size_t size)
{
	if (!size)
		return p;
	*p++ = (uint8_t)tag;
	p = pd_put_varint(p, size);
	memcpy(p, data, size);
	return p + size;
}

/* A text for people: cut at CW_NAME_MAX, and bytes that are not printable UTF-8 become question marks. */
static uint8_t *put_text(uint8_t *p, unsigned tag, const struct cw_text *text)
{
	char clean[CW_NAME_MAX];
	size_t size = 0;
	for (size_t at = 0; at < text->size;) {
		size_t n = pd_utf8_length(text->data + at, text->size - at);
		bool good = n && ((unsigned char)text->data[at] >= ' ' && text->data[at] != 0x7f);
		n = n ? n : 1;
		if (size + (good ? n : 1) > sizeof clean)
			break;
		if (good)
			memcpy(clean + size, text->data + at, n);
		else
			clean[size] = '?';
		size += good ? n : 1;
		at += n;
	}
	return put_bytes(p, tag, clean, size);
}

static uint8_t *put_member(uint8_t *p, const struct cw_field *row, const void *body)
{
	const void *member = (const char *)body + row->at;
	const struct cw_text *text = member;
	const uint8_t *const *bytes = member;
	switch (row->type) {
	case CW_NAME:
		return put_bytes(p, row->tag, text->data, text->size);
	case CW_SAID:
		return put_text(p, row->tag, text);
	case CW_KEY:
	case CW_PROOF:
		return put_bytes(p, row->tag, *bytes, *(const uint16_t *)(const void *)(bytes + 1));
	case CW_WORD:
		if (*(const uint64_t *)member) {
			uint8_t word[8];
			pd_put_le64(word, *(const uint64_t *)member);
			p = put_bytes(p, row->tag, word, sizeof word);
		}
		return p;
	case CW_U64:
		return put_number(p, row->tag, *(const uint64_t *)member);
	case CW_U32:
		return put_number(p, row->tag, *(const uint32_t *)member);
	case CW_BIT:
		return put_number(p, row->tag, *(const uint8_t *)member);
	case CW_STATE:
		if (!((const bool *)member)[0])
			return p;
		return put_number(p, row->tag, ((const bool *)member)[1] ? CW_STATE_PROVED : CW_STATE_DISPROVED);
	case CW_I16:
		return put_number(p, row->tag, pd_zigzag(*(const int16_t *)member));
	default:
		return put_number(p, row->tag, (uint16_t)(*(const uint16_t *)member + (row->type == CW_MOVE)));
	}
}

static uint8_t *put_fields(uint8_t *p, const struct cw_field *rows, const void *body)
{
	for (; rows->tag; rows++)
		p = put_member(p, rows, body);
	return p;
}

static uint8_t *put_solved(uint8_t *p, unsigned tag, const struct cw_solved *solved)
{
	enum { SHORT = 2 }; /* bytes of its length */
	uint8_t *begin = p + 1 + SHORT;
	*p = (uint8_t)tag;
	p = put_fields(begin, cw_solved_fields, solved);
	put_length(begin - SHORT, SHORT, (size_t)(p - begin));
	return p;
}

/* --- bodies --------------------------------------------------------------------------------------- */

void cw_put_hello(struct pd_buf *out, const struct cw_hello *hello)
{
	uint8_t *begin = NULL;
	size_t most = NUMBERS_BYTES + 2 * CW_TEXT_FIELD;
	bool good = hello->game_count <= CW_GAMES_MAX;
	for (unsigned i = 0; good && i < hello->game_count; i++) {
		good = hello->games[i].name.size <= CW_NAME_MAX;
		most += CW_GAME_FIELD;
	}
	out->failed = out->failed || !good;
	if (!(begin = body_begin(out, CW_BODY_HELLO, most)))
		return;
	uint8_t *p = put_fields(begin, cw_hello_fields, hello);
	for (unsigned i = 0; i < hello->game_count; i++) {
		enum { SHORT = 2 };
		uint8_t *inner = p + 1 + SHORT;
		*p = CW_HELLO_GAME;
		p = put_fields(inner, cw_game_fields, &hello->games[i]);
		put_length(inner - SHORT, SHORT, (size_t)(p - inner));
	}
	body_end(out, begin, p);
}

void cw_put_task(struct pd_buf *out, const struct cw_task *task)
{
	out->failed = out->failed || task->game.size > CW_NAME_MAX || task->key_size > CW_KEY_MAX;
	uint8_t *begin = body_begin(out, CW_BODY_TASK, NUMBERS_BYTES + 6 + task->game.size + task->key_size);
	if (begin)
		body_end(out, begin, put_fields(begin, cw_task_fields, task));
}

void cw_put_known(struct pd_buf *out, const struct cw_known *known)
{
	size_t most = 13 + known->game.size;
	bool good = known->game.size <= CW_NAME_MAX && known->count <= CW_SOLVED_MAX;
	for (unsigned i = 0; good && i < known->count; i++) {
		good = known->positions[i].key_size <= CW_KEY_MAX;
		most += CW_SOLVED_NUMBERS + known->positions[i].key_size;
	}
	out->failed = out->failed || !good;
	uint8_t *begin = body_begin(out, CW_BODY_KNOWN, most);
	if (!begin)
		return;
	uint8_t *p = put_fields(begin, cw_known_fields, known);
	for (unsigned i = 0; i < known->count; i++)
		p = put_solved(p, CW_KNOWN_SOLVED, &known->positions[i]);
	body_end(out, begin, p);
}

void cw_put_shared(struct pd_buf *out, const uint8_t *body, size_t size)
{
	uint8_t *begin = body_begin(out, CW_BODY_KNOWN, size);
	if (!begin)
		return;
	memcpy(begin, body, size);
	body_end(out, begin, begin + size);
}

void cw_put_result(struct pd_buf *out, const struct cw_result *result)
{
	struct cw_result sent = *result;
	cw_result_clear(&sent);
	out->failed = out->failed || sent.proof_size > CW_PROOF_MAX;
	uint8_t *begin = body_begin(out, CW_BODY_RESULT, NUMBERS_BYTES + HEAD_BYTES + sent.proof_size);
	if (begin)
		body_end(out, begin, put_fields(begin, cw_result_fields, &sent));
}

void cw_put_heartbeat(struct pd_buf *out, const struct cw_heartbeat *heartbeat)
{
	out->failed = out->failed || heartbeat->in_hand_count > CW_IN_HAND_MAX;
	size_t ids = out->failed ? 0 : heartbeat->in_hand_count;
	uint8_t *begin = body_begin(out, CW_BODY_HEARTBEAT, NUMBERS_BYTES + HEAD_BYTES + ids * PD_VARINT_MAX);
	if (!begin)
		return;
	uint8_t *p = put_fields(begin, cw_heartbeat_fields, heartbeat);
	if (ids) {
		uint8_t *inner = p + HEAD_BYTES;
		*p = CW_HEARTBEAT_IN_HAND;
		p = inner;
		for (size_t i = 0; i < ids; i++)
			p = pd_put_varint(p, heartbeat->in_hand[i]);
		put_length(inner - LENGTH_BYTES, LENGTH_BYTES, (size_t)(p - inner));
	}
	body_end(out, begin, p);
}

void cw_put_cancel(struct pd_buf *out, uint64_t id)
{
	uint8_t *begin = body_begin(out, CW_BODY_CANCEL, NUMBER_BYTES);
	if (begin)
		body_end(out, begin, put_fields(begin, cw_cancel_fields, &id));
}

void cw_put_refuse(struct pd_buf *out, const struct cw_refuse *refuse)
{
	uint8_t *begin = body_begin(out, CW_BODY_REFUSE, 2 * NUMBER_BYTES + CW_TEXT_FIELD);
	if (begin)
		body_end(out, begin, put_fields(begin, cw_refuse_fields, refuse));
}

void cw_put_sharing(struct pd_buf *out, uint64_t rate)
{
	uint8_t *begin = body_begin(out, CW_BODY_SHARING, NUMBER_BYTES);
	if (begin)
		body_end(out, begin, put_fields(begin, cw_sharing_fields, &rate));
}

bool cw_end(struct pd_buf *out, const struct cw_seal *seal)
{
	uint8_t field[CW_SEAL_FIELD] = {CW_BODY_SEAL, CW_SEAL_SIZE};
	PD_ASSERT(out->failed || out->size >= CW_ENVELOPE_SIZE);
	bool good = !out->failed && cw_bodies_fit((const uint8_t *)out->data + CW_ENVELOPE_SIZE,
						  (const uint8_t *)out->data + out->size) == NULL;
	if (good && seal) {
		out->data[CW_AT_FLAGS] |= CW_FLAG_SEALED;
		pd_buf_put(out, field, CW_SEAL_FIELD - CW_SEAL_SIZE);
		good = !out->failed && cw_seal_make(seal, (const uint8_t *)out->data, out->size, field + 2);
		pd_buf_put(out, field + 2, CW_SEAL_SIZE);
	}
	out->failed = out->failed || !good || out->size > CW_MESSAGE_MAX;
	return !out->failed;
}
