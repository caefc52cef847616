/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The server of HTTP: libmicrohttpd in one thread, beside the connections to the
 * daemons.
 *
 * G1  One loop serves all connections; no handler blocks.
 * G2  A connection has SERVE_MEMORY octets for the request and its answer's head. A
 *     client that neither sends nor reads for the time `silent` loses its connection.
 * G3  Methods other than GET and HEAD get the status 405, and no body is read.
 * G4  Clients leave descriptors for the connections to the daemons: a low limit of open
 *     files means fewer clients. Further clients wait in the queue of the kernel. */
#ifndef TERN_CLIENT_HTTP_SERVE_H
#define TERN_CLIENT_HTTP_SERVE_H

#include "client/http/job/job.h"

#include <sys/socket.h>

#define SERVE_MEMORY 8192
/* `silent` and `stall`, unless the configuration has others. */
#define SERVE_SILENT_S    15
#define SERVE_STALL_S     4
#define SERVE_CONNECTIONS 1000
/* Descriptors beside those of clients: of the program, and of each daemon. */
#define SERVE_FILES        32
#define SERVE_FILES_DAEMON 8

struct serve;

/* serve_new - listen on @addr. Returns: NULL: impossible; errno says why. */
struct serve *serve_new(struct web *w, const struct sockaddr *addr, socklen_t len);
/* serve_port - the port; of interest if the address had the port 0. */
unsigned serve_port(const struct serve *s);
/* serve_loop - serve until a byte or the end of @stop_fd can be read. */
void serve_loop(struct serve *s, int stop_fd);
void serve_free(TAKE struct serve *s);

#endif
