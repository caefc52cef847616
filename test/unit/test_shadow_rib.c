/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_shadow_rib compares both sides of a member's nets: the differences, their
 * explanations, and the removal of nets that no side has. */
#include "nest/shadow/shadow_rib.c"
#include "sysdep/loop/loop_priv.h"
#include "test/lib/unit.h"

static struct tern tern;
static struct loop loop;
static struct shadow sh;
static struct shadow_member m1, m2;

static void
member_init(struct shadow_member *m)
{
	memset(m, 0, sizeof(*m));
	m->of = &sh;
	htab_init(&m->rib.diffs, MEM_OTHER);
	list_add_tail(&sh.members, &m->link);
}

static int
test_shadow_rib_set_up(void **state)
{
	(void)state;
	rcu_join();
	memset(&sh, 0, sizeof(sh));
	tern.store = attr_store_new();
	sh.tern = &tern;
	sh.worker.at = &loop;
	loop.now_ns = 1000;
	list_init(&sh.members);
	htab_init(&sh.nets, MEM_OTHER);
	member_init(&m1);
	member_init(&m2);
	return 0;
}

static int
test_shadow_rib_tear_down(void **state)
{
	struct attr_store_stats st;

	(void)state;
	shadow_rib_free(&sh);
	rcu_quiesce();
	rcu_drain();
	attr_store_stats(tern.store, &st);
	assert_int_equal(st.wires, 1); /* the empty one */
	attr_store_free(tern.store);
	rcu_drain();
	rcu_leave();
	return 0;
}

/* say - 10.@net.0.0/16 by the AS path @as0 @as1 (0: none), with a community (0: none).
 * @flags: of that. */
static void
test_shadow_rib_put(struct shadow_member *m, enum shadow_side side, uint8_t net,
    uint32_t as0, uint32_t as1, uint16_t community, uint8_t flags)
{
	uint8_t body[128] = { 0, 0, 0, 0, 0x40, 1, 1, 0, 0x40, 2 };
	struct foreign_update u = { .body = body, .as4 = true };
	uint8_t eor = 0, *p = body + 10;

	*p++ = as1 ? 10 : 6;
	*p++ = AS_SEQUENCE;
	*p++ = as1 ? 2 : 1;
	put_be32(p, as0);
	p += 4;
	if (as1) {
		put_be32(p, as1);
		p += 4;
	}
	memcpy(p, "\x40\x03\x04\xc0\x00\x02\x01", 7);
	p += 7;
	if (community) {
		*p++ = flags;
		*p++ = 8;
		*p++ = 4;
		put_be32(p, 65000u << 16 | community);
		p += 4;
	}
	put_be16(body + 2, (uint16_t)(p - body - 4));
	*p++ = 16;
	*p++ = 10;
	*p++ = net;
	u.len = (size_t)(p - body);
	assert_null(shadow_rib_update(m, side, &u, &eor));
	assert_int_equal(eor, 0);
}

static void
test_shadow_rib_withdraw(struct shadow_member *m, enum shadow_side side, uint8_t net)
{
	uint8_t body[64] = { 0, 3, 16, 10, net, 0, 0 };
	struct foreign_update u = { .body = body, .len = 7 };
	uint8_t eor;

	assert_null(shadow_rib_update(m, side, &u, &eor));
}

static void
test_differs(void **state)
{
	(void)state;
	test_shadow_rib_put(&m1, SHADOW_LIVE, 1, 65001, 0, 0, 0);
	assert_int_equal(htab_cnt(&m1.rib.diffs), 0); /* what is sent isn't told yet */
	shadow_rib_live(&m1, true);
	assert_int_equal(htab_cnt(&m1.rib.diffs), 1);
	test_shadow_rib_put(&m1, SHADOW_OURS, 1, 65001, 0, 0, 0);
	assert_int_equal(htab_cnt(&m1.rib.diffs), 0);
	assert_ptr_equal(
	    m1.rib.cell[0].side[SHADOW_LIVE], m1.rib.cell[0].side[SHADOW_OURS]);
	test_shadow_rib_put(&m1, SHADOW_OURS, 1, 65001, 0, 7, 0xc0);
	assert_int_equal(htab_cnt(&m1.rib.diffs), 1);
	test_shadow_rib_put(&m1, SHADOW_LIVE, 1, 65001, 0, 8, 0xc0);
	assert_int_equal(htab_cnt(&m1.rib.diffs), 1);
	test_shadow_rib_put(&m1, SHADOW_LIVE, 1, 65001, 0, 7, 0xe0); /* PARTIAL */
	assert_int_equal(htab_cnt(&m1.rib.diffs), 0);
	test_shadow_rib_withdraw(&m1, SHADOW_OURS, 1);
	assert_int_equal(htab_cnt(&m1.rib.diffs), 1);
	assert_int_equal(htab_cnt(&m2.rib.diffs), 0);
	shadow_rib_live(&m1, false);
	assert_int_equal(htab_cnt(&m1.rib.diffs), 0);
}

