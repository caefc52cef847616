/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of HTTP, as the octets of a connection, through the whole of ternhttp:
 * libmicrohttpd, the rights, the choice of the page, the questions over a control socket
 * and the views. http_daemon.h plays the daemon.
 *
 * The first octet of an input chooses the rights: bit 0: a token, a proxy and a JWT
 * serve as credentials; bit 1: the connection comes from the proxy. The other octets are
 * the connection.
 *
 * J1  A command of ternhttp has the form of a row of ASK_TABLE (http_daemon.h).
 * J2  A visitor without the credential of a member or of the exchange gets no filtered
 *     route of the member.
 * J3  An answer begins with a status line of a known status.
 * J4  No job outlives the connection.
 *
 * TERN_HTTP_SAID=1: the end tells how many inputs got each status.
 *
 * Loop: one thread is the client, ternhttp and the daemon. */
#include "client/http/serve.c"
#include "test/fuzz/http_daemon.h"

#include "client/http/api/stream.h"
#include "client/http/counted/counted.h"
#include "client/http/job/tail.h"
#include "client/http/setup.h"
#include "lib/base/check.h"
#include "lib/crypto/digest.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define ANSWER_MAX   (1u << 20)
#define ROUNDS_MAX   4096 /* of one input; more means a loop without an end */
#define ROUNDS_QUIET 2 /* rounds without an octet end an input */

/* The corpus has these tokens, and JWTs of the secret whose signatures begin so. A JWT
 * whose time is over is not among them. */
static const struct {
	const char *signature;
	uint32_t as; /* 0: the exchange */
} http_jwts[] = { { "YcZ4zJYBXEdSjfvLlCcraxbK", 64501 },
	{ "pF4CTEBBUJlAoMq19dEG0BPj", 0 } };
static const struct {
	const char *token, *basic; /* in base64 behind "lg:" */
	uint32_t as;
} http_tokens[] = {
	{ "11111111111111111111111111111111", "MTExMTExMTExMTExMTEx", 64501 },
	{ "22222222222222222222222222222222", "MjIyMjIyMjIyMjIyMjIy", 64502 },
	{ "33333333333333333333333333333333", "MzMzMzMzMzMzMzMzMzMz", 0 },
};
static const char http_secret[] = "0123456789abcdef0123456789abcdef";

/* A program: with public data, or with credentials. */
static struct {
	struct web web;
	struct serve *serve;
} http_side[2];

static struct http_daemon http_daemon;
static char http_answer[ANSWER_MAX];
static uint64_t http_statuses[600]; /* first answers of an input; 0: none */

/* ---- start ---- */

static void
http_rights(struct rights *r)
{
	const char *wrong = jwt_rule_set(
	    &r->jwt, "HS256", http_secret, strlen(http_secret));
	struct prefix proxy;

	ASSERT(!wrong);
	strcpy(r->jwt.claim, "asn");
	strcpy(r->header, "X-Member-AS");
	ASSERT(prefix_scan(&proxy, "192.0.2.1/32"));
	ASSERT(rights_add_proxy(r, proxy));
	for (size_t i = 0; i < sizeof(http_tokens) / sizeof(http_tokens[0]); i++) {
		struct sha256 *sum = sha256_new();
		char hash[SHA256_TEXT];

		sha256_add(sum, http_tokens[i].token, strlen(http_tokens[i].token));
		ASSERT(sha256_end(sum, hash));
		sha256_free(sum);
		ASSERT(rights_add_token(r, http_tokens[i].as, hash));
	}
	ASSERT(r->closed);
}

static void
http_start(unsigned side)
{
	static const char *const names[] = { "rs1", "rs2" };
	struct sockaddr_in addr = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct web *w = &http_side[side].web;

	list_init(&w->wake);
	list_init(&w->streams);
	list_init(&w->all);
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	w->per_client = 4;
	w->silent_s = SERVE_SILENT_S;
	w->stall_s = SERVE_STALL_S;
	w->log.fd = -1;
	if (side)
		http_rights(&w->rights);
	/* the program with credentials serves two daemons */
	for (; w->server_cnt < side + 1; w->server_cnt++) {
		struct server *s = &w->server[w->server_cnt];

		s->name = names[w->server_cnt];
		feed_init(&s->feed, http_daemon.path, w->epoll);
		feed_init(&s->live, http_daemon.path, w->epoll);
		counted_init(&s->counted, &s->feed);
		tail_init(&s->tail, &s->feed, stream_news, w);
		for (int i = 0; i < ASK_CNT; i++)
			keeper_init(&s->keeper[i], &s->feed, &s->counted, (enum ask)i);
	}
	http_side[side].serve = serve_new(w, (struct sockaddr *)&addr, sizeof(addr));
	ASSERT(http_side[side].serve);
}

static void
http_stop(void)
{
	for (unsigned i = 0; getenv("TERN_HTTP_SAID") && i < 600; i++)
		if (http_statuses[i])
			fprintf(stderr, "fuzz_http: status %u: %llu\n", i,
			    (unsigned long long)http_statuses[i]);
	for (unsigned side = 0; side < 2; side++) {
		struct web *w = &http_side[side].web;

		serve_free(http_side[side].serve);
		for (unsigned i = 0; i < w->server_cnt; i++) {
			tail_fini(&w->server[i].tail);
			counted_fini(&w->server[i].counted);
			for (int a = 0; a < ASK_CNT; a++)
				keeper_fini(&w->server[i].keeper[a]);
		}
		rights_fini(&w->rights);
		close(w->epoll);
	}
	http_daemon_stop(&http_daemon);
}

