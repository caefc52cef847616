/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of an instance for `show protocols`.
 *
 * I1  The instance publishes an immutable snapshot after each step of its machine. A
 *     reader uses the snapshot, the configuration in force and a few times (counters)
 *     under RCU, and sends no message to the instance.
 * I2  Lines and words are those of BIRD 2; further lines follow BIRD's lines.
 *
 * Loops: rpki_publish in the instance's worker; rpki_reply in any thread. Tested by
 * test/net/test_rpki.py and test/net/test_json.py. */
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "proto/rpki/rpki.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_priv.h"
#include "proto/rpki/rpki_ssh.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/clock.h"

#include <bsd/string.h>
#include <stdio.h>

/* A cache that does not answer for three times the retry interval is dead; bounds of
 * that. */
#define DEAD_NS_MIN (5 * NS_PER_S)
#define DEAD_NS_MAX (120 * NS_PER_S)

/* Immutable. owner: nobody; freed by: a grace period after it was replaced. */
struct rpki_snap {
	struct rcu_node rcu;
	uint8_t state, version;
	bool synced; /* session id and serial are known */
	uint16_t session;
	uint32_t serial, refresh_s, retry_s, expire_s;
	char error[RPKI_TEXT_MAX];
	char kept[RPKI_TEXT_MAX];
};

static void
rpki_show_snap_gone(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct rpki_snap, rcu));
}

static void
show_publish_snap(struct rpki_proto *s)
{
	struct rpki_snap *n = mem_zalloc(MEM_PROTO, sizeof(*n)),
			 *old = load_relaxed_ptr(&s->shown.snap);

	n->state = s->state;
	n->version = s->cache.version;
	n->synced = s->cache.known;
	n->session = s->cache.session;
	n->serial = s->cache.serial;
	n->refresh_s = rpki_refresh_s(s);
	n->retry_s = rpki_retry_s(s);
	n->expire_s = rpki_expire_s(s);
	strlcpy(n->error, s->shown.error, sizeof(n->error));
	strlcpy(n->kept, s->shown.kept, sizeof(n->kept));
	store_release_ptr(&s->shown.snap, n); /* pairs: RPKISNAP */
	if (old)
		rcu_free_later(&old->rcu, rpki_show_snap_gone);
}

void
rpki_publish(struct proto *p)
{
	struct rpki_proto *s = rpki_of(p);
	bool connected = s->state == RPKI_START || s->state == RPKI_RUNNING ||
			 s->state == RPKI_ESTABLISHED || s->state == RPKI_NO_DATA;
	enum proto_state st = s->state == RPKI_DOWN ? PS_DOWN
			      : connected           ? PS_UP
						    : PS_START;

	if (rpki_traces(s, DEBUG_STATES) && st != proto_status_get(&s->p)->state)
		proto_log(&s->p, LOG_C_TRACE, "State changed to %s",
		    st == PS_UP      ? "up"
		    : st == PS_START ? "start"
				     : "down");
	proto_publish(p, st, p->life.disabled,
	    st == PS_DOWN ? "" : rpki_state_text(s->state),
	    st == PS_DOWN && s->shown.error[0] ? s->shown.error : NULL);
	show_publish_snap(s);
}

void
rpki_snap_free(struct rpki_proto *s)
{
	mem_free(MEM_PROTO, load_relaxed_ptr(&s->shown.snap));
}

/* ---- any thread ---- */

/* rpki_reply_timer - the text shows a stopped timer, too. */
static void
rpki_reply_timer(struct reply *r, const char *key, const char *of, const char *label,
    const struct counter64 *at, uint32_t of_s)
{
	reply_text(r, "  %-16s: ", label);
	if (counter64_get(at))
		reply_left(r, key, of, "%s\n", at, of_s);
	else
		reply_text(r, "---\n");
}

static const char *
show_transport_text(const struct rpki_conf *rc)
{
	return rc->transport == RPKI_SSH   ? "SSHv2"
	       : rc->auth == RPKI_AUTH_MD5 ? "TCP MD5"
					   : "Unprotected over TCP";
}

