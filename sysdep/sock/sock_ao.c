/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TCP-AO by Linux's interface, which Linux's headers have since 6.7. Any thread that owns
 * the socket.
 *
 * I1  A socket never has two keys with one number: an old key is removed before a
 *     different key with the same number is added.
 * I2  A connection always keeps its current key: before the current key is removed, the
 *     best remaining key becomes current.
 * I3  The kernel has one key of a number for a peer, including keys of a prefix that
 *     contains the peer, as for a range's members. A present key is as good as the
 *     configured key only if secret and algorithm are equal.
 *
 * Tested by test/unit/test_sock_ao.c, and by test/net/test_ao.py on kernels with
 * TCP-AO. */
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "sysdep/sock/sock_ao.h"
#include "sysdep/sock/sock_opt.h"
#include <bsd/string.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>

const char *
sock_ao_error(int rc)
{
	return rc == -ENOSYS        ? "this build has no TCP-AO"
	       : rc == -ENOPROTOOPT ? "this kernel has no TCP-AO"
	       : rc == -EEXIST
		   ? "another key of the peer has the send id or the receive id"
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
sock_ao_put_addr(void *to, size_t len, const struct prefix *peer)
{
	struct sock_end e = { .addr = peer->addr };
	struct sockaddr_storage sa;

	sock_from_end(&sa, &e);
	memcpy(to, &sa, len < sizeof(sa) ? len : sizeof(sa));
}

/* ao_all_keys - the keys of @fd. Returns: NULL: no key, or the keys cannot be read. */
static struct tcp_ao_getsockopt *
ao_all_keys(int fd, uint32_t *cnt)
{
	for (uint32_t room = 16;;) {
		struct tcp_ao_getsockopt *all = mem_zalloc(
		    MEM_OTHER, room * sizeof(*all));
		socklen_t len = sizeof(*all);

		all->nkeys = room;
		all->get_all = 1;
		if (getsockopt(fd, IPPROTO_TCP, TCP_AO_GET_KEYS, all, &len) ||
		    !all->nkeys) {
			mem_free(MEM_OTHER, all);
			return NULL;
		}
		*cnt = all->nkeys;
		if (*cnt <= room)
			return all;
		room = *cnt + 16; /* others may come meanwhile */
		mem_free(MEM_OTHER, all);
	}
}

/* sock_ao_covers - was @x given for a prefix that holds @peer? */
static bool
sock_ao_covers(const struct tcp_ao_getsockopt *x, const struct prefix *peer)
{
	struct sockaddr_storage sa;
	enum family fam;
	struct prefix of;
	struct ip_addr a;

	memcpy(&sa, &x->addr, sizeof(sa));
	if ((sa.ss_family != AF_INET && sa.ss_family != AF_INET6) ||
	    x->prefix > peer->len)
		return false;
	a = sock_to_end(&sa).addr;
	fam = family_of_ip(a);
	of = prefix_make(a, x->prefix, fam);
	return fam == family_of_ip(peer->addr) && prefix_has_ip(&of, peer->addr);
}

/* sock_ao_find - find the key with @k's ids that @fd has for @peer, or for a prefix that
 * contains @peer. */
static bool
sock_ao_find(int fd, const struct prefix *peer, const struct sock_ao_key *k,
    struct tcp_ao_getsockopt *out)
{
	bool found = false;
	uint32_t cnt = 0;
	struct tcp_ao_getsockopt *all = ao_all_keys(fd, &cnt);

	for (uint32_t i = 0; !found && i < cnt; i++) {
		found = all[i].sndid == k->send_id && all[i].rcvid == k->recv_id &&
			sock_ao_covers(&all[i], peer);
		if (found)
			*out = all[i];
	}
	mem_free(MEM_OTHER, all);
	return found;
}

/* ao_is_there - true if @fd has a key equal to @k (I3). */
static bool
ao_is_there(int fd, const struct prefix *peer, const struct sock_ao_key *k)
{
	struct tcp_ao_getsockopt x;
	uint8_t secret[SOCK_AO_SECRET];
	bool same;

	unveil_octets(secret, k->secret, k->len);
	same = sock_ao_find(fd, peer, k, &x) &&
	       !strncmp(x.alg_name, alg_names[k->alg], sizeof(x.alg_name)) &&
	       x.keylen == k->len && !memcmp(x.key, secret, k->len);
	explicit_bzero(secret, sizeof(secret));
	explicit_bzero(&x, sizeof(x));
	return same;
}

/* sock_ao_add - add @k. @use: the connection begins with @k. A present equal key belongs
 * to another instance with the same peer. Returns: 0, 1: the key was present, or negative
 * errno. */
static int
sock_ao_add(int fd, const struct prefix *peer, const struct sock_ao_key *k, bool use)
{
	struct tcp_ao_add m = { .set_current = use,
		.set_rnext = use,
		.prefix = peer->len,
		.sndid = k->send_id,
		.rcvid = k->recv_id,
		.keylen = k->len };
	int rc;

	sock_ao_put_addr(&m.addr, sizeof(m.addr), peer);
	strlcpy(m.alg_name, alg_names[k->alg], sizeof(m.alg_name));
	unveil_octets(m.key, k->secret, k->len);
	rc = setsockopt(fd, IPPROTO_TCP, TCP_AO_ADD_KEY, &m, sizeof(m)) ? -errno : 0;
	explicit_bzero(&m, sizeof(m));
	if (rc != -EEXIST)
		return rc;
	return ao_is_there(fd, peer, k) ? 1 : -EEXIST;
}

/* sock_ao_uses - which keys the connection uses. Returns: false: none. */
static bool
sock_ao_uses(int fd, struct tcp_ao_info_opt *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return !getsockopt(fd, IPPROTO_TCP, TCP_AO_INFO, info, &len);
}

/* sock_ao_del - remove @k. @next: the key that becomes current (I2); NULL: none.
 * @listens: the socket listens, and a key of a prefix that contains @peer belongs to
 * another owner. */
static int
sock_ao_del(int fd, const struct prefix *peer, const struct sock_ao_key *k,
    const struct sock_ao_key *next, bool listens)
{
	struct tcp_ao_getsockopt x;
	struct tcp_ao_info_opt info;
	struct tcp_ao_del m = {
		.prefix = peer->len, .sndid = k->send_id, .rcvid = k->recv_id
	};

	sock_ao_put_addr(&m.addr, sizeof(m.addr), peer);
	if (next && sock_ao_uses(fd, &info)) {
		m.set_current = info.set_current && info.current_key == k->send_id;
		m.set_rnext = info.set_rnext && info.rnext == k->recv_id;
		m.current_key = m.set_current ? next->send_id : 0;
		m.rnext = m.set_rnext ? next->recv_id : 0;
	}
	if (!setsockopt(fd, IPPROTO_TCP, TCP_AO_DEL_KEY, &m, sizeof(m)))
		return 0;
	if (errno != ENOENT || listens || !sock_ao_find(fd, peer, k, &x))
		return errno == ENOENT ? 0 : -errno;
	/* a key of the range through which the connection was accepted */
	memcpy(&m.addr, &x.addr, sizeof(m.addr));
	m.prefix = x.prefix;
	return setsockopt(fd, IPPROTO_TCP, TCP_AO_DEL_KEY, &m, sizeof(m)) ? -errno : 0;
}

/* sock_ao_ask - request the best key of @a from the connection's peer. */
static int
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
	bool ours[SOCK_AO_KEYS];
	unsigned i;
	int rc;

	for (i = 0; i < a->cnt; i++) {
		rc = sock_ao_add(fd, peer, &a->key[i], connects && &a->key[i] == best);
		if (rc < 0)
			break;
		ours[i] = !rc;
	}
	if (i == a->cnt)
		return 0;
	while (i--)
		if (ours[i])
			(void)!sock_ao_del(fd, peer, &a->key[i], NULL, true);
	return rc;
}

