/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of a daemon with a name, one of several on a host: `ternd -n NAME`, `ternc -n
 * NAME`, and the service tern@NAME. No state; any thread. */
#ifndef TERN_LIB_BASE_NAMED_H
#define TERN_LIB_BASE_NAMED_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

/* Paths of the daemon without a name, as configure sets them. */
#ifndef TERN_SOCKET_PATH
#define TERN_SOCKET_PATH "/run/tern/tern.ctl"
#endif
#ifndef TERN_CONF_PATH
#define TERN_CONF_PATH "/etc/tern/tern.conf"
#endif

#define NAMED_MAX 32

/* named_ok - a name begins with a letter or digit and has letters, digits and
 * _ - . besides, NAMED_MAX characters at most. */
bool named_ok(const char *name);
/* named_conf - append the path of the configuration: NAME.conf beside tern.conf. */
void named_conf(struct strbuf *b, const char *name);
/* named_socket, named_pid - append the path of the control socket and of the pid
 * file, in a folder of the instance beside the default daemon's: two daemons share no
 * folder that systemd removes when a daemon ends. */
void named_socket(struct strbuf *b, const char *name);
void named_pid(struct strbuf *b, const char *name);

#endif
