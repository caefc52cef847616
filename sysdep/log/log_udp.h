/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines to another machine's syslog, over UDP (RFC 3164). For log_sink.c alone. */
#ifndef TERN_SYSDEP_LOG_UDP_H
#define TERN_SYSDEP_LOG_UDP_H

#include "lib/base/check.h"

/* owner: its sink. */
struct log_udp {
	const char *host; /* an address or a name; borrowed */
	uint16_t port;
	int fd; /* -1: none yet */
	int asked; /* a thread that looks the name up answers here; -1: none does */
	uint64_t tried_ns; /* when a socket was last tried; 0: never */
};

void log_udp_init(struct log_udp *u, const char *host, uint16_t port);
void log_udp_fini(struct log_udp *u);
/* log_udp_send - one line. @priority: of syslog. The first line has the name looked up,
 * and then one a minute while there is no socket, or nothing can be sent by it.
 * Blocks: a second at most when the name has to be looked up; a later line finds the
 * answer then. Returns: false: it couldn't be sent. */
bool log_udp_send(struct log_udp *u, int priority, uint64_t at_ns, const char *text);

#endif
