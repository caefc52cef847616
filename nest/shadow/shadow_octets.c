/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Octets that wait, or form an incomplete message. Loop: the shadow's. Tested by
 * test/net/test_shadow.py. */
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "nest/conf/config.h"
#include "nest/shadow/shadow_priv.h"
#include "sysdep/loop/loop.h"
#include <bsd/string.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint8_t *
shadow_octets_room(struct shadow_octets *o, uint32_t len)
{
	if (o->pos) {
		o->len -= o->pos;
		memmove(o->at, o->at + o->pos, o->len);
		o->pos = 0;
	}
	o->at = vec_room(MEM_OTHER, o->at, &o->cap, o->len + len + SHADOW_SLACK, 1);
	return o->at + o->len;
}

void
shadow_octets_got(struct shadow_octets *o, uint32_t len)
{
	o->len += len;
	memset(o->at + o->len, 0, SHADOW_SLACK);
}

void
shadow_octets_put(struct shadow_octets *o, const void *p, size_t len)
{
	memcpy(shadow_octets_room(o, (uint32_t)len), p, len);
	shadow_octets_got(o, (uint32_t)len);
}

void
shadow_octets_free(struct shadow_octets *o)
{
	mem_free(MEM_OTHER, o->at);
	*o = (struct shadow_octets){ 0 };
}
