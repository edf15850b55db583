/* Frames of a WebSocket: the bytes that a client sends. A frame is the same whether they come in one piece or one by
 * one, its size stays within bounds, its mask comes off as by hand, and the head that we write for it reads back as it
 * was. */
#include <string.h>

#include "server/net/websocket.h"
#include "tests/fuzz/fuzz.h"

/* What is read of growing beginnings: nothing for a while, and then the same for good. */
static int read_by_bytes(const char *data, size_t size, struct nt_ws_frame *out)
{
	struct nt_ws_frame more;
	size_t n = 0;
	int rc = 0;
	while (!rc && n <= size && n <= NT_WS_HEAD_MAX)
		rc = nt_ws_read(data, n++, out);
	if (rc > 0)
		FUZZ_CHECK(n - 1 == out->head);
	for (; rc && n <= size && n <= 2 * NT_WS_HEAD_MAX; n++) {
		FUZZ_CHECK(nt_ws_read(data, n, &more) == rc);
		if (rc > 0)
			FUZZ_CHECK(more.head == out->head && more.size == out->size && more.opcode == out->opcode &&
				   more.whole == out->whole && !memcmp(more.mask, out->mask, sizeof more.mask));
	}
	return rc;
}

static void check_head(const struct nt_ws_frame *frame, const char *data)
{
	bool control = frame->opcode >= NT_WS_CLOSE;
	uint8_t head[NT_WS_HEAD_MAX];
	char masked[NT_WS_HEAD_MAX];
	struct nt_ws_frame again;
	FUZZ_CHECK(frame->head >= 6 && frame->head <= NT_WS_HEAD_MAX);
	FUZZ_CHECK(frame->size <= INT64_MAX && frame->opcode <= NT_WS_PONG);
	FUZZ_CHECK(frame->opcode <= NT_WS_BINARY || control);
	FUZZ_CHECK(!control || (frame->whole && frame->size <= NT_WS_CONTROL_MAX));
	FUZZ_CHECK(!memcmp(frame->mask, data + frame->head - 4, 4));
	size_t size = nt_ws_head((enum nt_ws_opcode)frame->opcode, frame->size, head);
	FUZZ_CHECK(size >= 2 && size <= NT_WS_HEAD_MAX - 4);
	memcpy(masked, head, size);
	memcpy(masked + size, frame->mask, 4);
	FUZZ_CHECK(!(masked[1] & 0x80)); /* ours have no mask */
	masked[1] = (char)(masked[1] | 0x80);
	FUZZ_CHECK(nt_ws_read(masked, size + 4, &again) == 1);
	FUZZ_CHECK(again.whole && again.opcode == frame->opcode && again.size == frame->size && again.head == size + 4);
}

/* Bytes of the character at `p`, from the table of the standard (Unicode, table 3-7); 0: it is none. */
static size_t character(const uint8_t *p, size_t size)
{
	static const struct {
		uint8_t first, last, low, high;
		size_t length;
	} rows[] = {
		{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (p[0] < rows[i].first || p[0] > rows[i].last)
			continue;
		if (rows[i].length > size || (rows[i].length > 1 && (p[1] < rows[i].low || p[1] > rows[i].high)))
			return 0;
		for (size_t k = 2; k < rows[i].length; k++)
			if (p[k] < 0x80 || p[k] > 0xbf)
				return 0;
		return rows[i].length;
	}
	return 0;
}

static bool is_text(const uint8_t *text, size_t size)
{
	for (size_t at = 0, length; at < size; at += length)
		if (!(length = character(text + at, size - at)))
			return false;
	return true;
}

static void check_payload(const struct nt_ws_frame *frame, const char *data)
{
	size_t size = (size_t)frame->size;
	char *payload = malloc(size + !size);
	bool ascii = true;
	FUZZ_CHECK(payload);
	memcpy(payload, data, size);
	bool said = nt_ws_unmask(frame, payload);
	for (size_t i = 0; i < size; i++) {
		FUZZ_CHECK((uint8_t)payload[i] == ((uint8_t)data[i] ^ frame->mask[i % 4]));
		ascii = ascii && !(payload[i] & 0x80);
	}
	FUZZ_CHECK(said == ascii);
	bool text = is_text((const uint8_t *)payload, size);
	FUZZ_CHECK(nt_ws_is_text(payload, size) == text);
	unsigned code = nt_ws_close_code(payload, size);
	unsigned stated = size > 1 ? (unsigned)(uint8_t)payload[0] << 8 | (uint8_t)payload[1] : 0;
	FUZZ_CHECK(size ? code == stated || code == NT_WS_PROTOCOL_ERROR : code == NT_WS_NO_CODE);
	FUZZ_CHECK(code >= 1000 && code < 5000 && (code != NT_WS_NO_CODE || !size) && code != 1006 && code != 1015);
	nt_ws_unmask(frame, payload);
	FUZZ_CHECK(!memcmp(payload, data, size));
	free(payload);
}

FUZZ(websocket)
{
	const char *at = (const char *)data;
	while (size) {
		struct nt_ws_frame frame, whole;
		int rc = nt_ws_read(at, size, &whole);
		FUZZ_CHECK(rc >= -1 && rc <= 1 && read_by_bytes(at, size, &frame) == rc);
		if (rc <= 0)
			return 0;
		FUZZ_CHECK(frame.head == whole.head && frame.size == whole.size);
		check_head(&frame, at);
		if (frame.size > size - frame.head)
			return 0;
		check_payload(&frame, at + frame.head);
		at += frame.head + frame.size;
		size -= frame.head + (size_t)frame.size;
	}
	return 0;
}
