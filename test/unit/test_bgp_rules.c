/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The peer's own address as next hop: it isn't sent to the peer (RFC 4271, 5.1.3),
 * whatever the route had, and whoever asks is told the same. */
#define RIG_PEERS 5
#include "filter/run/hop.h"
#include "lib/attr/attr_edit.h"
#include "test/lib/filter_run.h"
#include "test/lib/spine_rig.h"
#include "test/lib/table_find.h"

#define READER 2
#define THEM   0x0a000001 /* the reader */
#define US     0x0a000003
#define OTHER  0x0a000002
#define LINK   5 /* its interface */
#define NETS   6

static struct filter_rig filters;

static int
test_bgp_rules_set_up(void **state)
{
	rig_start(state);
	rig_hush();
	filter_rig_init(&filters);
	assert_true(filter_rig_config(&filters,
	    "router id 1.1.1.1;\n"
	    "filter away { bgp_next_hop = 10.0.0.9; accept; }\n"
	    "filter away_by_net { if net.len = 24 then bgp_next_hop = 10.0.0.9; accept; "
	    "}\n"
	    "filter back { bgp_next_hop = 10.0.0.1; accept; }\n"
	    "filter back_by_net { if net.len = 24 then bgp_next_hop = 10.0.0.1; accept; "
	    "}\n"
	    "filter none { unset(bgp_next_hop); accept; }\n"));
	return 0;
}

static int
test_bgp_rules_tear_down(void **state)
{
	int rc = rig_finish(state);

	log_stop();
	filter_rig_fini(&filters);
	return rc;
}

/* Net 0 is from an external peer on another link, 1 from an internal one that isn't
 * direct, 3 from an external peer on the reader's link, each with the reader as next hop;
 * 4 is a static route by way of the reader, 5 one that leads nowhere; 2 is as 0, but its
 * next hop is another. */
static const uint8_t source_of[NETS] = { 0, 1, 0, 3, 4, 4 };

struct hop_case {
	const char *what, *filter; /* NULL: everything goes out as it is */
	uint8_t next_hop, next_hop_ibgp; /* modes of the classes */
	uint32_t ours; /* the address of ours that they have */
	uint8_t self_hop; /* HOP_* */
	bool sent[NETS];
};

#define ALL_KINDS (HOP_EXTERNAL | HOP_INTERNAL | HOP_OURS)

static const struct hop_case hop_cases[] = {
	{ "kept", NULL, BGP_NH_KEEP, BGP_NH_KEEP, US, 0, { 0, 0, 1, 0, 0, 1 } },
	{ "self", NULL, BGP_NH_SELF, BGP_NH_SELF, US, 0, { 1, 1, 1, 1, 1, 1 } },
	{ "self ebgp", NULL, BGP_NH_SELF, BGP_NH_KEEP, US, 0, { 1, 0, 1, 1, 1, 1 } },
	{ "self ibgp", NULL, BGP_NH_KEEP, BGP_NH_SELF, US, 0, { 0, 1, 1, 0, 0, 1 } },
	{ "usual", NULL, BGP_NH_SELF, BGP_NH_SELF, US, ALL_KINDS, { 1, 0, 1, 0, 0, 1 } },
	{ "self is theirs", NULL, BGP_NH_SELF, BGP_NH_SELF, THEM, 0,
	    { 0, 0, 0, 0, 0, 0 } },
	{ "kept, self is theirs", NULL, BGP_NH_KEEP, BGP_NH_KEEP, THEM, 0,
	    { 0, 0, 1, 0, 0, 0 } },
	{ "away", "away", BGP_NH_KEEP, BGP_NH_KEEP, US, 0, { 1, 1, 1, 1, 1, 1 } },
	{ "away by net", "away_by_net", BGP_NH_KEEP, BGP_NH_KEEP, US, 0,
	    { 1, 1, 1, 1, 1, 1 } },
	{ "back", "back", BGP_NH_KEEP, BGP_NH_KEEP, US, 0, { 0, 0, 0, 0, 0, 0 } },
	{ "back by net", "back_by_net", BGP_NH_KEEP, BGP_NH_KEEP, US, 0,
	    { 0, 0, 0, 0, 0, 0 } },
	{ "back, self", "back", BGP_NH_SELF, BGP_NH_SELF, US, 0, { 1, 1, 1, 1, 1, 1 } },
	/* where it was there it stays as the gateway */
	{ "back, usual", "back", BGP_NH_SELF, BGP_NH_SELF, US, ALL_KINDS,
	    { 0, 0, 0, 0, 0, 0 } },
	{ "none", "none", BGP_NH_KEEP, BGP_NH_KEEP, US, 0, { 0, 0, 1, 0, 0, 1 } },
	{ "none, self is theirs", "none", BGP_NH_KEEP, BGP_NH_KEEP, THEM, 0,
	    { 0, 0, 1, 0, 0, 0 } },
};