/* show_update_age_ns - since the last one; @last isn't 0. */
static uint64_t
show_update_age_ns(uint64_t last)
{
	uint64_t now = clock_now_ns();

	return now > last ? now - last : 0;
}

bool
rpki_data_age(const struct proto *p, uint64_t *ago_ns, bool *late)
{
	const struct rpki_proto *s = container_of(p, struct rpki_proto, p);
	const struct rpki_snap *n = load_acquire_ptr(
	    &s->shown.snap); /* pairs: RPKISNAP */
	uint64_t last = counter64_get(&s->shown.update_ns);

	if (!last || !n)
		return false;
	*ago_ns = show_update_age_ns(last);
	*late = *ago_ns > (uint64_t)(n->refresh_s + n->retry_s) * NS_PER_S;
	return true;
}

bool
rpki_absent(const struct proto *p, uint64_t *ago_ns)
{
	const struct rpki_proto *s = container_of(p, struct rpki_proto, p);
	const struct rpki_snap *n = load_acquire_ptr(
	    &s->shown.snap); /* pairs: RPKISNAP */
	const struct proto_status *st = proto_status_get(p);
	uint64_t dead_ns = n ? 3 * n->retry_s * NS_PER_S : DEAD_NS_MAX;

	dead_ns = max_u64(min_u64(dead_ns, DEAD_NS_MAX), DEAD_NS_MIN);
	*ago_ns = show_update_age_ns(st->since_ns);
	return st->state == PS_START && *ago_ns > dead_ns;
}

void
rpki_trouble(const struct proto *p, struct strbuf *out)
{
	const struct rpki_proto *s = container_of(p, struct rpki_proto, p);
	const struct rpki_snap *n = load_acquire_ptr(
	    &s->shown.snap); /* pairs: RPKISNAP */

	if (n && n->kept[0])
		strbuf_addf(out, "%s; the cache's records stay unchanged", n->kept);
}

static void
rpki_reply_sync(const struct rpki_proto *s, const struct rpki_snap *n, struct reply *r)
{
	uint64_t last = counter64_get(&s->shown.update_ns);

	reply_u64(r, "version", "  Protocol version: %s\n", n->version);
	if (n->synced) {
		reply_u64(r, "session_id", "  Session ID:       %s\n", n->session);
		reply_u64(r, "serial", "  Serial number:    %s\n", n->serial);
	} else {
		reply_text(r, "  Session ID:       ---\n  Serial number:    ---\n");
	}
	if (last)
		reply_seconds(r, "updated_age_s", "  Last update:      before %s s\n",
		    show_update_age_ns(last));
	else
		reply_text(r, "  Last update:      ---\n");
	rpki_reply_timer(r, "refresh_left_s", "refresh_s", "Refresh timer",
	    &s->shown.refresh_ns, n->refresh_s);
	rpki_reply_timer(
	    r, "retry_left_s", "retry_s", "Retry timer", &s->shown.retry_ns, n->retry_s);
	rpki_reply_timer(r, "expire_left_s", "expire_s", "Expire timer",
	    &s->shown.expire_ns, n->expire_s);
}

void
rpki_reply(const struct proto *p, struct reply *r)
{
	const struct rpki_proto *s = container_of(p, struct rpki_proto, p);
	const struct rpki_snap *n = load_acquire_ptr(
	    &s->shown.snap); /* pairs: RPKISNAP */
	const struct rpki_conf *rc = rpki_conf_of(proto_conf_get(p));
	char ip[IP_STR_MAX];

	reply_open(r, "rpki");
	reply_str(r, "server", "  Cache server:     %s\n",
	    rc->host ? rc->host : ip_str(ip, rc->ip));
	reply_u64(r, "port", "  Cache port:       %s\n", rpki_port(rc));
	reply_str(r, "state", "  Status:           %s\n",
	    rpki_state_text(n ? (enum rpki_state)n->state : RPKI_DOWN));
	reply_str(r, "transport", "  Transport:        %s\n", show_transport_text(rc));
	if (n && n->state != RPKI_DOWN) {
		rpki_reply_sync(s, n, r);
		reply_fill(r, "last_error", "  Last error:       %s\n", n->error);
	}
	reply_close(r);
}
