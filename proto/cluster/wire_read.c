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

static bool get_u32(const struct field *field, uint32_t *out)
{
	uint64_t value = 0;
	bool good = get_number(field, UINT32_MAX, &value);
	*out = (uint32_t)value;
	return good;
}

static bool get_u16(const struct field *field, uint16_t *out)
{
	uint64_t value = 0;
	bool good = get_number(field, UINT16_MAX, &value);
	*out = (uint16_t)value;
	return good;
}

static bool get_i16(const struct field *field, int16_t *out)
{
	uint64_t value = 0;
	bool good = get_number(field, UINT16_MAX, &value);
	*out = (int16_t)pd_unzigzag(value);
	return good;
}

static bool get_bool(const struct field *field, bool *out)
{
	uint64_t value = 0;
	bool good = get_number(field, 1, &value);
	*out = value != 0;
	return good;
}

static bool get_move(const struct field *field, uint16_t *out)
{
	bool good = get_u16(field, out);
	*out = (uint16_t)(*out - 1);
	return good;
}

static bool get_word(const struct field *field, uint64_t *out)
{
	if (field->end - field->data != 8)
		return false;
	*out = pd_get_le64(field->data);
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

static bool get_key(const struct field *field, const uint8_t **key, uint16_t *key_size)
{
	size_t size = (size_t)(field->end - field->data);
	if (size > CW_KEY_MAX)
		return false;
	*key = size ? field->data : NULL;
	*key_size = (uint16_t)size;
	return true;
}

static bool get_solved(const struct field *field, struct cw_solved *out)
{
	const uint8_t *at = field->data;
	struct field inner;
	bool good = true, upper = false;
	int more;
	*out = (struct cw_solved){.reason.move = PD_NO_MOVE};
	while (good && (more = field_next(&at, field->end, &inner)) != 0) {
		if (more < 0)
			return false;
		good = inner.tag == CW_SOLVED_KEY      ? get_key(&inner, &out->key, &out->key_size)
		       : inner.tag == CW_SOLVED_BOUND  ? get_i16(&inner, &out->reason.bound)
		       : inner.tag == CW_SOLVED_UPPER  ? get_bool(&inner, &upper)
		       : inner.tag == CW_SOLVED_RANK   ? get_u16(&inner, &out->reason.rank)
		       : inner.tag == CW_SOLVED_MOVE   ? get_move(&inner, &out->reason.move)
		       : inner.tag == CW_SOLVED_EFFORT ? get_u32(&inner, &out->reason.effort)
						       : true; /* a field of a later minor version */
	}
	out->reason.side = upper ? PD_HI : PD_LO;
	return good;
}

static bool get_game(const struct field *field, struct cw_game *out)
{
	const uint8_t *at = field->data;
	struct field inner;
	bool good = true;
	int more;
	*out = (struct cw_game){0};
	while (good && (more = field_next(&at, field->end, &inner)) != 0) {
		if (more < 0)
			return false;
		if (inner.tag == CW_GAME_NAME)
			good = get_text(&inner, &out->name);
		else if (inner.tag == CW_GAME_DIGEST)
			good = get_word(&inner, &out->digest);
	}
	return good;
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

static int refuse_field(struct pd_fail *fail, const char *field)
{
	pd_fail_set(fail, PD_E_PARSE, field, "a message has an invalid %s", field);
	return -1;
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

int cw_next_hello(struct cw_reader *reader, struct cw_hello *out, struct pd_fail *fail)
{
	struct field body, field;
	int more = body_next(reader, CW_BODY_HELLO, &body, fail);
	if (more <= 0)
		return more;
	memset(out, 0, offsetof(struct cw_hello, games));
	while ((more = field_next(&body.data, body.end, &field)) > 0) {
		if (field.tag == CW_HELLO_NAME && !get_text(&field, &out->name))
			return refuse_field(fail, "hello.name");
		if (field.tag == CW_HELLO_VERSION && !get_text(&field, &out->version))
			return refuse_field(fail, "hello.version");
		if (field.tag == CW_HELLO_ABI && !get_u32(&field, &out->abi))
			return refuse_field(fail, "hello.abi");
		if (field.tag == CW_HELLO_THREADS && !get_u32(&field, &out->threads))
			return refuse_field(fail, "hello.threads");
		if (field.tag == CW_HELLO_MEMORY && !get_number(&field, UINT64_MAX, &out->memory))
			return refuse_field(fail, "hello.memory");
		if (field.tag == CW_HELLO_GAME) {
			if (out->game_count == CW_GAMES_MAX || !get_game(&field, &out->games[out->game_count]))
				return refuse_field(fail, "hello.games");
			out->game_count++;
		}
	}
	if (out->threads < 1 || out->threads > CW_THREADS_MAX)
		return refuse_field(fail, "hello.threads");
	return more < 0 ? refuse_field(fail, "hello") : 1;
}

/* Reads what a task says of the leaf's siblings. False: the field is not valid. */
static bool read_rival(const struct field *field, struct cw_rival *out)
{
	switch (field->tag) {
	case CW_TASK_BY:
		return get_u32(field, &out->k) && out->k <= 1;
	case CW_TASK_SECOND:
		return get_u32(field, &out->second);
	case CW_TASK_LIMIT:
		return get_u32(field, &out->limit);
	case CW_TASK_FROM:
		return get_number(field, UINT64_MAX, &out->from);
	case CW_TASK_MOST:
		return get_number(field, UINT64_MAX, &out->most);
	default:
		return true;
	}
}

int cw_next_task(struct cw_reader *reader, struct cw_task *out, struct pd_fail *fail)
{
	struct field body, field;
	int more = body_next(reader, CW_BODY_TASK, &body, fail);
	if (more <= 0)
		return more;
	*out = (struct cw_task){0};
	while ((more = field_next(&body.data, body.end, &field)) > 0) {
		if (field.tag == CW_TASK_ID && !get_number(&field, UINT64_MAX, &out->id))
			return refuse_field(fail, "task.id");
		if (field.tag == CW_TASK_GAME && !get_text(&field, &out->game))
			return refuse_field(fail, "task.game");
		if (field.tag == CW_TASK_RULES && !get_word(&field, &out->rules))
			return refuse_field(fail, "task.rules");
		if (field.tag == CW_TASK_OPTIONS && !get_u32(&field, &out->options))
			return refuse_field(fail, "task.options");
		if (field.tag == CW_TASK_SEED && !get_word(&field, &out->seed))
			return refuse_field(fail, "task.seed");
		if (field.tag == CW_TASK_THRESHOLD && !get_i16(&field, &out->threshold))
			return refuse_field(fail, "task.threshold");
		if (field.tag == CW_TASK_BUDGET && !get_number(&field, UINT64_MAX, &out->budget))
			return refuse_field(fail, "task.budget");
		if (field.tag == CW_TASK_KEY && !get_key(&field, &out->key, &out->key_size))
			return refuse_field(fail, "task.key");
		if (field.tag == CW_TASK_PROOF && !get_u32(&field, &out->proof))
			return refuse_field(fail, "task.proof");
		if (!read_rival(&field, &out->rival))
			return refuse_field(fail, "task.siblings");
	}
	if (more < 0)
		return refuse_field(fail, "task");
	return out->id ? 1 : refuse_field(fail, "task.id");
}

int cw_next_known(struct cw_reader *reader, struct cw_known *out, struct pd_fail *fail)
{
	struct field body, field;
	int more = body_next(reader, CW_BODY_KNOWN, &body, fail);
	if (more <= 0)
		return more;
	memset(out, 0, offsetof(struct cw_known, positions));
	while ((more = field_next(&body.data, body.end, &field)) > 0) {
		if (field.tag == CW_KNOWN_GAME && !get_text(&field, &out->game))
			return refuse_field(fail, "known.game");
		if (field.tag == CW_KNOWN_RULES && !get_word(&field, &out->rules))
			return refuse_field(fail, "known.rules");
		if (field.tag == CW_KNOWN_SOLVED) {
			if (out->count == CW_SOLVED_MAX || !get_solved(&field, &out->positions[out->count]))
				return refuse_field(fail, "known.solved");
			out->count++;
		}
	}
	return more < 0 ? refuse_field(fail, "known") : 1;
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
	struct field body, field;
	int more = body_next(reader, CW_BODY_SHARING, &body, fail);
	if (more <= 0)
		return more;
	*rate = 0;
	while ((more = field_next(&body.data, body.end, &field)) > 0)
		if (field.tag == CW_SHARING_RATE && !get_number(&field, UINT64_MAX, rate))
			return refuse_field(fail, "sharing.rate");
	return more < 0 ? refuse_field(fail, "sharing") : 1;
}

static bool get_proof(const struct field *field, struct cw_result *out)
{
	size_t size = (size_t)(field->end - field->data);
	if (size > CW_PROOF_MAX)
		return false;
	out->proof = size ? field->data : NULL;
	out->proof_size = (uint16_t)size;
	return true;
}

/* Reads one field of a result; NULL, or the name of the field when its value is invalid. */
static const char *result_field(const struct field *field, uint64_t *state, struct cw_result *out)
{
	switch (field->tag) {
	case CW_RESULT_ID:
		return get_number(field, UINT64_MAX, &out->id) ? NULL : "result.id";
	case CW_RESULT_STATE:
		return get_number(field, CW_STATE_PROVED, state) ? NULL : "result.state";
	case CW_RESULT_PN:
		return get_u32(field, &out->num[0]) ? NULL : "result.pn";
	case CW_RESULT_DN:
		return get_u32(field, &out->num[1]) ? NULL : "result.dn";
	case CW_RESULT_RANK:
		return get_u16(field, &out->rank) ? NULL : "result.rank";
	case CW_RESULT_MOVE:
		return get_move(field, &out->move) ? NULL : "result.move";
	case CW_RESULT_EFFORT:
		return get_u32(field, &out->effort) ? NULL : "result.effort";
	case CW_RESULT_NODES:
		return get_number(field, UINT64_MAX, &out->nodes) ? NULL : "result.nodes";
	case CW_RESULT_CPU:
		return get_number(field, UINT64_MAX, &out->cpu_ns) ? NULL : "result.cpu";
	case CW_RESULT_PROOF:
		return get_proof(field, out) ? NULL : "result.proof";
	default:
		return NULL;
	}
}

int cw_next_result(struct cw_reader *reader, struct cw_result *out, struct pd_fail *fail)
{
	struct field body, field;
	const char *wrong = NULL;
	uint64_t state = CW_STATE_OPEN;
	int more = body_next(reader, CW_BODY_RESULT, &body, fail);
	if (more <= 0)
		return more;
	*out = (struct cw_result){.move = PD_NO_MOVE};
	while (!wrong && (more = field_next(&body.data, body.end, &field)) > 0)
		wrong = result_field(&field, &state, out);
	if (!wrong && !out->id)
		wrong = "result.id";
	if (wrong || more < 0)
		return refuse_field(fail, wrong ? wrong : "result");
	out->solved = state != CW_STATE_OPEN;
	out->proved = state == CW_STATE_PROVED;
	if (out->solved) {
		out->num[0] = out->num[1] = 0;
	} else {
		out->rank = 0;
		out->move = PD_NO_MOVE;
		out->effort = 0;
		out->proof = NULL;
		out->proof_size = 0;
	}
	return 1;
}

int cw_next_heartbeat(struct cw_reader *reader, struct cw_heartbeat *out, struct pd_fail *fail)
{
	struct field body, field;
	int more = body_next(reader, CW_BODY_HEARTBEAT, &body, fail);
	if (more <= 0)
		return more;
	memset(out, 0, offsetof(struct cw_heartbeat, in_hand));
	while ((more = field_next(&body.data, body.end, &field)) > 0) {
		if (field.tag == CW_HEARTBEAT_DONE && !get_number(&field, UINT64_MAX, &out->tasks_done))
			return refuse_field(fail, "heartbeat.done");
		if (field.tag == CW_HEARTBEAT_NODES && !get_number(&field, UINT64_MAX, &out->nodes))
			return refuse_field(fail, "heartbeat.nodes");
		if (field.tag == CW_HEARTBEAT_IN_HAND && !get_in_hand(&field, out))
			return refuse_field(fail, "heartbeat.in_hand");
	}
	return more < 0 ? refuse_field(fail, "heartbeat") : 1;
}

int cw_next_cancel(struct cw_reader *reader, uint64_t *id, struct pd_fail *fail)
{
	struct field body, field;
	int more = body_next(reader, CW_BODY_CANCEL, &body, fail);
	if (more <= 0)
		return more;
	*id = 0;
	while ((more = field_next(&body.data, body.end, &field)) > 0)
		if (field.tag == CW_CANCEL_ID && !get_number(&field, UINT64_MAX, id))
			return refuse_field(fail, "cancel.id");
	return more < 0 || !*id ? refuse_field(fail, "cancel.id") : 1;
}

int cw_next_refuse(struct cw_reader *reader, struct cw_refuse *out, struct pd_fail *fail)
{
	struct field body, field;
	int more = body_next(reader, CW_BODY_REFUSE, &body, fail);
	if (more <= 0)
		return more;
	*out = (struct cw_refuse){0};
	while ((more = field_next(&body.data, body.end, &field)) > 0) {
		if (field.tag == CW_REFUSE_ID && !get_number(&field, UINT64_MAX, &out->id))
			return refuse_field(fail, "refuse.id");
		if (field.tag == CW_REFUSE_WHY && !get_u32(&field, &out->why))
			return refuse_field(fail, "refuse.why");
		if (field.tag == CW_REFUSE_TEXT && !get_text(&field, &out->text))
			return refuse_field(fail, "refuse.text");
	}
	return more < 0 ? refuse_field(fail, "refuse") : 1;
}

void cw_text_print(const struct cw_text *from, char *to, size_t room)
{
	size_t size = !from->data ? 0 : from->size < room - 1 ? from->size : room - 1;
	for (size_t i = 0; i < size; i++)
		to[i] = from->data[i] >= ' ' && from->data[i] <= '~' ? from->data[i] : '?';
	to[size] = 0;
}
