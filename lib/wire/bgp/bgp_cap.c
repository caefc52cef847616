/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capabilities (RFC 5492): code, length, value. A known capability with an impossible
 * length or value is ignored like an unknown capability, because the peer may use an
 * extension that tern does not know. Only two faults are errors: a list that cannot be
 * split into capabilities, and AS 0.
 *
 * No state; any thread. */
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_params.h"

#define GR_RESTARTING  0x8000
#define GR_NOTIFY      0x4000
#define GR_TIME_MASK   0x0fff
#define GR_FORWARD     0x80
#define LLGR_LEN       7 /* octets of a family */
#define LLGR_TIME_MASK 0xffffff
#define IDS_RX         1 /* RFC 7911, 4 */
#define IDS_TX         2

static bool
cap_dec_mp(struct rbuf *r, struct bgp_caps *c)
{
	unsigned afi = rbuf_u16(r), safi;
	uint8_t fam;

	rbuf_u8(r); /* reserved */
	safi = rbuf_u8(r);
	if (!rbuf_done(r))
		return false;
	c->mp = true;
	if (family_find(&fam, afi, safi))
		c->fam |= FAM_BIT(fam);
	return true;
}

/* The only known combination is IPv4 unicast with IPv6 next hops. */
static bool
cap_dec_ext_next_hop(struct rbuf *r, struct bgp_caps *c)
{
	if (rbuf_left(r) % 6)
		return false;
	while (rbuf_left(r)) {
		unsigned afi = rbuf_u16(r), safi = rbuf_u16(r), nh_afi = rbuf_u16(r);

		if (afi == AFI_IP4 && safi == SAFI_UNICAST && nh_afi == AFI_IP6)
			c->ext_next_hop = true;
	}
	return true;
}

static bool
cap_dec_role(struct rbuf *r, struct bgp_caps *c)
{
	uint8_t role = rbuf_u8(r);

	if (!rbuf_done(r))
		return false;
	if (c->role != BGP_ROLE_NONE && c->role != role)
		c->role_clash = true;
	c->role = role;
	return true;
}

/* The last of several counts (RFC 4724, 3). */
static bool
cap_dec_gr(struct rbuf *r, struct bgp_caps *c)
{
	unsigned head = rbuf_u16(r);

	if (!rbuf_ok(r) || rbuf_left(r) % 4)
		return false;
	c->gr.on = true;
	c->gr.restarting = head & GR_RESTARTING;
	c->gr.notify = head & GR_NOTIFY;
	c->gr.time = head & GR_TIME_MASK;
	c->gr.fam = c->gr.forward = 0;
	while (rbuf_left(r)) {
		unsigned afi = rbuf_u16(r), safi = rbuf_u8(r), flags = rbuf_u8(r);
		uint8_t fam;

		if (!family_find(&fam, afi, safi))
			continue;
		c->gr.fam |= FAM_BIT(fam);
		if (flags & GR_FORWARD)
			c->gr.forward |= FAM_BIT(fam);
	}
	return true;
}

/* RFC 9494, 4.1: as the one above, with a time for each family. */
static bool
cap_dec_llgr(struct rbuf *r, struct bgp_caps *c)
{
	if (rbuf_left(r) % LLGR_LEN)
		return false;
	c->llgr.on = true;
	c->llgr.fam = c->llgr.forward = 0;
	memset(c->llgr.time, 0, sizeof(c->llgr.time));
	while (rbuf_left(r)) {
		unsigned afi = rbuf_u16(r), safi = rbuf_u8(r);
		uint32_t rest = rbuf_u32(r);
		uint8_t fam;

		if (!family_find(&fam, afi, safi))
			continue;
		c->llgr.fam |= FAM_BIT(fam);
		c->llgr.forward &= (uint8_t)~FAM_BIT(fam);
		c->llgr.time[fam] = rest & LLGR_TIME_MASK;
		if (rest >> 24 & GR_FORWARD)
			c->llgr.forward |= FAM_BIT(fam);
	}
	return true;
}

static bool
cap_dec_as4(struct rbuf *r, struct bgp_caps *c)
{
	uint32_t as = rbuf_u32(r);

	if (!rbuf_done(r))
		return false;
	c->as4 = true;
	c->as = as;
	return true;
}

