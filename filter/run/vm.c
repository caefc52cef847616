/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running filters: the loop over instructions, and the functions for the core. The loop
 * that owns the struct filter_thread calls.
 *
 * The machine has a stack of values; a function's variables lie at the bottom of the
 * function's part of the stack, arguments first. Each instruction is a function
 * (filter/run/vm_op.c). A run ends by accept or reject, by the end of the outermost code,
 * by a value, or by an error, which is a reject with a line in the log.
 *
 * I1  Room for a function's variables and operands is checked at the call, and for the
 *     outermost code at compile time, so instructions need no check.
 * I2  Each instruction is a step; instructions on octets are charged more steps
 *     (vm_charge). The bound on steps therefore bounds the time and the memory of a run.
 *
 * Tried and dropped: one large switch; not faster here, and one function of 400 lines. */
#include "filter/run/vm_op.h"

#include "filter/filter.h"
#include "filter/run/code.h"
#include "filter/run/fault.h"
#include "filter/run/frun.h"
#include "filter/run/vm.h"
#include "filter/value/type.h"
#include "lib/base/hash.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "sysdep/os/clock.h"

#define VM_ARENA_CHUNK 4096

struct filter_thread *
filter_thread_new(const struct iface_source *ifaces)
{
	struct filter_thread *t = mem_alloc(MEM_LOOP, sizeof(*t));

	/* the stack is left as it is: pages are touched when they are used */
	arena_init(&t->arena, MEM_LOOP, VM_ARENA_CHUNK);
	strbuf_init(&t->text);
	strbuf_init(&t->said);
	memset(t->back, 0, sizeof(t->back));
	t->run = t->steps = t->depth = 0;
	t->all_steps = 0;
	t->ifaces = ifaces;
	return t;
}

void
filter_thread_free(struct filter_thread *t)
{
	if (!t)
		return;
	arena_fini(&t->arena);
	strbuf_fini(&t->text);
	strbuf_fini(&t->said);
	mem_free(MEM_LOOP, t);
}

void
vm_run(struct frun *r, const struct fcode *code)
{
	const struct finsn *pc = code->insn, *last = pc;
	struct filter_thread *t = r->t;
	uint16_t i;

	r->base = t->stack;
	r->code = code;
	for (i = 0; i < code->slots; i++)
		t->stack[i].type = T_VOID;
	r->sp = t->stack + code->slots;
	while (pc) {
		last = pc;
		if (unlikely(++r->steps > code->steps_max)) {
			vm_fail(r, "the filter takes too many steps");
			break;
		}
		pc = vm_ops[pc->op](r, pc);
	}
	t->frame[0].code = r->code;
	t->frame[0].pc = last;
	t->steps = r->steps;
	t->depth = r->depth;
}

/* vm_place_of - a number of an instruction, which the text of the configuration
 * decides. */
static uint64_t
vm_place_of(const struct fcode *c, size_t insn)
{
	const char *file = fcode_file(c, (uint32_t)insn);
	uint64_t h = hash_bytes(c->hash[0] + c->line[insn], file, strlen(file));

	return hash_u64(h, insn) | 1; /* 0 is none */
}

static void
vm_log_error(struct frun *r, const struct filter *f)
{
	const struct vm_frame *at = &r->t->frame[0];
	const struct fcode *c = at->code;
	char net[PREFIX_STR_MAX] = "-";
	struct strbuf *b = &r->t->text;
	uint64_t now;
	uint32_t quiet;

	if (!r->env || !r->env->log)
		return;
	now = r->env->now_ns ? r->env->now_ns(r->env->ctx) : clock_coarse_ns();
	if (!fault_gate_pass(
		f->gate, now, vm_place_of(c, (size_t)(at->pc - c->insn)), &quiet))
		return;
	if (r->view)
		prefix_str(net, &r->view->net);
	strbuf_reset(b);
	strbuf_addf(b, "filter %s: %s at %s:%u, route %s", f->name, r->error,
	    fcode_file(c, (uint32_t)(at->pc - c->insn)), c->line[at->pc - c->insn], net);
	if (quiet)
		strbuf_addf(b, " (%u earlier errors were not logged)", quiet);
	(r->env->error ? r->env->error : r->env->log)(r->env->ctx, b->s);
}

enum filter_verdict
filter_run(const struct filter *f, struct filter_thread *t, const struct filter_env *env,
    const struct route_view *view, struct attr_edit *e, uint32_t *reads)
{
	struct frun r;

	*reads = 0;
	if (f->known.fixed)
		return (enum filter_verdict)(f->known.fixed - 1);
	r = (struct frun){ .t = t, .env = env, .view = view, .edit = e, .tracks = true };
	if (arena_used(&t->arena))
		arena_reset(&t->arena);
	strbuf_reset(&t->text);
	strbuf_reset(&t->said);
	t->failed = false;
	t->run++;
	vm_run(&r, &f->code);
	t->all_steps += r.steps;
	*reads = r.reads;
	if (unlikely(r.state == VM_ERROR)) {
		t->failed = true;
		vm_say(&t->said, r.error);
		vm_log_error(&r, f);
		*reads |= FILTER_READ_VOLATILE;
		return FILTER_REJECT;
	}
	return r.state == VM_ACCEPT ? FILTER_ACCEPT : FILTER_REJECT;
}

uint64_t
filter_steps(const struct filter_thread *t)
{
	return t->all_steps;
}

/* vm_leads_to - does the value of @b, by itself, lead the run from where it went on to
 * the instruction @end of step @step? What else is looked at on the way would show in
 * the number of steps. */
