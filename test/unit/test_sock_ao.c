/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys of TCP-AO at a socket, with a kernel that is played here: whose key it is that is
 * there already, what is taken back, and what a connection of a range's member has. */
#include <linux/tcp.h>
#include <linux/types.h>
#include <stdint.h>
#include <sys/socket.h>

#ifndef TCP_AO_ADD_KEY /* headers before Linux 6.7 */
#define TCP_AO_ADD_KEY  38
#define TCP_AO_DEL_KEY  39
#define TCP_AO_INFO     40
#define TCP_AO_GET_KEYS 41

struct tcp_ao_add {
	struct __kernel_sockaddr_storage addr;
	char alg_name[64];
	__s32 ifindex;
	__u32 set_current : 1, set_rnext : 1, reserved : 30;
	__u16 reserved2;
	__u8 prefix, sndid, rcvid, maclen, keyflags, keylen;
	__u8 key[80];
};

struct tcp_ao_del {
	struct __kernel_sockaddr_storage addr;
	__s32 ifindex;
	__u32 set_current : 1, set_rnext : 1, del_async : 1, reserved : 29;
	__u16 reserved2;
	__u8 prefix, sndid, rcvid, current_key, rnext, keyflags;
};

struct tcp_ao_info_opt {
	__u32 set_current : 1, set_rnext : 1, ao_required : 1, set_counters : 1,
	    accept_icmps : 1, reserved : 27;
	__u16 reserved2;
	__u8 current_key, rnext;
	__u64 pkt_good, pkt_bad, pkt_key_not_found, pkt_ao_required, pkt_dropped_icmp;
};

struct tcp_ao_getsockopt {
	struct __kernel_sockaddr_storage addr;
	char alg_name[64];
	__u8 key[80];
	__u32 nkeys;
	__u16 is_current : 1, is_rnext : 1, get_all : 1, reserved : 13;
	__u8 sndid, rcvid, prefix, maclen, keyflags, keylen;
	__s32 ifindex;
	__u64 pkt_good, pkt_bad;
};
#endif

static int played_set(int fd, int level, int opt, const void *val, socklen_t len);
static int played_get(int fd, int level, int opt, void *val, socklen_t *len);

#define setsockopt played_set
#define getsockopt played_get
#include "sysdep/sock/sock_ao.c"
#undef setsockopt
#undef getsockopt

#include "lib/base/check.h"
#include "test/lib/unit.h"

#define ROOM 64

/* What the kernel has at the one socket that there is. */
static struct tcp_ao_add kernel[ROOM];
static unsigned cnt;

static struct prefix
test_sock_ao_prefix_of(const void *addr, uint8_t len)
{
	struct sockaddr_storage sa;
	struct ip_addr a;

	memcpy(&sa, addr, sizeof(sa));
	a = sock_to_end(&sa).addr;
	return prefix_make(a, len, family_of_ip(a));
}

static bool
test_sock_ao_overlap(const struct tcp_ao_add *a, const struct tcp_ao_add *b)
{
	struct prefix p = test_sock_ao_prefix_of(&a->addr, a->prefix),
		      q = test_sock_ao_prefix_of(&b->addr, b->prefix);

	return prefix_has_ip(&p, q.addr) || prefix_has_ip(&q, p.addr);
}

static int
test_sock_ao_fails(int err)
{
	errno = err;
	return -1;
}

static int
played_add(const struct tcp_ao_add *m)
{
	for (unsigned i = 0; i < cnt; i++)
		if (test_sock_ao_overlap(&kernel[i], m) &&
		    (kernel[i].sndid == m->sndid || kernel[i].rcvid == m->rcvid))
			return test_sock_ao_fails(EEXIST);
	if (m->keylen > 70) /* as where an algorithm isn't there */
		return test_sock_ao_fails(ENOENT);
	assert_true(cnt < ROOM);
	kernel[cnt++] = *m;
	return 0;
}

