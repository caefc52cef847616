/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requirements of a commit: a router id, open files, and room for instances. Loop: the
 * control worker's. Tested by test/unit/test_commit.c. */
#include "nest/daemon/control_priv.h"
#include "filter/rpki.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "sysdep/iface/iface.h"
#include "sysdep/iface/iface_pattern.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

/* A table has places for many more feeders (FEEDER_MAX): present instances, ending
 * instances, and the feeders that they make. */
#define PROTO_MAX 20000

#define CLIENTS_MIN 8

#define LOOP_FILES 2 /* the socketpair of a loop with few descriptors */
/* Of so many sessions, one may have a second connection: a collision (RFC 4271, 6.8). If
 * more sessions have a collision, some connections are refused, and the peers dial
 * again. */
#define COLLISION_SHARE 16

/* check_may_name_us - true: the address may be the router id: of an up interface named by
 * @conf, or of any interface but loopback. */
static bool
check_may_name_us(
    const struct config *conf, const struct iface *f, const struct iface_addr *a)
{
	uint32_t v4 = ip_to_v4(a->local);

	if (!ip_is_v4(a->local) || v4 >> 24 == 127 || v4 >> 24 == 0)
		return false;
	if (!conf->router_id_from)
		return !(f->flags & IFF_LOOPBACK);
	return (f->flags & IFF_UP) && iface_pattern_fits(conf->router_id_from, f, a);
}

uint32_t
commit_router_id(struct control *c, const struct config *conf)
{
	const struct iface_list *l = iface_list_get(&c->tern->ifaces);
	uint32_t best = 0;

	for (uint32_t i = 0; i < l->cnt; i++)
		for (uint32_t k = 0; k < l->iface[i].addr_cnt; k++) {
			const struct iface_addr *a = &l->iface[i].addr[k];
			uint32_t v4 = ip_to_v4(a->local);

			if (!check_may_name_us(conf, &l->iface[i], a))
				continue;
			if (v4 == load_relaxed32(&c->tern->router_id))
				return v4;
			if (!best || v4 < best)
				best = v4;
		}
	return best;
}

/* check_files_each - descriptors of a session: the connection, and the loop of the
 * session's own. */
static uint64_t
check_files_each(const struct control *c)
{
	return c->tern->process.thread_limit ? 1 : 1 + LOOP_FILES;
}

static uint64_t
check_files_needed(const struct control *c, const struct config *conf)
{
	uint64_t protos = conf->proto_cnt + c->members.cnt, loops = conf->table_cnt;

	for (unsigned i = 0; i < conf->table_cnt; i++)
		/* an RPKI index has its own loop */
		loops += conf_kind_is_rpki(conf->table[i]->kind);
	return 64 + protos * check_files_each(c) + protos / COLLISION_SHARE +
	       loops * LOOP_FILES;
}

/* check_going_cnt - number of present instances missing in @conf. */
static uint32_t
check_going_cnt(const struct control *c, const struct config *conf)
{
	const struct list *n;
	uint32_t cnt = 0;

	if (!c->conf)
		return 0; /* before the first commit */
	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, const struct instance, link);

		cnt += !in->host && !config_find_proto(conf, in->name);
	}
	return cnt;
}

void
commit_files(struct control *c, const struct config *conf)
{
	uint64_t need = check_files_needed(c, conf), room = 0;

	if (c->begin.nofile > need)
		room = (c->begin.nofile - need) / 4;
	store_relaxed32(&c->tern->clients.max,
	    (uint32_t)max_u64(min_u64(room, UINT16_MAX), CLIENTS_MIN));
}

const char *
commit_room(const struct control *c)
{
	uint64_t need = check_files_needed(c, c->conf->conf) + check_files_each(c);

	if (need > c->begin.nofile)
		return "too few open files are allowed";
	return c->conf->conf->proto_cnt + c->members.cnt >= PROTO_MAX
		   ? "too many protocols"
		   : NULL;
}

const char *
commit_check(struct control *c, const struct config *conf, struct strbuf *b)
{
	uint64_t need = check_files_needed(c, conf);

	strbuf_reset(b);
	if (need > c->begin.nofile)
		strbuf_addf(b,
		    "%s: %u protocols need about %llu open files, the limit is %llu",
		    conf->path, conf->proto_cnt, (unsigned long long)need,
		    (unsigned long long)c->begin.nofile);
	else if (!conf->router_id && !commit_router_id(c, conf))
		strbuf_addf(b, "%s: no router id, and no %s to take a router id from",
		    conf->path, conf->router_id_from ? "address that fits" : "interface");
	else if (conf->proto_cnt > PROTO_MAX)
		strbuf_addf(b, "%s: %u protocols, at most 20,000 are possible",
		    conf->path, conf->proto_cnt);
	else if (check_going_cnt(c, conf) > PROTO_MAX)
		strbuf_addf(
		    b, "%s: too many protocols are still on their way out", conf->path);
	return b->len ? b->s : NULL;
}
