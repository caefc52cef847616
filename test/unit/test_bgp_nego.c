/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Negotiation: what two OPENs agree on and what is refused. */
#include "proto/bgp/session/bgp_nego.c"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A session of AS 65000 with 65001, IPv4 and IPv6, as the parser would leave it. */
struct fixture {
	struct conf_proto p;
	struct bgp_conf cf;
	struct conf_channel chan[2];
	struct bgp_channel_conf cc[2];
	struct bgp_open ours, theirs;
	struct bgp_terms terms;
};

static void
fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->p = (struct conf_proto){
		.name = "p", .router_id = 1, .opt = &f->cf, .chan = &f->chan[0]
	};
	f->cf = (struct bgp_conf){ .id.local_as = 65000,
		.id.remote_as = 65001,
		.id.ebgp = true,
		.timers.hold_s = 240,
		.caps.enable_as4 = true,
		.caps.enable_refresh = true,
		.policy.role = BGP_ROLE_NONE,
		.decision.default_local_pref = 100 };
	for (int i = 0; i < 2; i++)
		f->chan[i] = (struct conf_channel){ .family = (uint8_t)i,
			.opt = &f->cc[i],
			.next = i ? NULL : &f->chan[1] };
	bgp_nego_open(&f->p, 1, true, 0, &f->ours);
	f->theirs = f->ours;
	f->theirs.as = f->theirs.caps.as = 65001;
	f->theirs.router_id = 2;
	f->theirs.hold_time = 90;
}

static struct bgp_err
test_bgp_nego_terms(struct fixture *f)
{
	bgp_nego_open(&f->p, 1, true, 0, &f->ours);
	return bgp_nego(&f->p, &f->ours, &f->theirs, true, &f->terms);
}

static void
test_bgp_nego_expect(struct fixture *f, unsigned subcode)
{
	struct bgp_err e = test_bgp_nego_terms(f);

	assert_int_equal(e.severity, BGP_SEV_RESET);
	assert_int_equal(e.code, BGP_E_OPEN);
	assert_int_equal(e.subcode, subcode);
	assert_non_null(e.text);
}

static void
test_good(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	assert_int_equal(f.terms.hold_s, 90);
	assert_int_equal(f.terms.keepalive_s, 30);
	assert_int_equal(f.terms.send_hold_s, 180);
	assert_int_equal(f.terms.params.fam, FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6));
	assert_true(f.terms.params.as4);
	assert_true(f.terms.refresh);
	assert_false(f.terms.params.ibgp);
	assert_int_equal(f.terms.peer_router_id, 2);
}

/* What a peer that restarts may expect: RFC 4724, RFC 9494. */
/* Our own: what we ask for, by session and channel; R and F. */
static void
test_own_restart(void **state)
{
	struct fixture f;
	struct bgp_caps *c = &f.ours.caps;

	(void)state;
	fixture_init(&f);
	for (int i = 0; i < 2; i++) {
		f.cc[i].gr = f.cc[i].llgr = BGP_NOT_GIVEN;
		f.cc[i].llgr_s = BGP_TIME_NOT_GIVEN;
	}
	f.cf.gr.mode = BGP_GR_ON;
	f.cf.llgr.mode = BGP_GR_AWARE;
	f.cf.gr.time_s = 33;
	f.cf.llgr.time_s = 77;
	f.cc[FAM_IP6].gr = 0;
	f.cc[FAM_IP6].llgr = 1;
	f.cc[FAM_IP6].llgr_s = 99;
	bgp_nego_open(&f.p, 1, true, 0, &f.ours);
	assert_true(c->gr.on && c->llgr.on && !c->gr.restarting);
	assert_int_equal(c->gr.time, 33);
	assert_int_equal(c->gr.fam, FAM_BIT(FAM_IP4));
	assert_int_equal(c->llgr.fam, FAM_BIT(FAM_IP6));
	assert_int_equal(c->llgr.time[FAM_IP6], 99);
	assert_int_equal(c->gr.forward | c->llgr.forward, 0);
	bgp_nego_open(&f.p, 1, true, BGP_OPEN_R | BGP_OPEN_F, &f.ours);
	assert_true(c->gr.restarting);
	assert_int_equal(c->gr.forward, FAM_BIT(FAM_IP4));
	assert_int_equal(c->llgr.forward, FAM_BIT(FAM_IP6));
	assert_false(c->gr.notify);
	f.cf.gr.notify = true;
	bgp_nego_open(&f.p, 1, true, BGP_OPEN_F, &f.ours);
	assert_true(c->gr.notify && !c->gr.restarting);
	assert_int_equal(c->gr.forward, FAM_BIT(FAM_IP4));
	f.theirs.caps.gr.on = true;
	test_bgp_nego_terms(&f);
	assert_false(f.terms.gr_notify);
	f.theirs.caps.gr.notify = true;
	test_bgp_nego_terms(&f);
	assert_true(f.terms.gr_notify);
	f.cf.gr.mode = BGP_GR_OFF;
	bgp_nego_open(&f.p, 1, true, BGP_OPEN_R | BGP_OPEN_F, &f.ours);
	assert_false(c->gr.on || c->gr.restarting || c->llgr.on || c->llgr.fam);
}

