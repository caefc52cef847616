/* SPDX-License-Identifier: GPL-3.0-or-later */
/* struct image_conf holds the options of `protocol image`. Loop: the thread that parses;
 * functions on parsed options run in any thread. */
#ifndef TERN_PROTO_IMAGE_IMAGE_CONF_H
#define TERN_PROTO_IMAGE_IMAGE_CONF_H

#include "lib/base/check.h"
#include "nest/conf/opt/conf_opt.h"

struct conf_table;

/* Options of an instance. Owner: the configuration. Life: until the configuration is
 * freed. */
struct image_conf {
	const struct conf_table *table; /* never NULL after parsing */
	const char *filename; /* never NULL after parsing */
	/* answers for the attribute `rpki`; NULL: the attribute is not wanted */
	const struct conf_table *roa;
	uint32_t fields; /* FIB_WITH_* (lib/fib/fib_format.h) */
	bool next_hop; /* false: all unicast routes have one next hop without address */
	bool resolve; /* next hops as the kernel needs them; false: as received */
	bool persist; /* the file stays when the instance is disabled or removed */
	bool attributes_given;
};

extern const struct conf_class image_conf_class;

/* image_conf_writes - true: an instance of configuration @c that is not disabled writes
 * the file @filename. */
bool image_conf_writes(const struct config *c, const char *filename);

#endif
