/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon at a control socket, for fuzz_http.c: each command has a reply of the table.
 *
 * D1  A command has the form of a row of ASK_TABLE: names in quotes, ids of events in
 *     double quotes, and nothing else that a client could have chosen but numbers and
 *     prefixes.
 * D2  Each line about a filtered route of a member has a text that no other line has. The
 *     text is not ASCII: an answer that repeats a part of a request never has the text.
 *
 * Loop: the one thread of fuzz_http. */
#ifndef TERN_TEST_FUZZ_HTTP_DAEMON_H
#define TERN_TEST_FUZZ_HTTP_DAEMON_H

#include "lib/base/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HTTP_ONLY_64501                                                                  \
	"only\xc3\xa4"                                                                   \
	"64501"
#define HTTP_ONLY_64502                                                                  \
	"only\xc3\xa4"                                                                   \
	"64502"

#define HTTP_LINES   24 /* connections */
#define HTTP_MANY    400 /* routes of a long list */
#define HTTP_COMMAND 4096

/* Owner: fuzz_http. Life: from http_daemon_start to http_daemon_stop. */
struct http_daemon {
	char folder[64], path[96];
	int fd;
	struct {
		int fd; /* -1: free */
		size_t len;
		char text[HTTP_COMMAND];
	} line[HTTP_LINES];
};

#define HTTP_ATTRIBUTES                                                                  \
	"\"attributes\":{\"bgp_origin\":\"igp\",\"bgp_path\":[64501,[64510,64511]],"     \
	"\"bgp_next_hop\":[\"192.0.2.11\"],\"bgp_local_pref\":100,\"bgp_med\":7,"        \
	"\"bgp_community\":[[65000,0]],\"bgp_large_community\":[[65000,1101,4]]}"
#define HTTP_ROUTE(network, protocol, more)                                              \
	"{\"type\":\"route\",\"table\":\"master4\",\"network\":\"" network               \
	"\",\"protocol\":\"" protocol "\",\"source\":\"BGP\",\"best\":true,"             \
	"\"changed_unix_s\":1796011415.060,\"from\":\"192.0.2.11\",\"preference\":100,"  \
	"\"destination\":\"unreachable\",\"origin_as\":64501," more                      \
	"\"scope\":\"univ\"," HTTP_ATTRIBUTES "}\n"
#define HTTP_REFUSED(said)                                                               \
	"\"filtered\":true,\"filtered_by\":\"import\",\"reason\":\"import_filter\","     \
	"\"filter\":\"f_in\",\"file\":\"rs1.conf\",\"line\":9,\"said\":\"" said "\","
#define HTTP_COUNTS                                                                      \
	"\"ipv4\":{\"received\":4,\"accepted\":3,\"filtered\":1,\"exported\":0,"         \
	"\"filtered_by\":{\"import\":1,\"tagged\":0,\"pipe\":0,\"check\":0}}"
#define HTTP_MEMBER(name, as, address)                                                   \
	"{\"type\":\"member\",\"name\":\"" name                                          \
	"\",\"description\":\"<b>&'\",\"as\":" as ",\"address\":\"" address              \
	"\",\"state\":\"down\",\"since_unix_s\":17960114.5,"                             \
	"\"cause\":{\"side\":\"them\",\"text\":\"hold timer\"},\"limit\":{"              \
	"\"used_percent\":97}," HTTP_COUNTS "}\n"
#define HTTP_PROTOCOL(name, as)                                                          \
	"{\"type\":\"protocol\",\"name\":\"" name "\",\"protocol\":\"BGP\",\"state\":"   \
	"\"up\",\"since_unix_s\":1796011415.063,\"disabled\":false,\"info\":"            \
	"\"Established\",\"bgp\":{\"state\":\"Established\",\"neighbor_address\":"       \
	"\"192.0.2.11\",\"neighbor_as\":" as ",\"local_as\":65000,\"down_count\":2},"    \
	"\"channels\":[{\"name\":\"ipv4\",\"state\":\"up\",\"table\":\"master4\","       \
	"\"limits\":{},\"routes\":{\"imported\":3,\"filtered\":1,\"exported\":0,"        \
	"\"preferred\":3},\"reasons\":{\"import_filter\":1}}]}\n"
