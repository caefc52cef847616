/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show lan: for each address of `lan macs` the MAC address in the kernel's table of
 * neighbors, beside the expected MAC address.
 *
 * The session reads the table of neighbors once, and replies in steps, as a job. The job
 * holds the configuration whose file the reply has.
 *
 * Loop: the session's. Tested by test/net/test_lan_macs.py. */
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/rtnl.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/conf/file/lan_macs.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "sysdep/iface/neigh.h"

#include <string.h>

enum lan_state { LAN_RIGHT, LAN_WRONG, LAN_ABSENT, LAN_STATES };

static const char *const lan_state_key[LAN_STATES] = { "right", "wrong", "absent" };

/* The MAC address of the kernel for an entry. Owner: the job. */
struct lan_now {
	uint8_t mac[MAC_LEN];
	bool has;
};

struct lan_job {
	struct cli_job job;
	const struct lan_macs *macs;
	struct lan_now *now; /* for each entry of `macs`; used: the first of an address */
	uint32_t at; /* the next entry */
	uint32_t cnt[LAN_STATES];
};

/* lan_job_entry - an entry of the kernel's table. */
static void
lan_job_entry(void *arg, const struct rtnl_neigh *n)
{
	struct lan_job *j = arg;
	uint32_t i;

	if (!n->has_mac || !lan_macs_index(j->macs, n->addr, &i))
		return;
	memcpy(j->now[i].mac, n->mac, MAC_LEN);
	j->now[i].has = true;
}

/* cmd_lan_name - the name of the session with the address @addr; NULL: none. */
static const char *
cmd_lan_name(const struct tern_view *v, struct ip_addr addr)
{
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct proto *p = v->proto[i];
		struct proto_member m = { 0 };

		if (p->cls->member.describe && p->cls->member.describe(p, &m) &&
		    ip_equal(m.addr, addr))
			return p->name;
	}
	return NULL;
}

/* lan_reply_expected - the MAC addresses of the entries from @i on with the address of
 * entry @i. Returns: the first entry of another address. */
static uint32_t
lan_reply_expected(struct reply *r, const struct lan_macs *m, uint32_t i)
{
	const struct lan_mac *first = lan_macs_at(m, i);
	char mac[MAC_STR_MAX];

	reply_list(r, "expected");
	for (; i < lan_macs_cnt(m) && ip_equal(lan_macs_at(m, i)->addr, first->addr); i++)
		reply_str(r, NULL, " %s", lan_mac_str(mac, lan_macs_at(m, i)->mac));
	reply_close(r);
	return i;
}

static void
lan_reply_one(struct cli_session *s, struct lan_job *j)
{
	const struct lan_mac *e = lan_macs_at(j->macs, j->at);
	const struct lan_now *now = &j->now[j->at];
	struct reply *r = cli_reply(s, "lan");
	enum lan_state state = LAN_ABSENT;
	char mac[MAC_STR_MAX];
	struct ip_addr owner;

	reply_ip(r, "address", "%s", e->addr);
	reply_str(r, "protocol", " %s", cmd_lan_name(tern_view_get(s->tern), e->addr));
	reply_text(r, ": expected");
	j->at = lan_reply_expected(r, j->macs, j->at);
	if (now->has) {
		state = lan_macs_has(j->macs, e->addr, now->mac) ? LAN_RIGHT : LAN_WRONG;
		reply_str(r, "mac", ", has %s", lan_mac_str(mac, now->mac));
	}
	reply_str(r, "state", ", %s", lan_state_key[state]);
	owner = state == LAN_WRONG ? lan_macs_owner(j->macs, now->mac) : IP_NONE;
	if (!ip_is_none(owner))
		reply_ip(r, "owner", ": the MAC address of %s", owner);
	reply_text(r, "\n");
	j->cnt[state]++;
	cli_reply_end(s, CLI_LAN);
}

static void
lan_step(struct cli_session *s, struct cli_job *job)
{
	struct lan_job *j = container_of(job, struct lan_job, job);
	struct reply *r;

	while (j->at < lan_macs_cnt(j->macs)) {
		if (!cli_go_on(s))
			return;
		lan_reply_one(s, j);
	}
	r = cli_reply(s, "lan_sum");
	reply_u64(r, "right", "Addresses: %s right", j->cnt[LAN_RIGHT]);
	reply_u64(r, "wrong", ", %s wrong", j->cnt[LAN_WRONG]);
	reply_u64(r, "absent", ", %s absent\n", j->cnt[LAN_ABSENT]);
	cli_reply_end(s, CLI_LAN);
	cli_end(s, CLI_DONE, "%s", "");
}

static void
lan_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct lan_job *j = container_of(job, struct lan_job, job);

	(void)s;
	mem_free(MEM_OTHER, j->now);
	mem_free(MEM_OTHER, j);
}

void
cmd_show_lan(struct cli_session *s, struct cli_scan *sc)
{
	const struct lan_macs *macs = s->conf->conf->lan_macs;
	struct lan_job *j;
	int rc;

	if (!cli_at_end(s, sc))
		return;
	if (!macs) {
		cli_end(s, CLI_FAILED, "The configuration has no option 'lan macs'");
		return;
	}
	j = mem_zalloc(MEM_OTHER, sizeof(*j));
	j->job = (struct cli_job){ .step = lan_step, .free = lan_free };
	j->macs = macs;
	j->now = mem_zalloc(MEM_OTHER, (lan_macs_cnt(macs) + 1) * sizeof(*j->now));
	rc = neigh_read(lan_job_entry, j);
	if (rc) {
		cli_end(s, CLI_FAILED, "Can't read the kernel's neighbors: %s",
		    strerror(-rc));
		lan_free(s, &j->job);
		return;
	}
	cli_run_job(s, &j->job);
}
