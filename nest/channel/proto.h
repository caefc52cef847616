/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocol classes and instances.
 *
 * The control worker makes an instance (struct proto); then the instance's own worker
 * (proto->worker) owns it. The control worker sends struct proto_cmd messages; the
 * instance answers by publishing its status and, at its end, by proto_gone. `show
 * protocols` reads published state under RCU; no command waits for an instance.
 *
 *      control  cls->make -> proto_launch -> PROTO_START, STOP, RESTART, RELOAD_*,
 *               RECONF, DELETE
 *      worker   for each command cls->command(p, cmd), then proto_publish; after DELETE:
 *               channels gone, then proto_gone(p)
 *
 * Owner of messages: the inbox, then the receiver. Life and frees are stated at each
 * struct.
 *
 * Loop: the instance's, unless a function says otherwise. */
#ifndef TERN_NEST_CHANNEL_PROTO_H
#define TERN_NEST_CHANNEL_PROTO_H

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
#include "sysdep/os/os_fd.h"

struct tern;
struct channel;
struct iface_list;
struct overrides;
struct proto;
struct proto_changes;
struct reply;

enum proto_state { PS_DOWN, PS_START, PS_UP, PS_STOP };

enum proto_cmd_kind {
	PROTO_START, /* enabled: bring it up */
	PROTO_STOP, /* disable: bring it down, keep it */
	PROTO_RESTART, /* down and up again */
	PROTO_RELOAD_IN, /* pass imported routes through the policy again */
	PROTO_RELOAD_OUT, /* reload exported routes */
	PROTO_RELOAD, /* PROTO_RELOAD_IN and PROTO_RELOAD_OUT */
	PROTO_FLUSH_STALE, /* remove stale routes now */
	/* cmd->conf is the new configuration; cmd->change has the differences. A disabled
	 * instance starts if proto_revives returns true */
	PROTO_RECONF,
	PROTO_DELETE, /* bring the instance down and end it: proto_gone when done */
	PROTO_GUEST, /* cmd->fd: a connection of its peer; a taker sets OS_FD_NONE */
};

/* An order of an operator that lasts until its revocation. */
enum proto_order {
	ORDER_NONE,
	/* the session is to end soon (nest/channel/import/channel_drain.c), or not */
	ORDER_DRAIN,
	ORDER_UNDRAIN,
	ORDER_OVERRIDES, /* cmd->overrides are in force */
	ORDER_QUARANTINE, /* orders.quarantine has changed */
};

/* Reason of a command; selects the Cease subcode (RFC 4486) and the info text. */
enum proto_reason {
	PR_NONE,
	PR_CMD_DISABLE,
	PR_CMD_RESTART,
	PR_CMD_SHUTDOWN, /* the daemon ends */
	/* PROTO_STOP: the daemon ends and will return: instances send no NOTIFICATION to
	 * peers, and the peers' routes stay until PROTO_DELETE */
	PR_CMD_GRACEFUL,
	PR_CONF_DISABLE,
	PR_CONF_CHANGE, /* changed so that it must restart */
	PR_CONF_REMOVED,
	PR_LIMIT_RESTART, /* a route limit with action restart */
	PR_LIMIT_DISABLE,
	PR_CMD_REFRESH, /* PROTO_RELOAD_*: ask the peer, even if routes are kept */
	PR_SLOW, /* holds too many dead net ids, or its peer does not read */
};

/* A request to report when an instance has carried out its commands. Owner: the asker;
 * under way the instance, and then marks after the instance's records. Lives until
 * `taken`, which frees it. */
struct proto_ack {
	struct worker *to; /* worker of the asker */
	/* taken - in the asker's worker: commands are carried out, and tables have the
	 * resulting route changes that need no remote side (a peer, a validator). */
	void (*taken)(TAKE struct proto_ack *a);
	uint32_t left; /* marks under way */
	struct proto_ack *next; /* next waiting request */
};