#define HTTP_WHY(network, protocol, more)                                                \
	"{\"type\":\"why\",\"table\":\"master4\",\"network\":\"" network                 \
	"\",\"protocol\":\"" protocol "\",\"from\":\"192.0.2.11\"," more "}\n"
#define HTTP_WHY_REFUSED(said)                                                           \
	"\"fate\":\"refused\",\"reason\":\"import_filter\",\"stage\":"                   \
	"\"import_filter\",\"said\":\"" said "\",\"filtered_by\":\"import\""

/* The reply to the first row whose words are in the command. */
static const struct {
	const char *words, *lines;
} http_replies[] = {
	{ "show status",
	    "{\"type\":\"status\",\"version\":\"0.1.0\",\"bird_version\":\"2.0.12\","
	    "\"router_id\":\"10.0.0.1\",\"now_unix_s\":1796011417.074,"
	    "\"started_unix_s\":1796011414.994,\"configured_unix_s\":1796011414.9}\n" },
	{ "show health",
	    "{\"type\":\"problem\",\"kind\":\"session_down\",\"name\":\"p2\"}\n"
	    "{\"type\":\"sessions\",\"up\":2,\"wanted\":3,\"stale_routes\":0}\n"
	    "{\"type\":\"log\",\"dropped_lines\":0,\"lost_lines\":0}\n" },
	{ "show members",
	    HTTP_MEMBER("p1", "64501", "192.0.2.11") HTTP_MEMBER("p2", "64502",
		"2001:db8::2") "{\"type\":\"members\",\"sessions\":2," HTTP_COUNTS
			       "}\n" },
	{ "show protocols", HTTP_PROTOCOL("p1", "64501") HTTP_PROTOCOL("p2", "64502") },
	{ "show table",
	    "{\"type\":\"table\",\"name\":\"master4\",\"networks\":4,\"routes\":5,"
	    "\"changes\":13,\"cpu_s\":0.1}\n"
	    "{\"type\":\"table\",\"name\":\"a4\",\"aspas\":1,\"routes\":1}\n" },
	{ "show symbols",
	    "{\"type\":\"symbol\",\"name\":\"p1\",\"class\":\"protocol\"}\n" },
	{ "show threads", "{\"type\":\"thread\",\"name\":\"control\",\"cpu_s\":0.1}\n" },
	{ "show memory",
	    "{\"type\":\"memory\",\"name\":\"total\",\"effective_octets\":8598080}\n" },
	{ "show overrides",
	    "{\"type\":\"override\",\"id\":1,\"what\":\"block\",\"kind\":\"block\"}\n" },
	{ "show configurations",
	    "{\"type\":\"event\",\"kind\":\"started\",\"sha256\":\"a3\",\"id\":\"17-1\"}"
	    "\n" },
	{ "subscribe events",
	    "{\"type\":\"subscription\",\"id\":\"17-2\",\"last_id\":\"17-3\"}\n"
	    "{\"type\":\"event\",\"kind\":\"session_up\",\"id\":\"17-3\"}\n" },
	{ "subscribe counters", "{\"type\":\"counters\",\"version\":1}\n" },
	{ "subscribe routes",
	    "{\"type\":\"subscription\"}\n" HTTP_ROUTE(
		"20.0.1.0/24", "p1", "") HTTP_ROUTE("20.0.3.0/25", "p1",
		HTTP_REFUSED(HTTP_ONLY_64501)) HTTP_ROUTE("20.0.5.0/25", "p2",
		HTTP_REFUSED(HTTP_ONLY_64502)) "{\"type\":\"snapshot\",\"routes\":3}\n" },
	{ " count ",
	    "{\"type\":\"route_table\",\"table\":\"master4\",\"shown\":3,\"routes\":3}"
	    "\n" },
	{ "route why",
	    HTTP_WHY("20.0.1.0/24", "p1", "\"fate\":\"best\"") HTTP_WHY("20.0.3.0/25",
		"p1", HTTP_WHY_REFUSED(HTTP_ONLY_64501)) HTTP_WHY("20.0.3.0/25", "p2",
		HTTP_WHY_REFUSED(HTTP_ONLY_64502)) "{\"type\":\"why_to\",\"network\":"
						   "\"20.0.1.0/24\",\"protocol\":\"p1\","
						   "\"to\":\"p2\",\"goes\":false,"
						   "\"reason\":\"export_filter\"}\n" },
	{ "noexport",
	    "{\"type\":\"filtered_route\",\"network\":\"20.0.3.0/25\",\"protocol\":"
	    "\"p1\",\"said\":\"" HTTP_ONLY_64501 "\"}\n"
	    "{\"type\":\"filtered_route\",\"network\":\"20.0.3.0/25\",\"protocol\":"
	    "\"p2\",\"said\":\"" HTTP_ONLY_64502 "\"}\n" },
	{ "filtered",
	    HTTP_ROUTE("20.0.3.0/25", "p1", HTTP_REFUSED(HTTP_ONLY_64501))
		HTTP_ROUTE("20.0.5.0/25", "p2", HTTP_REFUSED(HTTP_ONLY_64502)) },
	{ "show route",
	    HTTP_ROUTE("20.0.1.0/24", "p1", "") HTTP_ROUTE("20.0.3.0/25", "p1",
		HTTP_REFUSED(HTTP_ONLY_64501)) HTTP_ROUTE("20.0.5.0/25", "p2",
		HTTP_REFUSED(HTTP_ONLY_64502)) "{\"type\":\"route_table\",\"table\":"
					       "\"master4\",\"shown\":1}\n" },
};

