/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BFD sessions with the next hops of static routes: one request for each neighbour.
 * Loop: the instance's. */
#ifndef TERN_PROTO_STATIC_STATIC_BFD_H
#define TERN_PROTO_STATIC_STATIC_BFD_H

#include "filter/run/hop.h"
#include "lib/base/check.h"
#include "lib/base/list.h"

struct proto;

/* Owner: the instance that embeds the struct. Life: from static_bfd_init until `gone` is
 * called after static_bfd_clear. */
struct static_bfd {
	uint32_t cnt; /* requests that BFD has not yet released */
	/* private */
	struct proto *p;
	struct list asks;
	bool marking;
	void (*changed)(struct proto *p);
	void (*gone)(struct proto *p);
};

/* static_bfd_init - @changed: an answer of static_bfd_up changed. @gone: cnt became 0.
 * Both are called by messages only; static_bfd_clear may call `gone` directly. */
void static_bfd_init(struct static_bfd *b, struct proto *p,
    void (*changed)(struct proto *p), void (*gone)(struct proto *p));
/* static_bfd_up - true: BFD reports the path to @h as up. The call requests a session to
 * @h. */
bool static_bfd_up(struct static_bfd *b, const struct hop *h);
/* static_bfd_begin, static_bfd_end - drop the requests for which no static_bfd_up was
 * called between the two calls. */
void static_bfd_begin(struct static_bfd *b);
void static_bfd_end(struct static_bfd *b);
/* static_bfd_clear - drop all requests. */
void static_bfd_clear(struct static_bfd *b);
/* static_bfd_look - the list of BFD instances changed. */
void static_bfd_look(struct static_bfd *b);

#endif
