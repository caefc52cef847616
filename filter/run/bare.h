/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict of a filter on routes without communities. Most routes lack the
 * communities by which members of a route server request an action, and most export
 * filters read nothing else: all such routes have one verdict, and no run is needed.
 * Loop: the parser's thread. */
#ifndef TERN_FILTER_RUN_BARE_H
#define TERN_FILTER_RUN_BARE_H

struct filter;
struct filter_thread;

/* filter_find_bare - compute the result of filter_bare for @f, whose code is complete.
 * The time is bounded; the result of a long run stays unknown. */
void filter_find_bare(struct filter *f, struct filter_thread *t);

#endif
