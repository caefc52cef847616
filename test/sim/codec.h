/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BGP messages of the simulated members (codec.c): RFC 1997, 4271, 4724, 4760, 6793,
 * 7911, 8092, 8950, 9234, 9494. */
#ifndef TERN_TEST_SIM_CODEC_H
#define TERN_TEST_SIM_CODEC_H

#include "test/sim/member.h"

enum {
	BGP_OPEN = 1,
	BGP_UPDATE = 2,
	BGP_NOTIFICATION = 3,
	BGP_KEEPALIVE = 4,
	BGP_REFRESH = 5
};

#define CODEC_USUAL_MAX 4096 /* octets of a message */
#define CODEC_MAX       65535 /* likewise, RFC 8654 */

/* Numbers of 16 and 32 bits in network byte order. */
static inline uint32_t
codec_get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t
codec_get32(const uint8_t *p)
{
	return codec_get16(p) << 16 | codec_get16(p + 2);
}

static inline uint8_t *
codec_put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
	return p + 2;
}

static inline uint8_t *
codec_put32(uint8_t *p, uint32_t v)
{
	return codec_put16(codec_put16(p, v >> 16), v & 0xffff);
}

/* codec_open - a whole message into @out (4,096 octets). Returns: its length. */
uint32_t codec_open(const struct member *m, uint8_t *out);
/* codec_update - write a message (CODEC_MAX octets, or CODEC_USUAL_MAX without the
 * capability) for the first of *@cnt routes and for the following
 * routes of equal family and attributes, as far as they fit. *@cnt becomes the number of
 * written routes. */
uint32_t codec_update(
    const struct member *m, const struct pending *r, uint32_t *cnt, uint8_t *out);
/* codec_route - write the attributes of an announced route into @out (CODEC_USUAL_MAX),
 * as an UPDATE has the attributes; MP_REACH_NLRI without prefixes. Returns: their
 * length. */
uint32_t codec_route(
    const struct member *m, const struct rib_attrs *a, bool v6, uint8_t *out);
/* codec_is_malformed - has the text of a route an attribute that makes the route a
 * withdrawal (RFC 7606, 2)? */
bool codec_is_malformed(const char *text);
/* codec_wrong_attrs - where @text is no attribute; NULL: all of @text is. */
const char *codec_wrong_attrs(const char *text);
/* codec_take_open, codec_take_update - read the body of a message into @m. Returns:
 * false: malformed. */
bool codec_take_open(struct member *m, const uint8_t *p, uint32_t len);
bool codec_take_update(struct member *m, const uint8_t *p, uint32_t len);
/* codec_attr - the value of an attribute of a received route, or NULL. *@len: its
 * length. */
const uint8_t *codec_attr(const struct rib_attrs *a, uint8_t type, uint32_t *len);
/* codec_has_community - does a received route have the community? */
bool codec_has_community(const struct rib_attrs *a, uint32_t community);
/* codec_with_community - the attributes of a received route, with the community. */
struct rib_attrs *codec_with_community(struct rib_attrs *a, uint32_t community);
/* codec_text - received attributes as text: "path 65001 next hop 10.0.0.11 ...". */
const char *codec_text(struct rib_attrs *a);
uint32_t codec_header(uint8_t *out, uint8_t type, uint32_t len);

#endif
