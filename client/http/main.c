/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternhttp: the API, the metrics and the looking glass of route servers. Loop: the only
 * thread of ternhttp.
 *
 *   ternhttp [-c FILE] [-l ADDRESS:PORT] [-n COUNT] [-s NAME=SOCKET...] [-u USER]
 *   ternhttp --token AS | --help | --version
 *
 * The program reads its configuration once, then nothing but its control sockets, and
 * writes no file but the log of requests. Before the first request the program gives up
 * its capabilities and, if started by root, becomes the user of -u.
 * Tested by test/net/test_http.py. */
#include "client/http/api/stream.h"
#include "client/http/job/ask.h"
#include "client/http/counted/counted.h"
#include "client/http/job/feed.h"
#include "client/http/job/job.h"
#include "client/http/job/kept.h"
#include "client/http/job/request.h"
#include "client/http/job/tail.h"
#include "client/http/request_log.h"
#include "client/http/right/rate.h"
#include "client/http/sandbox.h"
#include "client/http/serve.h"
#include "client/http/setup.h"
#include "lib/base/list.h"
#include "lib/base/named.h"
#include "lib/base/scan.h"
#include "lib/mem/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#ifndef TERN_VERSION
#define TERN_VERSION "unknown"
#endif

static void
http_ternhttp_usage(FILE *to)
{
	fprintf(to,
	    "Usage: ternhttp [-c FILE] [-l ADDRESS:PORT] [-n COUNT] [-s NAME=SOCKET]\n"
	    "                [-u USER]\n"
	    "  -c FILE          read the configuration; options come before its lines\n"
	    "  -l ADDRESS:PORT  listen address (127.0.0.1:8080); an IPv6 address in []\n"
	    "  -n COUNT         connections of one client address (50; 0: any number)\n"
	    "  -s NAME=SOCKET   control socket of a route server, up to 8 times\n"
	    "                   (rs=" TERN_SOCKET_PATH ")\n"
	    "  -u USER          become this user (nobody, if started by root)\n"
	    "  --token AS       print a new token of a member; of the exchange: "
	    "exchange\n"
	    "  --help, --version\n");
}

/* main_text - replace the text *@to. Returns: -1. */
static int
main_text(char **to, const char *s)
{
	mem_free(MEM_OTHER, *to);
	*to = mem_strdup(MEM_OTHER, s);
	return -1;
}

/* main_server - add the server of "NAME=SOCKET". */
static void
main_server(struct web *w, char *text)
{
	char *is = strchr(text, '=');
	struct server *s = &w->server[w->server_cnt++];

	*is = 0;
	s->name = text;
	feed_init(&s->feed, is + 1, w->epoll);
	feed_init(&s->live, is + 1, w->epoll);
	counted_init(&s->counted, &s->feed);
	tail_init(&s->tail, &s->feed, stream_news, w);
	for (int i = 0; i < ASK_CNT; i++)
		keeper_init(&s->keeper[i], &s->feed, &s->counted, (enum ask)i);
}

/* main_fail - Returns: 1, the exit status. */
static int
main_fail(const char *option, const char *value, const char *wrong)
{
	fprintf(stderr, "ternhttp: %s%s: %s\n", option, value, wrong);
	return 1;
}

/* http_ternhttp_option - take the option @c into @o. Returns: -1: go on; else the exit
 * status. */
static int
http_ternhttp_option(int c, struct setup *o, const char **file)
{
	struct sockaddr_storage addr;
	const char *wrong;
	uint64_t n;

	switch (c) {
	case 'c':
		*file = optarg;
		return -1;
	case 'l':
		if (!setup_address(&addr, optarg))
			return main_fail("-l ", optarg, "ADDRESS:PORT is expected");
		return main_text(&o->listen, optarg);
	case 'n':
		if (scan_u64(&n, optarg, SERVE_CONNECTIONS))
			return main_fail("-n ", optarg, "0 to 1000 is expected");
		o->connections = (unsigned)n;
		return -1;
	case 's':
		wrong = setup_add_server(o, optarg);
		return wrong ? main_fail("-s ", optarg, wrong) : -1;
	case 'u':
		return main_text(&o->user, optarg);
	case 't':
		if (setup_token(optarg))
			return 0;
		return main_fail(
		    "--token ", optarg, "an AS number or `exchange' is expected");
	case 'h':
		http_ternhttp_usage(stdout);
		return 0;
	case 'V':
		printf("ternhttp (tern " TERN_VERSION ")\n");
		return 0;
	default:
		http_ternhttp_usage(stderr);
		return 1;
	}
}

