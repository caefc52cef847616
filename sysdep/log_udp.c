/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines to another machine's syslog. A datagram each, as RFC 3164, 4.1 has it; what
 * gets lost on the way is nobody's concern here. */
#include "sysdep/log_udp.h"

#include "sysdep/clock.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define RETRY_NS   (60 * NS_PER_S)
#define PACKET_MAX 1024 /* RFC 3164, 4.1 */

void
log_udp_init(struct log_udp *u, const char *host, uint16_t port)
{
	*u = (struct log_udp){ .host = host, .port = port, .fd = -1 };
}

void
log_udp_fini(struct log_udp *u)
{
	if (u->fd >= 0)
		close(u->fd);
	u->fd = -1;
}

static int
connect_to(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void
try_open(struct log_udp *u)
{
	struct addrinfo hint = { .ai_socktype = SOCK_DGRAM }, *list;
	char port[8];

	snprintf(port, sizeof(port), "%u", u->port);
	if (getaddrinfo(u->host, port, &hint, &list))
		return;
	for (const struct addrinfo *a = list; a && u->fd < 0; a = a->ai_next)
		u->fd = connect_to(a);
	freeaddrinfo(list);
}

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

bool
log_udp_send(struct log_udp *u, int priority, uint64_t at_ns, const char *text)
{
	char packet[PACKET_MAX + 1];
	uint64_t now_ns = clock_now_ns();
	size_t len;

	if (u->fd < 0 && u->tried_ns && now_ns - u->tried_ns < RETRY_NS)
		return false;
	if (u->fd < 0) {
		try_open(u);
		u->tried_ns = clock_now_ns();
	}
	if (u->fd < 0)
		return false;
	len = (size_t)head(packet, sizeof(packet), priority, at_ns);
	snprintf(packet + len, sizeof(packet) - len, "%s", text);
	/* An error may be about the line before (nobody listens): this one is tried
	 * again. */
	return send(u->fd, packet, strlen(packet), 0) >= 0 ||
	       send(u->fd, packet, strlen(packet), 0) >= 0;
}