/* A message from the control worker. */
struct proto_cmd {
	struct msg msg;
	struct proto_cmd *next; /* next waiting command */
	struct proto *proto;
	enum proto_cmd_kind kind;
	enum proto_reason reason;
	uint32_t change; /* RECONF: CONF_CH_* */
	bool soft; /* RECONF: do not pass routes through changed filters */
	bool hold; /* RECONF: a disabled instance stays disabled */
	/* RECONF: a reference, which the instance takes over. DELETE: the configuration
	 * that ends the instance; NULL: not known */
	struct config_ref *conf;
	const struct conf_proto *cf;
	struct net_pick *pick; /* RELOAD_*: only these nets; NULL: all */
	/* the operator's text for the Cease (RFC 9003); NULL: none. MEM_PROTO */
	char *message;
	/* GUEST; else OS_FD_NONE. If no instance takes the connection: refuse_guest */
	struct os_fd fd;
	struct ip_addr local; /* local address of fd */
	enum proto_order order; /* not ORDER_NONE: kind has no meaning */
	/* OVERRIDES: a reference, which the instance takes over; NULL: none */
	struct overrides *overrides;
	/* not NULL: no command, but a request to report, see proto_ask */
	struct proto_ack *ack;
};

/* A connection of a peer of the host instance @host, which stands for several peers
 * (nest/conf/conf_member.h). The control worker finds or makes the instance of the
 * peer. */
struct proto_guest {
	struct msg msg;
	/* The class of the host holds the host while the message is posted: the end of
	 * the host follows in the control worker's inbox. */
	struct proto *host;
	struct ip_addr addr;
	char *iface; /* MEM_PROTO; NULL: any */
	struct ip_addr local;
	struct os_fd fd;
};

#define PROTO_GUESTS_MAX 1024 /* of one host, under way to the control worker */

/* Published status of an instance. Immutable; owner: the publisher; freed a grace period
 * after its replacement. */
struct proto_status {
	struct rcu_node rcu;
	enum proto_state state;
	uint64_t since_ns; /* monotonic; of the last change of state */
	bool disabled; /* by the operator or a limit: stays down until enabled */
	bool by_limit; /* disabled by a limit */
	/* routes cannot be brought again: at all; by the peer */
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
	const char *iface; /* NULL: any. Borrowed, under RCU */
	enum member_cause cause;
	char text[320]; /* the cause in words; "": unknown */
};

/* Effects of a change on a running instance. Owner: the class. Life: constant. */
struct proto_plan_ops {
	/* concerned - true: the change of interfaces from @old to @now affects the
	 * instance. Any thread, under RCU. NULL: each change affects instances of a class
	 * with the function `ifaces`. */
	bool (*concerned)(const struct proto *p, const struct iface_list *old,
	    const struct iface_list *now);
	/* ends - would RECONF with @cf, which needs no restart, end an up session?
	 * Returns: name of the option; NULL: no. Any thread, under RCU. NULL: never. */
	const char *(*ends)(
	    const struct proto *p, const struct conf_proto *cf, bool soft);
	/* later - does RECONF with @cf change an agreement of the up session that the
	 * session keeps until its end? Returns: name of the option; NULL: no. As ends. */
	const char *(*later)(const struct proto *p, const struct conf_proto *cf);
	/* forgets - why the peer of the up session deletes our routes if we restart;
	 * NULL: the peer keeps the routes, or the session is down. As ends. NULL: the
	 * class has no such peers. */
	const char *(*forgets)(const struct proto *p);
};

/* Faults of a running instance. Owner: the class. Life: constant. */
struct proto_health_ops {
	/* trouble - append to @out a fault of a running instance that the instance
	 * retries itself; no output without a fault. Any thread, under RCU. NULL:
	 * never. */
	void (*trouble)(const struct proto *p, struct strbuf *out);
	/* data_age - time since the instance's data was last complete, in ns. @late: the
	 * next complete data is overdue. Returns: false: never complete. Any thread,
	 * under RCU. NULL: no notion of complete data. */
	bool (*data_age)(const struct proto *p, uint64_t *ago_ns, bool *late);
	/* absent - true: the remote side has been absent longer than normal, for
	 * *@ago_ns. Any thread, under RCU. NULL: never a fault. */
	bool (*absent)(const struct proto *p, uint64_t *ago_ns);
};

