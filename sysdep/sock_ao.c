/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TCP-AO by Linux's interface, which its headers have since 6.7.
 *
 * I1  Keys of a number that is used otherwise are never both at a socket: the old one
 *     goes before the new one comes.
 * I2  A connection never is without the key that it uses: one that goes gives its place
 *     to the best one.
 *
 * Tested by test/net/test_ao.py, where the kernel has it. */
#include "sysdep/sock_ao.h"
#include "sysdep/sock_opt.h"
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>

const char *
sock_ao_error(int rc)
{
	return rc == -ENOSYS        ? "this build has no TCP-AO"
	       : rc == -ENOPROTOOPT ? "this kernel has no TCP-AO"
				    : strerror(-rc);
}

const struct sock_ao_key *
sock_ao_best(const struct sock_ao *a)
{
	const struct sock_ao_key *best = NULL;

	for (unsigned i = 0; i < a->cnt; i++) {
		const struct sock_ao_key *k = &a->key[i];

		if (!k->deprecated && (!best || (k->preferred && !best->preferred)))
			best = k;
	}
	return best;
}

#ifdef TCP_AO_ADD_KEY

bool
sock_ao_built(void)
{
	return true;
}

static const char *const alg_names[] = {
	[SOCK_AO_HMAC_SHA1] = "hmac(sha1)",
	[SOCK_AO_HMAC_MD5] = "hmac(md5)",
	[SOCK_AO_HMAC_SHA256] = "hmac(sha256)",
	[SOCK_AO_HMAC_SHA384] = "hmac(sha384)",
	[SOCK_AO_HMAC_SHA512] = "hmac(sha512)",
	[SOCK_AO_CMAC_AES128] = "cmac(aes128)",
};

static void
put_addr(void *to, size_t len, const struct prefix *peer)
{
	struct sock_end e = { .addr = peer->addr };
	struct sockaddr_storage sa;

	sock_from_end(&sa, &e);
	memcpy(to, &sa, len < sizeof(sa) ? len : sizeof(sa));
}

/* add - @use: the connection begins with it. One that is there already is another
 * instance's for the same peer. */
static int
add(int fd, const struct prefix *peer, const struct sock_ao_key *k, bool use)
{
	struct tcp_ao_add m = { .set_current = use,
		.set_rnext = use,
		.prefix = peer->len,
		.sndid = k->send_id,
		.rcvid = k->recv_id,
		.keylen = k->len };

	put_addr(&m.addr, sizeof(m.addr), peer);
	strncpy(m.alg_name, alg_names[k->alg], sizeof(m.alg_name) - 1);
	memcpy(m.key, k->secret, k->len);
	if (setsockopt(fd, IPPROTO_TCP, TCP_AO_ADD_KEY, &m, sizeof(m)) && errno != EEXIST)
		return -errno;
	return 0;
}

/* uses - which keys the connection uses. Returns: false: none. */
static bool
uses(int fd, struct tcp_ao_info_opt *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return !getsockopt(fd, IPPROTO_TCP, TCP_AO_INFO, info, &len);
}

/* del - @next: what takes its place (I2); NULL: nothing can. */
static int
del(int fd, const struct prefix *peer, const struct sock_ao_key *k,
    const struct sock_ao_key *next)
{
	struct tcp_ao_info_opt info;
	struct tcp_ao_del m = {
		.prefix = peer->len, .sndid = k->send_id, .rcvid = k->recv_id
	};

	put_addr(&m.addr, sizeof(m.addr), peer);
	if (next && uses(fd, &info)) {
		m.set_current = info.set_current && info.current_key == k->send_id;
		m.set_rnext = info.set_rnext && info.rnext == k->recv_id;
		m.current_key = m.set_current ? next->send_id : 0;
		m.rnext = m.set_rnext ? next->recv_id : 0;
	}
	if (setsockopt(fd, IPPROTO_TCP, TCP_AO_DEL_KEY, &m, sizeof(m)) && errno != ENOENT)
		return -errno;
	return 0;
}

