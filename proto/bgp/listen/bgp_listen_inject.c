/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections in a dry run (struct tern), as ternshadow makes them: the listener has no
 * sockets, and receives one end of a pair.
 *
 * Loop: the listener's, but for bgp_listen_inject. Tested by test/net/test_shadow.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "nest/core/tern.h"
#include "proto/bgp/listen/bgp_entries.h"
#include "proto/bgp/listen/bgp_listen.h"
#include "proto/bgp/listen/bgp_listen_priv.h"
#include "proto/bgp/listen/bgp_place.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_opt.h"

struct listen_injected {
	struct msg msg;
	struct os_fd fd;
	struct sock_end remote, local;
};

static void
bgp_listen_handle_injected(struct worker *w, TAKE struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	struct listen_injected *o = container_of(m, struct listen_injected, msg);
	struct bgp_entry *e = NULL;
	struct list *n;

	list_for_each (n, &l->places.list)
		if (!e)
			e = bgp_listen_find(l, container_of(n, struct bgp_place, link),
			    &o->remote, &o->local);
	if (e)
		bgp_listen_give(l, e, o->fd, &o->remote, &o->local);
	else
		fd_close(o->fd);
	mem_free(MEM_PROTO, o);
}

void
bgp_listen_inject(
    struct tern *t, TAKE struct os_fd fd, struct ip_addr remote, struct ip_addr local)
{
	struct bgp_listener *l = load_acquire_ptr(&t->listener); /* pairs: BLISTEN */
	struct listen_injected *o;

	if (!l || !counter32_add_unless_zero(&l->refs, 1)) {
		fd_close(fd); /* nobody is configured */
		return;
	}
	o = mem_zalloc(MEM_PROTO, sizeof(*o));
	o->msg.handle = bgp_listen_handle_injected;
	o->fd = fd;
	o->remote.addr = remote;
	o->local.addr = local;
	worker_post(&l->worker, &o->msg);
	bgp_listener_put(l);
}
