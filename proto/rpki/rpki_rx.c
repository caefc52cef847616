/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Octets of a cache to events and records.
 *
 * The version is settled by the first PDU of a connection that is neither a Serial
 * Notify nor an Error Report (RFC 8210, 7): the cache answers in our version, or in a
 * lower version, which the instance takes up if the configuration allows it. The cache
 * may also refuse our version by an Error Report. After that, a PDU of another version is
 * an error.
 *
 * I1  A PDU that is wrong ends the loop: the connection is closed or about to be.
 * I2  An Error Report is never answered by one.
 *
 * Loop: the instance's. Tested by test/net/test_rpki.py and
 * test/sim/stories/rtr_versions.story. */
#include "lib/net/prefix.h"
#include "lib/wire/rtr.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "proto/rpki/rpki.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_priv.h"
#include "proto/rpki/rpki_ssh.h"
#include "sysdep/log/log_class.h"

#include <errno.h>
#include <stdio.h>

/* A PDU and where it lies. */
struct rx {
	struct rpki_proto *s;
	struct rtr_pdu pdu;
	const uint8_t *at;
	uint32_t len;
};

static void
rpki_rx_fault(struct rx *r, enum rtr_error e, const char *text)
{
	struct rtr_fault f = { (uint16_t)e, text };

	rpki_fault(
	    r->s, &f, r->pdu.type == RTR_ERROR_REPORT ? NULL : r->at, r->len); /* I2 */
}

static void
rpki_rx_trace(const struct rx *r)
{
	char net[PREFIX_STR_MAX];

	if (!rpki_traces(r->s, DEBUG_PACKETS))
		return;
	if (r->pdu.type == RTR_IPV4_PREFIX || r->pdu.type == RTR_IPV6_PREFIX)
		proto_log(&r->s->p, LOG_C_TRACE, "Received %s packet (%c %s-%u AS%u)",
		    rtr_type_text(r->pdu.type), r->pdu.announce ? '+' : '-',
		    prefix_str(net, &r->pdu.vrp.net), r->pdu.vrp.max_len, r->pdu.vrp.asn);
	else
		proto_log(&r->s->p, LOG_C_TRACE,
		    "Received %s packet (version %u, session id %u, serial %u)",
		    rtr_type_text(r->pdu.type), r->pdu.version, r->pdu.session,
		    r->pdu.serial);
}

static void
rx_other_session(struct rpki_proto *s, const char *text)
{
	s->present.fault.text = text;
	rpki_note(s, text);
	rpki_event(s, RPKI_EV_OTHER_SESSION);
}

/* ---- versions ---- */

/* rpki_rx_lower - go on with @version, if that is allowed and an answer is due. Returns:
 * false: it isn't. */
static bool
rpki_rx_lower(struct rpki_proto *s, unsigned version, const char *why)
{
	if (version >= s->cache.version || version < rpki_conf(s)->min_version ||
	    (s->state != RPKI_START && s->state != RPKI_RUNNING))
		return false;
	rpki_say_version(s, why, version);
	s->present.lower = (uint8_t)version;
	rpki_event(s, RPKI_EV_LOWER);
	return true;
}

/* rpki_rx_settle - the first PDU of a connection. Returns: false: it is done with. */
static bool
rpki_rx_settle(struct rx *r)
{
	struct rpki_proto *s = r->s;
	const struct rtr_pdu *p = &r->pdu;

	if (p->type == RTR_SERIAL_NOTIFY)
		return false; /* whatever its version: RFC 8210, 7 */
	if (p->type == RTR_ERROR_REPORT)
		return true; /* settles nothing: caches report in any version */
	if (p->version > s->cache.version || p->version < rpki_conf(s)->min_version) {
		rpki_rx_fault(
		    r, RTR_E_VERSION, "the cache uses a version that isn't allowed");
		return false;
	}
	s->cache.negotiated = true;
	if (p->version == s->cache.version)
		return true;
	rpki_say_version(s, "The cache answers in another version", p->version);
	s->cache.version = p->version;
	/* a session id belongs to one version */
	if (s->cache.serial_query && p->type == RTR_CACHE_RESPONSE) {
		rx_other_session(s, "a session id of another version");
		return false;
	}
	return true;
}

