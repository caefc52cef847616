/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filter language as the core sees it: compiled filters, and running them.
 *
 * A compiled filter is immutable, lives in its configuration's arena and may be run by
 * any number of threads at a time. What a run needs beside it is in struct filter_thread,
 * one for each loop. */
#ifndef TERN_FILTER_FILTER_H
#define TERN_FILTER_FILTER_H

#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/net/ip.h"

struct filter;

enum filter_verdict { FILTER_REJECT = 0, FILTER_ACCEPT = 1 };

/* What a filter may read, or what one run did read. The attribute set itself isn't
 * listed. */
#define FILTER_READ_NET      0x01 /* the prefix */
#define FILTER_READ_SOURCE   0x02 /* proto, from, and other facts of the source */
#define FILTER_READ_TABLE    0x04 /* another table (ROA) */
#define FILTER_READ_VOLATILE 0x08 /* time, print, log: never remembered */
#define FILTER_READ_IFACES   0x10 /* the machine's interfaces; volatile as well */

/* What a self-test asks of whoever runs it. Constant. */
struct filter_test_env {
	/* asserted - bt_assert was reached; @text: its expression. (Elsewhere an
	 * assertion that is false is an error of the run.) */
	void (*asserted)(
	    void *ctx, bool ok, const char *file, uint32_t line, const char *text);
	/* route - begin a new route, in place of the one that the run was given. @proto:
	 * NULL: it doesn't matter. */
	void (*route)(
	    void *ctx, const struct prefix *net, const char *proto, struct ip_addr from);
	/* accepts - run the filter of that name on the route. Returns: 1, 0, or -1: it
	 * can't be done. */
	int (*accepts)(void *ctx, const char *filter);
};

/* What a filter asks of the world. Constant; any thread. */
struct filter_env {
	/* log - one line printed by the filter (`print`, accept/reject messages). */
	void (*log)(void *ctx, const char *line);
	/* error - the same for run-time errors; NULL: they go to log. */
	void (*error)(void *ctx, const char *line);
	void *ctx;
	uint64_t (*now_ns)(void *ctx); /* NULL: the monotonic clock */
	const struct filter_test_env *test; /* NULL: this is no self-test */
};

/* Scratch of one loop. owner: its loop. */
struct filter_thread;
struct iface_source;
/* filter_thread_new - @ifaces: where interfaces are looked up (sysdep/iface/iface.h); it
 * lives longer. NULL: nothing is known of them. */
OWNED struct filter_thread *filter_thread_new(const struct iface_source *ifaces);
void filter_thread_free(TAKE struct filter_thread *t);

/* filter_run - decide on one route.
 * @r:     prefix, source; r->set is ignored, attributes are those of @e.
 * @e:     changed by the filter's assignments; undefined after a reject.
 * @reads: set to the FILTER_READ_* of this run.
 * Errors: a run-time error (undefined attribute, division by zero, too many steps)
 *         rejects, and logs a line with filter name, source line and prefix, once in a
 *         while for each place.
 * Cost:   bounded steps, stack and memory. */
enum filter_verdict filter_run(const struct filter *f, struct filter_thread *t,
    const struct filter_env *env, const struct route_view *r, struct attr_edit *e,
    uint32_t *reads);

/* filter_where - where the last run of @t, which was of @f, ended: the file, which lives
 * as @f, and the line. Of `where` with functions: the return whose value decided, if it
 * was one. Returns: false: @f looks at nothing (filter_is_const). */
bool filter_where(const struct filter_thread *t, const struct filter *f,
    const char **file, uint32_t *line);
/* filter_said - what the last run of @t has printed (`print`, texts of `accept` and
 * `reject`, or the error that ended it): lines with "; " between them, cut where they
 * are many. "": nothing. Until the next run. */
const char *filter_said(const struct filter_thread *t);

/* filter_may_read - union of FILTER_READ_* over all possible runs. */
uint32_t filter_may_read(const struct filter *f);
/* filter_may_write - can it change any attribute? */
bool filter_may_write(const struct filter *f);
/* filter_is_const - does it accept (or reject) everything unchanged without looking? @v:
 * which. */
bool filter_is_const(const struct filter *f, enum filter_verdict *v);
/* filter_bare - is the same said of all routes that have none of some lists of
 * communities, and are they left as they are? @v: what is said; @lists: which lists, bits
 * 1 << enum comm_kind. Known of all that filter_is_const, too, with no lists. */
bool filter_bare(const struct filter *f, enum filter_verdict *v, uint8_t *lists);
/* filter_same - do they mean the same, whatever their source positions and names? */
bool filter_same(const struct filter *a, const struct filter *b);
/* filter_name - "(unnamed)" for inline ones, "ACCEPT", "REJECT" for all and none. */
const char *filter_name(const struct filter *f);

/* Accept all, reject all. */
extern const struct filter filter_accept_all, filter_reject_all;

#endif
