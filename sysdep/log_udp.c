/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines to another machine's syslog. A datagram each, as RFC 3164, 4.1 has it; what
 * gets lost on the way is nobody's concern here. */
#include "sysdep/log_udp.h"

#include "lib/base/mem.h"
#include "sysdep/clock.h"
#include "sysdep/side.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS   (60 * NS_PER_S)
#define WAIT_MS    1000
#define ADDR_MAX   8
#define PACKET_MAX 1024 /* RFC 3164, 4.1 */

void
log_udp_init(struct log_udp *u, const char *host, uint16_t port)
{
	*u = (struct log_udp){ .host = host, .port = port, .fd = -1, .asked = -1 };
}

void
log_udp_fini(struct log_udp *u)
{
	if (u->fd >= 0)
		close(u->fd);
	if (u->asked >= 0)
		close(u->asked);
	u->fd = u->asked = -1;
}

static bool
connect_to(struct log_udp *u, const struct sockaddr_storage *to)
{
	socklen_t len = to->ss_family == AF_INET ? sizeof(struct sockaddr_in)
						 : sizeof(struct sockaddr_in6);
	int fd = socket(to->ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return false;
	if (connect(fd, (const struct sockaddr *)to, len)) {
		close(fd);
		return false;
	}
	if (u->fd >= 0)
		close(u->fd);
	u->fd = fd;
	return true;
}

/* ---- names ---- */

struct ask {
	char *host;
	char port[8];
};

static struct ask *
ask_new(const struct log_udp *u)
{
	struct ask *k = mem_alloc(MEM_OTHER, sizeof(*k));

	k->host = mem_strdup(MEM_OTHER, u->host);
	snprintf(k->port, sizeof(k->port), "%u", u->port);
	return k;
}

static void
ask_free(struct ask *k)
{
	mem_free(MEM_OTHER, k->host);
	mem_free(MEM_OTHER, k);
}

/* look_up - Returns: how many addresses are in @to. @flags: AI_NUMERICHOST doesn't
 * block. */
static unsigned
look_up(const struct ask *k, int flags, struct sockaddr_storage to[ADDR_MAX])
{
	struct addrinfo hint = { .ai_flags = flags, .ai_socktype = SOCK_DGRAM }, *list;
	unsigned cnt = 0;

	if (getaddrinfo(k->host, k->port, &hint, &list))
		return 0;
	for (const struct addrinfo *a = list; a && cnt < ADDR_MAX; a = a->ai_next)
		memcpy(&to[cnt++], a->ai_addr, min_u64(a->ai_addrlen, sizeof(to[0])));
	freeaddrinfo(list);
	return cnt;
}

/* asks - in a thread of its own: the addresses go into @fd, and it is closed. */
static void
asks(TAKE int fd, TAKE void *arg)
{
	struct sockaddr_storage to[ADDR_MAX] = { 0 };
	struct ask *k = arg;
	size_t len = look_up(k, 0, to) * sizeof(to[0]);

	/* Nobody may want it any more. */
	(void)!send(fd, to, len, MSG_NOSIGNAL);
	close(fd);
	ask_free(k);
}

static void
connect_first(struct log_udp *u, const struct sockaddr_storage *to, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		if (connect_to(u, &to[i]))
			return;
}

/* take_answer - if there is one within @wait_ms. */
static void
take_answer(struct log_udp *u, int wait_ms)
{
	struct sockaddr_storage to[ADDR_MAX];
	struct pollfd p = { .fd = u->asked, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, wait_ms) <= 0)
		return;
	n = recv(u->asked, to, sizeof(to), MSG_DONTWAIT);
	close(u->asked);
	u->asked = -1;
	if (n > 0)
		connect_first(u, to, (unsigned)((size_t)n / sizeof(to[0])));
}

/* try_open - a socket that is there stays until there is another one. */
static void
try_open(struct log_udp *u)
{
	struct sockaddr_storage to[ADDR_MAX] = { 0 };
	struct ask *k = ask_new(u);
	unsigned cnt = look_up(k, AI_NUMERICHOST, to);

	connect_first(u, to, cnt);
	u->asked = cnt ? -1 : side_start("log names", asks, k);
	if (u->asked >= 0) {
		take_answer(u, WAIT_MS);
	} else {
		u->asked = -1;
		ask_free(k);
	}
}

/* ---- lines ---- */

/* head - "<PRI>Mmm dd hh:mm:ss HOSTNAME TAG: ". The month is English, whatever is set. */
static int
head(char *to, size_t room, int priority, uint64_t at_ns)
{
	static const char *const month[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t at = (time_t)(clock_real_ns(at_ns) / NS_PER_S);
	char name[65] = "-";
	struct tm tm;

	localtime_r(&at, &tm);
	gethostname(name, sizeof(name) - 1);
	name[strcspn(name, ".")] = 0; /* without the domain */
	return snprintf(to, room,
	    "<%d>%s %2d %02d:%02d:%02d %s tern: ", LOG_DAEMON | priority,
	    month[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, name);
}

/* put - an error may be about the line before (nobody listens): this one is tried
 * again. */
static bool
put(const struct log_udp *u, const char *packet)
{
	return u->fd >= 0 && (send(u->fd, packet, strlen(packet), 0) >= 0 ||
				 send(u->fd, packet, strlen(packet), 0) >= 0);
}

bool
log_udp_send(struct log_udp *u, int priority, uint64_t at_ns, const char *text)
{
	char packet[PACKET_MAX + 1];
	size_t len;

	if (u->asked >= 0)
		take_answer(u, 0);
	len = (size_t)head(packet, sizeof(packet), priority, at_ns);
	snprintf(packet + len, sizeof(packet) - len, "%s", text);
	if (put(u, packet))
		return true;
	if (u->asked >= 0 || (u->tried_ns && clock_now_ns() - u->tried_ns < RETRY_NS))
		return false;
	/* The name may be another machine's by now, and our own address may be another
	 * one: a socket keeps both. */
	try_open(u);
	u->tried_ns = clock_now_ns();
	return put(u, packet);
}