/* http_ternhttp_setup - fill @o from the options, then from the file for what the options
 * leave open. Returns: -1: go on; else the exit status. */
static int
http_ternhttp_setup(int argc, char **argv, struct setup *o)
{
	static const struct option longs[] = { { "help", 0, NULL, 'h' },
		{ "token", 1, NULL, 't' }, { "version", 0, NULL, 'V' },
		{ NULL, 0, NULL, 0 } };
	struct setup file = { .connections = UINT_MAX };
	const char *path = NULL;
	char why[SETUP_WHY_MAX];
	int c, rc;

	o->connections = UINT_MAX;
	while ((c = getopt_long(argc, argv, "c:l:n:s:u:h", longs, NULL)) != -1) {
		rc = http_ternhttp_option(c, o, &path);
		if (rc >= 0)
			return rc;
	}
	if (optind < argc) {
		http_ternhttp_usage(stderr);
		return 1;
	}
	if (path && !setup_read(&file, path, why)) {
		setup_fini(&file);
		fprintf(stderr, "ternhttp: %s\n", why);
		return 1;
	}
	setup_merge(o, &file);
	return -1;
}

/* http_ternhttp_servers - the servers of @o, or the usual server. */
static void
http_ternhttp_servers(struct web *w, struct setup *o)
{
	if (!o->server_cnt)
		(void)main_text(&o->server[o->server_cnt++], "rs=" TERN_SOCKET_PATH);
	for (unsigned i = 0; i < o->server_cnt; i++)
		main_server(w, o->server[i]);
}

/* main_limits - the bound of requests, and their log. Returns: false: no log. */
static bool
main_limits(struct web *w, const struct setup *o)
{
	uint64_t seed = 0;

	(void)!getrandom(&seed, sizeof(seed), 0);
	rate_init(&w->rate, &o->rate, seed);
	if (!o->log || request_log_open(&w->log, o->log))
		return true;
	(void)main_fail("log ", o->log, strerror(errno));
	return false;
}

/* main_stop_fd - a descriptor that is readable when the program shall end. */
static int
main_stop_fd(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int
main(int argc, char **argv)
{
	static struct web web;
	static struct setup setup;
	const char *listen, *wrong;
	struct sockaddr_storage addr;
	struct serve *s;
	socklen_t len;
	int rc, stop_fd;

	list_init(&web.wake);
	list_init(&web.streams);
	list_init(&web.all);
	web.log.fd = -1;
	web.epoll = epoll_create1(EPOLL_CLOEXEC);
	rc = http_ternhttp_setup(argc, argv, &setup);
	if (rc >= 0)
		return rc;
	http_ternhttp_servers(&web, &setup);
	web.per_client = setup.connections == UINT_MAX ? 50 : setup.connections;
	web.silent_s = setup.silent_s ? setup.silent_s : SERVE_SILENT_S;
	web.stall_s = setup.stall_s ? setup.stall_s : SERVE_STALL_S;
	web.rights = setup.rights;
	web.cert = setup.cert;
	web.key = setup.key;
	listen = setup.listen ? setup.listen : "127.0.0.1:8080";
	len = setup_address(&addr, listen);
	if (!main_limits(&web, &setup))
		return 1;
	stop_fd = main_stop_fd();
	s = serve_new(&web, (struct sockaddr *)&addr, len);
	if (!s) {
		fprintf(stderr, "ternhttp: cannot listen on %s: %s\n", listen,
		    errno == EINVAL && web.cert ? "the certificate or the key is wrong"
						: strerror(errno));
		return 1;
	}
	/* behind this line no file can be written but the log of requests */
	printf("ternhttp: http%s://%.*s:%u/\n", web.cert ? "s" : "",
	    (int)(strrchr(listen, ':') - listen), listen, serve_port(s));
	fflush(stdout);
	wrong = sandbox_enter(setup.user, setup.log != NULL);
	if (wrong) {
		fprintf(stderr, "ternhttp: %s: %s\n", wrong, strerror(errno));
		return 1;
	}
	serve_loop(s, stop_fd);
	serve_free(s);
	for (unsigned i = 0; i < web.server_cnt; i++) {
		tail_fini(&web.server[i].tail);
		counted_fini(&web.server[i].counted);
		for (int a = 0; a < ASK_CNT; a++)
			keeper_fini(&web.server[i].keeper[a]);
	}
	rate_fini(&web.rate);
	request_log_close(&web.log);
	setup_fini(&setup);
	close(stop_fd);
	close(web.epoll);
	return 0;
}