static bool
vm_leads_to(const struct vm_return *b, const struct fcode *code, const struct finsn *end,
    uint32_t step)
{
	const struct finsn *pc = b->to;
	bool v = b->yes;
	uint32_t n = b->step + 1;

	for (; pc != end && n < step; n++)
		switch (pc->op) {
		case FI_NOT:
			v = !v;
			pc++;
			break;
		case FI_BOOL:
		case FI_TYPE:
			pc++;
			break;
		case FI_JUMP:
			pc = code->insn + pc->arg;
			break;
		case FI_JUMP_FALSE:
			pc = v ? pc + 1 : code->insn + pc->arg;
			break;
		case FI_AND:
		case FI_OR:
			if (v != (pc->op == FI_OR))
				return false; /* the other operand decides */
			pc = code->insn + pc->arg;
			break;
		default:
			return false;
		}
	return pc == end && n == step;
}

/* vm_chooses - true: the value of @b chose the way from the call to the reject @end of
 * @code, whatever else was done on the way (print, assignments) without a choice. */
static bool
vm_chooses(const struct vm_return *b, const struct fcode *code, const struct finsn *end)
{
	const struct finsn *pc = b->to, *last = code->insn + code->insn_cnt;
	bool v = b->yes, open = true; /* open: the value has chosen no way yet */

	if (pc < code->insn || pc >= last)
		return false;
	for (uint32_t n = 0; pc < last && n < code->insn_cnt; n++) {
		if (pc == end)
			return !open;
		switch (pc->op) {
		case FI_JUMP:
			pc = code->insn + pc->arg;
			continue;
		case FI_AND:
		case FI_OR:
			if (!open || v != (pc->op == FI_OR))
				return false;
			pc = code->insn + pc->arg;
			continue;
		case FI_JUMP_FALSE:
			if (!open)
				return false;
			open = false;
			if (!v) {
				pc = code->insn + pc->arg;
				continue;
			}
			break;
		case FI_NOT:
			v = open ? !v : v;
			break;
		case FI_BOOL:
		case FI_TYPE:
			break;
		case FI_CALL:
		case FI_FOR_START:
		case FI_FOR_NEXT:
			return false;
		default:
			if (open)
				return false;
		}
		pc++;
	}
	return false;
}

/* vm_deeper - the return at depth @d that passed its value on to the return @b; NULL:
 * none. */
static const struct vm_return *
vm_deeper(const struct filter_thread *t, const struct vm_return *b, unsigned d)
{
	const struct vm_return *deep = &t->back[d];

	if (deep->run != t->run || deep->step >= b->step || !deep->is_bool ||
	    deep->to < b->code->insn || deep->to >= b->code->insn + b->code->insn_cnt ||
	    b->pc->op != FI_RETURN || !vm_leads_to(deep, b->code, b->pc, b->step))
		return NULL;
	return deep;
}

/* vm_decided - the return whose value has decided the run of a `where`, as deep as the
 * value was passed on; NULL: it was none. */
static const struct vm_return *
vm_decided(const struct filter_thread *t)
{
	const struct vm_return *b = &t->back[1], *deep;
	const struct vm_frame *at = &t->frame[0];

	if (b->run != t->run || !b->is_bool || at->pc->op != FI_REJECT ||
	    !vm_leads_to(b, at->code, at->pc, t->steps))
		return NULL;
	for (unsigned d = 2; d < VM_BACK_MAX && (deep = vm_deeper(t, b, d)); d++)
		b = deep;
	return b;
}

struct filter_decided
filter_decided_by(const struct filter_thread *t, const struct filter *f)
{
	const struct vm_frame *at = &t->frame[0];
	const struct vm_return *b, *deep;
	unsigned d = t->depth + 1;

	if (f->known.fixed || f->where || d >= VM_BACK_MAX || at->pc->op != FI_REJECT)
		return (struct filter_decided){ .function = NULL };
	b = &t->back[d];
	if (b->run != t->run || !b->is_bool || !vm_chooses(b, at->code, at->pc))
		return (struct filter_decided){ .function = NULL };
	while (++d < VM_BACK_MAX && (deep = vm_deeper(t, b, d)))
		b = deep;
	return (struct filter_decided){ .function = b->code->name,
		.file = fcode_file(b->code, (uint32_t)(b->pc - b->code->insn)),
		.line = b->code->line[b->pc - b->code->insn],
		.returned = b->yes };
}

bool
filter_where(const struct filter_thread *t, const struct filter *f, const char **file,
    uint32_t *line)
{
	const struct vm_frame *at = &t->frame[0];
	const struct vm_return *b = f->where ? vm_decided(t) : NULL;
	const struct fcode *code = b ? b->code : at->code;
	const struct finsn *pc = b ? b->pc : at->pc;

	if (f->known.fixed)
		return false;
	*file = fcode_file(code, (uint32_t)(pc - code->insn));
	*line = code->line[pc - code->insn];
	return true;
}

const char *
filter_said(const struct filter_thread *t)
{
	return t->said.len ? t->said.s : "";
}

bool
filter_failed(const struct filter_thread *t)
{
	return t->failed;
}

uint32_t
filter_may_read(const struct filter *f)
{
	return f->code.reads;
}

bool
filter_may_write(const struct filter *f)
{
	return f->code.writes;
}

bool
filter_same(const struct filter *a, const struct filter *b)
{
	if (a == b)
		return true;
	if (a->known.fixed || b->known.fixed)
		return a->known.fixed == b->known.fixed;
	return fcode_same(&a->code, &b->code);
}

const char *
filter_name(const struct filter *f)
{
	return f->name;
}

const struct filter filter_accept_all = { .name = "ACCEPT",
	.known.fixed = 1 + FILTER_ACCEPT };
const struct filter filter_reject_all = { .name = "REJECT",
	.known.fixed = 1 + FILTER_REJECT };