static void
http_daemon_start(struct http_daemon *d)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	for (unsigned i = 0; i < HTTP_LINES; i++)
		d->line[i].fd = -1;
	snprintf(d->folder, sizeof(d->folder), "/tmp/tern-fuzz-http.XXXXXX");
	ASSERT(mkdtemp(d->folder));
	snprintf(d->path, sizeof(d->path), "%s/ctl", d->folder);
	memcpy(addr.sun_path, d->path, strlen(d->path));
	d->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ASSERT(
	    !bind(d->fd, (struct sockaddr *)&addr, sizeof(addr)) && !listen(d->fd, 99));
}

static void
http_daemon_stop(const struct http_daemon *d)
{
	for (unsigned i = 0; i < HTTP_LINES; i++)
		if (d->line[i].fd >= 0)
			close(d->line[i].fd);
	close(d->fd);
	(void)unlink(d->path);
	(void)rmdir(d->folder);
}

/* http_quoted - Returns: the text behind the quote at the end of @s, whose characters are
 * of @set. */
static const char *
http_quoted(const char *s, char quote, const char *set)
{
	size_t len = strspn(s, set);

	ASSERT(len && len <= 64 && s[len] == quote);
	return s + len + 1;
}

/* http_command_judge - D1. */
static void
http_command_judge(const char *s)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.:-";

	if (!strcmp(s, "restrict"))
		return;
	ASSERT(!strncmp(s, "json show ", 10) || !strncmp(s, "json subscribe ", 15));
	while (*s) {
		char c = *s++;

		if (c == '\'')
			s = http_quoted(s, c, name);
		else if (c == '"')
			s = http_quoted(s, c, "0123456789-");
		else
			ASSERT(strchr(name, c) || strchr(" /(),=~&*[]", c));
	}
}

/* http_reply_lines - send @lines as objects of a reply. */
static size_t
http_reply_lines(char *to, size_t at, const char *lines)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n");

		at += (size_t)sprintf(to + at, "1100-%.*s\n", (int)len, lines);
		lines += len + 1;
	}
	return at;
}

