/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show bfd sessions [NAME] [address IP|PREFIX] [interface "NAME"] [ipv4|ipv6]
 * [direct|multihop] [all]: published sessions of instances that are up.
 *
 * A job: between two steps only the indices of the instance's name and of the session are
 * kept, so sessions that begin or end meanwhile may be missed or shown twice.
 *
 * Loop: the session's. Tested by test/net/test_bfd.py. */
#include "filter/lang/sym.h"
#include "lib/mem/mem.h"
#include "lib/base/scan.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bfd.h"
#include "lib/wire/cli_code.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/bfd/bfd_shown.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

/* Selection of sessions. */
struct bfd_pick {
	bool has_address, has_iface, v4, v6, direct, multihop, all;
	struct prefix address;
	char iface[IF_NAMESIZE];
};

struct bfd_job {
	struct cli_job job;
	struct cmd_names names;
	struct bfd_pick pick;
	uint32_t at; /* session */
	bool headed; /* the heading of the instance was shown */
};

/* ---- selection ---- */

static bool
bfd_is_picked(const struct bfd_pick *k, const struct bfd_shown *w)
{
	bool v4 = ip_is_v4(w->place.peer);

	if (k->has_address && (v4 != (k->address.fam == FAM_IP4) ||
				  !prefix_has_ip(&k->address, w->place.peer)))
		return false;
	if (k->has_iface && !scan_glob(k->iface, w->ifname))
		return false;
	if ((k->v4 && !v4) || (k->v6 && v4))
		return false;
	return !(k->direct && w->place.multihop) && !(k->multihop && !w->place.multihop);
}

/* ---- one session ---- */

static double
cmd_bfd_seconds(const struct pub32 *us)
{
	return load_relaxed32(us) / 1e6;
}

static void
cmd_bfd_show_line(struct cli_session *s, const struct bfd_shown *w)
{
	char peer[IP_STR_MAX], since[128];

	clock_print(since, sizeof(since), cli_time(s, &s->conf->conf->time.protocol),
	    load_relaxed64(&w->since_ns));
	cli_say(s, CLI_BFD, "%-25s %-10s %-10s %-12s  %7.3f  %7.3f",
	    ip_str(peer, w->place.peer), w->place.multihop ? "---" : w->ifname,
	    bfd_state_text(load_relaxed32(&w->state)), since, cmd_bfd_seconds(&w->tx_us),
	    cmd_bfd_seconds(&w->timeout_us));
}

static void
bfd_reply_us(struct reply *r, const char *key, const char *label, const struct pub32 *us)
{
	reply_seconds(r, key, NULL, load_relaxed32(us) * NS_PER_US);
	reply_text(r, "    %-19s %.3f\n", label, cmd_bfd_seconds(us));
}

static void
cmd_bfd_reply_timer(struct reply *r, const char *name, uint64_t at_ns, double of_s)
{
	uint64_t now_ns = clock_now_ns();

	reply_text(r, "  %-21s %.3f / %.3f\n", name,
	    at_ns > now_ns ? (double)(at_ns - now_ns) / 1e9 : 0.0, of_s);
}

/* bfd_reply_timers - JSON has the intervals, the text also the times left. */
static void
bfd_reply_timers(struct reply *r, const struct bfd_shown *w)
{
	double timeout_s = cmd_bfd_seconds(&w->timeout_us);

	reply_seconds(r, "interval_s", NULL, load_relaxed32(&w->tx_us) * NS_PER_US);
	reply_seconds(r, "timeout_s", NULL, load_relaxed32(&w->timeout_us) * NS_PER_US);
	if (!r->text)
		return;
	cmd_bfd_reply_timer(r, "Transmit timer:", load_relaxed64(&w->next_tx_ns),
	    cmd_bfd_seconds(&w->tx_us));
	if (timeout_s > 0)
		cmd_bfd_reply_timer(r, "Detect timer:",
		    load_relaxed64(&w->heard_ns) +
			load_relaxed32(&w->timeout_us) * 1000ull,
		    timeout_s);
}

