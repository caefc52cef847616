/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filter language as the core sees the language: compiled filters, and running
 * filters.
 *
 * A compiled filter is immutable and lives in its configuration's arena; any number of
 * threads may run the filter at a time. struct filter_thread, one for each loop, holds
 * the scratch memory of runs. */
#ifndef TERN_FILTER_FILTER_H
#define TERN_FILTER_FILTER_H

#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/net/ip.h"

struct filter;

enum filter_verdict { FILTER_REJECT = 0, FILTER_ACCEPT = 1 };

/* Inputs besides the attribute set. A mask says what some run of a filter may read
 * (filter_may_read), or what one run has read (@reads of filter_run). */
#define FILTER_READ_NET      0x01 /* the prefix */
#define FILTER_READ_SOURCE   0x02 /* proto, from, and other facts of the source */
#define FILTER_READ_TABLE    0x04 /* another table (ROA) */
#define FILTER_READ_VOLATILE 0x08 /* time, print, log: never remembered */
#define FILTER_READ_IFACES   0x10 /* the machine's interfaces; volatile as well */

/* Callbacks of a self-test. Constant. Owner: the caller of filter_test_run. Life: until
 * the run ends. */
struct filter_test_env {
	/* asserted - the run reached bt_assert; @text: its expression. (Outside of
	 * self-tests a false assertion is an error of the run.) */
	void (*asserted)(
	    void *ctx, bool ok, const char *file, uint32_t line, const char *text);
	/* route - replace the run's route by a new route. @proto: NULL: any. */
	void (*route)(
	    void *ctx, const struct prefix *net, const char *proto, struct ip_addr from);
	/* accepts - run the filter named @filter on the route. Returns: 1, 0, or -1:
	 * impossible. */
	int (*accepts)(void *ctx, const char *filter);
};

/* Callbacks of a run. Constant; any thread. Owner: the caller. Life: until the run
 * ends. */
struct filter_env {
	/* log - one line printed by the filter (`print`, accept/reject messages). */
	void (*log)(void *ctx, const char *line);
	/* error - one line about a run-time error; NULL: log gets the line. */
	void (*error)(void *ctx, const char *line);
	void *ctx;
	uint64_t (*now_ns)(void *ctx); /* NULL: the monotonic clock */
	const struct filter_test_env *test; /* NULL: no self-test */
};

/* Scratch memory of one loop. Owner: its loop. Freed by: filter_thread_free. */
struct filter_thread;
struct iface_source;
/* filter_thread_new - @ifaces: source of interfaces (sysdep/iface/iface.h), which lives
 * longer; NULL: no interfaces are known. */
OWNED struct filter_thread *filter_thread_new(const struct iface_source *ifaces);
void filter_thread_free(TAKE struct filter_thread *t);

/* filter_run - decide on one route.
 * @view:  prefix, source; view->set is ignored, attributes are those of @e.
 * @e:     changed by the filter's assignments; undefined after a reject.
 * @reads: set to the FILTER_READ_* of this run.
 * Errors: a run-time error (undefined attribute, division by zero, too many steps)
 *         rejects, and logs a line with filter name, source line and prefix, once in a
 *         while for each place.
 * Cost:   bounded steps, stack and memory. */
enum filter_verdict filter_run(const struct filter *f, struct filter_thread *t,
    const struct filter_env *env, const struct route_view *view, struct attr_edit *e,
    uint32_t *reads);

/* filter_steps - the steps (instructions, and charges for long values) of all runs of @t
 * so far; a filter that reads nothing (filter_is_const) adds none. */
uint64_t filter_steps(const struct filter_thread *t);

/* filter_where - the place where the last run of @t, a run of @f, ended: the file, which
 * lives as long as @f, and the line. For `where` with functions: the place of the return
 * that decided. Returns: false: @f reads nothing (filter_is_const). */
bool filter_where(const struct filter_thread *t, const struct filter *f,
    const char **file, uint32_t *line);
/* The return of a called function that led a run to its reject. The texts live as long as
 * the filter. Owner: the caller. */
struct filter_decided {
	const char *function; /* NULL: none */
	const char *file;
	uint32_t line;
	bool returned; /* the value */
};

/* filter_decided_by - the return whose value led the last run of @t, a run of @f, to its
 * reject: `if f() then accept; reject;`. Between the return and the reject only the value
 * of the function chose the way. None for `where`: filter_where names the return. */
struct filter_decided filter_decided_by(
    const struct filter_thread *t, const struct filter *f);
/* filter_said - the lines that the last run of @t has printed (`print`, texts of `accept`
 * and `reject`, or the error that ended the run), separated by "; " and truncated at a
 * bound. "": nothing. Valid until the next run. */
const char *filter_said(const struct filter_thread *t);
/* filter_failed - true if a run-time error ended the last run of @t: the last text of
 * filter_said names the error. */
bool filter_failed(const struct filter_thread *t);

/* filter_may_read - union of FILTER_READ_* over all possible runs. */
uint32_t filter_may_read(const struct filter *f);
/* filter_may_write - true if @f can change an attribute. */
bool filter_may_write(const struct filter *f);
/* Verdicts that the compiler knows. Owner: the filter. Life: as the filter; immutable. */
struct filter_known {
	uint8_t fixed; /* 0: run the code; else 1 + enum filter_verdict */
	/* 0: unknown; else 1 + the verdict on routes without lists (filter_bare) */
	uint8_t bare;
	uint8_t lists;
};

static inline const struct filter_known *
filter_known_of(const struct filter *f)
{
	return (const struct filter_known *)(const void *)f;
}

/* filter_is_const - true if @f accepts (or rejects) every route unchanged without reading
 * anything. @v: the verdict. */
static inline bool
filter_is_const(const struct filter *f, enum filter_verdict *v)
{
	uint8_t fixed = filter_known_of(f)->fixed;

	if (fixed)
		*v = (enum filter_verdict)(fixed - 1);
	return fixed;
}

/* filter_bare - true if @f gives one verdict to all routes without certain lists of
 * communities, and leaves these routes unchanged. @v: the verdict; @lists: the lists,
 * bits 1 << enum comm_kind. A constant filter (filter_is_const) has no such lists. */
static inline bool
filter_bare(const struct filter *f, enum filter_verdict *v, uint8_t *lists)
{
	const struct filter_known *k = filter_known_of(f);
	uint8_t known = k->fixed ? k->fixed : k->bare;

	if (!known)
		return false;
	*v = (enum filter_verdict)(known - 1);
	*lists = k->lists;
	return true;
}

/* filter_same - true if both filters have the same meaning; source positions and names
 * may differ. */
bool filter_same(const struct filter *a, const struct filter *b);
/* filter_name - "(unnamed)" for an inline filter, "ACCEPT", "REJECT" for all and none. */
const char *filter_name(const struct filter *f);

/* Accept all, reject all. */
extern const struct filter filter_accept_all, filter_reject_all;

#endif
