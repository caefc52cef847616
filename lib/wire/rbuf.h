/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounded reader with a sticky error. A read beyond the end gives zeros and marks the
 * reader bad, so decoders read without checks and test the reader once. A sub-reader
 * cannot leave its parent. Owner: the caller. Life: by value, while the octets are
 * valid. Loop: the loop that owns the reader. */
#ifndef TERN_LIB_WIRE_RBUF_H
#define TERN_LIB_WIRE_RBUF_H

#include "lib/base/check.h"

/* A reader. Owner: the caller; by value: nothing to free. */
struct rbuf {
	const uint8_t *pos, *end;
	bool bad;
};

static inline struct rbuf
rbuf_of(const void *p, size_t len)
{
	return (struct rbuf){ p, (const uint8_t *)p + len, false };
}

static inline size_t
rbuf_left(const struct rbuf *r)
{
	return (size_t)(r->end - r->pos);
}

/* rbuf_ok - no read went beyond the end. */
static inline bool
rbuf_ok(const struct rbuf *r)
{
	return !r->bad;
}

/* rbuf_done - everything read, nothing beyond. */
static inline bool
rbuf_done(const struct rbuf *r)
{
	return !r->bad && r->pos == r->end;
}

/* rbuf_take - @len octets; NULL and bad if there are fewer. */
static inline const uint8_t *
rbuf_take(struct rbuf *r, size_t len)
{
	const uint8_t *p = r->pos;

	if (rbuf_left(r) < len) {
		r->bad = true;
		r->pos = r->end;
		return NULL;
	}
	r->pos += len;
	return p;
}

static inline uint8_t
rbuf_u8(struct rbuf *r)
{
	const uint8_t *p = rbuf_take(r, 1);

	return p ? *p : 0;
}

static inline uint16_t
rbuf_u16(struct rbuf *r)
{
	const uint8_t *p = rbuf_take(r, 2);

	return p ? get_be16(p) : 0;
}

static inline uint32_t
rbuf_u32(struct rbuf *r)
{
	const uint8_t *p = rbuf_take(r, 4);

	return p ? get_be32(p) : 0;
}

/* rbuf_sub - a reader of the next @len octets; bad (and empty) if there are fewer. */
static inline struct rbuf
rbuf_sub(struct rbuf *r, size_t len)
{
	const uint8_t *p = rbuf_take(r, len);

	if (!p)
		return (struct rbuf){ r->end, r->end, true };
	return (struct rbuf){ p, p + len, false };
}

#endif