/* The parts of the block of rows, as BIRD 2.17 names and orders the rows; MORE: rows that
 * BIRD lacks. */
enum { BLOCK_WHO, BLOCK_DIAG, BLOCK_DISCRIMINATOR, BLOCK_PARAMETERS, BLOCK_MORE };

static void
bfd_reply_who(struct reply *r, const char *name, const struct bfd_shown *w)
{
	bool multihop = w->place.multihop;
	const char *ifname = w->ifname[0] ? w->ifname : NULL;

	reply_str(r, "protocol", NULL, name);
	reply_ip(r, "address", "  Address:              %s\n", w->place.peer);
	reply_part(r, BLOCK_MORE);
	reply_ip(r, "local_address", "  Local address:        %s\n", w->place.local);
	reply_part(r, BLOCK_WHO);
	reply_text(r, "  Interface:            %s\n", multihop ? "---" : w->ifname);
	reply_str(r, "interface", NULL, ifname);
	reply_text(r, "  Session type:         %s\n", multihop ? "Multihop" : "Direct");
	reply_bool(r, "multihop", NULL, multihop);
	reply_str(r, "state", "  Session state:        %s\n",
	    bfd_state_text(load_relaxed32(&w->state)));
	reply_str(r, "neighbor_state", "  Remote state:         %s\n",
	    bfd_state_text(load_relaxed32(&w->remote.state)));
	reply_time(r, "since_unix_s", "  Last state change:    %s\n",
	    load_relaxed64(&w->since_ns));
}

static void
bfd_reply_state(struct reply *r, const struct bfd_shown *w)
{
	uint32_t diag = load_relaxed32(&w->diag);
	uint32_t remote = load_relaxed32(&w->remote.diag);

	reply_part(r, BLOCK_PARAMETERS);
	bfd_reply_timers(r, w);
	reply_part(r, BLOCK_DISCRIMINATOR);
	reply_u64(r, "discriminator", "  Local discriminator:  %s\n", w->mine);
	reply_u64(r, "neighbor_discriminator", "  Remote discriminator: %s\n",
	    load_relaxed32(&w->yours));
	reply_part(r, BLOCK_DIAG);
	reply_text(r, "  Local diagnostic:     %s\n", bfd_diag_title(diag));
	reply_str(r, "diagnostic", NULL, bfd_diag_text(diag));
	reply_text(r, "  Remote diagnostic:    %s\n", bfd_diag_title(remote));
	reply_str(r, "neighbor_diagnostic", NULL, bfd_diag_text(remote));
}

static void
bfd_reply_parameters(struct reply *r, const struct bfd_shown *w)
{
	uint32_t auth = load_relaxed32(&w->auth);

	reply_part(r, BLOCK_PARAMETERS);
	reply_text(r, "  Local parameters:\n");
	bfd_reply_us(r, "min_tx_s", "Min TX interval:", &w->min_tx_us);
	bfd_reply_us(r, "min_rx_s", "Min RX interval:", &w->min_rx_us);
	reply_text(r, "    Demand mode:        No\n");
	reply_u64(
	    r, "multiplier", "    Multiplier:         %s\n", load_relaxed32(&w->mult));
	reply_text(r, "  Remote parameters:\n");
	bfd_reply_us(r, "neighbor_min_tx_s", "Min TX interval:", &w->remote.min_tx_us);
	bfd_reply_us(r, "neighbor_min_rx_s", "Min RX interval:", &w->remote.min_rx_us);
	reply_text(r, "    Demand mode:        %s\n",
	    load_relaxed32(&w->remote.demand) ? "Yes" : "No");
	reply_u64(r, "neighbor_multiplier", "    Multiplier:         %s\n",
	    load_relaxed32(&w->remote.mult));
	reply_str(r, "authentication", NULL, bfd_auth_text(auth));
	if (auth)
		reply_text(r, "  Authentication:\n    Type:               %s\n",
		    bfd_auth_title(auth));
	if (auth && auth != BFD_AUTH_SIMPLE)
		reply_text(r, "    RX CSN:             %u\n    TX CSN:             %u\n",
		    load_relaxed32(&w->rx_seq), load_relaxed32(&w->tx_seq));
}

