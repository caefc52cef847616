/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Giving up root, and what we may do without. Loop: any thread, but priv_drop runs
 * before other threads exist. */
#ifndef TERN_SYSDEP_OS_PRIV_H
#define TERN_SYSDEP_OS_PRIV_H

#include "lib/base/check.h"

/* priv_drop - become @user and @group (names or numbers; NULL: unchanged; without @group:
 * the user's group) and keep only the capabilities of a routing daemon: low ports, raw
 * sockets, network administration. Called before other threads exist, because Linux keeps
 * capabilities by thread and new threads inherit capabilities. Returns: 0, or negative
 * errno; -ENOENT: no such user or group (*@bad: its name). */
MUST_CHECK int priv_drop(const char *user, const char *group, const char **bad);

/* priv_find_group - find the group @name, a name or a number. May read files and ask
 * servers of names. Any thread. Returns: false: no such group. */
MUST_CHECK bool priv_find_group(uint32_t *gid, const char *name);

#define PRIV_LOGIN_MAX 64

/* priv_login - the login name of @uid in /etc/passwd, truncated to PRIV_LOGIN_MAX. Asks
 * no server of names: the call does not wait. Any thread. Returns: false: the file has no
 * such entry. */
MUST_CHECK bool priv_login(char login[PRIV_LOGIN_MAX], uint32_t uid);

/* priv_lacks_port - true if only the lack of CAP_NET_BIND_SERVICE keeps the process from
 * listening at TCP port @port. Any thread. */
bool priv_lacks_port(uint16_t port);
/* priv_lacks_net_admin - true if the process lacks CAP_NET_ADMIN, which changes the
 * kernel's network state. Any thread. */
bool priv_lacks_net_admin(void);

#endif
