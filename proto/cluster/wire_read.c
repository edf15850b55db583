#include "proto/cluster/wire_read.h"

#include "proto/base/bytes.h"
#include "proto/base/utf8.h"
#include "proto/cluster/layout.h"

struct field {
	uint64_t tag;
	const uint8_t *data, *end;
};

/* Takes the next field from [*at, end): 1, 0 when there is none, -1 when it is cut off. */
static int field_next(const uint8_t **at, const uint8_t *end, struct field *out)
{
	uint64_t size = 0;
	if (*at == end)
		return 0;
	const uint8_t *p = pd_get_varint(*at, end, &out->tag);
	p = p ? pd_get_varint(p, end, &size) : NULL;
	if (!p || size > (size_t)(end - p))
		return -1;
	out->data = p;
	out->end = *at = p + size;
	return 1;
}

/* --- values of fields: false when the bytes are not such a value ------------------------------------ */

static bool get_number(const struct field *field, uint64_t most, uint64_t *out)
{
	uint64_t value = 0;
	if (pd_get_varint(field->data, field->end, &value) != field->end || value > most)
		return false;
	*out = value;
	return true;
}

/* UTF-8 without control characters. */
static bool get_text(const struct field *field, struct cw_text *out)
{
	const char *data = (const char *)field->data;
	size_t size = (size_t)(field->end - field->data);
	if (size > CW_NAME_MAX)
		return false;
	for (size_t at = 0; at < size;) {
		size_t n = pd_utf8_length(data + at, size - at);
		if (!n || (unsigned char)data[at] < ' ' || data[at] == 0x7f)
			return false;
		at += n;
	}
	*out = (struct cw_text){.data = size ? data : NULL, .size = size};
	return true;
}

static bool get_bytes(const struct field *field, size_t most, const uint8_t **out)
{
	size_t size = (size_t)(field->end - field->data);
	if (size > most)
		return false;
	*out = size ? field->data : NULL;
	*(uint16_t *)(void *)(out + 1) = (uint16_t)size;
	return true;
}

/* Sets the member that the row names. */
static bool get_member(const struct field *field, const struct cw_field *row, void *body)
{
	static const uint64_t most[] = {
		[CW_BIT] = 1,          [CW_U16] = UINT16_MAX,  [CW_I16] = UINT16_MAX,        [CW_U32] = UINT32_MAX,
		[CW_U64] = UINT64_MAX, [CW_MOVE] = UINT16_MAX, [CW_STATE] = CW_STATE_PROVED,
	};
	void *member = (char *)body + row->at;
	uint64_t value = 0;
	switch (row->type) {
	case CW_NAME:
	case CW_SAID:
		return get_text(field, member);
	case CW_KEY:
		return get_bytes(field, CW_KEY_MAX, member);
	case CW_PROOF:
		return get_bytes(field, CW_PROOF_MAX, member);
	case CW_WORD:
		if (field->end - field->data != 8)
			return false;
		*(uint64_t *)member = pd_get_le64(field->data);
		return true;
	default:
		if (!get_number(field, most[row->type], &value))
			return false;
	}
	if (row->type == CW_U64)
		*(uint64_t *)member = value;
	else if (row->type == CW_U32)
		*(uint32_t *)member = (uint32_t)value;
	else if (row->type == CW_I16)
		*(int16_t *)member = (int16_t)pd_unzigzag(value);
	else if (row->type == CW_BIT)
		*(uint8_t *)member = (uint8_t)value;
	else if (row->type != CW_STATE)
		*(uint16_t *)member = (uint16_t)(value - (row->type == CW_MOVE));
	else
		memcpy(member, (const bool[]){value != CW_STATE_OPEN, value == CW_STATE_PROVED}, 2 * sizeof(bool));
	return true;
}

static int refuse_field(struct pd_fail *fail, const char *field)
{
	pd_fail_set(fail, PD_E_PARSE, field, "a message has an invalid %s", field);
	return -1;
}

/* Takes the fields of a body up to one that no row names: 1 and *other, 0 at the end, -1 when one is invalid. */
static int take_fields(struct field *body, const struct cw_field *rows, void *out, struct field *other,
		       struct pd_fail *fail)
{
	int more;
	while ((more = field_next(&body->data, body->end, other)) > 0) {
		const struct cw_field *row = rows;
		while (row->tag && row->tag != other->tag)
			row++;
		if (!row->tag)
			return 1;
		if (!get_member(other, row, out))
			return refuse_field(fail, row->name);
	}
	while (rows->tag)
		rows++;
	return more < 0 ? refuse_field(fail, rows->name) : 0;
}