static void
bfd_reply_more(struct reply *r, const struct bfd_shown *w)
{
	bool passive = load_relaxed32(&w->passive);

	reply_part(r, BLOCK_MORE);
	reply_text(r, "  Passive:              %s\n", passive ? "Yes" : "No");
	reply_bool(r, "passive", NULL, passive);
	reply_u64(r, "packets_sent", "  Packets:              %s sent, ",
	    counter64_get(&w->cnt.sent));
	reply_u64(
	    r, "packets_received", "%s received\n", counter64_get(&w->cnt.received));
	reply_u64(
	    r, "ups", "  Changes:              %s up, ", counter64_get(&w->cnt.ups));
	reply_u64(r, "losses", "%s lost\n", counter64_get(&w->cnt.losses));
	reply_u64(r, "asks", "  Requests:             %s\n\n", load_relaxed32(&w->asks));
}

static void
cmd_bfd_reply(struct cli_session *s, const char *name, const struct bfd_shown *w)
{
	struct reply *r = cli_reply(s, "bfd_session");

	r->time = cli_time(s, &s->conf->conf->time.protocol);
	bfd_reply_who(r, name, w);
	bfd_reply_state(r, w);
	bfd_reply_parameters(r, w);
	bfd_reply_more(r, w);
	cli_reply_end(s, CLI_BFD);
}

/* ---- the job ---- */

/* bfd_service_of - service of the present instance; NULL: ended, or down. */
static const struct bfd_service *
bfd_service_of(struct bfd_job *j, const struct tern *t)
{
	const struct proto *p = cmd_names_proto(&j->names, tern_view_get(t));
	const struct bfd_service_list *l = bfd_service_list_get(t);

	for (uint32_t i = 0; p && l && i < l->cnt; i++)
		if (l->at[i]->proto == p)
			return l->at[i];
	return NULL;
}

static void
cmd_bfd_head(struct cli_session *s, struct bfd_job *j, const char *name)
{
	if (j->headed || s->json)
		return;
	j->headed = true;
	cli_say(s, CLI_BFD, "%s:", name);
	if (j->pick.all)
		return;
	cli_say(s, CLI_BFD, "%-25s %-10s %-10s %-12s  %7s  %7s", "IP address",
	    "Interface", "State", "Since", "Interval", "Timeout");
}

static void
cmd_bfd_show_one(struct cli_session *s, const struct bfd_job *j, const char *name,
    const struct bfd_shown *w)
{
	if (!bfd_is_picked(&j->pick, w))
		return;
	if (s->json || j->pick.all)
		cmd_bfd_reply(s, name, w);
	else
		cmd_bfd_show_line(s, w);
}

/* cmd_bfd_turn - Returns: false: the instance has no further session. */
static bool
cmd_bfd_turn(struct cli_session *s, struct bfd_job *j)
{
	const struct bfd_service *v = bfd_service_of(j, s->tern);
	const struct bfd_shown_list *l = v ? bfd_shown_get(&v->shown) : NULL;

	if (!v)
		return false;
	cmd_bfd_head(s, j, v->proto->name);
	if (!l || j->at >= l->cnt)
		return false;
	cmd_bfd_show_one(s, j, v->proto->name, l->at[j->at++]);
	return true;
}

static void
cmd_bfd_step(struct cli_session *s, struct cli_job *job)
{
	struct bfd_job *j = container_of(job, struct bfd_job, job);

	while (cli_go_on(s) && j->names.pos < j->names.cnt) {
		if (cmd_bfd_turn(s, j))
			continue;
		if (++j->names.pos < j->names.cnt && !s->json)
			cli_put_line(s, CLI_BFD, "");
		j->at = 0;
		j->headed = false;
	}
	if (j->names.pos == j->names.cnt)
		cli_end(s, CLI_DONE, "%s", "");
}

