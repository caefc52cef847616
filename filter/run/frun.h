/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of one run, for instructions and builtins. Owner: the loop that runs the filter.
 * Life: struct filter_thread until filter_thread_free, the other structs during one
 * run. */
#ifndef TERN_FILTER_RUN_FRUN_H
#define TERN_FILTER_RUN_FRUN_H

#include "filter/value/fvalue.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"

struct attr_edit;
struct fcode;
struct filter_env;
struct finsn;
struct iface_source;
struct route_view;

/* Bounds of a run. A run that exceeds a bound fails, which rejects the route. */
#define VM_STACK_MAX 1024 /* values */
#define VM_DEPTH_MAX 128 /* calls within calls */
#define VM_BACK_MAX  8 /* depths with remembered returns */
#define VM_TEXT_MAX  1000 /* octets of a printed line */
#define VM_LIST_MAX  65535 /* octets of a path or list */

/* A call under way. Owner: struct filter_thread, in its stack of frames: freed with
 * struct filter_thread. */
struct vm_frame {
	const struct fcode *code;
	const struct finsn *pc;
	struct fvalue *base;
};

/* The last return from a depth: the code, the instruction, the value, and the place of
 * the continuation. */
struct vm_return {
	const struct fcode *code;
	const struct finsn *pc, *to;
	uint32_t run, step; /* number of the run; its step at the return */
	bool is_bool, yes;
};

/* The memory that runs of one loop share. Owner: the loop. Freed by:
 * filter_thread_free. */
struct filter_thread {
	struct arena arena; /* values of the run; reset by the next */
	struct strbuf text; /* the line under construction */
	struct fvalue stack[VM_STACK_MAX];
	struct vm_frame frame[VM_DEPTH_MAX];
	struct vm_return back[VM_BACK_MAX]; /* [depth]; may be of earlier runs */
	uint32_t run, steps; /* number of the last run; its steps */
	uint64_t all_steps; /* of all runs */
	uint32_t depth; /* at the end of the last run */
	struct strbuf said; /* lines of the last run: filter_said */
	bool failed; /* an error ended the last run: filter_failed */
	const struct iface_source *ifaces; /* for attributes about the way of packets */
};

enum vm_state { VM_RUNNING, VM_ACCEPT, VM_REJECT, VM_VALUE, VM_ERROR };

/* A run. Owner: the caller, on the stack: nothing to free. */
struct frun {
	struct fvalue *sp; /* beyond the top */
	struct fvalue *base; /* variables of the function at hand */
	const struct fcode *code;
	struct filter_thread *t;
	const struct filter_env *env; /* NULL: no callbacks */
	const struct route_view *view; /* NULL: no route */
	struct attr_edit *edit; /* NULL with view */
	uint32_t reads;
	uint32_t steps;
	uint32_t depth;
	uint8_t state; /* enum vm_state */
	bool pref_unset; /* the preference is undefined; the route has 0 */
	bool tracks; /* remember returns, for filter_where and filter_decided_by */
	const char *error;
};

/* vm_fail - end the run with an error. Returns: false. */
static inline bool
vm_fail(struct frun *r, const char *error)
{
	r->error = error;
	r->state = VM_ERROR;
	return false;
}

/* vm_say - add the printed @line to the text of filter_said, within the bound. */
static inline void
vm_say(struct strbuf *said, const char *line)
{
	if (said->len >= VM_TEXT_MAX)
		return;
	if (said->len)
		strbuf_adds(said, "; ");
	strbuf_add(said, line, strnlen(line, VM_TEXT_MAX));
}

/* vm_charge - count further steps for @len octets that an instruction reads or writes: so
 * the bound on steps also bounds time and memory. */
static inline void
vm_charge(struct frun *r, uint64_t len)
{
	uint64_t steps = r->steps + len / 16;

	r->steps = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX - 1;
}

/* vm_charge_lookups, vm_charge_text - the same for @cnt searches in a set, and for @len
 * octets of a text that was made from numbers: both take longer than a copy. */
static inline void
vm_charge_lookups(struct frun *r, uint64_t cnt)
{
	vm_charge(r, cnt * 16);
}

static inline void
vm_charge_text(struct frun *r, uint64_t len)
{
	vm_charge(r, len * 8);
}

#endif
