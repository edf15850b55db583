/* WebSocket: frames as bytes (RFC 6455), without extensions and connections. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NT_WS_HEAD_MAX = 14,     /* bytes of a frame's head */
	NT_WS_CONTROL_MAX = 125, /* bytes of a control frame's payload */
	NT_WS_ACCEPT = 29        /* room for the answer to a key */
};

enum nt_ws_opcode {
	NT_WS_CONTINUATION = 0,
	NT_WS_TEXT = 1,
	NT_WS_BINARY = 2,
	NT_WS_CLOSE = 8,
	NT_WS_PING = 9,
	NT_WS_PONG = 10
};

/* Why a connection is closed. */
enum nt_ws_code {
	NT_WS_NORMAL = 1000,
	NT_WS_GOING_AWAY = 1001,
	NT_WS_PROTOCOL_ERROR = 1002,
	NT_WS_UNSUPPORTED = 1003,
	NT_WS_NO_CODE = 1005, /* never sent: the close frame is empty */
	NT_WS_NO_TEXT = 1007,
	NT_WS_TOO_LONG = 1009
};

struct nt_ws_frame {
	bool whole;
	unsigned opcode;
	uint64_t size; /* of the payload */
	uint8_t mask[4];
	size_t head; /* bytes before the payload */
};

/* Reads the head of a client's frame. 1: it is read; 0: it is not whole; -1: it breaks the protocol (not masked,
 * reserved bits or opcodes, a long or torn control frame, a length with its first bit set). */
int nt_ws_read(const char *data, size_t size, struct nt_ws_frame *out);
/* Removes the mask from a whole payload. True when all bytes of it are ASCII. */
bool nt_ws_unmask(const struct nt_ws_frame *frame, char *payload);
/* True for text in UTF-8. */
bool nt_ws_is_text(const char *text, size_t size);
/* Writes the head of an outgoing frame; returns its size. */
size_t nt_ws_head(enum nt_ws_opcode opcode, uint64_t size, uint8_t out[NT_WS_HEAD_MAX]);
/* The code in a client's close frame: NT_WS_NO_CODE when it is empty, NT_WS_PROTOCOL_ERROR when it is not a valid
 * code. */
unsigned nt_ws_close_code(const char *payload, size_t size);
/* The answer to a client's key, as text; false when OpenSSL fails. */
bool nt_ws_accept(const char *key, size_t size, char out[NT_WS_ACCEPT]);
