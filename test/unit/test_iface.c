/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of interfaces: looking at it, patterns, and that its source follows what
 * changes, in a network namespace of its own. */
#include "sysdep/iface/iface_source.c"
#include "sysdep/iface/iface_pattern.h"
#include "sysdep/os/clock.h"
#include "test/lib/addr.h"
#include "test/lib/scene.h"
#include "test/lib/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

static void
test_system(void **state)
{
	struct iface_source source = { .ops = NULL };
	const struct iface_list *l;
	const struct iface *lo;

	(void)state;
	assert_int_equal(iface_source_read(&source), 0);
	l = iface_list_get(&source);
	lo = iface_find(l, "lo");
	assert_non_null(lo);
	assert_true(lo->flags & IFF_LOOPBACK);
	assert_int_equal(lo->index, if_nametoindex("lo"));
	assert_ptr_equal(iface_by_index(l, lo->index), lo);
	assert_int_not_equal(lo->mtu, 0);
	assert_ptr_equal(iface_with(l, ip4(0x7f000001)), lo->addr_cnt ? lo : NULL);
	assert_null(iface_find(l, "none"));
	assert_null(iface_by_index(l, 77777));
	assert_null(iface_with(l, ip4(0x01020304)));
	iface_source_fini(&source);
	assert_int_equal(iface_list_get(&source)->cnt, 0);
	assert_int_equal(iface_list_get(NULL)->cnt, 0);
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

/* opposite - of an address in a subnet of @len bits, or on a link to @to. */
static void
test_iface_opposite(const char *own, unsigned len, const char *to, const char *want)
{
	struct iface_addr a = local_addr(own, len);

	if (to)
		a.subnet = local_addr(to, len).subnet;
	assert_true(ip_equal(iface_opposite(&a), want ? addr_of(want) : IP_NONE));
}

static void
test_opposite(void **state)
{
	(void)state;
	test_iface_opposite("10.0.0.1", 24, NULL, NULL);
	test_iface_opposite("10.0.0.1", 32, NULL, NULL);
	test_iface_opposite("10.0.0.1", 32, "10.0.9.9", "10.0.9.9");
	test_iface_opposite("10.0.0.3", 31, NULL, "10.0.0.2");
	test_iface_opposite("10.0.0.2", 30, NULL, "10.0.0.1");
	test_iface_opposite("10.0.0.2", 30, "10.0.9.9", NULL);
	test_iface_opposite("2001:db8::1", 127, NULL, "2001:db8::");
	test_iface_opposite("2001:db8::1", 126, NULL, NULL);
	test_iface_opposite("2001:db8::1", 128, "2001:db8::7", "2001:db8::7");
}

/* The first pattern that fits decides. */
static void
test_patterns(void **state)
{
	struct iface_pattern rest = { .mask = "eth*" };
	struct iface_pattern not1 = { .mask = "eth1", .negative = true, .next = &rest };
	struct iface_pattern net = { .has_in = true,
		.in = local_addr("10.0.0.0", 8).subnet };
	struct iface eth0 = { .name = "eth0" }, eth1 = { .name = "eth1" };
	struct iface_addr in = local_addr("10.1.0.1", 24),
			  out = local_addr("11.0.0.1", 24);

	(void)state;
	assert_true(iface_pattern_fits(NULL, &eth1, NULL));
	assert_true(iface_pattern_fits(&not1, &eth0, NULL));
	assert_false(iface_pattern_fits(&not1, &eth1, NULL));
	assert_false(iface_pattern_fits(&rest, &(struct iface){ .name = "lo" }, NULL));
	assert_false(iface_pattern_fits(&net, &eth0, NULL));
	assert_true(iface_pattern_fits(&net, &eth0, &in));
	assert_false(iface_pattern_fits(&net, &eth0, &out));
	out.subnet = local_addr("10.9.9.9", 32).subnet; /* on the other end */
	assert_true(iface_pattern_fits(&net, &eth0, &out));
	in = local_addr("2001:db8::1", 64);
	assert_false(iface_pattern_fits(&net, &eth0, &in));
}

/* ---- following ---- */

enum trouble { NO_TROUBLE, CLOSED, OTHER_FILE, OVERRUN };

struct follow {
	struct iface_source source;
	struct timer look;
	enum trouble trouble;
	unsigned step, changes;
	uint64_t until_ns; /* a later look is a hang */
	sem_t source_gone;
};

/* set_address - of `lo`, which is brought up by it. */
static void
set_address(uint32_t to)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(to) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq r = { .ifr_name = "lo" };

	memcpy(&r.ifr_addr, &a, sizeof(a));
	assert_int_equal(ioctl(fd, SIOCSIFADDR, &r), 0);
	close(fd);
}

