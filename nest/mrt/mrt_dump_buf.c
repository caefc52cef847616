/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffer of a dump. The worker of the dump calls. Tested by test/unit/test_mrt_dump.c. */
#include "nest/mrt/mrt_dump_priv.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/base/strbuf.h"
#include "lib/wire/mrt.h"
#include "lib/wire/wbuf.h"
#include "nest/mrt/mrt_peers.h"
#include <errno.h>
#include <stdarg.h>

void
mrt_dump_grow(struct mrt_dump *d)
{
	size_t len = wbuf_len(&d->out);

	ASSERT(d->cap < MRT_BUFFER_MAX);
	d->cap = d->cap ? 2 * d->cap : MRT_BUFFER_MIN;
	d->buf = mem_realloc(MEM_OTHER, d->buf, d->cap, 1);
	d->out = wbuf_of(d->buf, d->cap);
	d->out.pos += len;
}