static int
played_del(const struct tcp_ao_del *m)
{
	struct prefix p = test_sock_ao_prefix_of(&m->addr, m->prefix);

	for (unsigned i = 0; i < cnt; i++) {
		struct prefix q = test_sock_ao_prefix_of(
		    &kernel[i].addr, kernel[i].prefix);

		if (!prefix_equal(&p, &q) || kernel[i].sndid != m->sndid ||
		    kernel[i].rcvid != m->rcvid)
			continue;
		kernel[i] = kernel[--cnt];
		return 0;
	}
	return test_sock_ao_fails(ENOENT);
}

static int
played_set(int fd, int level, int opt, const void *val, socklen_t len)
{
	(void)fd;
	(void)len;
	assert_int_equal(level, IPPROTO_TCP);
	if (opt == TCP_AO_INFO)
		return 0;
	return opt == TCP_AO_ADD_KEY ? played_add(val) : played_del(val);
}

static int
played_get(int fd, int level, int opt, void *val, socklen_t *len)
{
	struct tcp_ao_getsockopt *to = val;
	uint32_t room;

	(void)fd;
	assert_int_equal(level, IPPROTO_TCP);
	if (opt == TCP_AO_INFO)
		return 0;
	assert_int_equal(opt, TCP_AO_GET_KEYS);
	assert_int_equal(*len, sizeof(*to));
	assert_true(to->get_all);
	room = to->nkeys;
	for (unsigned i = 0; i < cnt && i < room; i++) {
		to[i] = (struct tcp_ao_getsockopt){ .addr = kernel[i].addr,
			.sndid = kernel[i].sndid,
			.rcvid = kernel[i].rcvid,
			.prefix = kernel[i].prefix,
			.keylen = kernel[i].keylen };
		memcpy(to[i].alg_name, kernel[i].alg_name, sizeof(to[i].alg_name));
		memcpy(to[i].key, kernel[i].key, sizeof(to[i].key));
	}
	to->nkeys = cnt;
	return 0;
}

static struct prefix
test_sock_ao_peer(uint32_t addr, uint8_t len)
{
	return prefix_make(ip4(addr), len, FAM_IP4);
}

static void
test_sock_ao_put(struct sock_ao *a, uint8_t send, uint8_t recv, const char *secret)
{
	struct sock_ao_key *k = &a->key[a->cnt++];

	k->send_id = send;
	k->recv_id = recv;
	k->len = (uint8_t)strlen(secret);
	veil_octets(k->secret, secret, k->len);
}

static struct sock_ao
test_sock_ao_keys(uint8_t id, const char *secret)
{
	struct sock_ao a = { 0 };

	test_sock_ao_put(&a, id, id, secret);
	return a;
}

static int
test_sock_ao_set(struct prefix p, struct sock_ao a)
{
	return sock_ao_set(3, &p, &a, false);
}

static int
test_sock_ao_change(struct prefix p, struct sock_ao from, struct sock_ao to, bool listens)
{
	return sock_ao_change(os_fd_of(3), &p, &from, &to, listens);
}

/* sock_ao_has - is there a key @id of @secret at its only place? */
static bool
has_key(uint8_t id, const char *secret)
{
	for (unsigned i = 0; i < cnt; i++)
		if (kernel[i].sndid == id)
			return kernel[i].keylen == strlen(secret) &&
			       !memcmp(kernel[i].key, secret, strlen(secret));
	return false;
}

static void
test_there(void **state)
{
	struct prefix p = test_sock_ao_peer(0x0a000001, 32);
	struct sock_ao other = test_sock_ao_keys(1, "one");

	(void)state;
	cnt = 0;
	assert_int_equal(test_sock_ao_set(p, test_sock_ao_keys(1, "one")), 0);
	/* another instance with the same key; with others of the id */
	assert_int_equal(test_sock_ao_set(p, test_sock_ao_keys(1, "one")), 0);
	assert_int_equal(cnt, 1);
	assert_int_equal(test_sock_ao_set(p, test_sock_ao_keys(1, "two")), -EEXIST);
	assert_int_equal(test_sock_ao_set(p, test_sock_ao_keys(1, "one more")), -EEXIST);
	other.key[0].alg = SOCK_AO_HMAC_SHA256;
	assert_int_equal(test_sock_ao_set(p, other), -EEXIST);
	other.key[0].alg = SOCK_AO_HMAC_SHA1;
	other.key[0].recv_id = 2;
	assert_int_equal(test_sock_ao_set(p, other), -EEXIST);
	assert_int_equal(test_sock_ao_set(test_sock_ao_peer(0x0a000002, 32),
			     test_sock_ao_keys(1, "two")),
	    0);
	assert_int_equal(cnt, 2);
	assert_string_equal(sock_ao_error(-EEXIST),
	    "another key of the peer has the send id or the receive id");
}

