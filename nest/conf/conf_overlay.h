/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which tables are overlays: see conf_overlay.c. */
#ifndef TERN_NEST_CONF_OVERLAY_H
#define TERN_NEST_CONF_OVERLAY_H

struct conf_ctx;
struct conf_channel;
struct config;

/* conf_overlays_find - sets conf_table.base of all tables, once all instances are
 * whole. */
void conf_overlays_find(struct conf_ctx *c);
/* conf_overlay_same - have @a and @b, channels of one instance in two configurations, the
 * same table and the same one below it? Not said of their names. */
_Bool conf_overlay_same(const struct conf_channel *a, const struct conf_channel *b);

/* conf_overlays_keep - @now follows @was, which runs: tables that instances use and that
 * aren't overlays over the same base stay, or become, ordinary tables. The control
 * worker, before it compares or commits @now. */
void conf_overlays_keep(const struct config *was, const struct config *now);

#endif