/* Instances of one peer, as members of an exchange. Owner: the class. Life: constant. */
struct proto_member_ops {
	/* describe - the remote side as a member of an exchange. Any thread, under RCU.
	 * Returns: false: the instance is for several peers. NULL: the class has no
	 * members. */
	bool (*describe)(const struct proto *p, struct proto_member *out);
	/* losses - how often the session was lost. Any thread, under RCU. NULL: the class
	 * does not count. */
	uint32_t (*losses)(const struct proto *p);
	/* idle - true: no session and no routes of a peer are left. Any thread, under
	 * RCU. Only for classes with conf_class.members. */
	bool (*idle)(const struct proto *p);
	/* refuse_guest - close the connection @fd of an unknown peer. Any thread; does
	 * not block. Only for classes with conf_class.members. */
	void (*refuse_guest)(TAKE struct os_fd fd, const struct tern *t);
};

/* What an instance does in its life. nest/channel/instance/proto_life.h has the table of
 * states. Loop: the instance's. Owner: the class. Life: constant. */
struct proto_life_ops {
	/* up - begin the work: take the channels up. The instance was down. */
	void (*up)(struct proto *p);
	/* down - end the work: take the channels down. @cmd: the command; NULL: a limit
	 * or a slow reader. Returns: true: done. false: work is left; proto_life_closed
	 * follows. */
	bool (*down)(struct proto *p, const struct proto_cmd *cmd);
	/* publish - publish the status, which p->life determines. NULL: up or down,
	 * without further text. */
	void (*publish)(struct proto *p);
	/* own - a command of which the class alone knows the effect, in any state before
	 * DELETE. Returns: true: done. false: the kit goes on. NULL: no such command. */
	bool (*own)(struct proto *p, struct proto_cmd *cmd);
	/* reload - the instance is up: bring imported routes (@in) or exported routes
	 * (@out) again. NULL: the channels do so. */
	void (*reload)(struct proto *p, bool in, bool out);
	/* reconf - apply the configuration of @cmd by proto_life_adopt, in any state.
	 * NULL: proto_life_adopt suffices. */
	void (*reconf)(struct proto *p, struct proto_cmd *cmd);
	/* leave - the instance is down and ends: call proto_detach, at once or later.
	 * NULL: proto_detach is called. */
	void (*leave)(struct proto *p);
};

/* Replies of `show`, from published state only. Owner: the class. Life: constant. */
struct proto_show_ops {
	bool shows_channels; /* `all` covers the channels */
	/* all - for `show protocols all`: the values between the status row and the
	 * channels. Any thread, under RCU. May be NULL. */
	void (*all)(const struct proto *p, struct reply *r);
	/* channel - the values after a channel's counters. Any thread, under RCU. May be
	 * NULL. */
	void (*channel)(const struct proto *p, const struct channel *ch, struct reply *r);
	/* route - for `show static`: the configured route @i. Returns: false: no such
	 * route. Any thread, under RCU. NULL: no such routes. */
	bool (*route)(const struct proto *p, uint32_t i, struct reply *r);
};

/* A protocol, for the core. Constant. */
struct proto_class {
	const struct conf_class *conf; /* keyword, name, options */
	size_t size; /* octets of an instance, with struct proto first */
	/* make - fill in the class's fields of a zeroed instance. No threads, no I/O, and
	 * no publication of the instance: its worker cannot be woken yet. Control worker.
	 * proto_init runs right after. NULL: no fields. */
	void (*make)(struct proto *p, const struct conf_proto *cf);
	/* start - first call in the instance's worker; channels are being attached, and
	 * commands follow after that. May be NULL. */
	void (*start)(struct proto *p);
	/* command - in the instance's worker. The caller frees the command; take
	 * cmd->conf by proto_adopt_conf. proto_life_command: as the member `life`
	 * says. */
	void (*command)(struct proto *p, struct proto_cmd *cmd);
	/* part - RELOAD_* of only the nets of @pick, in place of `command`. NULL: the
	 * channels reload, on import from routes kept by their tables. */
	void (*part)(struct proto *p, struct net_pick *pick, bool in, bool out);
	/* busy - true: the last command, except for reloads of channels, is not carried
	 * out. When done, the class calls proto_settled, or the worker runs. In the
	 * instance's worker. NULL: never. */
	bool (*busy)(const struct proto *p);
	/* ifaces - the interfaces may have changed. In the instance's worker, in a
	 * separate round. NULL: no call. */
	void (*ifaces)(struct proto *p);
	/* run - in each round of the instance's worker, before its channels. Returns:
	 * true: call again now. NULL: no call. */
	bool (*run)(struct proto *p);
	/* monitors - the list of monitors changed (nest/monitor/monitor.h). In the
	 * instance's worker. NULL: instances cannot be monitored. */
	void (*monitors)(struct proto *p);
	/* bfd - the list of BFD instances changed (nest/bfd/bfd_ask.h). In the instance's
	 * worker. NULL: the class requests no sessions. */
	void (*bfd)(struct proto *p);
	/* detached - proto_detach is done. NULL: proto_gone is called instead. */
	void (*detached)(struct proto *p);
	/* free - free what the class's fields hold, grace periods after proto_gone; any
	 * thread. NULL: nothing. */
	void (*free)(struct proto *p);
	bool outward; /* sends or writes to remote sides: not in a dry run */
	bool real_time; /* its worker is of class WORKER_REAL_TIME */
	bool own_loop; /* its worker is of class WORKER_CONTROL: long callbacks */
	bool keeps_routes; /* may have routes to reload while it is down */
	struct path_order order; /* selects the best of its routes */
	struct proto_life_ops life; /* with command = proto_life_command */
	struct proto_plan_ops plan;
	struct proto_health_ops health;
	struct proto_member_ops member;
	struct proto_show_ops show;
};

