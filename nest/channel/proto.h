/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocol classes and instances.
 *
 * An instance (struct proto) is made by the control worker and from then on owned by its
 * own worker (proto->worker). The control worker tells it what to do by struct proto_cmd
 * messages; it answers by publishing its status and, at its end, by proto_gone. What
 * `show protocols` prints is read under RCU from what the instance has published; no
 * command waits for an instance.
 *
 *      control  cls->make -> proto_launch -> PROTO_START, STOP, RESTART, RELOAD_*,
 *               RECONF, DELETE
 *      worker   for each of them cls->command(p, cmd), then proto_publish; after
 *               DELETE: channels gone, then proto_gone(p) */
#ifndef TERN_NEST_PROTO_H
#define TERN_NEST_PROTO_H

#include "lib/base/json.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/source.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

struct tern;
struct channel;
struct iface_list;
struct proto;

enum proto_state { PS_DOWN, PS_START, PS_UP, PS_STOP };

enum proto_cmd_kind {
	PROTO_START, /* enabled: bring it up */
	PROTO_STOP, /* disable: bring it down, keep it */
	PROTO_RESTART, /* down and up again */
	PROTO_RELOAD_IN, /* pass imported routes through the policy again */
	PROTO_RELOAD_OUT, /* the same for exported ones */
	PROTO_RELOAD, /* both */
	PROTO_FLUSH_STALE, /* routes that are stale go now */
	/* cmd->conf is the new configuration; cmd->change says what differs. An instance
	 * that is disabled, by whomever, starts if proto_revives says so */
	PROTO_RECONF,
	PROTO_DELETE, /* bring it down and let it go: proto_gone when done */
	PROTO_GUEST, /* cmd->fd: a connection of its peer; taken, cmd->fd is -1 */
};

/* Why it is told so; decides the Cease subcode (RFC 4486) and the info text. */
enum proto_reason {
	PR_NONE,
	PR_CMD_DISABLE,
	PR_CMD_RESTART,
	PR_CMD_SHUTDOWN, /* the daemon ends */
	/* PROTO_STOP: the same, and comes back: peers are told nothing, and what they
	 * brought stays until PROTO_DELETE */
	PR_CMD_GRACEFUL,
	PR_CONF_DISABLE,
	PR_CONF_CHANGE, /* changed so that it must restart */
	PR_CONF_REMOVED,
	PR_LIMIT_RESTART, /* a route limit with action restart */
	PR_LIMIT_DISABLE,
	PR_CMD_REFRESH, /* PROTO_RELOAD_*: ask the peer, also where routes are kept */
	PR_SLOW, /* holds too many dead net ids, or doesn't take what we send */
};

/* Who waits until an instance has done what it was told. owner: who asks; while it is on
 * its way, the instance, and then marks behind the instance's records. */
struct proto_ack {
	struct worker *to; /* the asker's */
	/* taken - in the asker's worker: commands are carried out, and what routes come
	 * of it without others (a peer, a validator) is in the tables, or gone from
	 * them. */
	void (*taken)(TAKE struct proto_ack *a);
	uint32_t left; /* marks on their way */
	struct proto_ack *next; /* of those that wait for the instance */
};

/* A message from the control worker. */
struct proto_cmd {
	struct msg msg;
	struct proto_cmd *next; /* of those that wait */
	struct proto *proto;
	enum proto_cmd_kind kind;
	enum proto_reason reason;
	uint32_t change; /* RECONF: CONF_CH_* */
	bool soft; /* RECONF: don't pass routes through changed filters */
	bool hold; /* RECONF: one that is disabled stays so */
	struct config_ref *conf; /* RECONF: a reference, which the instance takes over */
	const struct conf_proto *cf;
	struct net_pick *pick; /* RELOAD_*: of these networks; NULL: of all */
	/* of the operator, for the Cease (RFC 9003); NULL: none. MEM_PROTO */
	char *message;
	int fd; /* GUEST; else -1. What isn't taken is turned away */
	struct ip_addr local; /* its local address */
	/* NULL, or it is no command: who waits for those before it, see proto_ask */
	struct proto_ack *ack;
};