static void
test_restart(void **state)
{
	struct bgp_caps *c;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.cf.gr.mode = f.cf.llgr.mode = BGP_GR_AWARE;
	f.cf.gr.time_s = 120;
	f.cf.gr.max_s = 300;
	f.cf.llgr.max_s = 5000;
	f.cc[FAM_IP4].llgr_min_s = f.cc[FAM_IP4].llgr_max_s = BGP_TIME_NOT_GIVEN;
	f.cc[FAM_IP6].llgr_min_s = 50;
	f.cc[FAM_IP6].llgr_max_s = 60;
	bgp_nego_open(&f.p, 1, true, 0, &f.ours);
	assert_true(f.ours.caps.gr.on && f.ours.caps.llgr.on);
	assert_int_equal(f.ours.caps.gr.time, 120);
	assert_int_equal(f.ours.caps.gr.fam | f.ours.caps.llgr.fam, 0);
	assert_false(f.ours.caps.gr.restarting);
	c = &f.theirs.caps;
	c->gr.on = c->llgr.on = true;
	c->gr.time = 400;
	c->gr.fam = c->llgr.fam = FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6);
	c->gr.forward = FAM_BIT(FAM_IP6);
	c->llgr.time[FAM_IP4] = 4000;
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	assert_int_equal(f.terms.gr_s, 300);
	assert_int_equal(f.terms.gr_fam, FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6));
	assert_int_equal(f.terms.gr_kept, FAM_BIT(FAM_IP6));
	assert_int_equal(f.terms.llgr_s[FAM_IP4], 4000);
	assert_int_equal(f.terms.llgr_s[FAM_IP6], 50);
	c->llgr.time[FAM_IP4] = c->gr.time = 0;
	test_bgp_nego_terms(&f);
	assert_int_equal(f.terms.gr_fam, 0);
	assert_int_equal(f.terms.llgr_fam, FAM_BIT(FAM_IP6));
	c->fam = FAM_BIT(FAM_IP4);
	test_bgp_nego_terms(&f);
	assert_int_equal(f.terms.llgr_fam, 0);
	c->fam = c->gr.fam;
	c->gr.on = false; /* RFC 9494, 4.1: not without it */
	test_bgp_nego_terms(&f);
	assert_int_equal(f.terms.llgr_fam | f.terms.gr_fam, 0);
}

static void
test_no_capabilities(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	bgp_caps_init(&f.theirs.caps);
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	assert_int_equal(f.terms.params.fam, FAM_BIT(FAM_IP4));
	assert_false(f.terms.params.as4);
	assert_false(f.terms.refresh);
	/* and the fallback: we announce none */
	fixture_init(&f);
	bgp_nego_open(&f.p, 1, false, 0, &f.ours);
	assert_false(f.ours.caps.mp);
	assert_int_equal(
	    bgp_nego(&f.p, &f.ours, &f.theirs, false, &f.terms).severity, BGP_SEV_NONE);
	assert_int_equal(f.terms.params.fam, FAM_BIT(FAM_IP4));
}

