/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values (filter/value/fvalue.h): their text, equality and order, and how custom
 * attributes keep them. */
#ifndef TERN_FILTER_VALUE_H
#define TERN_FILTER_VALUE_H

#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"

/* fvalue_print - as `eval` and `print` show it: "(path 1 2)". */
void fvalue_print(struct strbuf *b, const struct fvalue *v);
/* fvalue_show - as an attribute is shown by `show route all`: "1 2". */
void fvalue_show(struct strbuf *b, const struct fvalue *v);
/* fvalue_same - same type and same value. */
bool fvalue_same(const struct fvalue *a, const struct fvalue *b);
/* fvalue_cmp - order of two values. @out: < 0, 0, > 0. Returns: false if they can't be
 * compared. */
bool fvalue_cmp(int *out, const struct fvalue *a, const struct fvalue *b);
/* fvalue_octets - the octets by which a custom attribute keeps @v (lib/attr/attr.h):
 * fixed-size values as they are in memory, others what they point to. @len: their number.
 */
const void *fvalue_octets(const struct fvalue *v, uint32_t *len);
/* fvalue_from_octets - the reverse; @p must live as long as @v. */
bool fvalue_from_octets(struct fvalue *v, enum ftype t, const void *p, uint32_t len);

#endif