int
sock_ao_ask(int fd, const struct sock_ao *a)
{
	const struct sock_ao_key *k = sock_ao_best(a);
	struct tcp_ao_info_opt m = { .set_rnext = 1, .rnext = k ? k->recv_id : 0 };

	if (k && setsockopt(fd, IPPROTO_TCP, TCP_AO_INFO, &m, sizeof(m)))
		return -errno;
	return 0;
}

int
sock_ao_set(int fd, const struct prefix *peer, const struct sock_ao *a, bool connects)
{
	const struct sock_ao_key *best = sock_ao_best(a);
	int rc = 0;
	unsigned i;

	for (i = 0; !rc && i < a->cnt; i++)
		rc = add(fd, peer, &a->key[i], connects && &a->key[i] == best);
	if (rc)
		while (--i)
			(void)!del(fd, peer, &a->key[i - 1], NULL);
	return rc;
}

/* same - is it the same key, whatever is wished of it? */
static bool
same(const struct sock_ao_key *a, const struct sock_ao_key *b)
{
	return a->send_id == b->send_id && a->recv_id == b->recv_id && a->alg == b->alg &&
	       a->len == b->len && !memcmp(a->secret, b->secret, a->len);
}

static bool
has(const struct sock_ao *a, const struct sock_ao_key *k)
{
	for (unsigned i = 0; i < a->cnt; i++)
		if (same(&a->key[i], k))
			return true;
	return false;
}

/* clashes - is one of its numbers used by another key (I1)? */
static bool
clashes(const struct sock_ao *a, const struct sock_ao_key *k)
{
	for (unsigned i = 0; i < a->cnt; i++)
		if (a->key[i].send_id == k->send_id || a->key[i].recv_id == k->recv_id)
			return true;
	return false;
}

/* first_of - the first error counts. */
static int
first_of(int was, int rc)
{
	return was ? was : rc;
}

/* add_new - those that are news, and clash with none of the old ones, or do. */
static int
add_new(int fd, const struct prefix *peer, const struct sock_ao *old,
    const struct sock_ao *a, bool clash)
{
	int rc = 0;

	for (unsigned i = 0; i < a->cnt; i++)
		if (!has(old, &a->key[i]) && clashes(old, &a->key[i]) == clash)
			rc = first_of(rc, add(fd, peer, &a->key[i], false));
	return rc;
}

int
sock_ao_change(int fd, const struct prefix *peer, const struct sock_ao *old,
    const struct sock_ao *a, bool listens)
{
	const struct sock_ao_key *best = sock_ao_best(a), *next = best;
	int rc = add_new(fd, peer, old, a, false);

	/* the best one isn't there yet: any that is */
	for (unsigned i = 0; best && clashes(old, best) && !has(old, best) && i < a->cnt;
	     i++)
		if (has(old, &a->key[i]) || !clashes(old, &a->key[i]))
			next = &a->key[i];
	if (!listens && next == best)
		rc = first_of(rc, sock_ao_ask(fd, a));
	for (unsigned i = 0; i < old->cnt; i++)
		if (!has(a, &old->key[i]))
			rc = first_of(
			    rc, del(fd, peer, &old->key[i], listens ? NULL : next));
	rc = first_of(rc, add_new(fd, peer, old, a, true));
	return listens || next == best ? rc : first_of(rc, sock_ao_ask(fd, a));
}

#else /* older headers */

bool
sock_ao_built(void)
{
	return false;
}

int
sock_ao_ask(int fd, const struct sock_ao *a)
{
	(void)fd;
	(void)a;
	return -ENOSYS;
}

int
sock_ao_set(int fd, const struct prefix *peer, const struct sock_ao *a, bool connects)
{
	(void)peer;
	(void)connects;
	return sock_ao_ask(fd, a);
}

int
sock_ao_change(int fd, const struct prefix *peer, const struct sock_ao *old,
    const struct sock_ao *a, bool listens)
{
	(void)peer;
	(void)old;
	(void)listens;
	return sock_ao_ask(fd, a);
}

#endif
