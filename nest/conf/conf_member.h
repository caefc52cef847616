/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instances that are there for several peers (`neighbor range`), and those that are made
 * of them at run time, one for each peer that comes: members. */
#ifndef TERN_NEST_CONF_MEMBER_H
#define TERN_NEST_CONF_MEMBER_H

#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/conf/opt/conf_opt.h"

#define CONF_MEMBER_NAME_MAX 48 /* octets of conf_members.name */

/* Who a member is. */
struct conf_member {
	struct ip_addr addr;
	const char *iface; /* the interface that it is on; NULL: of no importance */
	struct ip_addr local; /* of ours, that it connects to; IP_NONE: not known */
};

/* What is said of all members of an instance. */
struct conf_members {
	const char *name; /* their names begin so, and end in a number */
	uint32_t digits; /* of that, at least */
	uint32_t max; /* so many at a time */
	uint32_t age_s; /* one that is down for so long goes; 0: it stays */
};

/* Of a class whose instances may be there for several peers. Pure; any thread. */
struct conf_member_ops {
	/* range - is @p there for several? */
	bool (*range)(const struct conf_proto *p, struct conf_members *out);
	/* one - make options of the instance for @m of @opt, a copy of the range's; what
	 * @m points to lives as long. Returns: false: the range isn't there for it. */
	bool (*one)(void *opt, const struct conf_member *m);
	/* wants - is @p there for @m alone? @host: for connections that its members come
	 * by, which may be in another VRF than @p is, or to another address or port of
	 * ours; NULL: wherever @m comes. */
	bool (*wants)(const struct conf_proto *p, const struct conf_proto *host,
	    const struct conf_member *m);
};

/* conf_member_range - is @p there for several peers? */
static inline bool
conf_member_range(const struct conf_proto *p, struct conf_members *out)
{
	return p->class->members && p->class->members->range(p, out);
}

/* conf_member_new - the configuration of the instance @name for @m, as that of the range
 * @p says. @base: where @p lies, which gets a reference; NULL: the caller sees to it that
 * @p lives long enough. Any thread.
 * Returns: a reference, and the instance's part in *@out; NULL: @p isn't there for @m. */
OWNED struct config_ref *conf_member_new(const struct conf_proto **out,
    const struct conf_proto *p, const char *name, const struct conf_member *m,
    struct config_ref *base);

#endif
