/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BFD sessions with the next hops of static routes: one ask for each neighbour. */
#ifndef TERN_PROTO_STATIC_BFD_H
#define TERN_PROTO_STATIC_BFD_H

#include "filter/run/hop.h"
#include "lib/base/check.h"
#include "lib/base/list.h"

struct proto;

/* owner: the instance. */
struct static_bfd {
	uint32_t cnt; /* asks that aren't gone */
	/* private */
	struct proto *p;
	struct list asks;
	bool marking;
	void (*changed)(struct proto *p);
	void (*gone)(struct proto *p);
};

/* static_bfd_init - @changed: another answer of static_bfd_up; @gone: cnt is 0 again.
 * Both from messages only, but for a `gone` inside of static_bfd_clear. */
void static_bfd_init(struct static_bfd *b, struct proto *p,
    void (*changed)(struct proto *p), void (*gone)(struct proto *p));
/* static_bfd_up - is the path to @h there, as BFD says? It is asked from now on. */
bool static_bfd_up(struct static_bfd *b, const struct hop *h);
/* static_bfd_begin, static_bfd_end - what static_bfd_up isn't called for between the two
 * isn't wanted any more. */
void static_bfd_begin(struct static_bfd *b);
void static_bfd_end(struct static_bfd *b);
/* static_bfd_clear - nothing is. */
void static_bfd_clear(struct static_bfd *b);
/* static_bfd_look - there is another list of instances of BFD. */
void static_bfd_look(struct static_bfd *b);

#endif
