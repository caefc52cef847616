/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configurations of members of a range: what they have of their own, how long they live,
 * who is no member. */
#include "nest/conf/conf_member.h"
#include "lib/mt/rcu.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "test/lib/conf_text.h"
#include "test/lib/unit.h"

static const struct conf_class *const classes[] = { &bgp_conf_class, NULL };

static struct config_ref *
test_conf_member_parse(const char *text)
{
	static struct custom_registry reg;
	struct conf_env env = { .class = classes, .custom = &reg };
	struct config *c;
	struct diag d;

	custom_registry_init(&reg);
	diag_init(&d);
	c = conf_text_parse(text, strlen(text), &env, &d);
	assert_non_null(c);
	diag_fini(&d);
	custom_registry_fini(&reg);
	return config_ref_new(c);
}

static struct ip_addr
test_conf_member_ip(const char *text)
{
	struct ip_addr a;
	bool is_v6;

	assert_non_null(ip_scan(&a, &is_v6, text));
	return a;
}

/* member - of @p, or NULL. */
static struct config_ref *
test_conf_member_find(const struct conf_proto **cf, struct config_ref *ref, const char *p,
    const char *addr, const char *iface)
{
	struct conf_member m = { .addr = test_conf_member_ip(addr), .iface = iface };

	return conf_member_new(cf, config_find_proto(ref->conf, p), "m1", &m, ref);
}

static const char text[] =
    "router id 1.1.1.1; template bgp t { local as 65000; ipv4 { import all; export all; "
    "}; }\n"
    "protocol bgp a from t { neighbor range 10.0.0.0/8 external; dynamic name \"x\"; }\n"
    "protocol bgp b from t { neighbor range 10.0.0.0/8 as 5; interface range -\"e1\", "
    "\"e*\"; }\n"
    "protocol bgp c from t { neighbor range fe80::/10 as 5; interface \"e0\"; }\n"
    "protocol bgp d from t { neighbor range 10.0.0.0/8 as 5; disabled; }\n"
    "protocol bgp e from t { neighbor 10.0.0.1 as 5; }\n";

static void
test_member(void **state)
{
	struct config_ref *ref, *m;
	const struct conf_proto *cf;
	const struct bgp_conf *b;

	(void)state;
	rcu_join();
	ref = test_conf_member_parse(text);
	m = test_conf_member_find(&cf, ref, "a", "10.0.0.7", NULL);
	assert_non_null(m);
	/* It outlives what it was made of. */
	config_ref_put(ref);
	rcu_drain();
	b = bgp_conf_of(cf);
	assert_string_equal(cf->name, "m1");
	assert_true(ip_equal(b->id.remote_ip, test_conf_member_ip("10.0.0.7")));
	assert_false(b->dynamic.has_range);
	assert_true(b->id.ebgp);
	assert_null(b->id.iface);
	assert_int_equal(cf->chan_cnt, 1);
	assert_string_equal(cf->chan->name, "ipv4");
	config_ref_put(m);
	rcu_drain();
	rcu_leave();
}

static void
test_changes(void **state)
{
	struct config_ref *ref = test_conf_member_parse(text), *m, *n;
	const struct conf_proto *cf, *other;
	struct conf_members all;

	(void)state;
	rcu_join();
	assert_true(conf_member_range(config_find_proto(ref->conf, "a"), &all));
	assert_string_equal(all.name, "x");
	assert_int_equal(all.max, 1000);
	assert_int_equal(all.age_s, 3600);
	assert_false(conf_member_range(config_find_proto(ref->conf, "e"), &all));
	m = test_conf_member_find(&cf, ref, "a", "10.0.0.7", NULL);
	n = test_conf_member_find(&other, ref, "a", "10.0.0.7", NULL);
	assert_int_equal(conf_proto_diff(cf, other), 0);
	config_ref_put(n);
	n = test_conf_member_find(&other, ref, "a", "10.0.0.8", NULL);
	assert_int_equal(conf_proto_diff(cf, other), CONF_CH_RESTART);
	config_ref_put(n);
	config_ref_put(m);
	config_ref_put(ref);
	rcu_drain();
	rcu_leave();
}