/* A connection of a peer for which there may be no instance yet: @host is there for
 * several (nest/conf/conf_member.h). The control worker makes one, or finds it. */
struct proto_guest {
	struct msg msg;
	/* While it is posted, the host's class holds it: its end comes behind in the
	 * control worker's inbox. */
	struct proto *host;
	struct ip_addr addr;
	char *iface; /* MEM_PROTO; NULL: of no importance */
	struct ip_addr local;
	int fd;
};

#define PROTO_GUESTS_MAX 1024 /* on their way to the control worker, of one host */

/* What an instance publishes about itself. owner: nobody, immutable; freed a grace period
 * after it was replaced. */
struct proto_status {
	struct rcu_node rcu;
	enum proto_state state;
	uint64_t since_ns; /* monotonic; of the last change of state */
	bool disabled; /* by the operator or a limit: stays down until enabled */
	bool by_limit; /* a limit has disabled it */
	/* its routes can't be had again: at all; from the peer */
	bool cant_reload, cant_refresh;
	char info[128]; /* last column of `show protocols`; keeps its trailing blanks */
	/* `Message:`; as long as a shutdown communication (RFC 9003) */
	char message[256];
};

/* Where the cause lies that a session is not up. */
enum member_cause {
	MEMBER_FINE,
	MEMBER_THEM, /* the other side closed, is silent or absent */
	MEMBER_US, /* this side closed: an operator, a check */
	MEMBER_LINK, /* no way to the other side */
	MEMBER_BFD,
	MEMBER_LIMIT, /* a limit of routes */
};

/* A session as `show members` describes it. */
struct proto_member {
	uint32_t as; /* 0: not known yet */
	struct ip_addr addr;
	const char *iface; /* NULL: of no importance. Borrowed, under RCU */
	enum member_cause cause;
	char text[320]; /* the cause in words; "": none is known */
};

/* All protocols of the daemon, ends with NULL (proto/registry.c). */
extern const struct proto_class *const proto_classes[];

