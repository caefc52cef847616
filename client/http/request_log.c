/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the log of requests, one line for each request, and counts lost lines. Tested by
 * test/unit/test_http_request_log.c and test/net/test_http_rights.py. Loop: the only
 * thread of ternhttp. */
#include "client/http/request_log.h"

#include "client/http/job/request.h"
#include "lib/base/plural.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_LOG_SECRET 32 /* octets in a row that may be a credential */

bool
request_log_open(struct request_log *l, const char *path)
{
	l->lost = 0;
	l->fd = !strcmp(path, "stderr")
		    ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
		    : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
			  0640);
	return l->fd >= 0;
}

void
request_log_close(struct request_log *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

/* ---- the text ---- */

/* request_log_run - octets of a token at the start of the @len octets at @s. An escape
 * may stand for any of them. */
static size_t
request_log_run(const char *s, size_t len)
{
	static const char token[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+~%";
	size_t n = 0;

	while (n < len && strchr(token, s[n]))
		n++;
	return n;
}

/* request_log_part - append the @len octets at @s without credentials. */
static void
request_log_part(struct strbuf *o, const char *s, size_t len)
{
	while (len) {
		size_t n = request_log_run(s, len);

		if (n >= REQUEST_LOG_SECRET)
			strbuf_addc(o, '*');
		else if (n)
			strbuf_add(o, s, n);
		else if (*s > ' ' && *s <= '~')
			strbuf_addc(o, *s);
		else
			strbuf_addf(o, "%%%02X", (unsigned char)*s);
		n += !n;
		s += n;
		len -= n;
	}
}

/* request_log_query - append the parameters at @s. */
static void
request_log_query(struct strbuf *o, const char *s)
{
	while (*s) {
		size_t len = strcspn(s, "&");
		const char *is = memchr(s, '=', len);
		size_t key = is ? (size_t)(is - s) : len;

		request_log_part(o, s, key);
		if (is && request_is_key(s, key))
			request_log_part(o, is, len - key);
		else if (is)
			strbuf_adds(o, "=*");
		s += len;
		if (*s)
			strbuf_addc(o, *s++);
	}
}

void
request_log_text(struct strbuf *o, const struct request_log_line *line)
{
	time_t s = (time_t)(line->at_ms / 1000);
	size_t begin, path = strcspn(line->target, "?");
	char text[IP_STR_MAX], when[32];
	struct tm tm;

	gmtime_r(&s, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	strbuf_addf(o, "%s.%03uZ %s ", when, (unsigned)(line->at_ms % 1000),
	    ip_is_none(line->client) ? "-" : ip_str(text, line->client));
	strbuf_addf(o, "%s ", *line->method ? line->method : "-");
	begin = o->len;
	request_log_part(o, line->target, path);
	if (line->target[path]) {
		strbuf_addc(o, '?');
		request_log_query(o, line->target + path + 1);
	}
	if (o->len - begin > REQUEST_LOG_TARGET) {
		strbuf_truncate(o, begin + REQUEST_LOG_TARGET);
		strbuf_adds(o, "...");
	}
	if (line->status)
		strbuf_addf(o, " %u", line->status);
	else
		strbuf_adds(o, " -");
	strbuf_addf(o, " %llu %llu.%03llu%s\n", (unsigned long long)line->octets,
	    (unsigned long long)(line->took_ms / 1000),
	    (unsigned long long)(line->took_ms % 1000), line->aborted ? " aborted" : "");
}

/* ---- writing ---- */

/* request_log_write - G3. Returns: false: @b was not written whole. */
static bool
request_log_write(const struct request_log *l, const struct strbuf *b)
{
	struct pollfd p = { .fd = l->fd, .events = POLLOUT };
	ssize_t n = send(l->fd, b->s, b->len, MSG_DONTWAIT | MSG_NOSIGNAL);

	/* a pipe that polls writable takes a line, which is shorter than PIPE_BUF */
	if (n < 0 && errno == ENOTSOCK && poll(&p, 1, 0) == 1 && p.revents & POLLOUT)
		n = write(l->fd, b->s, b->len);
	return n == (ssize_t)b->len;
}

void
request_log_put(struct request_log *l, const struct request_log_line *line)
{
	struct strbuf b;

	if (l->fd < 0)
		return;
	strbuf_init(&b);
	if (l->lost)
		strbuf_addf(&b, "%llu line%s lost\n", (unsigned long long)l->lost,
		    plural(l->lost, " was", "s were"));
	request_log_text(&b, line);
	if (request_log_write(l, &b))
		l->lost = 0;
	else
		l->lost++;
	strbuf_fini(&b);
}
