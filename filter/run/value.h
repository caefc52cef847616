/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values (filter/value/fvalue.h): text, equality and order, and the octets in custom
 * attributes. Pure functions; any thread. */
#ifndef TERN_FILTER_RUN_VALUE_H
#define TERN_FILTER_RUN_VALUE_H

#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"

/* fvalue_print - as `eval` and `print` show it: "(path 1 2)". */
void fvalue_print(struct strbuf *b, const struct fvalue *v);
/* fvalue_format - the text of format(), as of BIRD 3.3.2: enumerations by number, sets of
 * prefixes by nodes, all other values as fvalue_print prints. */
void fvalue_format(struct strbuf *b, const struct fvalue *v);
/* fvalue_show - as an attribute is shown by `show route all`: "1 2". */
void fvalue_show(struct strbuf *b, const struct fvalue *v);
/* fvalue_same - true if type and value are equal. */
bool fvalue_same(const struct fvalue *a, const struct fvalue *b);
/* fvalue_cmp - compare two values. @out: < 0, 0, > 0. Returns: false: no order exists. */
bool fvalue_cmp(int *out, const struct fvalue *a, const struct fvalue *b);
/* fvalue_octets - the octets of @v in a custom attribute (lib/attr/attr.h): the memory of
 * a fixed-size value, else the octets behind the pointer. @len: their number. */
const void *fvalue_octets(const struct fvalue *v, uint32_t *len);
/* fvalue_from_octets - the reverse; @p must live as long as @v. */
bool fvalue_from_octets(struct fvalue *v, enum ftype t, const void *p, uint32_t len);

#endif
