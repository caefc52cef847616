/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state file in the control plane: statements of operators survive a restart of the
 * daemon (nest/daemon/state.h has the format).
 *
 * I1  The file is read before the first instance is made. No content of the file stops
 *     the daemon: a file that is broken or of a later version is logged and stays a
 *     finding of `show health` until a file is written.
 * I2  The file is written before the answer to a command that changes a record. The
 *     answer reports a failed write; the record counts for this run all the same.
 * I3  A broken file is moved to FILE.bad before FILE is written. A file of a later
 *     version stays (F1).
 * I4  The control worker waits for the disk. Sessions and tables do not wait for the
 *     control worker.
 *
 * Loop: the control worker's; before the first commit main's.
 * Tests: test/net/test_hold.py. */
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/core/control.h"
#include "nest/daemon/state.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/file.h"
#include "sysdep/os/file_replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HOLD       "hold"
#define DRAIN      "drain"
#define QUARANTINE "quarantine"

/* state_fault - log the fault @why (TAKE) of the file and keep its text. */
static void
state_fault(struct control *c, TAKE char *why)
{
	log_msg(LOG_C_ERR, "%s", why);
	mem_free(MEM_CONFIG, c->saved.bad);
	c->saved.bad = mem_strdup(MEM_CONFIG, why);
	mem_free(MEM_OTHER, why);
}

static OWNED char *
control_state_text(const char *path, uint32_t line, const char *why, const char *fate)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "State file %s", path);
	if (line)
		strbuf_addf(&b, ":%u", line);
	strbuf_addf(&b, ": %s%s", why, fate);
	return strbuf_take(&b);
}

void
control_state_load(struct control *c)
{
	struct strbuf b;
	enum state_result rc;
	const char *why;
	uint32_t line;
	int err;

	if (!c->saved.path)
		return;
	strbuf_init(&b);
	err = file_read(&b, c->saved.path, STATE_MAX);
	if (err && err != -ENOENT) {
		c->saved.broken = true;
		state_fault(c, control_state_text(c->saved.path, 0, strerror(-err),
				   "; the file is not read"));
	} else if (!err) {
		rc = state_parse(&c->saved.state, &line, &why, b.s, b.len);
		c->saved.broken = rc == STATE_BROKEN;
		c->saved.newer = rc == STATE_NEWER;
		if (rc == STATE_BROKEN)
			state_fault(c, control_state_text(c->saved.path, line, why,
					   line == 1 ? "; no record counts"
						     : "; the records before this "
						       "line count"));
		if (rc == STATE_NEWER)
			state_fault(c,
			    control_state_text(c->saved.path, line, why,
				"; ternd uses no record and leaves the file unchanged"));
	}
	strbuf_fini(&b);
}

void
control_state_fini(struct control *c)
{
	state_fini(&c->saved.state);
	mem_free(MEM_CONFIG, c->saved.bad);
}

/* control_state_key_of - name of the records of @in. */
static void
control_state_key_of(const struct instance *in, struct strbuf *b)
{
	char ip[IP_STR_MAX];

	if (!in->host)
		strbuf_adds(b, in->name);
	else
		strbuf_addf(b, "%s@%s%s%s", in->host->name, ip_str(ip, in->member.addr),
		    in->member.iface ? "%" : "",
		    in->member.iface ? in->member.iface : "");
}

