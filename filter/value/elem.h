/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that may be elements of a set: numbers, addresses, pairs, communities ... Pure
 * functions; any thread. */
#ifndef TERN_FILTER_VALUE_ELEM_H
#define TERN_FILTER_VALUE_ELEM_H

#include "filter/value/fvalue.h"
#include "lib/base/strbuf.h"

/* elem_print - as `eval` and `print` show it. @v: of a type that isn't a string, a
 * network, a list, a set, a mask or a table. */
void elem_print(struct strbuf *b, const struct fvalue *v);

#endif