/* What a protocol is to the core. Constant. */
struct proto_class {
	const struct conf_class *conf; /* keyword, name, options */
	/* make - allocate an instance (struct proto first in it), fill what the class
	 * needs; no threads, no I/O, and nothing that lets others find the instance: its
	 * worker can't be woken yet. Control worker. proto_init has not run; it runs
	 * right after. */
	OWNED struct proto *(*make)(struct tern *t, const struct conf_proto *cf);
	/* start - first call in the instance's worker; its channels are being attached,
	 * and commands come when they are. May be NULL. */
	void (*start)(struct proto *p);
	/* command - in the instance's worker. The command is freed by the caller; take
	 * cmd->conf by proto_adopt_conf. */
	void (*command)(struct proto *p, struct proto_cmd *cmd);
	/* part - RELOAD_* of the networks of @pick alone, in place of `command`. NULL:
	 * its channels do that, on import from what their tables keep. */
	void (*part)(struct proto *p, struct net_pick *pick, bool in, bool out);
	/* busy - is it still on the way to what the last command wants, reloads of its
	 * channels aside? When it isn't any more it calls proto_settled, or its worker
	 * runs. In the instance's worker. NULL: never. */
	bool (*busy)(const struct proto *p);
	/* concerned - do interfaces that were as in @old and are as in @now make a
	 * difference to the instance? Any thread, under RCU. NULL: never. */
	bool (*concerned)(const struct proto *p, const struct iface_list *old,
	    const struct iface_list *now);
	/* ends - would RECONF with @cf, which needs no restart, end what is up? Returns:
	 * for which option; NULL: no. Any thread, under RCU. NULL: never. */
	const char *(*ends)(
	    const struct proto *p, const struct conf_proto *cf, bool soft);
	/* ifaces - the interfaces may have changed: look at them. In the instance's
	 * worker, in a round of its own. NULL: as `concerned`. */
	void (*ifaces)(struct proto *p);
	/* run - in each round of the instance's worker, before its channels. Returns:
	 * true if there is more to do now. NULL: nothing. */
	bool (*run)(struct proto *p);
	/* monitors - the list of monitors is another one (nest/monitor/monitor.h). In the
	 * instance's worker. NULL: nobody monitors such instances. */
	void (*monitors)(struct proto *p);
	/* bfd - the list of instances of BFD is another one (nest/bfd/bfd_ask.h).
	 * Likewise. NULL: it never asks for a session. */
	void (*bfd)(struct proto *p);
	/* detached - proto_detach is done. NULL: that is its end, proto_gone. */
	void (*detached)(struct proto *p);
	/* free - grace periods after proto_gone; any thread. */
	void (*free)(TAKE struct proto *p);
	/* trouble - what keeps it from working though it runs, and is tried again by
	 * itself, into @out; nothing if nothing does. Any thread, under RCU. NULL: never.
	 */
	void (*trouble)(const struct proto *p, struct strbuf *out);
	/* data_age - how long ago what it brings was said to be all there is, in ns.
	 * @late: it should have been said again by now. Returns: false: it never was.
	 * Any thread, under RCU. NULL: nobody says such a thing. */
	bool (*data_age)(const struct proto *p, uint64_t *ago_ns, bool *late);
	/* away - has what it talks to been away for longer than is normal; and for how
	 * long? Any thread, under RCU. NULL: that is never a fault. */
	bool (*away)(const struct proto *p, uint64_t *ago_ns);
	/* show - the lines of `show protocols all` between the status row and the
	 * channels. Any thread, under RCU: reads only what the instance has published.
	 * May be NULL. */
	void (*show)(
	    const struct proto *p, const struct time_format *tf, struct strbuf *out);
	/* member - the other side as a member of an exchange. Any thread, under RCU.
	 * Returns: false: the instance is for several peers. NULL: no class of members. */
	bool (*member)(const struct proto *p, struct proto_member *out);
	/* idle - is nothing of a peer left here: no session, and none of its routes? Any
	 * thread, under RCU. Of classes with conf_class.members. */
	bool (*idle)(const struct proto *p);
	/* turn_away - @fd is of a peer that nobody takes. Any thread; doesn't block.
	 * Likewise. */
	void (*turn_away)(TAKE int fd, const struct tern *t);
	bool outward; /* it tells or writes others something: not in a dry run */
	bool real_time; /* its worker is of class WORKER_REAL_TIME */
	bool keeps_routes; /* it may have routes to reload while it isn't up */
	bool shows_channels; /* what `show` says is all that there is to its channels */
	/* show_channel - the lines behind a channel's counters, likewise. May be NULL. */
	void (*show_channel)(
	    const struct proto *p, const struct channel *ch, struct strbuf *out);

	/* json, json_channel - the same as members of the object that is open. NULL where
	 * those are. */
	void (*json)(const struct proto *p, struct json *j);
	void (*json_channel)(
	    const struct proto *p, const struct channel *ch, struct json *j);

	/* list_route - for `show static`: the text of the configured route @i at the end
	 * of @out. Returns: false: there is none. Any thread, under RCU. NULL: it has
	 * none. json_route - the same as members of the object that is open. */
	bool (*list_route)(const struct proto *p, uint32_t i, struct strbuf *out);
	bool (*json_route)(const struct proto *p, uint32_t i, struct json *j);

	struct path_order order; /* which of its routes is the best */
};

/* An instance. owner: its worker, but for what is marked; lives: until grace periods
 * after proto_gone (nest/channel/instance/proto_run.c). */
