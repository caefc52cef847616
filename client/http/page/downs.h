/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small picture of how often a session was lost: a bar for each of the last 24 hours,
 * and a wider bar for each of the six days before. Pure functions. */
#ifndef TERN_CLIENT_HTTP_PAGE_DOWNS_H
#define TERN_CLIENT_HTTP_PAGE_DOWNS_H

#include "lib/json/jview.h"
#include "lib/base/strbuf.h"

#define DOWNS_HOURS 24
#define DOWNS_DAYS  6

/* Losses of a session, the oldest first. Owner: the holder. Life: that of the holder. By
 * value: nothing to free. */
struct downs {
	uint8_t hour[DOWNS_HOURS]; /* 255: as many or more */
	uint16_t day[DOWNS_DAYS]; /* before the hours */
};

/* downs_read - the lists `downs` and `downs_days` of an object `member`; all 0 without
 * the lists. */
struct downs downs_read(struct jview member);
/* downs_picture - a bar for each day and hour with losses, and the sums in words; nothing
 * if no session was lost. */
void downs_picture(struct strbuf *o, const struct downs *d);

#endif