static void
http_reply(int fd, const char *command)
{
	static char text[256 * HTTP_MANY + 65536];
	size_t at = 0, row = 0, sent = 0;
	bool lasts = strstr(command, "subscribe") != NULL;

	if (!strcmp(command, "restrict")) {
		at = (size_t)sprintf(text, "0016 Access restricted\n");
	} else {
		while (row < sizeof(http_replies) / sizeof(http_replies[0]) &&
		       !strstr(command, http_replies[row].words))
			row++;
		if (row < sizeof(http_replies) / sizeof(http_replies[0]))
			at = http_reply_lines(text, 0, http_replies[row].lines);
		if (strstr(command, "protocol 'p2' all"))
			for (unsigned i = 0; i < HTTP_MANY; i++)
				at += (size_t)sprintf(text + at,
				    "1100-{\"type\":\"route\",\"network\":\"30.%u.%u.0/"
				    "24\""
				    ",\"protocol\":\"p2\",\"source\":\"BGP\"}\n",
				    i / 256, i % 256);
		/* an unknown session or table */
		if (!lasts && strstr(command, "'nosuch'"))
			at = (size_t)sprintf(text,
			    "1100-{\"type\":\"summary\",\"ok\":false,\"code\":8003,"
			    "\"message\":\"no protocol\"}\n8003 no protocol\n");
		else if (!lasts)
			at += (size_t)sprintf(text + at,
			    "1100-{\"type\":\"summary\",\"ok\":true,\"code\":"
			    "0}\n0000 \n");
	}
	ASSERT(at < sizeof(text));
	/* a client that has left closes the socket */
	while (sent < at) {
		ssize_t n = send(fd, text + sent, at - sent, MSG_NOSIGNAL);

		ASSERT(n > 0 || errno == EPIPE || errno == ECONNRESET);
		if (n <= 0)
			return;
		sent += (size_t)n;
	}
}

static void
http_daemon_accept(struct http_daemon *d)
{
	static const char hello[] = "0001 BIRD 2.0.12 ready.\n";
	int fd, size = 1 << 20;

	while ((fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		unsigned i = 0;

		while (i < HTTP_LINES && d->line[i].fd >= 0)
			i++;
		ASSERT(i < HTTP_LINES);
		d->line[i].fd = fd;
		d->line[i].len = 0;
		/* a whole reply fits, so that the one thread does not wait for itself */
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		(void)send(fd, hello, strlen(hello), MSG_NOSIGNAL);
	}
}

/* http_daemon_line - read and answer the commands of the connection @i. Returns: their
 * octets. */
static size_t
http_daemon_line(struct http_daemon *d, unsigned i)
{
	char *text = d->line[i].text, *end;
	ssize_t n = recv(d->line[i].fd, text + d->line[i].len,
	    HTTP_COMMAND - 1 - d->line[i].len, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		close(d->line[i].fd);
		d->line[i].fd = -1;
	}
	if (n <= 0)
		return 0;
	d->line[i].len += (size_t)n;
	ASSERT(d->line[i].len < HTTP_COMMAND - 1);
	text[d->line[i].len] = 0;
	while ((end = strchr(text, '\n'))) {
		*end = 0;
		http_command_judge(text);
		http_reply(d->line[i].fd, text);
		d->line[i].len -= (size_t)(end + 1 - text);
		memmove(text, end + 1, d->line[i].len + 1);
	}
	return (size_t)n;
}

/* http_daemon_run - do what the sockets ask for. Returns: octets of commands. */
static size_t
http_daemon_run(struct http_daemon *d)
{
	size_t moved = 0;

	http_daemon_accept(d);
	for (unsigned i = 0; i < HTTP_LINES; i++)
		if (d->line[i].fd >= 0)
			moved += http_daemon_line(d, i);
	return moved;
}

#endif