static void
up_source(unsigned k)
{
	static const uint32_t link_of[] = { 7, 0, 0, LINK, 0 };
	struct route_source src = { .from = ip4(0x7f000001u + k),
		.is_bgp = k != 4,
		.is_ebgp = k != 4 && k != 1,
		.rr_client = k == 1,
		.link_if = link_of[k] };

	rig_up_as(k, &src, NULL, NULL);
}

/* announce - net @k, from its source. */
static void
test_bgp_rules_announce(void *arg)
{
	unsigned k = *(unsigned *)arg;
	struct channel *ch = rig.peer[source_of[k]]->ch;
	struct attr_local local = { .dest = k == 5 ? DEST_BLACKHOLE : DEST_UNICAST,
		.rts = k >= 4 ? RTS_STATIC : RTS_BGP };
	struct hop hop = hop_make(ip4(THEM), 0, NULL);
	uint8_t data[64], nlri[64], val[4];
	struct wbuf w = wbuf_of(data, sizeof(data));
	struct attr_edit e;
	struct attr_set *set;
	struct arena a;

	arena_init(&a, MEM_OTHER, 4096);
	put_be32(val, k == 2 ? OTHER : THEM);
	if (k < 4)
		wire_item(&w, 0x40, ATTR_NEXT_HOP, val, 4);
	put_be32(val, k);
	wire_item(&w, 0x80, ATTR_MED, val, 4);
	attr_edit_init(&e, &a, attr_scratch(&a, data, (uint32_t)wbuf_len(&w), &local));
	if (k == 4)
		assert_int_equal(hops_set(&e, &hop, 1), 0);
	set = attr_store_edit(rig.tern.store, &e);
	assert_non_null(set);
	channel_import_attrs(ch, set, nlri, rig_nlri(nlri, k, 1));
	attr_set_unref(rig.tern.store, set, 1);
	arena_fini(&a);
}

static const struct hop_case *hop_case;

static void
up_reader(void *arg)
{
	const struct hop_case *c = hop_case;
	struct rig_peer *pe = arg;
	struct route_source src = { .from = ip4(THEM), .is_bgp = true, .is_ebgp = true };
	struct export_rules rules = { .peer_addr = src.from,
		.self_hop = c->self_hop,
		.link_if = LINK,
		.link_cnt = 1,
		.link = { prefix_make(ip4(THEM & ~255u), 24, FAM_IP4) } };
	struct bgp_class cls;

	bgp_class_init(&cls);
	memset(pe->held, 0, sizeof(pe->held));
	cls.nh4 = ip4(c->ours);
	cls.next_hop = c->next_hop;
	bgp_sink_up(&pe->sink, &cls, &rules);
	cls.next_hop = c->next_hop_ibgp;
	bgp_sink_set_class_ibgp(&pe->sink, &cls, false);
	cls.next_hop = BGP_NH_KEEP;
	bgp_sink_set_class_hop(&pe->sink, c->self_hop ? &cls : NULL, c->self_hop);
	channel_up(pe->ch, &src);
}

