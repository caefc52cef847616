/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounded writer with a sticky error: what doesn't fit is dropped and marks the writer
 * bad. */
#ifndef TERN_LIB_WIRE_WBUF_H
#define TERN_LIB_WIRE_WBUF_H

#include "lib/base/check.h"

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

/* wbuf_skip - leave @len octets to be filled later; NULL and bad if there is no room. */
static inline uint8_t *
wbuf_skip(struct wbuf *w, size_t len)
{
	uint8_t *p = w->pos;

	if (wbuf_room(w) < len) {
		w->bad = true;
		return NULL;
	}
	w->pos += len;
	return p;
}

static inline void
wbuf_u8(struct wbuf *w, uint8_t v)
{
	uint8_t *p = wbuf_skip(w, 1);

	if (p)
		*p = v;
}

static inline void
wbuf_u16(struct wbuf *w, uint16_t v)
{
	uint8_t *p = wbuf_skip(w, 2);

	if (p)
		put_be16(p, v);
}

static inline void
wbuf_u32(struct wbuf *w, uint32_t v)
{
	uint8_t *p = wbuf_skip(w, 4);

	if (p)
		put_be32(p, v);
}

static inline void
wbuf_bytes(struct wbuf *w, const void *from, size_t len)
{
	uint8_t *p = wbuf_skip(w, len);

	if (p && len)
		memcpy(p, from, len);
}

#endif