/* RFC 7911, 4: what has another value than these three counts as not understood. */
static bool
cap_dec_add_path(struct rbuf *r, struct bgp_caps *c)
{
	uint8_t rx = c->ids_rx, tx = c->ids_tx;

	if (!rbuf_left(r) || rbuf_left(r) % 4)
		return false;
	while (rbuf_left(r)) {
		unsigned afi = rbuf_u16(r), safi = rbuf_u8(r), way = rbuf_u8(r);
		uint8_t fam;

		if (!way || way > (IDS_RX | IDS_TX))
			return false;
		if (!family_find(&fam, afi, safi))
			continue;
		rx = (uint8_t)((rx & ~FAM_BIT(fam)) | (way & IDS_RX ? FAM_BIT(fam) : 0));
		tx = (uint8_t)((tx & ~FAM_BIT(fam)) | (way & IDS_TX ? FAM_BIT(fam) : 0));
	}
	c->add_path = true;
	c->ids_rx = rx;
	c->ids_tx = tx;
	return true;
}

static bool
cap_dec_flag(struct rbuf *r, bool *flag)
{
	if (rbuf_left(r))
		return false;
	*flag = true;
	return true;
}

/* bgp_cap_add_name - behind what @c has. */
static void
bgp_cap_add_name(struct bgp_caps *c, const uint8_t *p, size_t len)
{
	size_t at = strlen(c->hostname);

	for (; len && *p && at < BGP_HOSTNAME_MAX; len--)
		c->hostname[at++] = (char)*p++;
	c->hostname[at] = 0;
}

/* A name and a domain, each behind its length; some leave out the domain. */
static bool
cap_dec_hostname(struct rbuf *r, struct bgp_caps *c)
{
	unsigned len = rbuf_u8(r), more;
	const uint8_t *name = rbuf_take(r, len), *domain;

	more = rbuf_left(r) ? rbuf_u8(r) : 0;
	domain = rbuf_take(r, more);
	if (!rbuf_done(r))
		return false;
	c->has_hostname = true;
	c->hostname[0] = 0;
	bgp_cap_add_name(c, name, len);
	if (more) {
		bgp_cap_add_name(c, (const uint8_t *)".", 1);
		bgp_cap_add_name(c, domain, more);
	}
	return true;
}

static bool
cap_dec_one(unsigned code, struct rbuf *r, struct bgp_caps *c)
{
	switch (code) {
	case BGP_CAP_MP:
		return cap_dec_mp(r, c);
	case BGP_CAP_REFRESH:
		return cap_dec_flag(r, &c->refresh);
	case BGP_CAP_EXT_NEXT_HOP:
		return cap_dec_ext_next_hop(r, c);
	case BGP_CAP_EXT_MSG:
		return cap_dec_flag(r, &c->ext_msg);
	case BGP_CAP_ROLE:
		return cap_dec_role(r, c);
	case BGP_CAP_GR:
		return cap_dec_gr(r, c);
	case BGP_CAP_AS4:
		return cap_dec_as4(r, c);
	case BGP_CAP_ADD_PATH:
		return cap_dec_add_path(r, c);
	case BGP_CAP_ENH_REFRESH:
		return cap_dec_flag(r, &c->enh_refresh);
	case BGP_CAP_LLGR:
		return cap_dec_llgr(r, c);
	case BGP_CAP_HOSTNAME:
		return cap_dec_hostname(r, c);
	default:
		return false;
	}
}

struct bgp_err
bgp_caps_decode(struct rbuf *r, struct bgp_caps *out)
{
	out->present = true;
	while (rbuf_left(r)) {
		unsigned code = rbuf_u8(r), len = rbuf_u8(r);
		struct rbuf val = rbuf_sub(r, len);

		if (!rbuf_ok(r))
			return bgp_err_make(BGP_SEV_RESET, BGP_E_OPEN, BGP_EO_UNSPECIFIC,
			    "capability leaves its parameter");
		if (!cap_dec_one(code, &val, out) && out->unknown_cnt < UINT8_MAX)
			out->unknown_cnt++;
	}
	if (out->as4 && !out->as) /* RFC 7607, 2 */
		return bgp_err_make(
		    BGP_SEV_RESET, BGP_E_OPEN, BGP_EO_PEER_AS, "AS number is 0");
	return BGP_OK;
}

static void
cap_enc_head(struct wbuf *w, enum bgp_cap_code code, unsigned len)
{
	wbuf_u8(w, (uint8_t)code);
	wbuf_u8(w, (uint8_t)len);
}

