/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Giving up root, and what we may do without. */
#ifndef TERN_SYSDEP_PRIV_H
#define TERN_SYSDEP_PRIV_H

#include "lib/base/check.h"

/* priv_drop - become @user and @group (names or numbers; NULL: stay; without @group: the
 * user's own) and keep only what a routing daemon needs: low ports, raw sockets, network
 * administration. Before any thread is made: Linux keeps capabilities by thread, later
 * ones inherit them. Returns: 0, or negative errno; -ENOENT: no such user or group
 * (*@bad: its name). */
MUST_CHECK int priv_drop(const char *user, const char *group, const char **bad);

/* priv_lacks_port - is it for want of CAP_NET_BIND_SERVICE that this process can't listen
 * at TCP port @port? Any thread. */
bool priv_lacks_port(uint16_t port);
/* priv_lacks_net_admin - the same of CAP_NET_ADMIN, which changes what the kernel has. */
bool priv_lacks_net_admin(void);

#endif
