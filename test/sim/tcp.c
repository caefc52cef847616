/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams with buffers, for actors. */
#include "test/sim/tcp.h"
#include "test/sim/link.h"
#include "test/sim/sim.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_MAX 65536

/* ---- octets ---- */

static uint8_t *
octets_room(struct octets *o, uint32_t len)
{
	while (o->cap < o->len + len) {
		o->cap = o->cap ? 2 * o->cap : 4096;
		o->p = realloc(o->p, o->cap);
	}
	return o->p + o->len;
}

void
octets_put(struct octets *o, const void *p, uint32_t len)
{
	if (len)
		memcpy(octets_room(o, len), p, len);
	o->len += len;
}

void
octets_u8(struct octets *o, unsigned v)
{
	uint8_t c = (uint8_t)v;

	octets_put(o, &c, 1);
}

void
octets_u16(struct octets *o, unsigned v)
{
	octets_u8(o, v >> 8);
	octets_u8(o, v);
}

void
octets_u32(struct octets *o, uint32_t v)
{
	octets_u16(o, v >> 16);
	octets_u16(o, v);
}

void
octets_drop(struct octets *o, uint32_t len)
{
	if (!len)
		return;
	memmove(o->p, o->p + len, o->len - len);
	o->len -= len;
}

void
octets_free(struct octets *o)
{
	free(o->p);
	memset(o, 0, sizeof(*o));
}

uint32_t
octets_get_u16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

uint32_t
octets_get_u32(const uint8_t *p)
{
	return octets_get_u16(p) << 16 | octets_get_u16(p + 2);
}

/* ---- sockets ---- */

void
tcp_address(struct sockaddr_storage *sa, const char *text, uint16_t port)
{
	struct sockaddr_in *in = (void *)sa;
	struct sockaddr_in6 *in6 = (void *)sa;
	const char *zone = strchr(text, '%');
	const struct link *link = zone ? link_find(0, zone + 1) : NULL;
	char plain[64];

	strlcpy(plain, text, sizeof(plain));
	plain[strcspn(plain, "%")] = 0;
	memset(sa, 0, sizeof(*sa));
	if (zone && !link)
		sim_fail("%s: there is no such interface", text);
	if (strchr(plain, ':')) {
		in6->sin6_family = AF_INET6;
		inet_pton(AF_INET6, plain, &in6->sin6_addr);
		in6->sin6_port = htons(port);
		in6->sin6_scope_id = link ? (uint32_t)link->index : 0;
	} else {
		in->sin_family = AF_INET;
		inet_pton(AF_INET, plain, &in->sin_addr);
		in->sin_port = htons(port);
	}
}

int
sim_socket(const char *address, uint16_t port, int type)
{
	struct sockaddr_storage sa;
	int fd;

	tcp_address(&sa, address, port);
	fd = socket(sa.ss_family, type | SOCK_NONBLOCK, 0);
	bind(fd, (struct sockaddr *)&sa, sizeof(sa));
	return fd;
}

int
tcp_listen(const char *address, uint16_t port)
{
	int fd = sim_socket(address, port, SOCK_STREAM);

	listen(fd, 64);
	return fd;
}

int
tcp_dial(const char *from, const char *to, uint16_t port)
{
	int fd = sim_socket(from, 0, SOCK_STREAM);
	struct sockaddr_storage sa;

	tcp_address(&sa, to, port);
	connect(fd, (struct sockaddr *)&sa, sizeof(sa));
	return fd;
}

int
tcp_dialled(int fd)
{
	struct sim_file *f = sim_fd_get(fd);
	socklen_t len = sizeof(int);
	int error = 0;

	if (!f->ops->events(f))
		return 0;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return error ? -1 : 1;
}

/* ---- connections ---- */

struct tcp *
tcp_new(int fd)
{
	struct tcp *c = calloc(1, sizeof(*c));

	c->fd = fd;
	c->reads = true;
	return c;
}

void
tcp_close(struct tcp *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

void
tcp_free(struct tcp *c)
{
	tcp_close(c);
	octets_free(&c->in);
	octets_free(&c->out);
	free(c);
}

static bool
tcp_read(struct tcp *c)
{
	for (;;) {
		ssize_t n = recv(
		    c->fd, octets_room(&c->in, STEP_MAX), STEP_MAX, MSG_DONTWAIT);

		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		c->in.len += (uint32_t)n;
	}
}

bool
tcp_step(struct tcp *c)
{
	uint8_t buf[16384];

	if (c->fd < 0 || (c->reads && !tcp_read(c)))
		return false;
	while (c->out.len) {
		/* A copy: another task may add octets while send lets tasks run. */
		uint32_t len = c->out.len < sizeof(buf) ? c->out.len : sizeof(buf);
		ssize_t n;

		memcpy(buf, c->out.p, len);
		n = send(c->fd, buf, len, MSG_DONTWAIT);

		if (n < 0)
			return errno == EAGAIN;
		octets_drop(&c->out, (uint32_t)n);
	}
	return true;
}

bool
tcp_ready(const struct tcp *c)
{
	struct sim_file *f = c->fd >= 0 ? sim_fd_get(c->fd) : NULL;
	short want = (short)((c->reads ? POLLIN : 0) | (c->out.len ? POLLOUT : 0) |
			     POLLERR | POLLHUP);

	return f && f->ops->events(f) & want;
}

bool
tcp_fd_readable(int fd)
{
	struct sim_file *f = fd >= 0 ? sim_fd_get(fd) : NULL;

	return f && f->ops->events(f) & POLLIN;
}