/* make_trouble - while the source's worker sleeps: the test has no other way to break its
 * socket. */
static void
make_trouble(struct follow *f)
{
	int fd, least = 1;

	switch (f->trouble) {
	case NO_TROUBLE:
		break;
	case CLOSED:
		close(f->source.watch.fd.os_nr);
		break;
	case OTHER_FILE:
		fd = open("/dev/null", O_RDONLY);
		assert_true(dup2(fd, f->source.watch.fd.os_nr) >= 0);
		close(fd);
		break;
	case OVERRUN:
		setsockopt(f->source.watch.fd.os_nr, SOL_SOCKET, SO_RCVBUF, &least,
		    sizeof(least));
		for (unsigned i = 0; i < 2000; i++)
			set_address(0x0b000000 + i);
	}
}

/* Each address is seen without anybody asking the system, and the source ends. */
static void
test_iface_look(struct timer *t)
{
	struct follow *f = container_of(t, struct follow, look);
	const struct iface_list *l = iface_list_get(&f->source);

	assert_true(loop_now_ns(t->worker) < f->until_ns);
	if (!f->step || iface_with(l, ip4(0x0a000000 + f->step))) {
		if (f->step == 3) {
			iface_source_stop(&f->source);
			worker_stop(t->worker);
			return;
		}
		assert_null(iface_with(l, ip4(0x0a000001 + f->step)));
		if (f->step == 2)
			make_trouble(f);
		set_address(0x0a000000 + ++f->step);
	}
	timer_set(t, loop_now_ns(t->worker) + 20 * NS_PER_MS);
}

static void
test_iface_changed(
    struct iface_source *s, const struct iface_list *old, const struct iface_list *now)
{
	struct follow *f = container_of(s, struct follow, source);

	assert_ptr_equal(iface_list_get(s), now);
	assert_ptr_not_equal(old, now);
	f->changes++;
}

static void
source_gone(struct iface_source *s)
{
	sem_post(&container_of(s, struct follow, source)->source_gone);
}

static void
follow_play(struct scene *s)
{
	static const struct iface_source_ops ops = { .changed = test_iface_changed,
		.gone = source_gone };
	struct follow *f = s->arg;

	iface_source_start(&f->source, &ops);
	/* a scan may not be what finds it, but where the socket is broken */
	iface_source_tune(&f->source, f,
	    iface_tune_new(
		f->trouble == CLOSED || f->trouble == OTHER_FILE ? 1 : 3600, NULL));
	f->until_ns = loop_now_ns(&s->worker) + 15 * NS_PER_S;
	timer_init(&f->look, &s->worker, test_iface_look);
	timer_set(&f->look, loop_now_ns(&s->worker) + 50 * NS_PER_MS);
}

static void
test_iface_follow(enum trouble t)
{
	struct follow f = { .trouble = t };

	if (unshare(CLONE_NEWNET)) {
		assert_int_equal(errno, EPERM);
		unit_cannot_here("only root makes network namespaces");
	}
	sem_init(&f.source_gone, 0, 0);
	rcu_join();
	rcu_sleep();
	assert_true(scene_run(follow_play, &f));
	sem_wait(&f.source_gone);
	rcu_wake();
	assert_in_range(f.changes, 4, 100);
	iface_source_fini(&f.source);
	rcu_drain();
	rcu_leave();
}

static void
test_follow(void **state)
{
	(void)state;
	test_iface_follow(NO_TROUBLE);
}

static void
test_closed(void **state)
{
	(void)state;
	test_iface_follow(CLOSED);
	test_iface_follow(OTHER_FILE);
}

static void
test_overrun(void **state)
{
	(void)state;
	test_iface_follow(OVERRUN);
}

/* When the system can't be asked the list stays as it is. */
static void
test_no_descriptors(void **state)
{
	struct iface_source source = { .failed = false };
	const struct iface_list *l;
	struct rlimit was, none;

	(void)state;
	rcu_join();
	assert_int_equal(iface_source_read(&source), 0);
	l = iface_list_get(&source);
	assert_non_null(iface_find(l, "lo"));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(iface_source_read(&source), -EMFILE);
	assert_true(source.failed);
	assert_ptr_equal(iface_list_get(&source), l);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(iface_source_read(&source), 0);
	assert_false(source.failed);
	assert_ptr_not_equal(iface_list_get(&source), l);
	iface_source_fini(&source);
	rcu_drain();
	rcu_leave();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_descriptors),
	cmocka_unit_test(test_system),
	cmocka_unit_test(test_host),
	cmocka_unit_test(test_opposite),
	cmocka_unit_test(test_patterns),
	cmocka_unit_test(test_follow),
	cmocka_unit_test(test_closed),
	cmocka_unit_test(test_overrun),
};

UNIT_MAIN(tests)
