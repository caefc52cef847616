/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of TCP-AO keys during a session (RFC 5925, 6.1 and 7.5).
 *
 * The session stays: its connections and the listener get the new keys, request the best
 * key, and then drop the removed keys. A connection that was accepted during the change,
 * and is on the way to its instance, keeps its keys.
 *
 * Loop: the session's. Tested by test/net/test_ao.py. */
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/listen/bgp_listen.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_ao.h"
#include <string.h>

void
keys_changed(struct bgp_session *s, const struct sock_ao *old)
{
	const struct bgp_conf *cf = session_conf(s);
	struct prefix peer = keys_peer(s);

	if (cf->auth.method != BGP_AUTH_AO || !memcmp(old, &cf->auth.ao, sizeof(*old)))
		return;
	proto_log(&s->p, LOG_C_INFO, "The keys of TCP-AO change");
	if (s->enlisted.registered)
		bgp_listen_rekey(s);
	for (unsigned i = 0; i < 2; i++) {
		struct os_fd fd = sock_tcp_fd(&s->conn[i].sock);
		int rc = 0;

		if (os_fd_is_open(fd))
			rc = sock_ao_change(fd, &peer, old, &cf->auth.ao, false);
		if (rc)
			proto_log(&s->p, LOG_C_WARN,
			    "Can't change the keys of TCP-AO: %s", sock_ao_error(rc));
	}
}
