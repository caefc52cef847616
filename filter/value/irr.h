/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of origin_check, the check of a route against a set of prefixes with
 * origins. Types only; any thread. */
#ifndef TERN_FILTER_VALUE_IRR_H
#define TERN_FILTER_VALUE_IRR_H

/* How far the route and the entries of the set agree. */
enum irr_state {
	IRR_PREFIX, /* no entry has the prefix or a prefix that contains it */
	IRR_VALID, /* an entry has prefix, length and origin */
	IRR_LENGTH, /* entries contain the prefix, but none allows the length */
	IRR_ORIGIN, /* entries have prefix and length, but another origin */
};

#endif