/* ---- what PDUs mean ---- */

/* rpki_rx_take - a record. */
static void
rpki_rx_take(
    struct rpki_proto *s, const struct rtr_pdu *p, const uint8_t *at, uint32_t len)
{
	struct rx r = { .s = s, .pdu = *p, .at = at, .len = len };
	unsigned kind = p->type == RTR_IPV4_PREFIX   ? NLRI_ROA4
			: p->type == RTR_IPV6_PREFIX ? NLRI_ROA6
						     : NLRI_ASPA;
	struct rpki_chan *rc = &s->chan[kind - RPKI_FIRST_KIND];
	int rc_err;

	if (!rc->ch || p->type == RTR_ROUTER_KEY)
		return;
	rc_err = p->announce
		     ? rpki_data_add(&rc->data, &p->vrp, p->provider, p->provider_cnt)
		     : rpki_data_del(&rc->data, &p->vrp);
	if (rc_err == -EEXIST)
		rpki_rx_fault(&r, RTR_E_DUPLICATE, "a record was announced twice");
	else if (rc_err == -ENOENT)
		rpki_rx_fault(
		    &r, RTR_E_UNKNOWN_RECORD, "an unknown record was withdrawn");
	else if (rc_err)
		rpki_rx_fault(&r, RTR_E_INTERNAL, "too many records");
}

static void
rx_report(struct rx *r)
{
	struct rpki_proto *s = r->s;
	const struct rtr_pdu *p = &r->pdu;
	char text[RTR_TEXT_MAX], note[RPKI_TEXT_MAX];

	rtr_report_text(text, p);
	snprintf(note, sizeof(note), "Error Report received: %s", text);
	rpki_note(s, note);
	if (p->error == RTR_E_NO_DATA) {
		rpki_event(s, RPKI_EV_REPORT_NO_DATA);
		return;
	}
	/* Version by version: some caches send the report in version 0, whatever version
	 * they use. */
	if (p->error == RTR_E_VERSION && rpki_rx_lower(s, s->cache.version - 1u, note))
		return;
	rpki_event(s, RPKI_EV_REPORT);
}

static void
rx_response(struct rx *r)
{
	struct rpki_proto *s = r->s;

	if (s->state == RPKI_START && s->cache.serial_query &&
	    r->pdu.session != s->cache.session) {
		rx_other_session(s, "the cache has another session id");
		return;
	}
	if (s->state == RPKI_START && !s->cache.serial_query)
		s->cache.known = false; /* until the end of this answer */
	if (s->state == RPKI_START)
		s->cache.session = r->pdu.session;
	rpki_event(s, RPKI_EV_RESPONSE);
}

/* rx_in_bounds - an interval from the cache, if valid (RFC 8210, 6); else the earlier
 * interval. */
static uint32_t
rx_in_bounds(struct rpki_proto *s, const char *what, uint32_t sec, uint32_t min,
    uint32_t max, uint32_t before)
{
	if (sec >= min && sec <= max)
		return sec;
	proto_log(
	    &s->p, LOG_C_REMOTE, "The cache's %s interval of %u s is ignored", what, sec);
	return before;
}

static void
rx_end(struct rx *r)
{
	struct rpki_proto *s = r->s;
	const struct rtr_pdu *p = &r->pdu;

	if (s->state == RPKI_RUNNING && p->session != s->cache.session) {
		rx_other_session(
		    s, "another session id at the end than at the beginning");
		return;
	}
	if (s->state == RPKI_RUNNING) {
		s->cache.serial = p->serial;
		s->cache.known = true;
		s->cache.known_version = s->cache.version;
		if (p->version) {
			s->cache.times.refresh = rx_in_bounds(s, "refresh",
			    p->times.refresh, 1, 86400, s->cache.times.refresh);
			s->cache.times.retry = rx_in_bounds(
			    s, "retry", p->times.retry, 1, 7200, s->cache.times.retry);
			s->cache.times.expire = rx_in_bounds(s, "expire", p->times.expire,
			    600, 172800, s->cache.times.expire);
		}
	}
	if (s->state != RPKI_RUNNING || !rpki_guard_refuses(s)) {
		rpki_event(s, RPKI_EV_END);
		return;
	}
	rpki_note(s, s->shown.kept);
	rpki_event(s, RPKI_EV_SHORT);
}

