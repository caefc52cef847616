/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines to another machine's syslog, one datagram each, as RFC 3164, 4.1 describes.
 * tern does not notice datagrams that are lost on the way. The log's thread calls.
 * Tested by test/unit/test_log.c. */
#include "sysdep/log/log_udp.h"

#include "lib/mem/mem.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/os/side.h"
#include "sysdep/sock/names.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_opt.h"

#include <bsd/string.h>
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
udp_connect_to(struct log_udp *u, const struct sock_end *to)
{
	struct sockaddr_storage sa;
	socklen_t len = sock_from_end(&sa, to);
	int fd = socket(sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return false;
	if (connect(fd, (const struct sockaddr *)&sa, len)) {
		close(fd);
		return false;
	}
	if (u->fd >= 0)
		close(u->fd);
	u->fd = fd;
	return true;
}

/* ---- names ---- */

/* log_udp_asks - in a thread of its own: the addresses go into @fd, and it is closed.
 * @arg is the name (MEM_OTHER). */
static void
log_udp_asks(TAKE struct os_fd fd, TAKE void *arg)
{
	struct sock_end to[ADDR_MAX] = { 0 };
	const char *why;
	unsigned cnt = names_find(arg, false, to, ADDR_MAX, &why);

	/* Nobody may want it any more. */
	(void)!sock_send_all(fd, to, cnt * sizeof(to[0]));
	fd_close(fd);
	mem_free(MEM_OTHER, arg);
}

static void
udp_connect_first(struct log_udp *u, struct sock_end *to, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++) {
		to[i].port = u->port;
		if (udp_connect_to(u, &to[i]))
			return;
	}
}

/* log_udp_take_answer - read the resolver's answer if the answer arrives within
 * @wait_ms. */
static void
log_udp_take_answer(struct log_udp *u, int wait_ms)
{
	struct fd_want w = { .fd = os_fd_of(u->asked), .read = true };
	struct sock_end to[ADDR_MAX];
	ssize_t n;

	if (fd_wait(&w, 1, wait_ms) <= 0)
		return;
	n = sock_recv(os_fd_of(u->asked), to, sizeof(to));
	close(u->asked);
	u->asked = -1;
	if (n > 0)
		udp_connect_first(u, to, (unsigned)((size_t)n / sizeof(to[0])));
}

/* log_udp_try_open - open a socket to an address, or to the name's address. An open
 * socket stays until a new socket is connected. */
static void
log_udp_try_open(struct log_udp *u)
{
	struct sock_end to[ADDR_MAX] = { 0 };
	const char *why;
	unsigned cnt = names_find(u->host, true, to, ADDR_MAX, &why);
	char *host;

	udp_connect_first(u, to, cnt);
	u->asked = -1;
	if (cnt)
		return;
	host = mem_strdup(MEM_OTHER, u->host);
	u->asked = side_start("log names", log_udp_asks, host).os_nr;
	if (u->asked >= 0) {
		log_udp_take_answer(u, WAIT_MS);
	} else {
		u->asked = -1;
		mem_free(MEM_OTHER, host);
	}
}

/* ---- lines ---- */

/* log_udp_head - "<PRI>Mmm dd hh:mm:ss HOSTNAME TAG: ". The month is English, whatever is
 * set. */
static int
log_udp_head(char *to, size_t room, int priority, uint64_t at_ns)
{
	static const char *const month[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t at = (time_t)(clock_real_ns(at_ns) / NS_PER_S);
	char name[65];
	struct tm tm;

	clock_local(&tm, at);
	names_host(name, sizeof(name));
	if (!name[0])
		strlcpy(name, "-", sizeof(name));
	name[strcspn(name, ".")] = 0; /* without the domain */
	return snprintf(to, room,
	    "<%d>%s %2d %02d:%02d:%02d %s tern: ", LOG_DAEMON | priority,
	    month[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, name);
}

/* log_udp_put - send @packet. The first error may belong to the line before (no
 * listener), so a failed send is tried once more. */
static bool
log_udp_put(const struct log_udp *u, const char *packet)
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
		log_udp_take_answer(u, 0);
	len = (size_t)log_udp_head(packet, sizeof(packet), priority, at_ns);
	strlcpy(packet + len, text, sizeof(packet) - len);
	if (log_udp_put(u, packet))
		return true;
	if (u->asked >= 0 || (u->tried_ns && clock_now_ns() - u->tried_ns < RETRY_NS))
		return false;
	/* The name may be another machine's by now, and our own address may be another
	 * one: a socket keeps both. */
	log_udp_try_open(u);
	u->tried_ns = clock_now_ns();
	return log_udp_put(u, packet);
}