struct proto {
	struct worker worker;
	const struct proto_class *cls;
	struct tern *tern;
	const char *name; /* constant. MEM_PROTO */
	/* The instance's position in the configuration, among those that were there when
	 * the instance was added. Constant. (nest/rib/table/path_tie.h) */
	uint64_t place;
	struct list link; /* control worker's: in control->gone */
	uint32_t posted; /* control worker's: commands sent */
	struct pub32 handled; /* commands that the instance has carried out */
	struct pubptr status; /* struct proto_status * */
	/* const struct conf_proto *: of conf, for readers under RCU */
	struct pubptr conf_pub;
	/* struct channel *: list by channel->next, constant after start */
	struct pubptr channels;
	struct channel *first; /* in the next run; NULL: it has none */
	struct config_ref *conf; /* a reference; cf lies in it */
	const struct conf_proto *cf;
	/* DEBUG_*: as configured, or as the control worker said since */
	struct pub32 debug;
	/* MRTDUMP_*: likewise */
	struct pub32 mrtdump;
	/* an operator has disabled it until `enable`, then, in seconds since 1970; 0: not
	 * so. As the control worker said */
	struct pub32 held;
	/* a limit restarted the instance: how often in a row, and when the last time, by
	 * the monotonic clock (proto_limit_restarts) */
	struct pub32 limit_restarts;
	struct pub64 limit_restart_ns;
	bool restarts; /* an operator said so: the next status has a new beginning */
	bool stays_down; /* it is outward, and this is a dry run. Constant */
	bool by_limit; /* a class sets it when a limit disables the instance */
	/* a class sets them before it publishes: as of proto_status */
	bool cant_reload, cant_refresh;
	struct counter32 guests; /* struct proto_guest under way, whose host it is */
	bool stopped; /* worker_stop was called */
	struct pub32 ended; /* the same, for others */
	uint32_t ifaces_nr; /* of the list of interfaces that it has seen */
	uint32_t monitors_nr; /* of the list of monitors, likewise */
	uint32_t bfd_nr; /* of that of instances of BFD, likewise */
	uint32_t attaching; /* channels that their tables don't know yet: commands wait */
	uint32_t detaching; /* channels that proto_detach waits for */
	/* in order; the second: where the next one is put, while there are some */
	struct proto_cmd *waiting, **waiting_end;
	struct proto_ack *acks; /* that wait while it is busy */
};

/* proto_init - after cls->make: name, configuration reference (TAKE), first status.
 * by_limit is set before. Control worker. */
void proto_init(struct proto *p, const struct proto_class *cls, struct tern *t,
    TAKE struct config_ref *conf, const struct conf_proto *cf);
/* proto_post - send a command. Control worker. @message: copied; may be NULL. */
void proto_post(struct proto *p, enum proto_cmd_kind kind, enum proto_reason reason,
    const char *message);
/* proto_post_part - send a RELOAD_* of some networks: @pick gets a reference. */
void proto_post_part(struct proto *p, enum proto_cmd_kind kind, struct net_pick *pick);
/* proto_post_conf - send a RECONF. @conf: a reference that goes with it. */
void proto_post_conf(struct proto *p, uint32_t change, bool soft, bool hold,
    TAKE struct config_ref *conf, const struct conf_proto *cf);
/* proto_post_guest - send a GUEST. */
void proto_post_guest(struct proto *p, TAKE int fd, struct ip_addr local);
/* proto_ask - @a is told when all that was posted before is done. Control worker. It
 * comes back in any case, also from an instance that ends. */
void proto_ask(struct proto *p, TAKE struct proto_ack *a);

/* ---- for classes, in the instance's worker ---- */

/* proto_revives - does RECONF start @p, whose configuration is the new one, if it is
 * disabled? */
static inline bool
proto_revives(const struct proto *p, const struct proto_cmd *cmd)
{
	return !p->cf->disabled && !cmd->hold && !p->stays_down &&
	       !(p->by_limit && !p->cf->revive_after_limit);
}

/* proto_limit - what a route limit that does @a is to an instance whose routes would come
 * again at once: a restart would never end. Returns: true: it has to go down, and to
 * publish itself as disabled. */
static inline bool
proto_limit(struct proto *p, enum limit_action a)
{
	bool down = a == LIMIT_RESTART || a == LIMIT_DISABLE;

	p->by_limit |= down;
	return down;
}

/* Restarts by a limit that follow each other within so long are a loop: a session waits
 * for 300 s at most before it comes again. */
#define PROTO_LOOP_NS (900 * NS_PER_S)

