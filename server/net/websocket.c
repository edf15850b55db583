#include "server/net/websocket.h"

#include <openssl/evp.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/utf8.h"

enum { FINAL = 0x80, RESERVED = 0x70, OPCODE = 0x0f, MASKED = 0x80, CONTROL = 8, SHA1_BYTES = 20 };

int nt_ws_read(const char *data, size_t size, struct nt_ws_frame *out)
{
	const uint8_t *p = (const uint8_t *)data;
	if (!size)
		return 0;
	out->whole = p[0] & FINAL;
	out->opcode = p[0] & OPCODE;
	bool control = out->opcode & CONTROL;
	if ((p[0] & RESERVED) || out->opcode > (control ? NT_WS_PONG : NT_WS_BINARY) || (control && !out->whole))
		return -1;
	if (size < 2)
		return 0;
	out->size = p[1] & ~MASKED;
	if (!(p[1] & MASKED) || (control && out->size > NT_WS_CONTROL_MAX))
		return -1;
	size_t extra = out->size == 127 ? 8 : out->size == 126 ? 2 : 0;
	out->head = 2 + extra + sizeof out->mask;
	if (extra && size > 2 && extra == 8 && (p[2] & 0x80))
		return -1;
	if (size < out->head)
		return 0;
	for (size_t i = 0; i < extra; i++)
		out->size = (i ? out->size << 8 : 0) | p[2 + i];
	memcpy(out->mask, p + 2 + extra, sizeof out->mask);
	PD_ASSERT(out->head <= NT_WS_HEAD_MAX);
	return 1;
}

bool nt_ws_unmask(const struct nt_ws_frame *frame, char *payload)
{
	uint64_t mask, word, seen = 0;
	size_t at = 0, size = (size_t)frame->size;
	memcpy(&mask, frame->mask, 4);
	memcpy((char *)&mask + 4, frame->mask, 4);
	for (; at + 8 <= size; at += 8) {
		memcpy(&word, payload + at, 8);
		word ^= mask;
		seen |= word;
		memcpy(payload + at, &word, 8);
	}
	for (; at < size; at++) {
		payload[at] = (char)(payload[at] ^ frame->mask[at & 3]);
		seen |= (uint8_t)payload[at];
	}
	return !(seen & UINT64_C(0x8080808080808080));
}

bool nt_ws_is_text(const char *text, size_t size)
{
	for (size_t at = 0, length; at < size; at += length)
		if (!(length = pd_utf8_length(text + at, size - at)))
			return false;
	return true;
}

size_t nt_ws_head(enum nt_ws_opcode opcode, uint64_t size, uint8_t out[NT_WS_HEAD_MAX])
{
	size_t extra = size > UINT16_MAX ? 8 : size > NT_WS_CONTROL_MAX ? 2 : 0;
	out[0] = (uint8_t)(FINAL | opcode);
	out[1] = (uint8_t)(extra == 8 ? 127 : extra == 2 ? 126 : size);
	for (size_t i = 0; i < extra; i++)
		out[2 + i] = (uint8_t)(size >> 8 * (extra - 1 - i));
	return 2 + extra;
}

unsigned nt_ws_close_code(const char *payload, size_t size)
{
	if (!size)
		return NT_WS_NO_CODE;
	unsigned code = size > 1 ? (unsigned)(uint8_t)payload[0] << 8 | (uint8_t)payload[1] : 0;
	bool known = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
	if ((!known && (code < 3000 || code > 4999)) || !nt_ws_is_text(payload + 2, size - 2))
		return NT_WS_PROTOCOL_ERROR;
	return code;
}

bool nt_ws_accept(const char *key, size_t size, char out[NT_WS_ACCEPT])
{
	static const char salt[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned digest_size = 0;
	char text[64];
	PD_ASSERT(size + sizeof salt <= sizeof text);
	memcpy(text, key, size);
	memcpy(text + size, salt, sizeof salt - 1);
	if (EVP_Digest(text, size + sizeof salt - 1, digest, &digest_size, EVP_sha1(), NULL) != 1 ||
	    digest_size != SHA1_BYTES)
		return false;
	return EVP_EncodeBlock((unsigned char *)out, digest, SHA1_BYTES) == NT_WS_ACCEPT - 1;
}