/* Commands of the control worker. instance/proto.c. Owner: the instance's worker. Life:
 * embedded in struct proto. */
struct proto_commands {
	uint32_t posted; /* control worker's: commands sent */
	struct pub32 handled; /* number of carried out commands */
	/* waiting commands in order; waiting_end: place of the next command */
	struct proto_cmd *waiting, **waiting_end;
	struct proto_ack *acks; /* requests that wait while the instance is busy */
};

/* Restarts and ends by a limit of routes (proto_limit_restarts). Owner: the instance's
 * worker. Life: embedded in struct proto. */
struct proto_limited {
	bool disabled; /* set by the class when a limit disables the instance */
	/* restarts: number in a row, and monotonic time of the last */
	struct pub32 restarts;
	struct pub64 restart_ns;
};

enum life_state {
	LIFE_DOWN,
	LIFE_UP,
	LIFE_CLOSING, /* `down` has work left */
};

/* The state after LIFE_CLOSING. */
enum life_next {
	LIFE_STAYS, /* down, disabled */
	LIFE_AGAIN, /* up */
	LIFE_ENDS, /* the instance leaves */
};

/* The life of an instance. instance/proto_life.c. Owner: the instance's worker. Life:
 * embedded in struct proto. */
struct proto_life {
	enum life_state state;
	enum life_next next;
	bool disabled; /* down until a command or a configuration enables the instance */
	bool restarts; /* an operator's restart: the next status gets a new start time */
	bool stays_down; /* outward, in a dry run. Constant */
	/* why the instance is down, for `Message:`; NULL: no text. MEM_PROTO */
	char *message;
};

/* A drain of an instance, for readers. Immutable. Owner: the control worker. Life: until
 * a grace period after its replacement. Freed by: proto_drain_publish, proto_free. */
struct proto_drain {
	struct rcu_node rcu;
	bool done; /* the session has ended */
	uint32_t since_s; /* Unix time of the command */
	uint32_t until_s; /* the session ends at the latest then */
	/* networks whose best route is of the instance although another path exists */
	uint64_t left;
	char by[128]; /* user of the command */
	char message[256]; /* of the Cease */
};

/* Orders of an operator that last until their revocation. Owner: the control worker but
 * for `drains`. Life: embedded in struct proto. */
struct proto_orders {
	/* time in seconds since 1970 when an operator disabled the instance until
	 * `enable`; 0: not disabled */
	struct pub32 held;
	struct pubptr drain; /* struct proto_drain *; NULL: no drain */
	/* the session is to end soon: routes get GRACEFUL_SHUTDOWN. Owner: the
	 * instance's worker, and the control worker before the launch */
	bool drains;
	/* a reference to the overrides that the channels follow; NULL: none. Owner: as
	 * of drains */
	struct overrides *overrides;
	/* Unix time of the begin of a quarantine (daemon/order/quarantine.c); 0: none */
	struct pub32 quarantine;
	/* the channels follow the quarantine. Owner: as of drains */
	bool quarantined;
};

/* Numbers of the last seen lists. instance/proto_run.c. Owner: the instance's worker.
 * Life: embedded in struct proto. */