static void
test_timers(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.theirs.hold_time = 0;
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	assert_int_equal(f.terms.hold_s, 0);
	assert_int_equal(f.terms.keepalive_s, 0);
	assert_int_equal(f.terms.send_hold_s, 0);
	f.cf.timers.min_hold_s = 30;
	test_bgp_nego_expect(&f, BGP_EO_HOLD_TIME);
	f.theirs.hold_time = 3;
	test_bgp_nego_expect(&f, BGP_EO_HOLD_TIME);
	assert_memory_equal(f.terms.err_data, "\0\3", 2);
	f.theirs.hold_time = 120;
	f.cf.timers.keepalive_s = 60; /* of 240: a quarter */
	f.cf.timers.has_send_hold = true;
	f.cf.timers.send_hold_s = 500;
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	assert_int_equal(f.terms.keepalive_s, 30);
	assert_int_equal(f.terms.send_hold_s, 500);
}

static void
test_identity(void **state)
{
	struct fixture f;
	struct bgp_err e;

	(void)state;
	fixture_init(&f);
	f.theirs.as = 65002;
	e = test_bgp_nego_terms(&f);
	test_bgp_nego_expect(&f, BGP_EO_PEER_AS);
	assert_int_equal(get_be32(e.data), 65002);
	f.theirs.as = 65001;
	f.theirs.router_id = 1; /* another AS may use it: RFC 6286 */
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	f.cf.id.remote_as = f.theirs.as = 65000;
	f.cf.id.ebgp = false;
	test_bgp_nego_expect(&f, BGP_EO_ID);
}

static void
test_required(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.theirs.caps.fam = FAM_BIT(FAM_IP6);
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	f.cc[0].mandatory = true;
	test_bgp_nego_expect(&f, BGP_EO_CAPABILITY);
	f.cc[0].mandatory = false;
	f.theirs.caps.fam = 0;
	test_bgp_nego_expect(&f, BGP_EO_CAPABILITY);
	fixture_init(&f);
	f.theirs.caps.refresh = false;
	f.cf.caps.require_refresh = true;
	test_bgp_nego_expect(&f, BGP_EO_CAPABILITY);
	fixture_init(&f);
	f.theirs.caps.as4 = false;
	f.cf.caps.require_as4 = true;
	test_bgp_nego_expect(&f, BGP_EO_CAPABILITY);
	fixture_init(&f);
	f.cf.caps.require_hostname = true;
	test_bgp_nego_expect(&f, BGP_EO_CAPABILITY);
	f.theirs.caps.has_hostname = true;
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	f.cc[0].extended_next_hop = f.cc[0].require_extended_next_hop = true;
	test_bgp_nego_expect(&f, BGP_EO_CAPABILITY);
	f.theirs.caps.ext_next_hop = true;
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	assert_true(f.terms.params.ext_next_hop);
}