/* ---- one input ---- */

/* http_round - one round of serve_loop, and of the daemon. Returns: octets between
 * ternhttp and the daemon. */
static size_t
http_round(unsigned side)
{
	struct web *w = &http_side[side].web;
	struct epoll_event ev[64];
	int n = epoll_wait(w->epoll, ev, 64, 0);

	for (int i = 0; i < n; i++)
		if (ev[i].data.ptr)
			serve_event(ev[i].data.ptr, ev[i].events);
	serve_jobs(w);
	(void)serve_mhd(http_side[side].serve);
	return http_daemon_run(&http_daemon);
}

/* http_play - send the octets, and read all of the answer. Returns: its length. */
static size_t
http_play(unsigned side, int fd, const uint8_t *data, size_t len)
{
	size_t got = 0, sent = 0;
	unsigned quiet = 0, rounds = 0;

	while (quiet < ROUNDS_QUIET) {
		size_t before = got + sent, moved;
		ssize_t n = send(
		    fd, data + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

		sent += n > 0 ? (size_t)n : 0;
		moved = http_round(side);
		while ((n = recv(fd, http_answer + got, ANSWER_MAX - 1 - got,
			    MSG_DONTWAIT)) > 0)
			got += (size_t)n;
		quiet = moved || got + sent != before ? 0 : quiet + 1;
		ASSERT(++rounds < ROUNDS_MAX);
	}
	http_answer[got] = 0;
	return got;
}

/* http_leave - the client closes the connection: J4. */
static void
http_leave(unsigned side, int fd)
{
	struct web *w = &http_side[side].web;
	unsigned rounds = 0;

	close(fd);
	while (w->job_cnt) {
		stream_tick_all(w);
		(void)http_round(side);
		ASSERT(++rounds < ROUNDS_MAX);
	}
	ASSERT(list_empty(&w->all) && !w->stream_cnt);
}

/* ---- judgement ---- */

static bool
http_has(const uint8_t *data, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (!strncasecmp((const char *)data + i, word, n))
			return true;
	return false;
}

/* http_may_see - has the input a credential of @as or of the exchange? */
static bool
http_may_see(const uint8_t *data, size_t len, bool proxy, uint32_t as)
{
	if (proxy && http_has(data, len, "X-Member-AS"))
		return true;
	for (size_t i = 0; i < sizeof(http_jwts) / sizeof(http_jwts[0]); i++)
		if ((!http_jwts[i].as || http_jwts[i].as == as) &&
		    http_has(data, len, http_jwts[i].signature))
			return true;
	for (size_t i = 0; i < sizeof(http_tokens) / sizeof(http_tokens[0]); i++)
		if ((!http_tokens[i].as || http_tokens[i].as == as) &&
		    (http_has(data, len, http_tokens[i].token) ||
			http_has(data, len, http_tokens[i].basic)))
			return true;
	return false;
}

/* http_status - J3, of the first answer. */
static void
http_status(size_t got)
{
	static const unsigned known[] = { 100, 200, 303, 304, 400, 401, 403, 404, 405,
		411, 413, 414, 417, 429, 431, 500, 501, 503, 504, 505 };
	unsigned status, i = 0;

	if (!got) {
		http_statuses[0]++;
		return;
	}
	ASSERT(sscanf(http_answer, "HTTP/1.%*1[01] %3u ", &status) == 1);
	while (i < sizeof(known) / sizeof(known[0]) && known[i] != status)
		i++;
	ASSERT(i < sizeof(known) / sizeof(known[0]));
	http_statuses[status]++;
}

static void
http_judge(const uint8_t *data, size_t len, unsigned side, bool proxy, size_t got)
{
	http_status(got);
	if (!side)
		return;
	ASSERT(!memmem(http_answer, got, HTTP_ONLY_64501, strlen(HTTP_ONLY_64501)) ||
	       http_may_see(data, len, proxy, 64501));
	ASSERT(!memmem(http_answer, got, HTTP_ONLY_64502, strlen(HTTP_ONLY_64502)) ||
	       http_may_see(data, len, proxy, 64502));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons(1024) };
	unsigned side = len ? data[0] & 1 : 0;
	bool proxy = len && data[0] & 2;
	int fd[2];
	size_t got;

	if (!http_daemon.path[0]) {
		http_daemon_start(&http_daemon);
		http_start(0);
		http_start(1);
		atexit(http_stop);
	}
	if (!len)
		return 0;
	peer.sin_addr.s_addr = htonl(proxy ? 0xc0000201 : 0xc0000202);
	ASSERT(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd));
	ASSERT(MHD_add_connection(http_side[side].serve->mhd, fd[0],
		   (struct sockaddr *)&peer, sizeof(peer)) == MHD_YES);
	got = http_play(side, fd[1], data + 1, len - 1);
	http_judge(data + 1, len - 1, side, proxy, got);
	http_leave(side, fd[1]);
	return 0;
}
