/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components of flow specifications in wire form (RFC 8955, 4.2; RFC 8956, 3): encoded
 * from the text of a configuration, and printed as text. Pure functions; any thread. */
#ifndef TERN_FILTER_RUN_FLOW_H
#define TERN_FILTER_RUN_FLOW_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"
#include "lib/net/prefix.h"

enum flow_type {
	FLOW_DST = 1,
	FLOW_SRC,
	FLOW_PROTO,
	FLOW_PORT,
	FLOW_DPORT,
	FLOW_SPORT,
	FLOW_ICMP_TYPE,
	FLOW_ICMP_CODE,
	FLOW_TCP_FLAGS,
	FLOW_LENGTH,
	FLOW_DSCP,
	FLOW_FRAGMENT,
	FLOW_LABEL,
	FLOW_TYPES
};

/* Bits of an operator. */
#define FLOW_OP_END   0x80 /* the last operator of its component */
#define FLOW_OP_AND   0x40 /* joined to the previous operator by "and", not "or" */
#define FLOW_OP_LEN   0x30 /* octets of the value: 1, 2 or 4 */
#define FLOW_OP_LT    0x04
#define FLOW_OP_GT    0x02
#define FLOW_OP_EQ    0x01
#define FLOW_OP_NOT   0x02 /* of bit masks */
#define FLOW_OP_MATCH 0x01 /* all bits, not any */

/* flow_put_prefix - the octets of FLOW_DST or FLOW_SRC. @offset: of IPv6, bits that don't
 * matter. */
void flow_put_prefix(
    struct strbuf *b, enum flow_type t, const struct prefix *p, unsigned offset);
/* flow_put_op - an operator and its value; END and LEN of @op are filled in. @last: where
 * the last operator of the component was put; kept here, 0 before the first. */
void flow_put_op(struct strbuf *b, size_t *last, uint8_t op, uint32_t value);
/* flow_print - "dst 10.0.0.0/8; proto 6; " */
void flow_print(struct strbuf *b, const uint8_t *p, uint32_t len, bool v6);
/* flow_fragment_bit - by the names of the bits of FLOW_FRAGMENT. Returns: the bit, or
 * 0. */
unsigned flow_fragment_bit(const char *name);

#endif
