/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conf_overlay.c decides which tables of a configuration are overlays. Loop: the thread
 * that parses; conf_overlays_keep in the control worker. */
#ifndef TERN_NEST_CONF_CONF_OVERLAY_H
#define TERN_NEST_CONF_CONF_OVERLAY_H

struct conf_ctx;
struct conf_channel;
struct config;

/* conf_overlays_find - set conf_table.base of all tables, after all instances are
 * complete. */
void conf_overlays_find(struct conf_ctx *c);
/* conf_overlay_same - do @a and @b, channels of an instance in two configurations, have
 * equal tables over equal bases? Does not compare the tables' names. */
_Bool conf_overlay_same(const struct conf_channel *a, const struct conf_channel *b);

/* conf_overlays_keep - prepare @now to follow the running @was: a table in use stays, or
 * becomes, an ordinary table, unless the table was an overlay over an equal base before.
 * Control worker, before the worker compares or commits @now. */
void conf_overlays_keep(const struct config *was, const struct config *now);

#endif
