/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of interfaces: what entries of the system make of it, and that it follows what
 * changes, in a network namespace of its own. */
#include "sysdep/iface.c"
#include "sysdep/clock.h"
#include "test/lib/scene.h"
#include "test/lib/unit.h"

#include <sched.h>
#include <sys/resource.h>

static void
test_system(void **state)
{
	struct iface_list *l = iface_list_read();
	const struct iface *lo = iface_find(l, "lo");

	(void)state;
	assert_non_null(lo);
	assert_true(lo->flags & IFF_LOOPBACK);
	assert_int_equal(lo->index, if_nametoindex("lo"));
	assert_ptr_equal(iface_by_index(l, lo->index), lo);
	assert_int_not_equal(iface_mtu(lo), 0);
	assert_ptr_equal(iface_with(l, ip4(0x7f000001)), lo->addr_cnt ? lo : NULL);
	assert_null(iface_find(l, "none"));
	assert_null(iface_by_index(l, 77777));
	assert_null(iface_with(l, ip4(0x01020304)));
	iface_list_free(l);
	assert_int_equal(iface_list_get(NULL)->cnt, 0);
}

static void
entry(struct reading *r, const char *name, uint32_t addr, uint32_t mask)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(addr) };
	struct sockaddr_in m = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(mask) };
	struct ifaddrs i = { .ifa_name = (char *)(uintptr_t)name,
		.ifa_flags = IFF_UP,
		.ifa_addr = (struct sockaddr *)(void *)&a,
		.ifa_netmask = mask ? (struct sockaddr *)(void *)&m : NULL };

	take_entry(r, &i);
}

/* Labels are no interfaces, names that begin alike are; addresses keep their order. */
static void
test_entries(void **state)
{
	struct reading r = { .iface_cnt = 0 };
	struct iface_list *l;

	(void)state;
	entry(&r, "eth1", 0x0a000001, 0xffffff00);
	entry(&r, "eth10", 0x0b000001, 0xfffffffe);
	entry(&r, "eth1:0", 0x0a000101, 0xffff0000);
	entry(&r, "tun0", 0x0c000001, 0);
	l = list_of(&r);
	assert_int_equal(l->cnt, 3);
	assert_string_equal(l->iface[0].name, "eth1");
	assert_int_equal(l->iface[0].addr_cnt, 2);
	assert_int_equal(ip_to_v4(l->iface[0].addr[0].own), 0x0a000001);
	assert_int_equal(l->iface[0].addr[0].subnet.len, 24);
	assert_int_equal(l->iface[0].addr[1].subnet.len, 16);
	assert_string_equal(l->iface[1].name, "eth10");
	assert_int_equal(l->iface[1].addr[0].subnet.len, 31);
	assert_int_equal(l->iface[2].addr[0].subnet.len, 0);
	assert_ptr_equal(iface_with(l, ip4(0x0a000101)), &l->iface[0]);
	mem_free(MEM_OTHER, r.iface);
	mem_free(MEM_OTHER, r.found);
	iface_list_free(l);
}

static void
test_host(void **state)
{
	struct prefix lan = prefix_make(ip4(0x0a000100), 24, FAM_IP4),
		      pair = prefix_make(ip4(0x0a000102), 31, FAM_IP4),
		      six = prefix_make(
			  (struct ip_addr){ 0x20010db800000000, 0 }, 64, FAM_IP6);

	(void)state;
	assert_true(iface_is_host(&lan, ip4(0x0a000101)));
	assert_false(iface_is_host(&lan, ip4(0x0a000100)));
	assert_false(iface_is_host(&lan, ip4(0x0a0001ff)));
	assert_false(iface_is_host(&lan, ip4(0x0a000201)));
	assert_true(iface_is_host(&pair, ip4(0x0a000102)));
	assert_true(iface_is_host(&six, (struct ip_addr){ 0x20010db800000000, 0 }));
	assert_false(iface_is_host(&six, ip4(0x0a000101)));
}

/* ---- following ---- */

struct follow {
	struct iface_source source;
	struct timer look;
	unsigned step;
	uint64_t began_ns;
};

/* set_address - of `lo`, which is brought up by it. */
static void
set_address(uint32_t addr)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(addr) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq r = { .ifr_name = "lo" };

	memcpy(&r.ifr_addr, &a, sizeof(a));
	assert_int_equal(ioctl(fd, SIOCSIFADDR, &r), 0);
	close(fd);
}

/* Each address is seen without anybody asking the system, and the source ends. */
static void
look(struct timer *t)
{
	struct follow *f = container_of(t, struct follow, look);
	const struct iface_list *l = iface_list_get(&f->source);

	assert_true(loop_now_ns(t->worker) - f->began_ns < 10 * NS_PER_S);
	if (f->step && iface_with(l, ip4(0x0a000000 + f->step))) {
		if (f->step == 3) {
			iface_source_stop(&f->source);
			worker_stop(t->worker);
			return;
		}
		set_address(0x0a000000 + ++f->step);
	} else if (!f->step) {
		assert_null(iface_with(l, ip4(0x0a000001)));
		set_address(0x0a000000 + ++f->step);
	}
	timer_set(t, loop_now_ns(t->worker) + NS_PER_MS);
}

static void
follow_play(struct scene *s)
{
	struct follow *f = s->arg;

	assert_int_equal(iface_source_watch(&f->source, &s->worker), 0);
	f->began_ns = loop_now_ns(&s->worker);
	timer_init(&f->look, &s->worker, look);
	timer_set(&f->look, f->began_ns);
}

static void
test_follow(void **state)
{
	struct follow f = { .step = 0 };

	(void)state;
	if (unshare(CLONE_NEWNET)) {
		assert_int_equal(errno, EPERM);
		unit_cannot_here("only root makes network namespaces");
	}
	rcu_join();
	rcu_sleep();
	assert_true(scene_run(follow_play, &f));
	rcu_wake();
	iface_source_fini(&f.source);
	rcu_drain();
	rcu_leave();
}

/* When the system can't be asked the list stays as it is. */
static void
test_no_descriptors(void **state)
{
	struct rlimit was, none;
	struct iface_source source = { .failed = false };
	const struct iface_list *l;

	(void)state;
	rcu_join();
	iface_source_refresh(&source);
	l = iface_list_get(&source);
	assert_non_null(iface_find(l, "lo"));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	iface_source_refresh(&source);
	assert_true(source.failed);
	assert_ptr_equal(iface_list_get(&source), l);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	iface_source_refresh(&source);
	assert_false(source.failed);
	assert_ptr_not_equal(iface_list_get(&source), l);
	iface_source_fini(&source);
	rcu_drain();
	rcu_leave();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_descriptors),
	cmocka_unit_test(test_system),
	cmocka_unit_test(test_entries),
	cmocka_unit_test(test_host),
	cmocka_unit_test(test_follow),
};

UNIT_MAIN(tests)