struct proto_seen {
	uint32_t ifaces; /* of interfaces */
	uint32_t monitors; /* of monitors */
	uint32_t bfd; /* of BFD instances */
};

/* Attachment of the channels to their tables. instance/proto_run.c. Owner: the
 * instance's worker. Life: embedded in struct proto. */
struct proto_attach {
	/* channels that their tables do not know yet: commands wait */
	uint32_t attaching;
	uint32_t detaching; /* channels that proto_detach waits for */
	bool leaves; /* since proto_detach, until `detaching` is 0 */
};

/* The end of the worker. instance/proto_run.c. Owner: the instance's worker. Life:
 * embedded in struct proto. */
struct proto_end {
	bool stopped; /* worker_stop was called */
	struct pub32 published; /* stopped, for other threads */
	bool changes_moved; /* a successor owns proto.changes */
};

/* Commands that an instance refuses at present, as in proto_status. The class writes the
 * fields before the class publishes the status. Owner and life: embedded in struct proto;
 * nothing to free. */
struct proto_refusals {
	bool reload, refresh;
};

/* An instance. Owner: its worker, but for fields marked so. Lives until grace periods
 * after proto_gone (nest/channel/instance/proto_run.c); freed by cls->free. */
struct proto {
	struct worker worker;
	const struct proto_class *cls;
	struct tern *tern;
	const char *name; /* constant. MEM_PROTO */
	/* Position of the instance in the configuration, among the instances that existed
	 * when it was added. Constant. (nest/rib/table/path_tie.h) */
	uint64_t place;
	struct list link; /* control worker's: in control->end.instances */
	struct proto_commands cmd;
	struct pubptr status; /* struct proto_status * */
	/* const struct conf_proto *: cf, for readers under RCU */
	struct pubptr conf_pub;
	/* struct channel *: list by channel->next, constant after start */
	struct pubptr channels;
	struct channel *first; /* served first in the next run; NULL: no channels */
	struct config_ref *conf; /* a reference; owner of cf */
	const struct conf_proto *cf;
	/* DEBUG_*: configured, or set by the control worker since */
	struct pub32 debug;
	/* MRTDUMP_*: configured, or set by the control worker since */
	struct pub32 mrtdump;
	struct proto_orders orders;
	struct proto_limited limited;
	struct proto_life life;
	struct proto_refusals refuses;
	struct counter32 guests; /* struct proto_guest under way for this host */
	struct proto_end end;
	struct proto_seen seen;
	struct proto_attach attach;
	/* nest/channel/instance/proto_changes.h; NULL: the class has no members.
	 * Constant */
	struct proto_changes *changes;
};

/* proto_make - an instance of @cls, by cls->make. proto_drop - undo proto_make. */
OWNED struct proto *proto_make(
    const struct proto_class *cls, struct tern *t, const struct conf_proto *cf);
void proto_drop(TAKE struct proto *p);
/* proto_init - after proto_make: set name, configuration (TAKE) and first status. The
 * caller has set by_limit. Control worker. */
void proto_init(struct proto *p, const struct proto_class *cls, struct tern *t,
    TAKE struct config_ref *conf, const struct conf_proto *cf);
/* proto_post - send a command. Control worker. @message: copied; may be NULL. */
void proto_post(struct proto *p, enum proto_cmd_kind kind, enum proto_reason reason,
    const char *message);
/* proto_post_order - send an order: nest/channel/instance/proto_orders.c carries it
 * out. */
void proto_post_order(struct proto *p, enum proto_order order);
/* proto_post_overrides - send the reference @s; NULL: none. */
void proto_post_overrides(struct proto *p, TAKE struct overrides *s);
/* proto_post_part - send a RELOAD_* of some nets; takes a reference to @pick. */
void proto_post_part(struct proto *p, enum proto_cmd_kind kind, struct net_pick *pick);
/* proto_post_end - send a DELETE with the configuration that ends the instance. */
void proto_post_end(
    struct proto *p, enum proto_reason reason, TAKE struct config_ref *conf);
/* proto_post_conf - send a RECONF with the reference @conf. */
void proto_post_conf(struct proto *p, uint32_t change, bool soft, bool hold,
    TAKE struct config_ref *conf, const struct conf_proto *cf);