/* proto_limit_restarts - a limit restarts @p. */
static inline void
proto_limit_restarts(struct proto *p)
{
	uint64_t now = clock_now_ns(), last = load_relaxed64(&p->limit_restart_ns);
	uint32_t cnt = last && now - last < PROTO_LOOP_NS
			   ? load_relaxed32(&p->limit_restarts)
			   : 0;

	store_relaxed32(&p->limit_restarts, cnt + 1);
	store_relaxed64(&p->limit_restart_ns, now);
}

/* proto_settled - something has ended that who waits for commands has waited for:
 * nest/channel/instance/proto_wait.c. */
void proto_settled(struct proto *p);
/* proto_acknowledge - @a is told when nothing is under way any more that a command has
 * asked for, and the tables have what the channels have brought: likewise. */
void proto_acknowledge(struct proto *p, TAKE struct proto_ack *a);
/* proto_part - carry out @cmd, a RELOAD_* of some networks:
 * nest/channel/instance/proto_run.c. */
void proto_part(struct proto *p, const struct proto_cmd *cmd);
/* proto_publish - a new status. @info, @message: copied and cut. since_ns changes with
 * the state. */
void proto_publish(struct proto *p, enum proto_state state, bool disabled,
    const char *info, const char *message);
/* proto_detach - all its channels, which are down, leave their tables for good. Then, or
 * at once if there are none, cls->detached. */
void proto_detach(struct proto *p);
/* proto_detached - one of them has: nest/channel/channel.c. */
void proto_detached(struct proto *p);
/* proto_gone - all is down and detached (channel_detach has answered for all channels).
 * The worker stops; cls->free follows by itself. */
void proto_gone(struct proto *p);
/* proto_attached - the table of one of its channels knows that now:
 * nest/channel/channel.c. */
void proto_attached(struct proto *p);
/* proto_log - "NAME: text", with the class of message. */
void proto_log(const struct proto *p, enum log_class c, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* proto_show_left - how long until @at, of clock_now_ns, and of how long: "1.234/5\n";
 * "/-" with @of_s 0. Any thread. */
static inline void
proto_show_left(struct strbuf *out, const struct counter64 *at, uint32_t of_s)
{
	uint64_t ns = counter64_get(at), now = clock_now_ns();
	uint64_t left = ns > now ? ns - now : 0;

	strbuf_addf(out, "%u.%03u/", (unsigned)(left / NS_PER_S),
	    (unsigned)(left % NS_PER_S / NS_PER_MS));
	if (of_s)
		strbuf_addf(out, "%u\n", of_s);
	else
		strbuf_adds(out, "-\n");
}

/* proto_json_left - the same as members "NAME_left_s" and, but with @of_s 0, "NAME_s".
 * Nothing if the timer doesn't run. @left, @of: those keys. */
static inline void
proto_json_left(struct json *j, const char *left, const char *of,
    const struct counter64 *at, uint32_t of_s)
{
	uint64_t ns = counter64_get(at), now = clock_now_ns();

	if (!ns)
		return;
	json_seconds(j, left, ns > now ? ns - now : 0);
	if (of_s)
		json_u64(j, of, of_s);
}

/* proto_caught_up - has the instance carried out all that it was told, so that its status
 * is newer than any command? Control worker. */
static inline bool
proto_caught_up(const struct proto *p)
{
	return load_acquire32(&p->handled) == p->posted; /* pairs: PHANDLED */
}

/* proto_wake - make its worker run, if there still is one: a view may have an instance
 * for longer than that. Any thread, under RCU. */
static inline void
proto_wake(struct proto *p)
{
	/* If it stops after this, worker and loop live until our quiescent state. */
	if (!load_acquire32(&p->ended)) /* pairs: PENDED */
		worker_wake(&p->worker);
}

/* proto_status_get - under RCU. Never NULL after proto_init. */
static inline const struct proto_status *
proto_status_get(const struct proto *p)
{
	return load_acquire_ptr(&p->status); /* pairs: PSTATUS */
}

/* proto_conf_get - the configuration in force, under RCU, any thread. */
static inline const struct conf_proto *
proto_conf_get(const struct proto *p)
{
	return load_acquire_ptr(&p->conf_pub); /* pairs: PCONF */
}

#endif