/* RFC 7911, 4: one side sends and the other receives, each family for itself. */
static void
test_add_path(void **state)
{
	struct fixture f;
	struct bgp_class c;

	(void)state;
	for (unsigned ours = 0; ours < 4; ours++)
		for (unsigned theirs = 0; theirs < 4; theirs++) {
			uint8_t ip6 = FAM_BIT(FAM_IP6);
			bool rx = ours & 1 && theirs & 2, tx = ours & 2 && theirs & 1;

			fixture_init(&f);
			f.cc[1].add_paths = (uint8_t)ours;
			f.theirs.caps.add_path = true;
			f.theirs.caps.ids_rx = theirs & 1 ? 3 : 1;
			f.theirs.caps.ids_tx = theirs & 2 ? 3 : 1;
			assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
			assert_int_equal(f.ours.caps.add_path, ours != 0);
			assert_int_equal(f.terms.params.ids, rx ? ip6 : 0);
			assert_int_equal(f.terms.ids_tx, tx ? ip6 : 0);
			for (int i = 0; i < 2; i++) {
				bgp_nego_class(
				    &f.p, &f.chan[i], &f.terms, ip4(1), false, &c);
				assert_int_equal(c.ids, tx && i);
			}
			f.cc[1].require_add_paths = true;
			if ((!(ours & 1) || rx) && (!(ours & 2) || tx))
				assert_int_equal(
				    test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
			else
				test_bgp_nego_expect(&f, BGP_EO_CAPABILITY);
		}
}

/* All pairs of roles (RFC 9234, table 2). */
static void
test_roles(void **state)
{
	struct fixture f;

	(void)state;
	for (unsigned a = 0; a <= BGP_ROLE_PEER; a++)
		for (unsigned b = 0; b <= BGP_ROLE_PEER + 1; b++) {
			bool fits = (a == 0 && b == 3) || (a == 3 && b == 0) ||
				    (a == 1 && b == 2) || (a == 2 && b == 1) ||
				    (a == 4 && b == 4);

			fixture_init(&f);
			f.cf.policy.role = (uint8_t)a;
			f.theirs.caps.role = (uint8_t)b;
			if (fits)
				assert_int_equal(
				    test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
			else
				test_bgp_nego_expect(&f, BGP_EO_ROLE);
		}
	fixture_init(&f);
	f.cf.policy.role = BGP_ROLE_PEER;
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	f.cf.policy.require_roles = true;
	test_bgp_nego_expect(&f, BGP_EO_ROLE);
}

static void
test_class(void **state)
{
	struct fixture f;
	struct bgp_class c, d;

	(void)state;
	fixture_init(&f);
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	bgp_nego_class(&f.p, &f.chan[0], &f.terms, ip4(0x7f000001), false, &c);
	assert_int_equal(c.prepend_as, 65000);
	assert_int_equal(c.next_hop, BGP_NH_SELF);
	assert_true(ip_equal(c.nh4, ip4(0x7f000001)));
	assert_int_equal(c.send_med, 0);
	assert_int_equal(c.send_local_pref, 0);
	/* two clients of a route server look alike */
	f.cf.policy.rs_client = true;
	f.cc[0].next_hop_keep = BGP_NH_ALL;
	bgp_nego_class(&f.p, &f.chan[0], &f.terms, ip4(0x7f000001), false, &c);
	f.cf.id.remote_as = 70000;
	f.terms.peer_router_id = 99;
	bgp_nego_class(&f.p, &f.chan[0], &f.terms, ip4(0x7f000001), false, &d);
	assert_true(bgp_class_equal(&c, &d));
	assert_int_equal(c.prepend_as, 0);
	assert_int_equal(c.next_hop, BGP_NH_KEEP);
	assert_int_equal(c.send_med, 1);
	/* OTC goes to clients, customers and peers (RFC 9234, 5) */
	assert_int_equal(c.otc, 0);
	for (unsigned role = BGP_ROLE_PROVIDER; role <= BGP_ROLE_PEER; role++) {
		f.cf.policy.role = (uint8_t)role;
		bgp_nego_class(&f.p, &f.chan[0], &f.terms, ip4(0x7f000001), false, &c);
		assert_int_equal(c.otc,
		    role == BGP_ROLE_CUSTOMER || role == BGP_ROLE_RS_CLIENT ? 0 : 65000);
	}
	/* iBGP */
	fixture_init(&f);
	f.cf.id.ebgp = false;
	bgp_nego_class(&f.p, &f.chan[0], &f.terms, ip4(0x7f000001), false, &c);
	assert_int_equal(c.prepend_as, 0);
	assert_int_equal(c.next_hop, BGP_NH_KEEP);
	assert_int_equal(c.send_local_pref, 1);
	assert_int_equal(c.local_pref, 100);
	assert_int_equal(c.send_med, 1);
}

/* `neighbor ... external` without a number: anyone but our own AS. */
static void
test_any_external(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.cf.id.remote_as = 0;
	assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
	assert_int_equal(f.terms.params.peer_as, 65001);
	f.theirs.as = f.theirs.caps.as = 65000;
	test_bgp_nego_expect(&f, BGP_EO_PEER_AS);
}

/* `next hop keep` and `self` by where a route came from. */
static void
test_next_hop_by_source(void **state)
{
	static const struct {
		bool ebgp;
		uint8_t keep, self, from_ebgp, from_ibgp;
	} rows[] = {
		{ true, BGP_NH_NO, BGP_NH_NO, BGP_NH_SELF, BGP_NH_SELF },
		{ true, BGP_NH_ALL, BGP_NH_NO, BGP_NH_KEEP, BGP_NH_KEEP },
		{ true, BGP_NH_IBGP, BGP_NH_NO, BGP_NH_SELF, BGP_NH_KEEP },
		{ true, BGP_NH_EBGP, BGP_NH_NO, BGP_NH_KEEP, BGP_NH_SELF },
		{ true, BGP_NH_ALL, BGP_NH_EBGP, BGP_NH_SELF, BGP_NH_KEEP },
		{ false, BGP_NH_NO, BGP_NH_NO, BGP_NH_KEEP, BGP_NH_KEEP },
		{ false, BGP_NH_NO, BGP_NH_ALL, BGP_NH_SELF, BGP_NH_SELF },
		{ false, BGP_NH_NO, BGP_NH_EBGP, BGP_NH_SELF, BGP_NH_KEEP },
		{ false, BGP_NH_IBGP, BGP_NH_IBGP, BGP_NH_KEEP, BGP_NH_SELF },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct bgp_class c;
		struct fixture f;

		fixture_init(&f);
		assert_int_equal(test_bgp_nego_terms(&f).severity, BGP_SEV_NONE);
		f.cf.id.ebgp = rows[i].ebgp;
		f.cc[0].next_hop_keep = rows[i].keep;
		f.cc[0].next_hop_self = rows[i].self;
		bgp_nego_class(&f.p, &f.chan[0], &f.terms, ip4(0x7f000001), false, &c);
		assert_int_equal(c.next_hop, rows[i].from_ebgp);
		bgp_nego_class(&f.p, &f.chan[0], &f.terms, ip4(0x7f000001), true, &c);
		assert_int_equal(c.next_hop, rows[i].from_ibgp);
	}
}

/* Whose routes go out with our address only for want of another rule: as bird2 2.0.12. */
static void
test_own_hop(void **state)
{
	static const struct {
		bool ebgp;
		uint8_t keep, self;
		uint8_t self_hop;
	} rows[] = {
		{ true, BGP_NH_NO, BGP_NH_NO, HOP_EXTERNAL | HOP_INTERNAL | HOP_OURS },
		{ true, BGP_NH_ALL, BGP_NH_NO, 0 },
		{ true, BGP_NH_NO, BGP_NH_ALL, 0 },
		{ true, BGP_NH_EBGP, BGP_NH_NO, HOP_INTERNAL | HOP_OURS },
		{ true, BGP_NH_NO, BGP_NH_EBGP, HOP_INTERNAL | HOP_OURS },
		{ true, BGP_NH_NO, BGP_NH_IBGP, HOP_EXTERNAL | HOP_OURS },
		{ true, BGP_NH_EBGP, BGP_NH_IBGP, HOP_OURS },
		{ false, BGP_NH_NO, BGP_NH_NO, 0 },
	};
	struct bgp_class c = { .next_hop = BGP_NH_SELF };
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		f.cf.id.ebgp = rows[i].ebgp;
		f.cc[0].next_hop_keep = rows[i].keep;
		f.cc[0].next_hop_self = rows[i].self;
		assert_int_equal(bgp_nego_self_hop(&f.p, &f.chan[0]), rows[i].self_hop);
	}
	f.cf.tcp.multihop = false;
	bgp_nego_class_hop(&f.p, &c);
	assert_int_equal(c.next_hop, BGP_NH_KEEP);
	f.cf.tcp.multihop = true;
	bgp_nego_class_hop(&f.p, &c);
	assert_int_equal(c.next_hop, BGP_NH_KEEP_GLOBAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_own_restart),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_no_capabilities),
		cmocka_unit_test(test_own_hop),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_required),
		cmocka_unit_test(test_add_path),
		cmocka_unit_test(test_roles),
		cmocka_unit_test(test_any_external),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_next_hop_by_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
