/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines to another machine's syslog, over UDP (RFC 3164). For log_sink.c alone.
 * Loop: the log's thread. */
#ifndef TERN_SYSDEP_LOG_LOG_UDP_H
#define TERN_SYSDEP_LOG_LOG_UDP_H

#include "lib/base/check.h"

/* Owner: its sink. Life: embedded in the sink, until log_udp_fini. */
struct log_udp {
	const char *host; /* an address or a name; borrowed */
	uint16_t port;
	int fd; /* -1: none yet */
	/* end of the pair to a thread that resolves the name; -1: no thread runs */
	int asked;
	uint64_t tried_ns; /* when a socket was last tried; 0: never */
};

void log_udp_init(struct log_udp *u, const char *host, uint16_t port);
void log_udp_fini(struct log_udp *u);
/* log_udp_send - send one line. @priority: of syslog. The first line starts the
 * resolution of the name, and a line per minute does so while the socket is missing or
 * cannot send.
 * Blocks: a second at most during a resolution; a later line takes the answer otherwise.
 * Returns: false: the line was not sent. */
bool log_udp_send(struct log_udp *u, int priority, uint64_t at_ns, const char *text);

#endif