static unsigned
cap_count_bits(unsigned v)
{
	return (unsigned)__builtin_popcount(v);
}

static void
cap_enc_gr(struct wbuf *w, const struct bgp_caps *c)
{
	cap_enc_head(w, BGP_CAP_GR, 2 + 4 * cap_count_bits(c->gr.fam));
	wbuf_u16(
	    w, (uint16_t)((c->gr.restarting ? GR_RESTARTING : 0) |
			  (c->gr.notify ? GR_NOTIFY : 0) | (c->gr.time & GR_TIME_MASK)));
	for (unsigned fam = 0; fam < FAM_CNT; fam++) {
		if (!(c->gr.fam & FAM_BIT(fam)))
			continue;
		wbuf_u16(w, family_afi(fam));
		wbuf_u8(w, family_safi(fam));
		wbuf_u8(w, c->gr.forward & FAM_BIT(fam) ? GR_FORWARD : 0);
	}
}

static void
cap_enc_llgr(struct wbuf *w, const struct bgp_caps *c)
{
	cap_enc_head(w, BGP_CAP_LLGR, LLGR_LEN * cap_count_bits(c->llgr.fam));
	for (unsigned fam = 0; fam < FAM_CNT; fam++) {
		if (!(c->llgr.fam & FAM_BIT(fam)))
			continue;
		wbuf_u16(w, family_afi(fam));
		wbuf_u8(w, family_safi(fam));
		wbuf_u32(
		    w, (c->llgr.forward & FAM_BIT(fam) ? (uint32_t)GR_FORWARD << 24 : 0) |
			   (c->llgr.time[fam] & LLGR_TIME_MASK));
	}
}

static void
cap_enc_add_path(struct wbuf *w, const struct bgp_caps *c)
{
	cap_enc_head(w, BGP_CAP_ADD_PATH, 4 * cap_count_bits(c->ids_rx | c->ids_tx));
	for (unsigned fam = 0; fam < FAM_CNT; fam++) {
		unsigned way = (c->ids_rx & FAM_BIT(fam) ? IDS_RX : 0) |
			       (c->ids_tx & FAM_BIT(fam) ? IDS_TX : 0);

		if (!way)
			continue;
		wbuf_u16(w, family_afi(fam));
		wbuf_u8(w, family_safi(fam));
		wbuf_u8(w, (uint8_t)way);
	}
}

void
bgp_caps_encode(struct wbuf *w, const struct bgp_caps *c)
{
	for (unsigned fam = 0; fam < FAM_CNT; fam++) {
		if (!(c->fam & FAM_BIT(fam)))
			continue;
		cap_enc_head(w, BGP_CAP_MP, 4);
		wbuf_u16(w, family_afi(fam));
		wbuf_u16(w, family_safi(fam)); /* preceded by a reserved octet */
	}
	if (c->refresh)
		cap_enc_head(w, BGP_CAP_REFRESH, 0);
	if (c->ext_next_hop) {
		cap_enc_head(w, BGP_CAP_EXT_NEXT_HOP, 6);
		wbuf_u16(w, AFI_IP4);
		wbuf_u16(w, SAFI_UNICAST);
		wbuf_u16(w, AFI_IP6);
	}
	if (c->ext_msg)
		cap_enc_head(w, BGP_CAP_EXT_MSG, 0);
	if (c->role != BGP_ROLE_NONE) {
		cap_enc_head(w, BGP_CAP_ROLE, 1);
		wbuf_u8(w, c->role);
	}
	if (c->gr.on)
		cap_enc_gr(w, c);
	if (c->as4) {
		cap_enc_head(w, BGP_CAP_AS4, 4);
		wbuf_u32(w, c->as);
	}
	if (c->add_path)
		cap_enc_add_path(w, c);
	if (c->enh_refresh)
		cap_enc_head(w, BGP_CAP_ENH_REFRESH, 0);
	if (c->llgr.on)
		cap_enc_llgr(w, c);
	if (c->has_hostname) {
		unsigned len = (unsigned)strlen(c->hostname);

		cap_enc_head(w, BGP_CAP_HOSTNAME, len + 2);
		wbuf_u8(w, (uint8_t)len);
		wbuf_bytes(w, (const uint8_t *)c->hostname, len);
		wbuf_u8(w, 0); /* no domain */
	}
}
