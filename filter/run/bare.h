/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a filter says of routes without communities. Most routes have none of those by
 * which members of a route server ask for something, and most export filters look for
 * nothing else: then there is an answer for all of them, and no run is needed. */
#ifndef TERN_FILTER_BARE_H
#define TERN_FILTER_BARE_H

struct filter;
struct filter_thread;

/* filter_find_bare - set what filter_bare tells of @f, whose code is complete. Bounded:
 * what takes long stays unknown. */
void filter_find_bare(struct filter *f, struct filter_thread *t);

#endif
