/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribute octets and sets made by hand, for tests of lib/attr and lib/wire. */
#ifndef TERN_TEST_LIB_WIRE_H
#define TERN_TEST_LIB_WIRE_H

#include "lib/attr/attr.h"
#include "lib/wire/wbuf.h"
#include <stdlib.h>

/* wire_item - one item of canonical octets at the end of @w. */
static inline void
wire_item(struct wbuf *w, uint8_t flags, uint8_t code, const void *val, size_t len)
{
	wbuf_u8(w, flags);
	wbuf_u8(w, code);
	wbuf_u16(w, (uint16_t)len);
	wbuf_bytes(w, val, len);
}

/* wire_attr - one attribute as on the wire. */
static inline void
wire_attr(struct wbuf *w, uint8_t flags, uint8_t code, const void *val, size_t len)
{
	wbuf_u8(w, len > 255 ? flags | ATTR_F_EXTLEN : flags);
	wbuf_u8(w, code);
	if (len > 255)
		wbuf_u16(w, (uint16_t)len);
	else
		wbuf_u8(w, (uint8_t)len);
	wbuf_bytes(w, val, len);
}

/* wire_new - a set of canonical octets, not interned; free() it. */
static inline struct wire_set *
wire_new(const void *data, size_t len)
{
	struct wire_set *w = calloc(1, sizeof(*w) + len);

	if (!w)
		abort();
	w->len = (uint16_t)len;
	if (len)
		memcpy(w->data, data, len);
	wire_fill(w);
	return w;
}

#endif
