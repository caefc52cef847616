/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol rpki`: VRPs and ASPAs from a cache by the RPKI-to-Router protocol, into ROA
 * and ASPA tables.
 *
 *      rpki_conf.c   options
 *      rpki_fsm.c    the state machine, a pure function
 *      rpki_data.c   the records of the cache, and the records in the table
 *      rpki_recs.c   an array of records, found by their net
 *      rpki.c        an instance: channels, commands, start and end
 *      rpki_act.c    the actions of the state machine; timers
 *      rpki_rx.c     PDUs to events and data
 *      rpki_feed.c   data to channels
 *      rpki_link.c   the connection: names, TCP, SSH
 *      rpki_ssh.c    the thread of an SSH connection
 *      rpki_show.c   `show protocols all`
 *
 * Owner: the configuration owns the options. Life: the arena of the configuration.
 *
 * Loop: the instance's; the thread that parses fills the options. */
#ifndef TERN_PROTO_RPKI_RPKI_H
#define TERN_PROTO_RPKI_RPKI_H

#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/opt/conf_opt.h"

#define RPKI_PORT     323
#define RPKI_SSH_PORT 22

enum rpki_transport { RPKI_TCP, RPKI_SSH };
enum rpki_auth { RPKI_AUTH_NONE, RPKI_AUTH_MD5 };

/* One of the three intervals. */
struct rpki_time {
	uint32_t sec;
	bool keep; /* ignore the interval of the cache */
};

/* Options of an instance. */
struct rpki_conf {
	const char *host; /* by name; NULL: by `ip` */
	struct ip_addr ip;
	uint16_t port; /* 0: the transport's default */
	struct ip_addr local_ip;
	struct rpki_time refresh, retry, expire;
	bool ignore_max_length;
	uint8_t min_version, max_version;
	uint8_t transport; /* enum rpki_transport */
	uint8_t auth; /* enum rpki_auth */
	const char *password; /* of md5 */
	const char *private_key, *public_key, *user; /* of ssh */
};

extern const struct conf_class rpki_conf_class;
extern const struct proto_class rpki_proto_class;

static inline const struct rpki_conf *
rpki_conf_of(const struct conf_proto *p)
{
	return p->opt;
}

static inline uint16_t
rpki_port(const struct rpki_conf *rc)
{
	return rc->port                    ? rc->port
	       : rc->transport == RPKI_SSH ? RPKI_SSH_PORT
					   : RPKI_PORT;
}

#endif
