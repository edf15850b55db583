/* Bytes: little-endian integers and varints in byte strings.
 *
 * Used for everything in files and keys, so that files do not depend on the machine. Functions that read a varint take
 * an end and return NULL when the string is too short. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void pd_put_le16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void pd_put_le32(uint8_t *p, uint32_t v)
{
	pd_put_le16(p, (uint16_t)v);
	pd_put_le16(p + 2, (uint16_t)(v >> 16));
}

static inline void pd_put_le64(uint8_t *p, uint64_t v)
{
	pd_put_le32(p, (uint32_t)v);
	pd_put_le32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t pd_get_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t pd_get_le32(const uint8_t *p)
{
	return pd_get_le16(p) | (uint32_t)pd_get_le16(p + 2) << 16;
}

static inline uint64_t pd_get_le64(const uint8_t *p)
{
	return pd_get_le32(p) | (uint64_t)pd_get_le32(p + 4) << 32;
}

/* Big-endian, for keys whose byte order must be their numeric order. */
static inline void pd_put_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static inline uint32_t pd_get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

enum { PD_VARINT_MAX = 10 }; /* bytes of the longest varint */

/* LEB128: seven bits a byte, low bits first. Writes at most PD_VARINT_MAX bytes; returns the first byte after them. */
static inline uint8_t *pd_put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Reads a varint from [p, end) into *v; returns the first byte after it, or NULL when it is incomplete or too long. */
static inline const uint8_t *pd_get_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t r = 0;
	for (unsigned shift = 0; p && p < end && shift < 64; shift += 7) {
		uint8_t b = *p++;
		if (shift == 63 && b > 1)
			return NULL;
		r |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*v = r;
			return p;
		}
	}
	return NULL;
}

/* Zigzag: small negative numbers become small varints. */
static inline uint64_t pd_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t pd_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}
