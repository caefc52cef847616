/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions of a channel under a configuration that is not in force: the result of the
 * import filter for a received route, and the decision about a route for the peer.
 * Nothing changes, and filters do not write to the log. For previews (nest/preview).
 *
 * Owner of the structs: the caller, on the stack. Life: one RCU section.
 *
 * Loop: any thread under RCU. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_TRY_H
#define TERN_NEST_CHANNEL_CHANNEL_TRY_H

#include "lib/attr/route.h"
#include "lib/base/check.h"

struct arena;
struct attr_set;
struct channel;
struct conf_channel;
struct config_ref;
struct filter;
struct filter_thread;
struct net;
struct path;

/* The quarantine of the session to try: as it is, ended, begun. */
enum try_quarantine { TRY_QUARANTINE_STAYS, TRY_RELEASED, TRY_QUARANTINED };

/* A configuration to try. */
struct channel_trial {
	const struct conf_channel *cf; /* NULL: the configuration in force */
	struct config_ref *conf; /* owner of cf; NULL with cf */
	const struct filter *below; /* policy below an overlay, with cf */
	uint8_t quarantine; /* enum try_quarantine */
	struct filter_thread *ft;
	struct arena *arena; /* the caller resets it */
};

/* The received routes that a channel can pass through another import filter. */
enum try_known {
	TRY_ALL, /* received routes are kept */
	/* the present filter leaves routes unchanged, so the accepted routes are as
	 * received; refused routes are unknown */
	TRY_ACCEPTED,
	TRY_NONE,
};

/* A decision. */
struct try_answer {
	bool accept;
	bool blocked; /* import: an override refuses the accepted route */
	bool absent; /* export: the policy below the overlay refuses */
	uint8_t reason; /* enum reason of a refusal */
	uint8_t way; /* export: struct export_answer */
	struct attr_set *set; /* of the accepted route */
	struct attr_set *held; /* the answer's reference to a set; NULL: none */
	const char *file; /* the place of the filter's decision; NULL: unknown */
	uint32_t line;
};

enum try_known channel_try_known(const struct channel *ch);
/* channel_try_import - the result of @t for the path @p of @n, a path of @ch. Returns:
 * false: the received route is unknown. channel_try_done follows in any case. */
bool channel_try_import(const struct channel *ch, const struct channel_trial *t,
    const struct net *n, const struct path *p, struct try_answer *out);
/* channel_try_export - would @ch send @r? The answer is a refusal for REASON_DOWN while
 * the session is down. channel_try_done follows. */
void channel_try_export(const struct channel *ch, const struct channel_trial *t,
    const struct route_view *r, struct try_answer *out);
void channel_try_done(const struct channel *ch, struct try_answer *a);
/* channel_try_same - true: both acceptances are equal for the peer of @ch. */
bool channel_try_same(
    const struct channel *ch, const struct try_answer *a, const struct try_answer *b);
/* channel_try_by_net - true: the decision about a route depends on its net. */
bool channel_try_by_net(const struct channel *ch, const struct channel_trial *t);

#endif
