/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements of operators that outlive the daemon: the records of the state file. The
 * format is a contract between versions of tern:
 *
 *      tern state 1
 *      KIND "NAME" [KEY="VALUE" ...]
 *      ...
 *      end COUNT
 *
 * F1  The first line names the format and its version. A reader that knows version N
 *     reads no record of a file of a later version, and does not replace the file.
 * F2  A record is a line: a kind, the name of an object, and fields in any order. Kinds
 *     and keys are lower-case letters, digits and '_'. In quotes, \" is a quote, \\ a
 *     backslash, and \n a line end; all other octets stand for themselves.
 * F3  A kind and a name occur once together. A reader keeps records of unknown kinds and
 *     fields with unknown keys, and writes them again: a new kind needs no new version.
 * F4  The last line counts the records. A file without the line is truncated.
 *
 * Kinds:
 *      hold    a protocol stopped by `disable NAME hold`; fields `message` and `since`
 *              (seconds since 1970)
 *      drain   a protocol with `drain`; fields `since`, `until`, `message` and `by`. A
 *              protocol that is drained has a `hold`, too
 *      quarantine
 *              a protocol with the option `quarantine`; fields `since`, `as` (of the
 *              member), `released` and `by`
 *      override
 *              an override, by number; fields `kind` (block, accept, limit, no_export),
 *              `network`, `longer`, `limit`, `as`, `protocol`, `since`, `until`, `reason`
 *              and `by`
 *      counter the name `override`; field `last`: the last used number
 * The name of a protocol made for a member is HOST@ADDRESS or HOST@ADDRESS%INTERFACE,
 * because numbers in names of such protocols differ from run to run.
 *
 * Owner: the object with struct state, which it lives in; freed by: state_fini.
 *
 * Loop: the owner's. */
#ifndef TERN_NEST_DAEMON_STATE_H
#define TERN_NEST_DAEMON_STATE_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

#define STATE_VERSION 1
#define STATE_MAX     (16u << 20) /* octets of a file that is read */

/* A field of a record. Owner: struct state. Freed by: state_fini. */
struct state_field {
	char *key, *value; /* MEM_CONFIG */
};

/* A record. */
struct state_rec {
	char *kind, *name; /* MEM_CONFIG */
	struct state_field *field;
	uint32_t field_cnt, field_cap;
};

/* The records of a file. */
struct state {
	struct state_rec *rec;
	uint32_t cnt, cap;
};

enum state_result {
	STATE_OK,
	STATE_BROKEN, /* the records before the line are there */
	STATE_NEWER, /* no record is there (F1) */
};

void state_init(struct state *s);
void state_fini(struct state *s);
/* state_find - valid until a record is added or dropped; NULL: no such record. */
struct state_rec *state_find(const struct state *s, const char *kind, const char *name);
/* state_add - find or make the record; valid until a record is added or dropped. */
struct state_rec *state_add(struct state *s, const char *kind, const char *name);
/* state_drop - Returns: true: the record existed. */
bool state_drop(struct state *s, const char *kind, const char *name);
/* state_get - value of a field; NULL: no such field. state_set - @value NULL: remove the
 * field. */
const char *state_get(const struct state_rec *r, const char *key);
void state_set(struct state_rec *r, const char *key, const char *value);
/* state_print - the text of a file, appended to @out. */
void state_print(const struct state *s, struct strbuf *out);
/* state_parse - the records of @text (@len octets) into @s, which is empty.
 * Returns: STATE_OK; else the number of the line is in *@line and a text in *@why
 * (constant). */
enum state_result state_parse(
    struct state *s, uint32_t *line, const char **why, const char *text, size_t len);

#endif