/* asked - does `show route export` say that net @k is sent? */
static bool
test_bgp_rules_asked(unsigned k)
{
	struct prefix p = rig_net(k);
	const struct path *best = net_best(rig_find(rig_table(), &p));
	struct route_view rv = { .net = p,
		.set = path_set(best),
		.src = path_facts(rig_table(), best),
		.feeder = path_src(best) };
	struct filter_thread *ft = filter_thread_new(NULL);
	struct attr_set *out = NULL;
	struct arena a;
	int rc;

	arena_init(&a, MEM_OTHER, 4096);
	rc = channel_would_export(rig.peer[READER]->ch, ft, &a, &rv, &out);
	if (rc == 1)
		attr_set_unref(rig.tern.store, out, 1);
	filter_thread_free(ft);
	arena_fini(&a);
	return rc == 1;
}

static void
test_bgp_rules_start(const struct hop_case *c)
{
	hop_case = c;
	rig.cf_chan[READER].export = c->filter ? sym_find(filters.cfg->symbols, c->filter)
						     ->filter
					       : &filter_accept_all;
	rig_in(&rig.peer[READER]->p.worker, up_reader, rig.peer[READER]);
}

static void
test_bgp_rules_check_case(const struct hop_case *c, const char *when, bool as_sent)
{
	for (unsigned k = 0; k < NETS; k++) {
		if (as_sent && (rig.peer[READER]->held[k] != 0) != c->sent[k])
			fail_msg("%s, %s: net %u is %s", c->what, when, k,
			    c->sent[k] ? "refused" : "sent");
		if (!as_sent && test_bgp_rules_asked(k) != c->sent[k])
			fail_msg("%s: net %u would be %s", c->what, k,
			    c->sent[k] ? "refused" : "sent");
	}
}

static void
up_sources(void)
{
	for (unsigned k = 0; k < RIG_PEERS; k++)
		if (k != READER)
			up_source(k);
}

static void
announce_all(void)
{
	for (unsigned k = 0; k < NETS; k++)
		rig_in(&rig.peer[source_of[k]]->p.worker, test_bgp_rules_announce, &k);
	rig_settle();
}

static void
withdraw_all(void)
{
	for (unsigned k = 0; k < NETS; k++)
		rig_withdraw(source_of[k], k, 1);
}

static unsigned
test_bgp_rules_refused(const struct hop_case *c)
{
	unsigned cnt = 0;

	for (unsigned k = 0; k < NETS; k++)
		cnt += !c->sent[k];
	return cnt;
}

/* From a cut, as a new session gets it; from the journal; and without a word sent. */
static void
test_sent(void **state)
{
	struct channel_stats *st = channel_stats(rig.peer[READER]->ch);

	(void)state;
	up_sources();
	announce_all();
	for (unsigned i = 0; i < ARRAY_LEN(hop_cases); i++) {
		const struct hop_case *c = &hop_cases[i];

		test_bgp_rules_start(c);
		rig_export(READER);
		test_bgp_rules_check_case(c, "from a cut", true);
		test_bgp_rules_check_case(c, NULL, false);
		/* it isn't the filter that refuses */
		assert_int_equal(
		    counter64_get(&st->exp_upd_rejected), test_bgp_rules_refused(c));
		assert_int_equal(counter64_get(&st->exp_upd_filtered), 0);
		withdraw_all();
		rig_export(READER);
		announce_all();
		rig_export(READER);
		test_bgp_rules_check_case(c, "from the journal", true);
		spine_rig_down(READER);
	}
}

static void
test_bgp_rules_set_class(void *arg)
{
	struct rig_peer *pe = arg;
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.nh4 = ip4(hop_case->ours);
	cls.next_hop = hop_case->next_hop;
	bgp_sink_set_class(&pe->sink, &cls);
	cls.next_hop = hop_case->next_hop_ibgp;
	bgp_sink_set_class_ibgp(&pe->sink, &cls, false);
	cls.next_hop = BGP_NH_KEEP;
	bgp_sink_set_class_hop(
	    &pe->sink, hop_case->self_hop ? &cls : NULL, hop_case->self_hop);
	rig.cf_chan[READER]
	    .export = hop_case->filter
			  ? sym_find(filters.cfg->symbols, hop_case->filter)->filter
			  : &filter_accept_all;
	channel_reconf(pe->ch, CONF_CH_EXPORT, false);
}

