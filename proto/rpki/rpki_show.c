/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of an instance for `show protocols`.
 *
 * I1  The instance publishes an immutable snapshot after each step of its machine. A
 *     reader uses the snapshot, the configuration in force and a few times (counters)
 *     under RCU, and sends no message to the instance.
 * I2  Lines and words are those of BIRD 2; further lines follow BIRD's lines.
 *
 * Loops: rpki_publish in the instance's worker; rpki_show in any thread. Tested by
 * test/net/test_rpki.py and test/net/test_json.py. */
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
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
rpki_publish(struct rpki_proto *s)
{
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
	proto_publish(&s->p, st, s->disabled,
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

static void
rpki_show_timer(
    struct strbuf *out, const char *label, const struct counter64 *at, uint32_t of_s)
{
	strbuf_addf(out, "  %-16s: ", label);
	if (counter64_get(at))
		proto_show_left(out, at, of_s);
	else
		strbuf_adds(out, "---\n");
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
show_sync(const struct rpki_proto *s, const struct rpki_snap *n, struct strbuf *out)
{
	uint64_t last = counter64_get(&s->shown.update_ns),
		 ago = show_update_age_ns(last);

	strbuf_addf(out, "  Protocol version: %u\n", n->version);
	if (n->synced)
		strbuf_addf(out, "  Session ID:       %u\n  Serial number:    %u\n",
		    n->session, n->serial);
	else
		strbuf_adds(out, "  Session ID:       ---\n  Serial number:    ---\n");
	if (last)
		strbuf_addf(out, "  Last update:      before %u.%03u s\n",
		    (unsigned)(ago / NS_PER_S), (unsigned)(ago % NS_PER_S / NS_PER_MS));
	else
		strbuf_adds(out, "  Last update:      ---\n");
	rpki_show_timer(out, "Refresh timer", &s->shown.refresh_ns, n->refresh_s);
	rpki_show_timer(out, "Retry timer", &s->shown.retry_ns, n->retry_s);
	rpki_show_timer(out, "Expire timer", &s->shown.expire_ns, n->expire_s);
}

void
rpki_show(const struct proto *p, const struct time_format *tf, struct strbuf *out)
{
	const struct rpki_proto *s = container_of(p, struct rpki_proto, p);
	const struct rpki_snap *n = load_acquire_ptr(
	    &s->shown.snap); /* pairs: RPKISNAP */
	const struct rpki_conf *rc = rpki_conf_of(proto_conf_get(p));
	char ip[IP_STR_MAX];

	(void)tf;
	strbuf_addf(
	    out, "  Cache server:     %s\n", rc->host ? rc->host : ip_str(ip, rc->ip));
	strbuf_addf(out, "  Cache port:       %u\n", rpki_port(rc));
	strbuf_addf(out, "  Status:           %s\n",
	    rpki_state_text(n ? (enum rpki_state)n->state : RPKI_DOWN));
	strbuf_addf(out, "  Transport:        %s\n", show_transport_text(rc));
	if (!n || n->state == RPKI_DOWN)
		return;
	show_sync(s, n, out);
	if (n->error[0])
		strbuf_addf(out, "  Last error:       %s\n", n->error);
}

/* ---- as JSON ---- */

static void
show_json_sync(const struct rpki_proto *s, const struct rpki_snap *n, struct json *j)
{
	uint64_t last = counter64_get(&s->shown.update_ns);

	json_u64(j, "version", n->version);
	if (n->synced) {
		json_u64(j, "session_id", n->session);
		json_u64(j, "serial", n->serial);
	}
	if (last)
		json_seconds(j, "updated_age_s", show_update_age_ns(last));
	proto_json_left(
	    j, "refresh_left_s", "refresh_s", &s->shown.refresh_ns, n->refresh_s);
	proto_json_left(j, "retry_left_s", "retry_s", &s->shown.retry_ns, n->retry_s);
	proto_json_left(j, "expire_left_s", "expire_s", &s->shown.expire_ns, n->expire_s);
	json_str(j, "last_error", n->error[0] ? n->error : NULL);
}

void
rpki_json(const struct proto *p, struct json *j)
{
	const struct rpki_proto *s = container_of(p, struct rpki_proto, p);
	const struct rpki_snap *n = load_acquire_ptr(
	    &s->shown.snap); /* pairs: RPKISNAP */
	const struct rpki_conf *rc = rpki_conf_of(proto_conf_get(p));
	char ip[IP_STR_MAX];

	json_open(j, "rpki");
	json_str(j, "server", rc->host ? rc->host : ip_str(ip, rc->ip));
	json_u64(j, "port", rpki_port(rc));
	json_str(j, "state", rpki_state_text(n ? (enum rpki_state)n->state : RPKI_DOWN));
	json_str(j, "transport", show_transport_text(rc));
	if (n && n->state != RPKI_DOWN)
		show_json_sync(s, n, j);
	json_close(j);
}
