/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocol pipe: feeds the routes of two tables to each other. Loop: the instance's. */
#ifndef TERN_PROTO_PIPE_PIPE_H
#define TERN_PROTO_PIPE_PIPE_H

#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

/* Options of an instance; import and export are named from the view of `table`. Owner:
 * the configuration. Life: the arena of the configuration. */
struct pipe_conf {
	const struct conf_table *table, *peer;
	const struct filter *import, *export;
	struct conf_limit import_limit, export_limit;
	struct prefix import_in, export_in; /* only networks inside these prefixes */
	bool has_import_in, has_export_in;
	bool rpki_reload;
	uint8_t max_generation; /* a route with so many passed pipes is not fed */
};

/* The two channels: each reads its table by its export policy, and feeds the passed
 * routes to the opposite channel's table. The options of the pipe make a struct
 * conf_channel for both. */
enum pipe_side { PIPE_MAIN, PIPE_PEER, PIPE_SIDES };

extern const struct conf_class pipe_conf_class;
extern const struct proto_class pipe_proto_class;

#endif