/* What couldn't be had whole takes back what it brought, and nothing else. */
static void
test_back(void **state)
{
	static const char long_one[] =
	    "01234567890123456789012345678901234567890123456789"
	    "0123456789012345678901234567";
	struct prefix p = test_sock_ao_peer(0x0a000001, 32);
	struct sock_ao a = { 0 };

	(void)state;
	cnt = 0;
	assert_int_equal(test_sock_ao_set(p, test_sock_ao_keys(1, "one")), 0);
	test_sock_ao_put(&a, 1, 1, "one");
	test_sock_ao_put(&a, 2, 2, "two");
	test_sock_ao_put(&a, 3, 3, long_one);
	assert_int_equal(test_sock_ao_set(p, a), -ENOENT);
	assert_int_equal(cnt, 1);
	assert_true(has_key(1, "one"));
}

static void
test_range(void **state)
{
	struct prefix r = test_sock_ao_peer(0x0a000000, 24),
		      p = test_sock_ao_peer(0x0a000001, 32);
	static const struct sock_ao none;

	(void)state;
	cnt = 0;
	/* a connection that came by a range has the range's keys */
	assert_int_equal(test_sock_ao_set(r, test_sock_ao_keys(1, "one")), 0);
	assert_int_equal(
	    test_sock_ao_change(p, none, test_sock_ao_keys(1, "one"), false), 0);
	assert_int_equal(
	    test_sock_ao_change(p, none, test_sock_ao_keys(1, "two"), false), -EEXIST);
	/* which change for it, id for id */
	assert_int_equal(test_sock_ao_change(p, test_sock_ao_keys(1, "one"),
			     test_sock_ao_keys(1, "two"), false),
	    0);
	assert_int_equal(cnt, 1);
	assert_true(has_key(1, "two"));
	/* at a listener, who leaves doesn't take the range's */
	cnt = 0;
	assert_int_equal(test_sock_ao_set(r, test_sock_ao_keys(1, "one")), 0);
	assert_int_equal(test_sock_ao_set(p, test_sock_ao_keys(1, "one")), 0);
	assert_int_equal(
	    test_sock_ao_change(p, test_sock_ao_keys(1, "one"), none, true), 0);
	assert_true(has_key(1, "one"));
	/* a range has none of a number that a peer of it has */
	cnt = 0;
	assert_int_equal(test_sock_ao_set(p, test_sock_ao_keys(1, "one")), 0);
	assert_int_equal(test_sock_ao_set(r, test_sock_ao_keys(1, "one")), -EEXIST);
}

/* More keys than a first look has room for. */
static void
test_many(void **state)
{
	(void)state;
	cnt = 0;
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(test_sock_ao_set(test_sock_ao_peer(0x0a000000 + i, 32),
				     test_sock_ao_keys(1, "one")),
		    0);
	assert_int_equal(test_sock_ao_set(test_sock_ao_peer(0x0a000027, 32),
			     test_sock_ao_keys(1, "one")),
	    0);
	assert_int_equal(test_sock_ao_set(test_sock_ao_peer(0x0a000027, 32),
			     test_sock_ao_keys(1, "two")),
	    -EEXIST);
	assert_int_equal(cnt, 40);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_there),
	cmocka_unit_test(test_back),
	cmocka_unit_test(test_range),
	cmocka_unit_test(test_many),
};

UNIT_MAIN(tests)