/* proto_post_guest - send a GUEST. */
void proto_post_guest(struct proto *p, TAKE struct os_fd fd, struct ip_addr local);
/* proto_ask - report to @a when all earlier commands are carried out. Control worker. @a
 * always returns, even from an instance that ends. */
void proto_ask(struct proto *p, TAKE struct proto_ack *a);

/* ---- for classes, in the instance's worker ---- */

/* proto_revives - true: RECONF starts the disabled instance @p, which has the new
 * configuration. */
static inline bool
proto_revives(const struct proto *p, const struct proto_cmd *cmd)
{
	return !p->cf->disabled && !cmd->hold && !p->life.stays_down &&
	       !(p->limited.disabled && !p->cf->revive_after_limit);
}

/* Restarts by a limit within this time are a loop: a session waits at most 300 s before
 * it connects again. */
#define PROTO_LOOP_NS (900 * NS_PER_S)

/* proto_limit_restarts - count a restart of @p by a limit. */
static inline void
proto_limit_restarts(struct proto *p)
{
	uint64_t now = clock_now_ns(), last = load_relaxed64(&p->limited.restart_ns);
	uint32_t cnt = last && now - last < PROTO_LOOP_NS
			   ? load_relaxed32(&p->limited.restarts)
			   : 0;

	store_relaxed32(&p->limited.restarts, cnt + 1);
	store_relaxed64(&p->limited.restart_ns, now);
}

/* proto_settled - a process ended that requests may have waited for:
 * nest/channel/instance/proto_wait.c. */
void proto_settled(struct proto *p);
/* proto_acknowledge - report to @a when the effects of all commands are complete, and the
 * tables have the routes of the channels: nest/channel/instance/proto_wait.c. */
void proto_acknowledge(struct proto *p, TAKE struct proto_ack *a);
/* proto_part - carry out @cmd, a RELOAD_* of some nets:
 * nest/channel/instance/proto_part.c. */
void proto_part(struct proto *p, const struct proto_cmd *cmd);
/* proto_publish - publish a new status. @info, @message: copied and truncated. since_ns
 * changes with the state. */
void proto_publish(struct proto *p, enum proto_state state, bool disabled,
    const char *info, const char *message);
/* proto_cause_key - @c in JSON. Any thread. proto_post_state - post the event that @p
 * came up or went down, and note the change; the former state began at @was_since_ns:
 * nest/channel/instance/proto_event.c. */
const char *proto_cause_key(enum member_cause c);
void proto_post_state(struct proto *p, uint64_t was_since_ns);
/* proto_detach - detach all channels, which are down, from their tables for good; then,
 * or at once without channels, call cls->detached. */
void proto_detach(struct proto *p);
/* proto_gone - the instance is down and all channels are detached. The worker stops;
 * cls->free follows. */
void proto_gone(struct proto *p);
/* proto_carry_out - carry out the waiting commands, unless a channel is being attached.
 * In a run of the worker. */
void proto_carry_out(struct proto *p);
/* proto_log - "NAME: text", with the class of message. */
void proto_log(const struct proto *p, enum log_class c, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* proto_drain_get - NULL: no drain. Any thread, under RCU. proto_drain_publish - replace
 * the drain by @d (NULL: none): nest/channel/instance/proto_orders.c. Control worker. */
static inline const struct proto_drain *
proto_drain_get(const struct proto *p)
{
	return load_acquire_ptr(&p->orders.drain); /* pairs: PDRAIN */
}

void proto_drain_publish(struct proto *p, TAKE struct proto_drain *d);
/* proto_orders_carry_out - carry out the order of @cmd. The instance's worker. */
void proto_orders_carry_out(struct proto *p, struct proto_cmd *cmd);

/* proto_caught_up - true: the instance has carried out all commands, so its status is
 * newer than any command. Control worker. */
static inline bool
proto_caught_up(const struct proto *p)
{
	return load_acquire32(&p->cmd.handled) == p->cmd.posted; /* pairs: PHANDLED */
}

/* proto_wake - run the worker if the worker still exists: a view may hold an instance
 * longer.
 * Any thread, under RCU. */
static inline void
proto_wake(struct proto *p)
{
	/* If the worker stops now, worker and loop live until our quiescent state. */
	if (!load_acquire32(&p->end.published)) /* pairs: PENDED */
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
