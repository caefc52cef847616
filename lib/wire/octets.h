/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of a few octets. Most values of path attributes have 1 to 30 octets; a call of
 * memcpy takes longer than the copy. Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_OCTETS_H
#define TERN_LIB_WIRE_OCTETS_H

#include "lib/base/base.h"

#define OCTETS_PAD 16 /* that octets_copy_padded reads or writes too much */

static inline void
octets_move16(uint8_t *to, const uint8_t *from)
{
	memcpy(to, from, 16);
}

/* octets_copy_padded - copy @len octets in steps of 16. OCTETS_PAD octets behind @from +
 * @len must be readable, and the octets behind @to + @len are overwritten. */
static inline void
octets_copy_padded(uint8_t *to, const uint8_t *from, size_t len)
{
	octets_move16(to, from);
	for (size_t i = 16; i < len; i += 16)
		octets_move16(to + i, from + i);
}

/* octets_copy - copy exactly @len octets; a short value needs two moves, which may
 * overlap. */
static inline void
octets_copy(uint8_t *to, const uint8_t *from, size_t len)
{
	if (len >= 16) {
		for (size_t i = 0; i + 16 < len; i += 16)
			octets_move16(to + i, from + i);
		octets_move16(to + len - 16, from + len - 16);
	} else if (len >= 8) {
		uint64_t first, last;

		memcpy(&first, from, 8);
		memcpy(&last, from + len - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + len - 8, &last, 8);
	} else if (len >= 4) {
		uint32_t first, last;

		memcpy(&first, from, 4);
		memcpy(&last, from + len - 4, 4);
		memcpy(to, &first, 4);
		memcpy(to + len - 4, &last, 4);
	} else if (len) {
		to[0] = from[0];
		to[len / 2] = from[len / 2];
		to[len - 1] = from[len - 1];
	}
}

#endif
