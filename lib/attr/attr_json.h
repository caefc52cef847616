/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes as JSON: the names and forms of doc/json.md. */
#ifndef TERN_LIB_ATTR_ATTR_JSON_H
#define TERN_LIB_ATTR_ATTR_JSON_H

#include "lib/attr/attr.h"

struct json;

/* attr_json_wire - members of the object that is open in @j: one an attribute, whole, and
 * a list `other` of those that have no name. */
void attr_json_wire(struct json *j, const struct wire_set *w);

#endif