static void
cmd_bfd_job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct bfd_job *j = container_of(job, struct bfd_job, job);

	(void)s;
	cmd_names_fini(&j->names);
	mem_free(MEM_OTHER, j);
}

struct wanted {
	const struct tern *t;
	const char *name;
};

/* cmd_bfd_wanted - true: an up instance with the wanted name, or any name. */
static bool
cmd_bfd_wanted(const struct proto *p, const void *arg)
{
	const struct wanted *w = arg;
	const struct bfd_service_list *l = bfd_service_list_get(w->t);

	for (uint32_t i = 0; l && i < l->cnt; i++)
		if (l->at[i]->proto == p)
			return !w->name || !strcmp(w->name, p->name);
	return false;
}

static void
cmd_bfd_begin(struct cli_session *s, const struct bfd_pick *pick, const char *name)
{
	struct bfd_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));
	struct wanted w = { s->tern, name };
	const struct proto *p = name ? cmd_proto_named(s->tern, name) : NULL;

	j->job = (struct cli_job){ .step = cmd_bfd_step, .free = cmd_bfd_job_free };
	j->pick = *pick;
	cmd_names_init(&j->names, tern_view_get(s->tern), cmd_bfd_wanted, &w);
	if (j->names.cnt) {
		cli_run_job(s, &j->job);
		return;
	}
	cmd_bfd_job_free(s, &j->job);
	if (p && p->cls->conf->kind != PROTO_BFD)
		cli_end(s, CLI_BAD_COMMAND, "%s: Not a BFD protocol", name);
	else if (p)
		cli_end(s, CLI_BAD_COMMAND, "%s: Protocol is not up", name);
	else
		cli_end(s, CLI_BAD_COMMAND, "There is no BFD protocol running");
}

/* ---- the command ---- */

static bool
bfd_read_iface(struct cli_session *s, struct cli_scan *sc, struct bfd_pick *k)
{
	if (sc->tok != TOK_TEXT) {
		cli_syntax(s, sc, "a text in quotes");
		return false;
	}
	snprintf(k->iface, sizeof(k->iface), "%.15s", sc->text);
	k->has_iface = true;
	cli_scan_step(sc);
	return true;
}

/* cmd_bfd_read_word - Returns: 1: read an option; 0: no option; -1: the reply has
 * ended. */
static int
cmd_bfd_read_word(struct cli_session *s, struct cli_scan *sc, struct bfd_pick *k)
{
	if (cli_scan_word(sc, "all"))
		k->all = true;
	else if (cli_scan_word(sc, "ipv4"))
		k->v4 = true;
	else if (cli_scan_word(sc, "ipv6"))
		k->v6 = true;
	else if (cli_scan_word(sc, "direct"))
		k->direct = true;
	else if (cli_scan_word(sc, "multihop"))
		k->multihop = true;
	else if (cli_scan_word(sc, "address")) {
		k->has_address = true;
		return cmd_parse_prefix(s, sc, true, &k->address) ? 1 : -1;
	} else if (cli_scan_word(sc, "interface") || cli_scan_word(sc, "dev")) {
		return bfd_read_iface(s, sc, k) ? 1 : -1;
	} else {
		return 0;
	}
	return 1;
}

void
cmd_show_bfd(struct cli_session *s, struct cli_scan *sc)
{
	struct bfd_pick pick = { 0 };
	char *name = NULL;
	int rc = 1;

	while (sc->tok != TOK_END && rc > 0) {
		rc = cmd_bfd_read_word(s, sc, &pick);
		if (rc)
			continue;
		if (name ||
		    !cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
			"a name or the end of the command", &name))
			rc = -1;
		else
			rc = 1;
	}
	if (rc > 0)
		cmd_bfd_begin(s, &pick, name);
	mem_free(MEM_OTHER, name);
}
