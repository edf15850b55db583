/* WebSocket: frames as bytes (RFC 6455), without extensions. Nothing in here knows a connection. */
#ifndef DM_WEBSOCKET_H
#define DM_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DM_WS_HEAD_MAX = 14,     /* bytes of a frame's head */
	DM_WS_CONTROL_MAX = 125, /* bytes of a control frame's payload */
	DM_WS_ACCEPT = 29        /* room for the answer to a key */
};

enum dm_ws_opcode {
	DM_WS_CONTINUATION = 0,
	DM_WS_TEXT = 1,
	DM_WS_BINARY = 2,
	DM_WS_CLOSE = 8,
	DM_WS_PING = 9,
	DM_WS_PONG = 10
};

/* Why a connection is closed. */
enum dm_ws_code {
	DM_WS_NORMAL = 1000,
	DM_WS_GOING_AWAY = 1001,
	DM_WS_PROTOCOL_ERROR = 1002,
	DM_WS_UNSUPPORTED = 1003,
	DM_WS_NO_CODE = 1005, /* never sent: the close frame is empty */
	DM_WS_NO_TEXT = 1007,
	DM_WS_TOO_LONG = 1009
};

struct dm_ws_frame {
	bool whole;
	unsigned opcode;
	uint64_t size; /* of the payload */
	uint8_t mask[4];
	size_t head; /* bytes before the payload */
};

/* Reads the head of a client's frame. 1: it is read; 0: it is not whole; -1: it breaks the protocol (not masked,
 * reserved bits or opcodes, a long or torn control frame, a length with its first bit set). */
int dm_ws_read(const char *data, size_t size, struct dm_ws_frame *out);
/* Takes the mask off a whole payload. True when all bytes of it are ASCII. */
bool dm_ws_unmask(const struct dm_ws_frame *frame, char *payload);
/* True for text in UTF-8. */
bool dm_ws_is_text(const char *text, size_t size);
/* Writes the head of a frame of ours; returns its bytes. */
size_t dm_ws_head(enum dm_ws_opcode opcode, uint64_t size, uint8_t out[DM_WS_HEAD_MAX]);
/* The code in a client's close frame: DM_WS_NO_CODE when it is empty, DM_WS_PROTOCOL_ERROR when it is none. */
unsigned dm_ws_close_code(const char *payload, size_t size);
/* The answer to a client's key, as text; false when OpenSSL fails. */
bool dm_ws_accept(const char *key, size_t size, char out[DM_WS_ACCEPT]);

#endif
