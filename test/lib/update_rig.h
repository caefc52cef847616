/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An UPDATE under construction and what the decoder made of it, for tests. */
#ifndef TERN_TEST_LIB_UPDATE_RIG_H
#define TERN_TEST_LIB_UPDATE_RIG_H

#include "lib/wire/bgp/bgp_update_dec.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

#define PAD 16

/* A message under construction, and what the decoder made of it. */
struct rig {
	struct bgp_params params;
	uint8_t wd_buf[256], attr_buf[10000], nlri_buf[256];
	struct wbuf wd, attrs, nlri;
	uint8_t *body;
	uint8_t blob[BGP_BLOB_CAP(12000)];
	struct bgp_update u;
};

static struct rig rig;

static const uint8_t origin[] = { 0 }, nh[] = { 192, 0, 2, 1 }, num[] = { 0, 0, 0, 5 };
static const uint8_t path4[] = { 2, 2, 0, 0, 0, 5, 0, 1, 0, 1 };
static const uint8_t path2[] = { 2, 2, 0, 5, 0x5b, 0xa0 };
static const uint8_t net[] = { 24, 198, 51, 100 };

static inline void
update_rig_start(void)
{
	free(rig.body);
	memset(&rig, 0, sizeof(rig));
	rig.params = (struct bgp_params){
		.local_as = 1, .peer_as = 5, .fam = 3, .as4 = true
	};
	rig.wd = wbuf_of(rig.wd_buf, sizeof(rig.wd_buf));
	rig.attrs = wbuf_of(rig.attr_buf, sizeof(rig.attr_buf));
	rig.nlri = wbuf_of(rig.nlri_buf, sizeof(rig.nlri_buf));
}

static inline void
update_rig_add(uint8_t flags, uint8_t code, const void *val, size_t len)
{
	wire_attr(&rig.attrs, flags, code, val, len);
}

/* ORIGIN, AS_PATH, NEXT_HOP and one prefix. */
static inline void
start_good(void)
{
	update_rig_start();
	update_rig_add(0x40, ATTR_ORIGIN, origin, 1);
	update_rig_add(0x40, ATTR_AS_PATH, path4, sizeof(path4));
	update_rig_add(0x40, ATTR_NEXT_HOP, nh, 4);
	wbuf_bytes(&rig.nlri, net, sizeof(net));
}

static inline enum bgp_severity
decode_body(const uint8_t *body, size_t len)
{
	free(rig.body);
	rig.body = malloc(len + PAD);
	memcpy(rig.body, body, len);
	memset(rig.body + len, 0xee, PAD);
	return bgp_update_decode(
	    &rig.params, rig.body, len, &rig.u, rig.blob, sizeof(rig.blob));
}

static inline enum bgp_severity
update_rig_decode(void)
{
	static uint8_t body[12000];
	struct wbuf w = wbuf_of(body, sizeof(body));

	assert_false(rig.wd.bad || rig.attrs.bad || rig.nlri.bad);
	wbuf_u16(&w, (uint16_t)wbuf_len(&rig.wd));
	wbuf_bytes(&w, rig.wd_buf, wbuf_len(&rig.wd));
	wbuf_u16(&w, (uint16_t)wbuf_len(&rig.attrs));
	wbuf_bytes(&w, rig.attr_buf, wbuf_len(&rig.attrs));
	wbuf_bytes(&w, rig.nlri_buf, wbuf_len(&rig.nlri));
	return decode_body(body, wbuf_len(&w));
}

static inline bool
blob_has(unsigned i, uint8_t code, struct attr_item *it)
{
	uint32_t pos = 0;

	while (attr_item_next(it, rig.u.reach[i].blob, rig.u.reach[i].blob_len, &pos))
		if (it->code == code)
			return true;
	return false;
}

#endif