/* control_state_time - the number of the field @key; 0: none. */
static uint32_t
control_state_time(const struct state_rec *r, const char *key)
{
	const char *text = state_get(r, key);

	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static OWNED char *
control_state_copy(const struct state_rec *r, const char *key)
{
	const char *text = state_get(r, key);

	return text ? mem_strdup(MEM_CONFIG, text) : NULL;
}

static void
control_state_take_quarantine(struct instance *in, const struct state_rec *r)
{
	if (r)
		in->quarantine = (struct instance_quarantine){
			.since_s = control_state_time(r, "since"),
			.released_s = control_state_time(r, "released"),
			.as = control_state_time(r, "as"),
			.by = control_state_copy(r, "by")
		};
}

/* control_state_take_drain - a drain without times ends at once. */
static void
control_state_take_drain(
    struct control *c, struct instance *in, const struct state_rec *r)
{
	uint32_t since = control_state_time(r, "since");

	in->drain = (struct instance_drain){ .since_s = since ? since : 1,
		.until_s = control_state_time(r, "until"),
		.done = in->held,
		.message = control_state_copy(r, "message"),
		.by = control_state_copy(r, "by") };
	if (in->drain.done)
		return;
	drain_watch(c);
	log_msg(LOG_C_INFO, "Draining protocol %s", in->name);
}

void
control_state_take(struct control *c, struct instance *in)
{
	const struct state_rec *r, *drain;
	const char *message;
	struct strbuf b;

	strbuf_init(&b);
	control_state_key_of(in, &b);
	r = state_find(&c->saved.state, HOLD, b.s);
	drain = state_find(&c->saved.state, DRAIN, b.s);
	control_state_take_quarantine(in, state_find(&c->saved.state, QUARANTINE, b.s));
	strbuf_fini(&b);
	if (!r) {
		if (drain)
			control_state_take_drain(c, in, drain);
		return;
	}
	message = state_get(r, "message");
	in->held = control_state_time(r, "since");
	if (!in->held)
		in->held = 1;
	if (drain)
		control_state_take_drain(c, in, drain);
	in->down = true;
	mem_free(MEM_CONFIG, in->message);
	in->message = message ? mem_strdup(MEM_CONFIG, message) : NULL;
	log_msg(LOG_C_INFO, "Protocol %s stays disabled: the protocol is held", in->name);
}

/* control_state_put - set the field @key, and note that the file lacks the value. */
static void
control_state_put(
    struct control *c, struct state_rec *r, const char *key, const char *value)
{
	const char *old = state_get(r, key);

	if (old && value && !strcmp(old, value))
		return;
	c->saved.dirty |= old || value;
	state_set(r, key, value);
}

static void
control_state_note_drain(struct control *c, const struct instance *in, const char *key)
{
	const struct instance_drain *d = &in->drain;
	struct state_rec *r;
	char number[16];

	if (!d->since_s) {
		c->saved.dirty |= state_drop(&c->saved.state, DRAIN, key);
		return;
	}
	r = state_add(&c->saved.state, DRAIN, key);
	snprintf(number, sizeof(number), "%u", d->since_s);
	control_state_put(c, r, "since", number);
	snprintf(number, sizeof(number), "%u", d->until_s);
	control_state_put(c, r, "until", number);
	control_state_put(c, r, "message", d->message);
	control_state_put(c, r, "by", d->by);
}

/* control_state_put_number - the number @v of the field @key; 0: no field. */
static void
control_state_put_number(
    struct control *c, struct state_rec *r, const char *key, uint32_t v)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", v);
	control_state_put(c, r, key, v ? number : NULL);
}

static void
control_state_note_quarantine(
    struct control *c, const struct instance *in, const char *key)
{
	const struct instance_quarantine *q = &in->quarantine;
	struct state_rec *r;

	if (!q->since_s) {
		c->saved.dirty |= state_drop(&c->saved.state, QUARANTINE, key);
		return;
	}
	r = state_add(&c->saved.state, QUARANTINE, key);
	control_state_put_number(c, r, "since", q->since_s);
	control_state_put_number(c, r, "released", q->released_s);
	control_state_put_number(c, r, "as", q->as);
	control_state_put(c, r, "by", q->by);
}

void
control_state_note(struct control *c, const struct instance *in)
{
	const struct state_rec *old;
	struct state_rec *r;
	const char *message;
	struct strbuf b;
	char since[16];

	strbuf_init(&b);
	control_state_key_of(in, &b);
	old = state_find(&c->saved.state, HOLD, b.s);
	message = old ? state_get(old, "message") : NULL;
	if (!in->held) {
		c->saved.dirty |= state_drop(&c->saved.state, HOLD, b.s);
	} else if (!old || !message != !in->message ||
		   (message && strcmp(message, in->message) != 0)) {
		r = state_add(&c->saved.state, HOLD, b.s);
		snprintf(since, sizeof(since), "%u", in->held);
		state_set(r, "since", since);
		state_set(r, "message", in->message);
		c->saved.dirty = true;
	}
	control_state_note_drain(c, in, b.s);
	control_state_note_quarantine(c, in, b.s);
	strbuf_fini(&b);
}

/* state_write - Returns: NULL, or (MEM_OTHER) why the file did not change. */
static OWNED char *
state_write(struct control *c)
{
	struct strbuf b;
	int rc = 0;

	if (c->saved.newer)
		return control_state_text(c->saved.path, 1,
		    "the file is of a later version of tern",
		    "; the file is not replaced");
	strbuf_init(&b);
	if (c->saved.broken) { /* I3 */
		strbuf_addf(&b, "%s.bad", c->saved.path);
		rc = file_rename(c->saved.path, b.s);
		if (rc == -ENOENT)
			rc = 0;
		strbuf_reset(&b);
	}
	state_print(&c->saved.state, &b);
	if (!rc)
		rc = file_replace(c->saved.path, b.s, b.len);
	strbuf_fini(&b);
	return rc ? control_state_text(c->saved.path, 0, strerror(-rc),
			"; a hold, drain or override of now ends when the daemon "
			"restarts")
		  : NULL;
}

void
control_state_save(struct control *c, struct control_req *r)
{
	char *why;

	if (!c->saved.dirty || !c->saved.path)
		return;
	why = state_write(c);
	if (why) {
		if (r)
			control_answer(r, CLI_READING, "Warning: %s", why);
		state_fault(c, why);
	} else {
		c->saved.dirty = c->saved.broken = false;
		mem_free(MEM_CONFIG, c->saved.bad);
		c->saved.bad = NULL;
	}
	publish_view(c);
}
