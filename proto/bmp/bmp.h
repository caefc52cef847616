/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BMP protocol (RFC 7854, RFC 8671, RFC 9069). An instance reports sessions and
 * routes of this router to monitoring stations, or is a monitoring station itself.
 *
 * Owner of the structs: the configuration. Life: until the configuration is freed.
 *
 * Loop: the instance's; the thread that parses fills the structs. */
#ifndef TERN_PROTO_BMP_BMP_H
#define TERN_PROTO_BMP_BMP_H

#include "lib/base/base.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

struct conf_class;
struct proto_class;

#define BMP_STATIONS 8 /* of an instance */
#define BMP_ALLOW    16

/* The address and the port of a station. Owner: the configuration, freed with the
 * configuration. */
struct bmp_place {
	struct ip_addr ip;
	uint32_t port;
};

/* Options of an instance. */
struct bmp_conf {
	struct bmp_place station[BMP_STATIONS];
	uint32_t station_cnt;
	struct ip_addr local_ip; /* IP_NONE: any */
	const char *sys_descr, *sys_name; /* NULL: the defaults */
	const char *peers; /* pattern of names of instances */
	bool in_pre, in_post, out_pre, out_post, loc_rib, mirror;
	uint32_t stats_s; /* between reports; 0: none */
	uint32_t buffer_mb; /* megabytes of UPDATEs queued for a station at most */
	uint32_t retry_s;
	/* options of an instance that is a station: */
	bool is_station;
	struct bmp_place listen; /* port 0: not given */
	/* prefixes of the allowed routers; none: all routers */
	struct prefix allow[BMP_ALLOW];
	uint32_t allow_cnt;
	uint32_t max_routers, max_peers; /* max_peers: sum over all routers */
	uint32_t keep_s; /* how long the routes of a disconnected router stay */
};

extern const struct conf_class bmp_conf_class;
extern const struct proto_class bmp_proto_class;

#endif
