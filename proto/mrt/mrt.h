/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The MRT protocol: dumps of tables, one after the other; or a file becomes routes.
 * Loop: the instance's. */
#ifndef TERN_PROTO_MRT_MRT_H
#define TERN_PROTO_MRT_MRT_H

#include "lib/base/base.h"

struct conf_class;
struct filter;
struct proto_class;

/* Options. Owner: the configuration. Life: the arena of the configuration. */
struct mrt_conf {
	const char *tables; /* name or pattern */
	const char *filename; /* strftime's, with the table's name for %N */
	const struct filter *filter; /* never NULL */
	uint32_t period_s;
	bool add_path; /* path identifiers for all routes */
	const char *load; /* a file to be read; NULL: the instance writes files */
};

extern const struct conf_class mrt_conf_class;
extern const struct proto_class mrt_proto_class;

#endif
