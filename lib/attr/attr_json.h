/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path attributes as JSON: the names and forms of doc/json.md. Pure functions; any
 * thread. */
#ifndef TERN_LIB_ATTR_ATTR_JSON_H
#define TERN_LIB_ATTR_ATTR_JSON_H

#include "lib/attr/attr.h"

struct json;

/* attr_json_wire - write each attribute of @w as a member of the object that is open in
 * @j, and the attributes without a name as the list `other`. */
void attr_json_wire(struct json *j, const struct wire_set *w);

#endif
