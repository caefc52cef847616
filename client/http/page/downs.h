/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small picture of how often a session was lost in each of the last 24 hours. Pure
 * functions. */
#ifndef TERN_CLIENT_HTTP_PAGE_DOWNS_H
#define TERN_CLIENT_HTTP_PAGE_DOWNS_H

#include "client/http/job/jview.h"
#include "lib/base/strbuf.h"

#define DOWNS_HOURS 24

/* Losses of a session in each hour, the oldest hour first. Owner: the holder. Life: that
 * of the holder. By value: nothing to free. */
struct downs {
	uint8_t hour[DOWNS_HOURS]; /* 255: as many or more */
};

/* downs_read - the list `downs` of an object `member`; all 0 without the list. */
struct downs downs_read(struct jview member);
/* downs_picture - a bar for each hour with losses, and the sum in words; nothing if no
 * session was lost. */
void downs_picture(struct strbuf *o, const struct downs *d);

#endif