/* From each case to each other by a reconfiguration. */
static void
test_reconf(void **state)
{
	(void)state;
	up_sources();
	announce_all();
	for (unsigned i = 0; i < ARRAY_LEN(hop_cases); i++)
		for (unsigned j = 0; j < ARRAY_LEN(hop_cases); j++) {
			test_bgp_rules_start(&hop_cases[i]);
			rig_export(READER);
			hop_case = &hop_cases[j];
			rig_in(&rig.peer[READER]->p.worker, test_bgp_rules_set_class,
			    rig.peer[READER]);
			rig_export(READER);
			test_bgp_rules_check_case(hop_case, hop_cases[i].what, true);
			spine_rig_down(READER);
		}
}

/* What no message can hold, and why. */
static void
test_unsent(void **state)
{
	static const uint8_t nlri[32] = { 24, 11, 0, 1 },
			     hop[] = { 0x40, ATTR_NEXT_HOP, 0, 4, 10, 0, 0, 9 };
	static uint8_t data[5000] = { 0xc0, 200, 4900 >> 8, 4900 & 0xff };
	struct bgp_class cls;
	struct wire_set *w;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 1024);
	bgp_class_init(&cls);
	cls.next_hop = BGP_NH_SELF;
	w = attr_store_wire(rig.tern.store, hop, sizeof(hop));
	assert_int_equal(
	    bgp_rules_unsent(&cls, FAM_IP4, w, nlri, 4, &a), REASON_NO_NEXT_HOP);
	cls.nh4 = ip4(US);
	assert_int_equal(bgp_rules_unsent(&cls, FAM_IP4, w, nlri, 4, &a), REASON_NONE);
	wire_set_unref(rig.tern.store, w);
	w = attr_store_wire(rig.tern.store, data, 4904);
	assert_int_equal(
	    bgp_rules_unsent(&cls, FAM_IP4, w, nlri, 4, &a), REASON_TOO_LONG);
	cls.msg_max = BGP_MSG_EXT_MAX;
	assert_int_equal(bgp_rules_unsent(&cls, FAM_IP4, w, nlri, 4, &a), REASON_NONE);
	wire_set_unref(rig.tern.store, w);
	arena_fini(&a);
}

/* A link-local next hop that goes with a global one may be the peer, too (RFC 2545, 3);
 * readers of one class share messages, but for who is at that address. */
static void
up_local(unsigned k)
{
	struct route_source src = { .is_bgp = true, .is_ebgp = true };
	struct export_rules rules = { .peer_addr = {
					  0xfe80000000000000, k == READER ? 1 : 2 } };
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.mp4 = 1;
	rig.peer[k]->count_only = true;
	rig_up_as(k, &src, &rules, &cls);
}

static void
announce_local(void *arg)
{
	static const uint8_t hops[32] = { 0x20, 1, 0xd, 0xb8, [15] = 9, 0xfe,
		0x80, [31] = 1 };
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint8_t data[64], nlri[64];
	struct wbuf w = wbuf_of(data, sizeof(data));
	struct rig_peer *pe = arg;

	wire_item(&w, 0x40, ATTR_NEXT_HOP, hops, sizeof(hops));
	channel_import(
	    pe->ch, data, (uint32_t)wbuf_len(&w), &local, nlri, rig_nlri(nlri, 0, 1));
}

static void
test_local(void **state)
{
	static const unsigned order[] = { 3, READER, 4 };

	(void)state;
	up_source(0);
	for (unsigned i = 0; i < ARRAY_LEN(order); i++) {
		up_local(order[i]);
		rig_export(order[i]);
	}
	rig_in(&rig.peer[0]->p.worker, announce_local, rig.peer[0]);
	rig_settle();
	for (unsigned i = 0; i < ARRAY_LEN(order); i++) {
		rig_export(order[i]);
		assert_int_equal(rig.peer[order[i]]->msg_cnt, order[i] != READER);
	}
	assert_false(test_bgp_rules_asked(0));
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_bgp_rules_set_up, test_bgp_rules_tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_sent),
	TEST(test_reconf),
	TEST(test_local),
	TEST(test_unsent),
};

UNIT_MAIN(tests)