static void
rx_notify(struct rx *r)
{
	struct rpki_proto *s = r->s;

	bool waits = s->state == RPKI_ESTABLISHED || s->state == RPKI_NO_DATA;

	if (s->cache.known && r->pdu.session != s->cache.session && waits)
		rx_other_session(s, "the cache has another session id");
	else if (s->cache.known && r->pdu.session != s->cache.session)
		rpki_event(s, RPKI_EV_NOTIFY);
	else if (!s->cache.known || r->pdu.serial != s->cache.serial)
		rpki_event(s, RPKI_EV_NOTIFY);
}

static void
rx_pdu(struct rx *r)
{
	struct rpki_proto *s = r->s;

	switch (r->pdu.type) {
	case RTR_SERIAL_NOTIFY:
		rx_notify(r);
		break;
	case RTR_CACHE_RESPONSE:
		rx_response(r);
		break;
	case RTR_IPV4_PREFIX:
	case RTR_IPV6_PREFIX:
	case RTR_ROUTER_KEY:
	case RTR_ASPA:
		s->present.fault = (struct rtr_fault){ RTR_E_CORRUPT,
			"a record out of place" };
		if (s->state == RPKI_RUNNING)
			rpki_rx_take(s, &r->pdu, r->at, r->len);
		else
			rpki_event(s, RPKI_EV_RECORD);
		break;
	case RTR_END_OF_DATA:
		rx_end(r);
		break;
	case RTR_CACHE_RESET:
		rpki_event(s, RPKI_EV_CACHE_RESET);
		break;
	case RTR_ERROR_REPORT:
		rx_report(r);
		break;
	default: /* Serial Query, Reset Query */
		rpki_rx_fault(r, RTR_E_REQUEST, "a cache doesn't ask");
		break;
	}
}

/* rpki_rx_wrong - @f is the result of decoding. */
static void
rpki_rx_wrong(struct rx *r, const struct rtr_fault *f)
{
	bool report = r->len > 1 && r->at[1] == RTR_ERROR_REPORT;

	if (r->pdu.type == RTR_ASPA && r->pdu.version == 2 && r->s->cache.version == 2 &&
	    rpki_rx_lower(r->s, 1, f->text))
		return;
	rpki_fault(r->s, f, report ? NULL : r->at, r->len); /* I2 */
}

static void
rpki_rx_one(struct rx *r)
{
	struct rpki_proto *s = r->s;
	struct rtr_fault f;

	if (!rtr_decode(r->at, r->len, &r->pdu, &f)) {
		rpki_rx_wrong(r, &f);
		return;
	}
	rpki_rx_trace(r);
	s->present.fault = (struct rtr_fault){ RTR_E_CORRUPT, "a PDU out of place" };
	s->present.about = r->pdu.type == RTR_ERROR_REPORT ? NULL : r->at;
	s->present.about_len = r->len;
	if (s->cache.negotiated || rpki_rx_settle(r)) {
		if (s->cache.negotiated && r->pdu.version != s->cache.version &&
		    r->pdu.type != RTR_ERROR_REPORT)
			rpki_rx_fault(r, RTR_E_OTHER_VERSION, "a PDU of another version");
		else
			rx_pdu(r);
	}
	s->present.about = NULL;
}

uint32_t
rpki_rx(struct rpki_proto *s, const uint8_t *p, uint32_t len)
{
	uint32_t done = 0, life = s->link.life;

	while (!s->feed.on && s->link.life == life) {
		struct rtr_fault f;
		int n = rtr_frame(p + done, len - done, &f);
		struct rx r = { .s = s, .at = p + done };

		if (!n)
			break;
		r.len = n > 0 ? (uint32_t)n : len - done;
		if (n < 0) {
			rpki_rx_wrong(&r, &f);
			break;
		}
		rpki_rx_one(&r);
		done += r.len;
	}
	return done;
}
