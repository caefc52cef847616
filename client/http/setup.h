/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file of ternhttp, read once at the start. Loop: the only thread of
 * ternhttp, before the first request.
 *
 *   listen 127.0.0.1:8080
 *   server rs1 /run/tern/lg.ctl
 *   connections 50
 *   silent 15
 *   stall 4
 *   rate 10 second burst 100
 *   log stderr
 *   user nobody
 *   tls lg.pem lg.key
 *   token 65001 DIGEST
 *   token exchange DIGEST
 *   proxy 127.0.0.1 ::1 header X-Member-AS
 *   jwt ES256 portal.pem claim asn issuer https://portal.example
 *
 * A line holds a statement; `#` begins a comment. doc/http.md explains the statements. */
#ifndef TERN_CLIENT_HTTP_SETUP_H
#define TERN_CLIENT_HTTP_SETUP_H

#include "client/http/right/rate.h"
#include "client/http/right/rights.h"

#include <sys/socket.h>

#define SETUP_SERVERS_MAX 8
#define SETUP_WHY_MAX     256
#define SETUP_FILE_MAX    (1u << 20) /* octets of a file */

/* Owner: main. Life: that of the program. Texts: MEM_OTHER, NULL: not set. */
struct setup {
	char *listen;
	char *user;
	char *server[SETUP_SERVERS_MAX]; /* NAME=SOCKET */
	unsigned server_cnt;
	char *cert, *key; /* of TLS, as PEM; both or none */
	unsigned connections; /* of one client address; 0: any; UINT_MAX: not set */
	unsigned silent_s, stall_s; /* 0: not set */
	char *log; /* file of the log of requests, or `stderr` */
	struct rate_rule rate;
	struct rights rights;
};

/* setup_read - take the statements of the file @path. Returns: false: @why of
 * SETUP_WHY_MAX octets names the line and the fault. */
MUST_CHECK bool setup_read(struct setup *c, const char *path, char *why);
/* setup_merge - what @to leaves open is taken from @from, which is left empty. The rights
 * are those of @from. */
void setup_merge(struct setup *to, struct setup *from);
void setup_fini(struct setup *c);
/* setup_add_server - add "NAME=SOCKET". Returns: NULL, or what is wrong. */
const char *setup_add_server(struct setup *c, const char *text);
/* setup_address - parse "127.0.0.1:8080" or "[::1]:8080". Returns: the length; 0: the
 * text is wrong. */
socklen_t setup_address(struct sockaddr_storage *to, const char *text);
/* setup_token - print a new token of @whose (`exchange` or an AS number) and the line for
 * the file. Returns: false: @whose is another text, or no random octets. */
MUST_CHECK bool setup_token(const char *whose);

#endif
