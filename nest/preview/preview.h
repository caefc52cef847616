/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A preview: the effect of a configuration on the routes of all sessions, without any
 * change. The filters of the new configuration decide beside the filters in force about
 * the routes of the tables.
 *
 * The control worker makes a preview and describes the instances (preview_add). Then the
 * preview belongs to one worker, which calls preview_step in slices and reads the result.
 *
 * Owner: the control worker, then the worker that got the preview. Life: from
 * preview_new until preview_free. Structs without a statement of their own live in the
 * preview.
 *
 * Loop: the owner's. */
#ifndef TERN_NEST_PREVIEW_PREVIEW_H
#define TERN_NEST_PREVIEW_PREVIEW_H

#include "lib/base/check.h"
#include "lib/net/prefix.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/reason.h"

struct preview;
struct tern;

/* What the configuration does to an instance. */
enum preview_fate {
	PREVIEW_STAYS,
	PREVIEW_CLOSES, /* the session ends and begins again */
	PREVIEW_DISABLED,
	PREVIEW_REMOVED,
};

/* The change of a route. */
enum preview_change { PREVIEW_GAINED, PREVIEW_LOST, PREVIEW_CHANGED, PREVIEW_CHANGES };

/* An example of a changed route. */
struct preview_sample {
	struct prefix net;
	/* path identifier: received, or (of an export) sent; 0: none, or not known */
	uint32_t rid;
	uint8_t reason; /* enum reason of a loss */
	const char *file; /* place of the filter that refuses; NULL: unknown */
	uint32_t line;
};

/* The changes of a channel in one direction. */
struct preview_routes {
	uint64_t now, next; /* routes before and after */
	uint64_t cnt[PREVIEW_CHANGES];
	uint64_t reason[REASON_CNT]; /* of losses */
	struct preview_sample *sample[PREVIEW_CHANGES]; /* MEM_OTHER */
	uint32_t samples[PREVIEW_CHANGES];
};

/* A limit that the new number of routes crosses. */
struct preview_limit {
	uint8_t kind, action; /* enum limit_kind, enum limit_action */
	uint32_t max;
	uint64_t routes;
};

/* A channel of a session. */
struct preview_channel {
	const struct preview_member *of;
	char *name;
	struct preview_routes in, out;
	struct preview_limit limit[LIMIT_KINDS];
	unsigned limit_cnt;
	/* the import filter changes, and received routes are not all known: TRY_* */
	uint8_t known;
	bool known_matters;
	const char *skipped; /* why a direction is not previewed; NULL: it is */
	/* private */
	struct channel *ch; /* NULL: the instance is gone. Of the present view */
	const struct conf_channel *cf; /* NULL: gone, with the instance or alone */
	bool import_changed, export_changed, by_net;
	uint8_t quarantine; /* enum try_quarantine */
};

/* An instance of the running daemon. */
struct preview_member {
	char *name;
	uint32_t as; /* 0: not known */
	enum preview_fate fate;
	bool session; /* a session that is up: the end counts as a closed session */
	/* the session went up or down during the preview: its counts are a part */
	bool moved;
	struct preview_channel *channel;
	unsigned channel_cnt;
	bool released; /* preview_release */
	/* private */
	const struct conf_proto *cf; /* NULL: removed */
	struct config_ref *conf; /* owner of cf; NULL with cf */
	uint64_t since_ns; /* of the state at the beginning */
};

/* preview_new - @now: in force; @next: to preview. A reference on each is taken. */
OWNED struct preview *preview_new(
    struct tern *t, struct config_ref *now, struct config_ref *next);
/* preview_add - the instance @name has @cf of @conf; @cf NULL: removed. */
void preview_add(struct preview *pv, const char *name, enum preview_fate fate,
    const struct conf_proto *cf, struct config_ref *conf);
/* preview_release - the preview is of the end of the quarantine of the instance @name. */
void preview_release(struct preview *pv, const char *name);
/* preview_keep - keep at most @cnt examples of each change. preview_only - decide about
 * the exports of the instances alone that @fn accepts; @arg lives as long as @pv. Before
 * the first step. */
void preview_keep(struct preview *pv, uint32_t cnt);
void preview_only(
    struct preview *pv, bool (*fn)(const void *arg, const char *name), const void *arg);
/* preview_step - work until @until_ns of the monotonic clock, at least a little. Under
 * RCU. Returns: true: done. */
bool preview_step(struct preview *pv, uint64_t until_ns);
/* preview_failed - why the preview has ended without a result; NULL: it has not. */
const char *preview_failed(const struct preview *pv);
void preview_free(TAKE struct preview *pv);

/* ---- the result, after preview_step has returned true ---- */

/* Sums. Owner: the caller; by value. */
struct preview_sums {
	uint64_t now, next; /* routes to all sessions */
	uint64_t cnt[PREVIEW_CHANGES]; /* of exports */
	uint32_t closed; /* sessions that will close, by limits too */
	uint32_t sessions; /* sessions that are up */
	uint32_t unknown; /* channels whose received routes are not all known */
	uint32_t skipped; /* channels that the preview leaves out */
	uint64_t steps_now, steps_next; /* of the filters, about the decided routes */
	uint64_t spent_ns; /* by the preview */
	uint64_t decided; /* decisions */
};
struct preview_sums preview_sums(const struct preview *pv);
unsigned preview_member_cnt(const struct preview *pv);
const struct preview_member *preview_member_at(const struct preview *pv, unsigned i);
/* preview_closes - true: the session of @m ends, by the configuration or by a limit. */
bool preview_closes(const struct preview_member *m);
struct config_ref *preview_next(const struct preview *pv);

#endif