/* sock_ao_same - true if both are one key; the wishes (preferred, deprecated) may differ.
 */
static bool
sock_ao_same(const struct sock_ao_key *a, const struct sock_ao_key *b)
{
	return a->send_id == b->send_id && a->recv_id == b->recv_id && a->alg == b->alg &&
	       a->len == b->len && !memcmp(a->secret, b->secret, VEIL_NONCE + a->len);
}

static bool
sock_ao_has(const struct sock_ao *a, const struct sock_ao_key *k)
{
	for (unsigned i = 0; i < a->cnt; i++)
		if (sock_ao_same(&a->key[i], k))
			return true;
	return false;
}

/* sock_ao_clashes - is one of its numbers used by another key (I1)? */
static bool
sock_ao_clashes(const struct sock_ao *a, const struct sock_ao_key *k)
{
	for (unsigned i = 0; i < a->cnt; i++)
		if (a->key[i].send_id == k->send_id || a->key[i].recv_id == k->recv_id)
			return true;
	return false;
}

/* sock_ao_first_of - the first error counts. */
static int
sock_ao_first_of(int was, int rc)
{
	return was ? was : rc < 0 ? rc : 0;
}

/* ao_add_new - add the keys of @a that @old lacks; @clash chooses the keys with or
 * without a clash with an old key. */
static int
ao_add_new(int fd, const struct prefix *peer, const struct sock_ao *old,
    const struct sock_ao *a, bool clash)
{
	int rc = 0;

	for (unsigned i = 0; i < a->cnt; i++)
		if (!sock_ao_has(old, &a->key[i]) &&
		    sock_ao_clashes(old, &a->key[i]) == clash)
			rc = sock_ao_first_of(
			    rc, sock_ao_add(fd, peer, &a->key[i], false));
	return rc;
}

int
sock_ao_change(struct os_fd fd, const struct prefix *peer, const struct sock_ao *old,
    const struct sock_ao *a, bool listens)
{
	const struct sock_ao_key *best = sock_ao_best(a), *next = best;
	int rc = ao_add_new(fd.os_nr, peer, old, a, false);

	/* the best key is not present yet: choose any present key */
	for (unsigned i = 0;
	     best && sock_ao_clashes(old, best) && !sock_ao_has(old, best) && i < a->cnt;
	     i++)
		if (sock_ao_has(old, &a->key[i]) || !sock_ao_clashes(old, &a->key[i]))
			next = &a->key[i];
	if (!listens && next == best)
		rc = sock_ao_first_of(rc, sock_ao_ask(fd.os_nr, a));
	for (unsigned i = 0; i < old->cnt; i++)
		if (!sock_ao_has(a, &old->key[i]))
			rc = sock_ao_first_of(
			    rc, sock_ao_del(fd.os_nr, peer, &old->key[i],
				    listens ? NULL : next, listens));
	rc = sock_ao_first_of(rc, ao_add_new(fd.os_nr, peer, old, a, true));
	return listens || next == best ? rc
				       : sock_ao_first_of(rc, sock_ao_ask(fd.os_nr, a));
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
sock_ao_change(struct os_fd fd, const struct prefix *peer, const struct sock_ao *old,
    const struct sock_ao *a, bool listens)
{
	(void)peer;
	(void)old;
	(void)listens;
	return sock_ao_ask(fd.os_nr, a);
}

#endif
