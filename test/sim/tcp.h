/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams with buffers, for actors: a task that listens or dials and speaks a protocol.
 *
 * The descriptors are those of the simulated network. No function here blocks. */
#ifndef TERN_TEST_SIM_TCP_H
#define TERN_TEST_SIM_TCP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Octets that grow. owner: its struct. */
struct octets {
	uint8_t *p;
	uint32_t len, cap;
};

void octets_put(struct octets *o, const void *p, uint32_t len);
void octets_u8(struct octets *o, unsigned v);
void octets_u16(struct octets *o, unsigned v);
void octets_u32(struct octets *o, uint32_t v);
/* octets_drop - the first @len leave. */
void octets_drop(struct octets *o, uint32_t len);
void octets_free(struct octets *o);
uint32_t octets_get_u16(const uint8_t *p);
uint32_t octets_get_u32(const uint8_t *p);

struct tcp {
	struct tcp *next; /* of the owner's list */
	int fd; /* -1: closed */
	bool reads; /* false: octets stay where they are */
	struct octets in, out;
};

/* tcp_address - of "10.0.0.1", "2001:db8::1" or "fe80::1%eth0", an interface of host 0.
 * Fails the run when the interface does not exist. */
void tcp_address(struct sockaddr_storage *sa, const char *text, uint16_t port);
/* sim_socket - a non-blocking socket of @type (SOCK_STREAM, SOCK_DGRAM) at @address and
 * @port. Returns: the descriptor. */
int sim_socket(const char *address, uint16_t port, int type);
/* tcp_listen - Returns: a non-blocking descriptor. */
int tcp_listen(const char *address, uint16_t port);
/* tcp_dial - a connection under way from @from to @to. */
int tcp_dial(const char *from, const char *to, uint16_t port);
/* tcp_dialled - Returns: 1: connected; 0: not yet; -1: failed. */
int tcp_dialled(int fd);
struct tcp *tcp_new(int fd);
/* tcp_free - close, and free. */
void tcp_free(struct tcp *c);
/* tcp_close - all sent octets arrive, then the end. */
void tcp_close(struct tcp *c);
/* tcp_step - read and write as far as possible. Returns: false: the connection has
 * ended; c->in may still hold octets. */
bool tcp_step(struct tcp *c);
/* tcp_ready - would tcp_step do something? No effect. */
bool tcp_ready(const struct tcp *c);
/* tcp_fd_readable - has a listener a connection, or a socket octets? No effect. */
bool tcp_fd_readable(int fd);

#endif
