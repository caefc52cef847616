/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines about connections without an instance: the disabled instance that the
 * connection would belong to, at a bounded number of lines a second.
 *
 * Loop: the listener's. Tested by test/net/test_dynamic.py. */
#include "lib/base/plural.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_member.h"
#include "nest/core/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/listen/bgp_entries.h"
#include "proto/bgp/listen/bgp_listen_priv.h"
#include "proto/bgp/listen/bgp_place.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_opt.h"

#define STRANGERS_S 10 /* connections of strangers that are logged a second */

bool
bgp_listen_may_log(struct bgp_listener *l)
{
	uint64_t now = loop_now_ns(&l->worker);

	if (now - l->second_ns >= NS_PER_S) {
		if (l->second_cnt > STRANGERS_S)
			log_msg(LOG_C_WARN,
			    "BGP: %u more unexpected connect%s not logged",
			    l->second_cnt - STRANGERS_S,
			    plural(l->second_cnt - STRANGERS_S, "", "s"));
		l->second_ns = now;
		l->second_cnt = 0;
	}
	return l->second_cnt++ < STRANGERS_S;
}

/* unwanted_is_for - would @p take @m at @at, were it enabled? */
static bool
unwanted_is_for(
    const struct proto *p, const struct bgp_place *at, const struct conf_member *m)
{
	const struct conf_proto *cf = proto_conf_get(p);

	return cf->class == &bgp_conf_class && bgp_conf_members.wants(cf, NULL, m) &&
	       bgp_conf_listens(bgp_conf_of(cf), at->vrf, at->end.port, m->local);
}

/* unwanted_disabled_of - the disabled instance of the peer; NULL: none. */
static const struct proto *
unwanted_disabled_of(const struct bgp_listener *l, const struct bgp_place *at,
    const struct sock_end *remote, const struct sock_end *local)
{
	const struct conf_member m = { remote->addr,
		bgp_iface_of(&l->tern->ifaces, remote), local->addr };
	const struct tern_view *v = tern_view_get(l->tern);

	for (uint32_t i = 0; v && i < v->proto_cnt; i++)
		if (unwanted_is_for(v->proto[i], at, &m) &&
		    proto_status_get(v->proto[i])->disabled)
			return v->proto[i];
	return NULL;
}

void
bgp_listen_unwanted(struct bgp_listener *l, const struct bgp_entry *e,
    const struct bgp_place *p, const struct sock_end *remote,
    const struct sock_end *local)
{
	const struct proto *off;
	char text[IP_STR_MAX];

	if (!bgp_listen_may_log(l))
		return;
	off = e ? NULL : unwanted_disabled_of(l, p, remote, local);
	if (off)
		log_msg(LOG_C_INFO, "BGP: Connection from %s refused: %s is disabled",
		    ip_str(text, remote->addr), off->name);
	else if (!e)
		log_msg(LOG_C_WARN,
		    "BGP: Unexpected connect from unknown address %s (port %u)",
		    ip_str(text, remote->addr), remote->port);
	else
		log_msg(LOG_C_AUTH,
		    "BGP: Connection from %s refused: the connection would lack the "
		    "password",
		    ip_str(text, remote->addr));
}
