/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members: instances made at run time from an instance for several peers (`neighbor
 * range`), a member for each peer that connects.
 *
 * Names and addresses in the structs live in the configuration or with the caller, for
 * the call.
 *
 * Loop: any thread. */
#ifndef TERN_NEST_CONF_CONF_MEMBER_H
#define TERN_NEST_CONF_CONF_MEMBER_H

#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/conf/opt/conf_opt.h"

#define CONF_MEMBER_NAME_MAX 48 /* octets of conf_members.name */

/* The peer of a member. Owner: the caller. Life: on the stack, for a call. */
struct conf_member {
	struct ip_addr addr;
	const char *iface; /* the peer's interface; NULL: of no importance */
	struct ip_addr local; /* our address of the connection; IP_NONE: not known */
};

/* Settings common to all members of an instance. Owner: the caller. Life: on the stack,
 * for a call. */
struct conf_members {
	const char *name; /* prefix of members' names; a number follows */
	uint32_t digits; /* digits of the number, at least */
	uint32_t max; /* most members at a time */
	uint32_t age_s; /* a member goes after so long a downtime; 0: stays */
};

/* Calls of a class with instances for several peers. Pure; any thread. Constant: lives as
 * long as the process. */
struct conf_member_ops {
	/* range - does @p stand for several peers? */
	bool (*range)(const struct conf_proto *p, struct conf_members *out);
	/* one - turn @opt, a copy of the range's options, into options of an instance for
	 * @m; strings and addresses of @m live as long as the options. Returns: false:
	 * the range does not include @m. */
	bool (*one)(void *opt, const struct conf_member *m);
	/* wants - does @p precede the range @host for the peer @m: is @p an instance for
	 * @m alone, or a longer range that has @m? @host: the instance that accepted the
	 * connection; the host's VRF, address and port may differ from those of @p. NULL:
	 * @m may connect anywhere, and no range precedes. */
	bool (*wants)(const struct conf_proto *p, const struct conf_proto *host,
	    const struct conf_member *m);
};

/* conf_member_range - does @p stand for several peers? */
static inline bool
conf_member_range(const struct conf_proto *p, struct conf_members *out)
{
	return p->class->members && p->class->members->range(p, out);
}

/* conf_member_quarantine - has @p the option that keeps a new member in quarantine? False
 * for a class without sessions. */
static inline bool
conf_member_quarantine(const struct conf_proto *p)
{
	return p->class->quarantine && p->class->quarantine(p);
}

/* conf_member_new - make the configuration of a member @name for @m of the range @p.
 * @base: the configuration of @p, gets a reference; NULL: the caller keeps @p alive. Any
 * thread. Returns: a reference, and the instance's part in *@out; NULL: @p does not
 * include @m. */
OWNED struct config_ref *conf_member_new(const struct conf_proto **out,
    const struct conf_proto *p, const char *name, const struct conf_member *m,
    struct config_ref *base);

#endif
