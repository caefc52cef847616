/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounded writer with a sticky error: octets that do not fit are dropped and mark the
 * writer bad. Owner: the caller. Life: by value, while the buffer is valid. Loop: the
 * loop that owns the buffer. */
#ifndef TERN_LIB_WIRE_WBUF_H
#define TERN_LIB_WIRE_WBUF_H

#include "lib/base/check.h"

/* A writer. Owner: the caller; by value, the buffer is borrowed: nothing to free. */
struct wbuf {
	uint8_t *start, *pos, *end;
	bool bad;
};

static inline struct wbuf
wbuf_of(void *p, size_t cap)
{
	return (struct wbuf){ p, p, (uint8_t *)p + cap, false };
}

static inline size_t
wbuf_len(const struct wbuf *w)
{
	return (size_t)(w->pos - w->start);
}

static inline size_t
wbuf_room(const struct wbuf *w)
{
	return (size_t)(w->end - w->pos);
}

/* wbuf_fits - is there room for @len more octets? If not, the buffer is bad from now
 * on. */
static inline bool
wbuf_fits(struct wbuf *w, size_t len)
{
	if (wbuf_room(w) >= len)
		return true;
	w->bad = true;
	return false;
}

/* wbuf_skip - leave @len octets to be filled later; NULL and bad if there is no room. */
static inline uint8_t *
wbuf_skip(struct wbuf *w, size_t len)
{
	if (!wbuf_fits(w, len))
		return NULL;
	w->pos += len;
	return w->pos - len;
}

/* The functions below test wbuf_fits instead of a pointer that may be NULL: gcc 14 treats
 * such a pointer as an object of size 0 and warns. */

static inline void
wbuf_u8(struct wbuf *w, uint8_t v)
{
	if (wbuf_fits(w, 1))
		*w->pos++ = v;
}

static inline void
wbuf_u16(struct wbuf *w, uint16_t v)
{
	if (!wbuf_fits(w, 2))
		return;
	put_be16(w->pos, v);
	w->pos += 2;
}

static inline void
wbuf_u32(struct wbuf *w, uint32_t v)
{
	if (!wbuf_fits(w, 4))
		return;
	put_be32(w->pos, v);
	w->pos += 4;
}

static inline void
wbuf_bytes(struct wbuf *w, const void *from, size_t len)
{
	if (!len || !wbuf_fits(w, len))
		return;
	memcpy(w->pos, from, len);
	w->pos += len;
}

#endif
