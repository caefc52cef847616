/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream socket of the simulated network: for sock.c (octets) and connect.c
 * (connections, options). */
#ifndef TERN_TEST_SIM_SOCK_H
#define TERN_TEST_SIM_SOCK_H

#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"

#include <sys/socket.h>

#define WINDOW_TCP  (128 * 1024)
#define WINDOW_UNIX (212992)
#define BACKLOG_MAX 256
#define KEY_MAX     64
#define CUT_MAX     64

enum state { NEW, BOUND, LISTENING, CONNECTING, OPEN, ENDED };

struct chunk {
	struct chunk *next;
	uint64_t at_ns;
	size_t len, off;
	char data[];
};

struct md5_key {
	char address[64];
	unsigned char octet[16]; /* of the address */
	int prefix_len; /* the key is for all its addresses; -1: for one address */
	size_t len;
	char key[80];
};

/* owner: its descriptor, and the peer while the descriptor is closed and octets are
 * unread. */
struct sock {
	struct sim_file f;
	struct sock *next; /* of all sockets */
	int family;
	enum state state;
	struct sockaddr_storage local, remote;
	char local_text[64], remote_text[64]; /* the same addresses */
	char path[108];
	struct sock *peer; /* NULL: closed */
	struct chunk *first, **last;
	size_t queued, window;
	uint64_t last_ns; /* arrival of the last chunk */
	uint64_t fin_ns, reset_ns; /* SIM_NEVER: none */
	bool aborts; /* SO_LINGER with 0 s: a close is a reset */
	bool orphan; /* the descriptor is closed; the peer has not read all */
	int error; /* SO_ERROR */
	uint64_t decide_ns, give_up_ns; /* of CONNECTING */
	struct sock *backlog[BACKLOG_MAX];
	unsigned backlog_cnt;
	struct md5_key *key;
	unsigned key_cnt;
	int ttl, min_ttl;
	int syn_ttl; /* of the peer's SYN; 0: read, or none */
	bool saves_syn; /* of a listener: TCP_SAVE_SYN */
	bool is_shut; /* a listener that accepts no more */
	bool binds_freely; /* to addresses that the host does not have */
};

struct sim_net {
	struct sock *first;
	uint64_t decide_ns; /* no connection is decided before */
	uint16_t port;
	char cut[CUT_MAX][64];
	unsigned cut_cnt;
};

extern const struct sim_file_ops sock_file_ops;

struct sim_net *sock_net(void);
/* sock_address_text - an address with a scope is followed by %INDEX. */
void sock_address_text(char out[64], const struct sockaddr_storage *sa);
uint16_t sock_port(const struct sockaddr_storage *sa);
void sock_set_port(struct sockaddr_storage *sa, uint16_t port);
bool sock_is_any(const char *address);
/* sock_arrival - the address @sa as the host sees the address that receives; @index: the
 * receiver's interface, 0: @sa has no scope. */
struct sockaddr_storage sock_arrival(const struct sockaddr_storage *sa, int *index);
/* sock_set_scope - of a link-local address. */
void sock_set_scope(struct sockaddr_storage *sa, int index);
struct sock *sock_new(int family);
/* sock_get - NULL with errno: no socket. */
struct sock *sock_get(int fd);
uint64_t sock_delay_ns(const struct sock *s);
size_t sock_readable_len(const struct sock *s);
bool sock_was_reset(const struct sock *s);
/* sock_drops - are the peer's segments dropped at @s for their TTL? */
bool sock_drops(const struct sock *s);
void sock_set_min_ttl(struct sock *s, int min_ttl);
bool sock_is_cut(const struct sock *s);

#endif