/* Takes the fields that the rows name; those of a later minor version are skipped. */
static int take_all(struct field *body, const struct cw_field *rows, void *out, struct pd_fail *fail)
{
	struct field other;
	int more;
	do
		more = take_fields(body, rows, out, &other, fail);
	while (more > 0);
	return more;
}

static bool get_in_hand(const struct field *field, struct cw_heartbeat *out)
{
	const uint8_t *at = field->data;
	out->in_hand_count = 0;
	while (at < field->end) {
		uint64_t id = 0;
		at = pd_get_varint(at, field->end, &id);
		if (!at || !id || out->in_hand_count == CW_IN_HAND_MAX)
			return false;
		out->in_hand[out->in_hand_count++] = id;
	}
	return true;
}

/* --- messages ------------------------------------------------------------------------------------- */

const char *cw_bodies_fit(const uint8_t *at, const uint8_t *end)
{
	unsigned count[CW_BODY_COUNT] = {0};
	struct field field;
	int more;
	while ((more = field_next(&at, end, &field)) != 0) {
		if (more < 0)
			return "a field is cut off";
		if (field.tag == CW_BODY_SEAL)
			return "the seal is not where the envelope says";
		if (field.tag < CW_BODY_COUNT && ++count[field.tag] > CW_BATCH_MAX)
			return "it has too many bodies of one kind";
	}
	return NULL;
}

static int no_message(struct pd_fail *fail, const char *why)
{
	return pd_fail_set(fail, PD_E_PARSE, "message", "this is not a message of the cluster: %s", why);
}

int cw_open(struct cw_reader *reader, const uint8_t *data, size_t size, const struct cw_seal *seal,
	    struct pd_fail *fail)
{
	struct cw_envelope *envelope = &reader->envelope;
	*reader = (struct cw_reader){0};
	if (size < CW_COMMON_SIZE || memcmp(data, CW_MAGIC, CW_MAGIC_SIZE) != 0)
		return no_message(fail, "its first bytes are missing or wrong");
	envelope->major = data[CW_AT_MAJOR];
	envelope->minor = data[CW_AT_MINOR];
	envelope->kind = data[CW_AT_KIND];
	envelope->worker = pd_get_le64(data + CW_AT_WORKER);
	if (envelope->major != CW_MAJOR)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "message",
				   "a message has version %u.%u of the cluster's protocol; this program speaks %d.%d: "
				   "coordinator and workers need the same major version",
				   envelope->major, envelope->minor, (int)CW_MAJOR, (int)CW_MINOR);
	if (size < CW_ENVELOPE_SIZE)
		return no_message(fail, "the envelope is cut off");
	if (size > CW_MESSAGE_MAX)
		return no_message(fail, "it is too long");
	envelope->epoch = pd_get_le64(data + CW_AT_EPOCH);
	envelope->number = pd_get_le64(data + CW_AT_NUMBER);
	const uint8_t *end = data + size;
	if (data[CW_AT_FLAGS] & CW_FLAG_SEALED) {
		if (size < CW_ENVELOPE_SIZE + CW_SEAL_FIELD || end[-CW_SEAL_FIELD] != CW_BODY_SEAL ||
		    end[1 - CW_SEAL_FIELD] != CW_SEAL_SIZE)
			return no_message(fail, "the seal is not where the envelope says");
		if (seal && !cw_seal_right(seal, data, size - CW_SEAL_SIZE, end - CW_SEAL_SIZE))
			return pd_fail_set(fail, PD_E_PARSE, "seal",
					   "the seal of a message is wrong: it was changed, or made with another key");
		end -= CW_SEAL_FIELD;
	}
	const char *fault = cw_bodies_fit(data + CW_ENVELOPE_SIZE, end);
	if (fault)
		return no_message(fail, fault);
	envelope->sealed = seal && (data[CW_AT_FLAGS] & CW_FLAG_SEALED);
	reader->at = data + CW_ENVELOPE_SIZE;
	reader->end = end;
	return PD_OK;
}

/* The next body with this tag: 1 and *out, 0 when there is none. */
static int body_next(struct cw_reader *reader, enum cw_body_tag tag, struct field *out, struct pd_fail *fail)
{
	int more;
	while ((more = field_next(&reader->at, reader->end, out)) > 0)
		if (out->tag == tag)
			return 1;
	return more < 0 ? refuse_field(fail, "body") : 0;
}

/* The next body that has no fields but those of the rows. `out` has the defaults. */
static int plain_next(struct cw_reader *reader, enum cw_body_tag tag, const struct cw_field *rows, void *out,
		      struct pd_fail *fail)
{
	struct field body;
	int more = body_next(reader, tag, &body, fail);
	return more <= 0 ? more : take_all(&body, rows, out, fail) ? -1 : 1;
}