static void
test_whose(void **state)
{
	static const struct {
		const char *p, *addr, *iface;
		bool is;
	} c[] = {
		{ "a", "10.255.0.1", NULL, true },
		{ "a", "11.0.0.1", NULL, false },
		{ "a", "::1", NULL, false },
		{ "b", "10.0.0.1", "e0", true },
		{ "b", "10.0.0.1", "e1", false },
		{ "b", "10.0.0.1", "f0", false },
		{ "b", "10.0.0.1", NULL, false },
		{ "c", "fe80::1", "e0", true },
		{ "c", "fe80::1", "e1", false },
		{ "c", "fe80::1", NULL, false },
		{ "d", "10.0.0.1", NULL, false },
		{ "e", "10.0.0.1", NULL, false },
	};
	struct config_ref *ref = test_conf_member_parse(text), *m;
	const struct conf_proto *cf;

	(void)state;
	rcu_join();
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		m = test_conf_member_find(&cf, ref, c[i].p, c[i].addr, c[i].iface);
		if ((m != NULL) != c[i].is)
			fail_msg(
			    "%s %s %s", c[i].p, c[i].addr, c[i].iface ? c[i].iface : "-");
		if (!m)
			continue;
		if (c[i].iface)
			assert_string_equal(bgp_conf_of(cf)->id.iface, c[i].iface);
		config_ref_put(m);
	}
	config_ref_put(ref);
	rcu_drain();
	rcu_leave();
}

static const char beside[] =
    "router id 1.1.1.1; template bgp t { local as 65000; ipv4 { import all; export all; "
    "}; }\n"
    "protocol bgp h from t { neighbor range 10.0.0.0/8 as 5; vrf \"red\"; }\n"
    "protocol bgp g from t { neighbor range 10.0.0.0/8 as 5; source address 10.1.0.1; }\n"
    "protocol bgp k from t { neighbor range 10.0.0.0/8 as 5; interface \"e0\"; }\n"
    "protocol bgp all from t { neighbor 10.0.0.1 as 5; }\n"
    "protocol bgp red from t { neighbor 10.0.0.1 as 5; vrf \"red\"; }\n"
    "protocol bgp blue from t { neighbor 10.0.0.1 as 5; vrf \"blue\"; }\n"
    "protocol bgp here from t { neighbor 10.0.0.1 as 5; source address 10.1.0.1; }\n"
    "protocol bgp away from t { neighbor 10.0.0.1 as 5; source address 10.1.0.2; }\n"
    "protocol bgp port from t { local port 1179; neighbor 10.0.0.1 as 5; }\n"
    "protocol bgp e1 from t { neighbor 10.0.0.1 as 5; interface \"e1\"; }\n";

/* An instance of its own takes a member from a range that it would come to as well; not
 * one in another VRF, at another address, port or interface. */
static void
test_ext(void **state)
{
	static const struct {
		const char *p, *host, *local;
		bool wants;
	} c[] = {
		{ "all", "g", "10.1.0.1", true },
		{ "all", "h", "10.1.0.1", false },
		{ "red", "h", "10.1.0.1", true },
		{ "blue", "h", "10.1.0.1", false },
		{ "red", "g", "10.1.0.1", false },
		{ "here", "g", "10.1.0.1", true },
		{ "away", "g", "10.1.0.1", false },
		{ "away", "k", "10.1.0.1", false },
		{ "away", "k", "10.1.0.2", true },
		{ "away", "k", "::", true },
		{ "port", "k", "10.1.0.1", false },
		{ "e1", "k", "10.1.0.1", false },
		{ "all", "k", "10.1.0.1", true },
		{ "blue", NULL, "10.1.0.1", true },
		{ "g", "g", "10.1.0.1", false },
	};
	struct config_ref *ref = test_conf_member_parse(beside);

	(void)state;
	rcu_join();
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		const struct conf_proto *p = config_find_proto(ref->conf, c[i].p);
		const struct conf_proto *h = c[i].host
						 ? config_find_proto(ref->conf, c[i].host)
						 : NULL;
		struct conf_member m = { test_conf_member_ip("10.0.0.1"), "e0",
			test_conf_member_ip(c[i].local) };

		if (p->class->members->wants(p, h, &m) != c[i].wants)
			fail_msg("%s, of %s", c[i].p, c[i].host ? c[i].host : "-");
	}
	config_ref_put(ref);
	rcu_drain();
	rcu_leave();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_member),
	cmocka_unit_test(test_changes),
	cmocka_unit_test(test_whose),
	cmocka_unit_test(test_ext),
};

UNIT_MAIN(tests)
