/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the kernel's table of neighbors through a socket of its own. The kernel answers
 * within the call of recv.
 *
 * No state; any thread. Tested by test/net/test_lan_macs.py. */
#include "sysdep/iface/neigh.h"

#include "lib/mem/mem.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/netlink.h"

#include <errno.h>
#include <unistd.h>

#define BUF_LEN 32768 /* as much as the kernel puts into one answer */
#define SEQ     1

/* neigh_take - the messages of one recv. *@rc: the error. Returns: true: the end. */
static bool
neigh_take(
    struct rbuf r, void (*fn)(void *arg, const struct rtnl_neigh *n), void *arg, int *rc)
{
	struct rtnl_msg m;

	while (rtnl_next(&r, &m) != RTNL_END) {
		if (m.kind == RTNL_BROKEN) {
			*rc = -EBADMSG;
			return true;
		}
		if (m.seq != SEQ)
			continue;
		if (m.kind == RTNL_DONE) {
			*rc = m.error;
			return true;
		}
		if (m.kind == RTNL_NEIGH)
			fn(arg, &m.neigh);
	}
	return false;
}

int
neigh_read(void (*fn)(void *arg, const struct rtnl_neigh *n), void *arg)
{
	struct netlink_conf c = { .wait_s = 1 };
	uint8_t request[RTNL_ASK_MAX];
	struct wbuf w = wbuf_of(request, sizeof(request));
	int fd = netlink_new(&c).os_nr, rc;
	uint8_t *buf;
	ssize_t len;

	if (fd < 0)
		return fd;
	buf = mem_alloc(MEM_OTHER, BUF_LEN);
	rtnl_ask_neighs(&w, SEQ);
	rc = netlink_send(os_fd_of(fd), w.start, wbuf_len(&w));
	while (!rc) {
		len = netlink_recv(os_fd_of(fd), buf, BUF_LEN);
		if (len <= 0)
			rc = len ? (int)len : -ETIMEDOUT;
		else if (neigh_take(rbuf_of(buf, (size_t)len), fn, arg, &rc))
			break;
	}
	mem_free(MEM_OTHER, buf);
	close(fd);
	return rc;
}