int cw_next_hello(struct cw_reader *reader, struct cw_hello *out, struct pd_fail *fail)
{
	struct field body, other;
	int more = body_next(reader, CW_BODY_HELLO, &body, fail);
	if (more <= 0)
		return more;
	memset(out, 0, offsetof(struct cw_hello, games));
	while ((more = take_fields(&body, cw_hello_fields, out, &other, fail)) > 0) {
		if (other.tag != CW_HELLO_GAME)
			continue;
		if (out->game_count == CW_GAMES_MAX)
			return refuse_field(fail, "hello.games");
		struct cw_game *game = &out->games[out->game_count++];
		*game = (struct cw_game){0};
		if (take_all(&other, cw_game_fields, game, NULL))
			return refuse_field(fail, "hello.games");
	}
	if (more < 0)
		return more;
	return out->threads >= 1 && out->threads <= CW_THREADS_MAX ? 1 : refuse_field(fail, "hello.threads");
}

int cw_next_task(struct cw_reader *reader, struct cw_task *out, struct pd_fail *fail)
{
	*out = (struct cw_task){0};
	int more = plain_next(reader, CW_BODY_TASK, cw_task_fields, out, fail);
	if (more <= 0)
		return more;
	if (out->rival.k > 1)
		return refuse_field(fail, "task.siblings");
	return out->id ? 1 : refuse_field(fail, "task.id");
}

int cw_next_known(struct cw_reader *reader, struct cw_known *out, struct pd_fail *fail)
{
	struct field body, other;
	int more = body_next(reader, CW_BODY_KNOWN, &body, fail);
	if (more <= 0)
		return more;
	memset(out, 0, offsetof(struct cw_known, positions));
	while ((more = take_fields(&body, cw_known_fields, out, &other, fail)) > 0) {
		if (other.tag != CW_KNOWN_SOLVED)
			continue;
		if (out->count == CW_SOLVED_MAX)
			return refuse_field(fail, "known.solved");
		struct cw_solved *solved = &out->positions[out->count++];
		*solved = (struct cw_solved){.reason.move = PD_NO_MOVE};
		if (take_all(&other, cw_solved_fields, solved, NULL))
			return refuse_field(fail, "known.solved");
	}
	return more < 0 ? more : 1;
}

bool cw_next_shared(struct cw_reader *reader, const uint8_t **body, size_t *size)
{
	struct pd_fail fail;
	struct field field;
	if (body_next(reader, CW_BODY_KNOWN, &field, &fail) != 1)
		return false;
	*body = field.data;
	*size = (size_t)(field.end - field.data);
	return true;
}

int cw_next_sharing(struct cw_reader *reader, uint64_t *rate, struct pd_fail *fail)
{
	*rate = 0;
	return plain_next(reader, CW_BODY_SHARING, cw_sharing_fields, rate, fail);
}

int cw_next_result(struct cw_reader *reader, struct cw_result *out, struct pd_fail *fail)
{
	*out = (struct cw_result){.move = PD_NO_MOVE};
	int more = plain_next(reader, CW_BODY_RESULT, cw_result_fields, out, fail);
	if (more <= 0)
		return more;
	cw_result_clear(out);
	return out->id ? 1 : refuse_field(fail, "result.id");
}

int cw_next_heartbeat(struct cw_reader *reader, struct cw_heartbeat *out, struct pd_fail *fail)
{
	struct field body, other;
	int more = body_next(reader, CW_BODY_HEARTBEAT, &body, fail);
	if (more <= 0)
		return more;
	memset(out, 0, offsetof(struct cw_heartbeat, in_hand));
	while ((more = take_fields(&body, cw_heartbeat_fields, out, &other, fail)) > 0)
		if (other.tag == CW_HEARTBEAT_IN_HAND && !get_in_hand(&other, out))
			return refuse_field(fail, "heartbeat.in_hand");
	return more < 0 ? more : 1;
}

int cw_next_cancel(struct cw_reader *reader, uint64_t *id, struct pd_fail *fail)
{
	*id = 0;
	int more = plain_next(reader, CW_BODY_CANCEL, cw_cancel_fields, id, fail);
	return more <= 0 || *id ? more : refuse_field(fail, "cancel.id");
}

int cw_next_refuse(struct cw_reader *reader, struct cw_refuse *out, struct pd_fail *fail)
{
	*out = (struct cw_refuse){0};
	return plain_next(reader, CW_BODY_REFUSE, cw_refuse_fields, out, fail);
}

void cw_text_print(const struct cw_text *from, char *to, size_t room)
{
	size_t size = !from->data ? 0 : from->size < room - 1 ? from->size : room - 1;
	for (size_t i = 0; i < size; i++)
		to[i] = from->data[i] >= ' ' && from->data[i] <= '~' ? from->data[i] : '?';
	to[size] = 0;
}