static void
test_since(void **state)
{
	struct shadow_diff *d;

	(void)state;
	shadow_rib_live(&m1, true);
	test_shadow_rib_put(&m1, SHADOW_LIVE, 1, 65001, 0, 0, 0);
	d = container_of(htab_find(&m1.rib.diffs, 0), struct shadow_diff, node);
	assert_int_equal(d->since_ns, 1000);
	loop.now_ns = 2000;
	test_shadow_rib_put(&m1, SHADOW_LIVE, 1, 65001, 0, 0, 0); /* nothing new */
	assert_int_equal(d->since_ns, 1000);
	test_shadow_rib_put(&m1, SHADOW_LIVE, 1, 65001, 0, 5, 0xc0);
	assert_int_equal(d->since_ns, 2000);
}

static void
test_nets_go(void **state)
{
	(void)state;
	test_shadow_rib_put(&m1, SHADOW_FED, 1, 65001, 0, 0, 0);
	test_shadow_rib_put(&m2, SHADOW_LIVE, 1, 65001, 0, 0, 0);
	test_shadow_rib_put(&m2, SHADOW_LIVE, 2, 65001, 0, 0, 0);
	assert_int_equal(htab_cnt(&sh.nets), 2);
	assert_int_equal(m2.rib.cnt[SHADOW_LIVE], 2);
	shadow_rib_clear(&m2, SHADOW_LIVE);
	assert_int_equal(m2.rib.cnt[SHADOW_LIVE], 0);
	assert_int_equal(htab_cnt(&sh.nets), 1);
	test_shadow_rib_withdraw(&m1, SHADOW_FED, 1);
	test_shadow_rib_withdraw(&m1, SHADOW_FED, 9); /* never there */
	assert_int_equal(htab_cnt(&sh.nets), 0);
	test_shadow_rib_put(&m1, SHADOW_FED, 3, 65001, 0, 0, 0);
	test_shadow_rib_put(&m1, SHADOW_FED, 4, 65001, 0, 0, 0);
	assert_int_equal(sh.net_cnt, 2); /* ids are given again */
}

static void
test_explained(void **state)
{
	const struct wire_set *live;

	(void)state;
	test_shadow_rib_put(&m1, SHADOW_FED, 1, 65001, 0, 0, 0);
	test_shadow_rib_put(&m2, SHADOW_LIVE, 1, 65009, 65001, 0, 0);
	live = m2.rib.cell[0].side[SHADOW_LIVE];
	assert_false(shadow_rib_explained(&sh, sh.net[0], live)); /* m1 has no session */
	m1.session.up = true;
	assert_true(shadow_rib_explained(&sh, sh.net[0], live)); /* put before it */
	test_shadow_rib_put(&m1, SHADOW_FED, 1, 5001, 0, 0, 0);
	assert_false(
	    shadow_rib_explained(&sh, sh.net[0], live)); /* no part of a number */
	test_shadow_rib_put(&m1, SHADOW_FED, 1, 65001, 65009, 0, 0);
	assert_false(shadow_rib_explained(&sh, sh.net[0], live));
}

static void
test_broken(void **state)
{
	uint8_t body[64] = { 0, 9, 16, 10 }, eor;
	struct foreign_update u = { .body = body, .len = 4 };

	(void)state;
	assert_non_null(shadow_rib_update(&m1, SHADOW_FED, &u, &eor));
	memset(body, 0, sizeof(body));
	assert_null(shadow_rib_update(&m1, SHADOW_FED, &u, &eor));
	assert_int_equal(eor, FAM_BIT(FAM_IP4));
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_shadow_rib_set_up, test_shadow_rib_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_differs),
	TEST(test_since),
	TEST(test_nets_go),
	TEST(test_explained),
	TEST(test_broken),
};

UNIT_MAIN(tests)
