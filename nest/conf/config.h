/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A configuration, parsed and checked: all settings of the daemon.
 *
 * config_parse (nest/conf/conf_load.h) makes a struct config; after its return nobody
 * changes the configuration, and any thread may read. Owner: struct config_ref. All other
 * structs of this header live in the configuration's arena until config_free, or on the
 * stack of a caller. config_free runs in the thread of RCU callbacks, a grace period
 * after the last config_ref_put; a program that starts no daemon calls config_free
 * itself. Names with _s hold seconds. */
#ifndef TERN_NEST_CONF_CONFIG_H
#define TERN_NEST_CONF_CONFIG_H

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/rpki.h"
#include "filter/run/custom.h"
#include "lib/base/check.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "nest/conf/file/comm_words.h"
#include "sysdep/loop/loop_watch.h"
#include "sysdep/os/clock.h"

/* ---- parts of a configuration ---- */

/* Masks of `debug protocols`, of protocols and of channels. */
#define DEBUG_STATES     0x01
#define DEBUG_ROUTES     0x02
#define DEBUG_FILTERS    0x04
#define DEBUG_INTERFACES 0x08
#define DEBUG_EVENTS     0x10
#define DEBUG_PACKETS    0x20
#define DEBUG_ALL        0x3f

/* Masks of `mrtdump`. */
#define MRTDUMP_STATES   0x01
#define MRTDUMP_MESSAGES 0x02
#define MRTDUMP_ALL      0x03

enum conf_table_kind { TABLE_IP4 = 0, TABLE_IP6, TABLE_ROA4, TABLE_ROA6, TABLE_ASPA };

struct iface_pattern;
struct rpki_index;

/* A routing table. The tables master4 and master6 always exist. */
struct conf_table {
	struct filter_table ft; /* first: the filters' view of the table */
	const char *name;
	uint8_t kind; /* enum conf_table_kind; IP4 and IP6 equal enum family */
	/* const struct conf_table *: the base of an overlay, as far as the overlay's pipe
	 * lets the base's routes through (conf_overlay.c); else NULL. The control worker
	 * may clear the field before a commit (conf_overlays_keep). */
	struct pubptr base;
	bool is_master; /* master4 or master6, which a file may declare again */
	bool sorted;
	bool trie;
	bool match_index; /* longest matches have an index */
	/* some channel brings routes whose next hops need no lookup, so lookups of next
	 * hops may use the table. Known only after the whole configuration */
	bool leads;
	uint32_t debug; /* DEBUG_* */
	unsigned index; /* in config->table */
	uint64_t settle_min_ns,
	    settle_max_ns; /* of a ROA table: delay of the report of changes */
	bool settle_given; /* delay also changes whose source has finished */
	uint32_t rpki_wait_s; /* routes wait so long for first data; 0: no wait */
	struct src_pos pos;
	/* The index for filters, counted, so that ft.map stays as long as the
	 * configuration; NULL: the table is not of type ROA or ASPA, or not committed
	 * yet. The control worker writes the field before any instance gets the
	 * configuration, and again if `undo` brings the configuration back; readers read
	 * under RCU. */
	struct pubptr rpki; /* struct rpki_index *; counted, with its unref: */
	void (*rpki_drop)(struct rpki_index *x);
};

static inline struct conf_table *
conf_table_of(const struct filter_table *t)
{
	return (struct conf_table *)(uintptr_t)t; /* its first member */
}

/* conf_kind_is_rpki - does a table of @kind hold RPKI data, not routes? */
static inline bool
conf_kind_is_rpki(unsigned kind)
{
	return kind >= TABLE_ROA4;
}

/* conf_kind_family - the family of prefixes in a table of @kind. */
static inline enum family
conf_kind_family(unsigned kind)
{
	return kind == TABLE_IP6 || kind == TABLE_ROA6 ? FAM_IP6 : FAM_IP4;
}

enum limit_action {
	LIMIT_OFF = 0,
	LIMIT_WARN,
	LIMIT_BLOCK,
	LIMIT_RESTART,
	LIMIT_DISABLE
};

enum limit_kind { LIMIT_IMPORT, LIMIT_RECEIVE, LIMIT_EXPORT };
#define LIMIT_KINDS (LIMIT_EXPORT + 1)

/* A limit of routes, and the action at the limit. Owner: struct conf_channel or the
 * holder; by value: nothing to free. */
struct conf_limit {
	uint32_t max;
	uint8_t action; /* enum limit_action; OFF: no limit */
};

/* Limits of routes of a channel. Owner: the configuration. Life: embedded. */
struct conf_limits {
	struct conf_limit import, receive, export;
	uint32_t net; /* most paths of a network from the peer; 0: no limit */
};

/* Copies of routes that instances want (conf_class.monitors). Owner: the configuration.
 * Life: embedded. */
struct conf_monitored {
	bool in; /* the routes before policy */
	bool out; /* the sent routes */
	bool offer; /* the routes before export policy */
};

/* A family of a protocol instance, bound to a table. */
struct conf_channel {
	struct conf_channel *next; /* in the order of the file */
	uint8_t family; /* enum family; for a ROA channel the prefixes' family */
	uint8_t kind; /* the table's enum conf_table_kind */
	bool is_rpki; /* the table is a ROA or an ASPA table */
	uint8_t side; /* 1: a pipe's channel to its peer table; else 0 */
	const char *name; /* "ipv4", "ipv6", "roa4", "roa6", "aspa" */
	const struct conf_table *table; /* never NULL after parsing */
	const struct filter *import,
	    *export; /* never NULL after parsing; `all` and `none` are constant filters */
	uint32_t preference;
	struct conf_limits limit;
	/* export only networks in this prefix (`in NET`) */
	struct prefix export_in;
	bool has_export_in;
	bool keep_filtered;
	/* prefer the link-local next hop to the global next hop (`next hop prefer`) */
	bool prefer_local;
	/* packets to next hops leave by the session's link: in a VRF the addresses do not
	 * name a link */
	bool over_link;
	/* refused routes remembered for `show route why`, unless keep_filtered keeps
	 * them */
	uint32_t rejects;
	bool rpki_reload;
	struct conf_monitored monitored;
	uint32_t debug; /* DEBUG_* */
	const char *description;
	/* struct of the class: struct bgp_channel_conf for BGP; NULL: the class has no
	 * such struct */
	void *opt;
	struct src_pos pos;
};

enum proto_kind {
	PROTO_DEVICE = 1,
	PROTO_BGP,
	PROTO_STATIC,
	PROTO_PIPE,
	PROTO_RPKI,
	PROTO_DIRECT,
	PROTO_MRT,
	PROTO_KERNEL,
	PROTO_BMP,
	PROTO_BFD,
	PROTO_IMAGE,
	PROTO_OTHER /* name known, not supported: never in a finished configuration */
};

/* A protocol instance, or a template while parsing. */
struct conf_proto {
	const struct conf_class *class;
	uint8_t kind; /* enum proto_kind, equal to class->kind */
	const char *name;
	const char *description; /* NULL: none */
	const char *vrf; /* for sockets and interfaces; NULL: no VRF */
	bool disabled;
	/* `configure` starts the instance after a limit has disabled it */
	bool revive_after_limit;
	bool has_router_id; /* the instance has its own router id */
	uint32_t router_id; /* host order; default: the configuration's */
	uint64_t restart_time_ns; /* least time between starts */
	uint32_t debug; /* DEBUG_*, with the global default */
	uint32_t mrtdump; /* MRTDUMP_*, with the global default */
	const char *hostname; /* default: the configuration's */
	void *opt; /* struct of the class: struct bgp_conf, ... */
	struct conf_channel *chan; /* list */
	unsigned chan_cnt;
	unsigned index; /* in config->proto */
	struct src_pos pos;
};

#define CONF_CLI_MAX 15

/* A rule of a control socket: `allow` or `deny` of the commands that begin with
 * @words. */
struct conf_cli_rule {
	const char *words; /* as conf_env.cli_rule leaves the words */
	bool allow;
	struct src_pos pos;
};

#define CONF_CLI_RULES 64
#define CONF_CLI_MODE  0660u

/* A further control socket (`cli "path" { restrict; group "g"; allow "show"; };`). */
struct conf_cli {
	const char *path;
	bool restricted;
	bool plans; /* restricted clients read the lines of plans, too */
	const char *group; /* of the file; NULL: the group of the daemon */
	uint32_t gid; /* of group */
	uint32_t mode; /* of the file */
	const struct conf_cli_rule *rule;
	unsigned rule_cnt;
};

/* A self-test: `bt_test_suite` (func), or `bt_test_same` (two filters or two
 * functions). */
struct conf_test {
	const char *name; /* name of a suite */
	const struct ffunc *func, *func_b;
	const struct filter *filter, *filter_b;
	bool same; /* the right answer of bt_test_same */
	struct src_pos pos;
};

#define CONF_DIGEST_MAX 65 /* SHA-256 in hex, with its NUL */

/* The reaction of a guard. */
enum guard_act { GUARD_OFF, GUARD_WARN, GUARD_REFUSE };

/* Guard of sets of constants whose names fit a pattern. Owner: the configuration. Life:
 * as long as the configuration. */
struct conf_guard_set {
	const char *pattern;
	/* enum guard_act: if the set is empty, shrinks by more than `percent`, has a file
	 * older than older_s, or has gone with its content */
	uint8_t empty, shrink, older, gone;
	uint32_t percent;
	uint32_t older_s;
	const char *older_unit; /* as written: "s", "min", "h", "d" */
};

/* A file with a set whose guard has `older`, at the time of reading. Owner, life:
 * likewise. */
struct conf_guard_file {
	const char *name;
	uint64_t age_s;
	const struct fset *origins; /* the set of prefixes with origins; else NULL */
};

/* A bound of the effect of a configuration. Owner, life: likewise. */
struct conf_guard_bound {
	uint8_t act; /* enum guard_act */
	uint32_t max; /* percent of the sent routes that are lost; sessions that close */
};

/* Guards on input and on results. Owner, life: likewise. */
struct conf_guard {
	const struct conf_guard_set *set; /* the first that fits a name counts */
	const struct conf_guard_file *const *file; /* in the order of the sets */
	uint32_t set_cnt, file_cnt;
	uint32_t rpki_percent; /* records that a cache may lose at once; 0: all */
	struct conf_guard_bound lost, closed;
};

/* Threads of the daemon. Owner: the configuration. Life: embedded in struct config. */
struct conf_threads {
	bool given;
	uint32_t cnt; /* loops that workers share; 0: a loop for each worker */
};

/* Log lines of the configuration. Owner: the configuration. Life: embedded in struct
 * config. */
struct conf_logs {
	const struct log_sink *sink;
	/* 0: no log line was given: all messages go to syslog (or to stderr in
	 * foreground) */
	unsigned cnt;
};

/* Formats of times. Owner: the configuration. Life: embedded in struct config. */
struct conf_times {
	struct time_format route, protocol, base, log;
};

/* Debugging messages; defaults are already applied. Owner: the configuration. Life:
 * embedded in struct config. */
struct conf_debug {
	uint32_t protocols, channels, tables; /* DEBUG_* */
	uint32_t
	    /* 1: log clients of control sockets; 2: log their commands, too */
	    commands;
	bool show_route; /* log walks of `show route` */
};

/* The MRT file of messages. Owner: the configuration. Life: embedded in struct
 * config. */
struct conf_mrtdump {
	const char *file; /* NULL: none */
	uint32_t protocols; /* MRTDUMP_*; default for protocols */
};

/* Control sockets beside the socket of the command line. Owner: the configuration. Life:
 * embedded in struct config. */
struct conf_clis {
	const struct conf_cli *at;
	unsigned cnt;
};

/* Attributes with a name of the configuration. Owner: the configuration. Life: embedded
 * in struct config. */
struct conf_customs {
	const struct custom_attr *at; /* all names known at present; at[id - 1] */
	unsigned cnt;
};

/* Self-tests, for `ternd -t` alone. Owner: the configuration. Life: embedded in struct
 * config. */
struct conf_tests {
	const struct conf_test *at;
	unsigned cnt;
};

/* What the file says of communities. Owner: the configuration. Life: embedded in struct
 * config. */
struct conf_comms {
	const struct comm_words *words; /* `communities file`; NULL: none */
	struct comm_sets filtered; /* `filtered communities` */
};

/* Owner: the configuration. Life: embedded in struct config; config_free ends the
 * arena. */
struct conf_memory {
	struct arena arena; /* all objects of the configuration */
	bool wipes; /* config_free overwrites the memory with zeros */
};

/* Owner: struct config_ref, or the parser until the end of parsing. Life: immutable once
 * parsed, until config_free. */
struct config {
	const char *path; /* main file, as given */
	/* SHA-256 of the texts of all files in the order of their ends: an included file
	 * comes before the including file */
	char digest[CONF_DIGEST_MAX];
	/* host order; 0: not given: the machine's lowest IPv4 address */
	uint32_t router_id;
	/* addresses to choose from; NULL: those of interfaces except loopback */
	const struct iface_pattern *router_id_from;
	const char *hostname; /* NULL: the machine's name */
	uint32_t gr_wait_s; /* `graceful restart wait` */
	struct conf_threads threads;
	struct conf_logs log;
	struct conf_times time;
	struct conf_debug debug;
	/* most steps of a filter's run, as at the end of the file */
	uint32_t filter_steps;
	struct loop_limits limits;
	struct conf_mrtdump mrtdump;

	struct conf_comms comm;
	const struct lan_macs *lan_macs; /* `lan macs`; NULL: none */
	struct conf_guard guard;

	struct conf_table *const *table;
	unsigned table_cnt;
	struct conf_proto *const *proto; /* in the order of the file, without templates */
	unsigned proto_cnt;
	struct conf_clis cli;
	struct conf_customs custom;
	struct conf_tests test;

	const struct sym_table *symbols; /* `show symbols`: walk first .. defined */
	struct conf_memory memory; /* private */
};

/* ---- use of a configuration ---- */

struct conf_class; /* nest/conf/opt/conf_opt.h: a protocol's description for the parser */

/* What config_parse needs from its caller. */
struct conf_env {
	const struct conf_class *const *class; /* ends with NULL */
	struct custom_registry *custom; /* kept over reconfigurations */
	bool tests_only; /* accept a file without protocols */
	bool pipes; /* accept a pipe as file, and wait for its writer */
	const struct pub32 *stop; /* parsing gives up at a value except 0; NULL: never */
	/* does @r fit a command? @names: of the finished file. Returns: true, with the
	 * rule's words to keep in @out; false, with the fault in @out. NULL: rules are
	 * kept as written */
	bool (*cli_rule)(struct strbuf *out, const struct conf_cli_rule *r,
	    const struct sym_table *names);
};

void config_free(TAKE struct config *c);

struct conf_proto *config_find_proto(const struct config *c, const char *name);
struct conf_table *config_find_table(const struct config *c, const char *name);
/* config_find_cli - the statement `cli` of @path. */
const struct conf_cli *config_find_cli(const struct config *c, const char *path);

/* Bits for the difference between an object's new and running configuration. */
/* the object reads the new struct, and the change takes effect (timers, texts, debug) */
#define CONF_CH_INPLACE 0x01
#define CONF_CH_IMPORT  0x02 /* routes must pass the import policy again */
#define CONF_CH_EXPORT  0x04 /* routes must pass the export policy again */
#define CONF_CH_LIMIT   0x08 /* limits have changed values */
#define CONF_CH_RESTART 0x10 /* stop and start the instance */

/* conf_table_base - the table below the overlay @t; NULL: @t is no overlay. */
static inline const struct conf_table *
conf_table_base(const struct conf_table *t)
{
	return load_relaxed_ptr(&t->base);
}

/* conf_channel_diff, conf_proto_diff - the CONF_CH_* bits between two channels, or two
 * instances, of equal name; 0: equal meaning. conf_proto_diff includes the channels'
 * bits, and says RESTART for an added or removed channel and for a changed class.
 * Templates do not count, only the resulting options. */
uint32_t conf_channel_diff(const struct conf_proto *old_p,
    const struct conf_channel *old_c, const struct conf_proto *new_p,
    const struct conf_channel *new_c);
uint32_t conf_proto_diff(const struct conf_proto *old_p, const struct conf_proto *new_p);
/* Hears of each difference: @fn gets the words of the option in a file, and its CONF_CH_*
 * bit. @ch: channel of the new instance; NULL: the option belongs to the instance. */
struct conf_changes {
	void (*fn)(
	    void *arg, const struct conf_channel *ch, const char *what, uint32_t change);
	void *arg;
};
/* conf_proto_changes - conf_proto_diff, and report each difference to @to (may be
 * NULL). */
uint32_t conf_proto_changes(const struct conf_proto *old_p,
    const struct conf_proto *new_p, const struct conf_changes *to);
/* conf_table_changes - report the changed options of a table that stays in place. */
void conf_table_changes(const struct conf_table *old_t, const struct conf_table *new_t,
    const struct conf_changes *to);
/* conf_channel_like - the channel of @p in the place of @ch, a channel of a second
 * configuration; NULL: no such channel. */
const struct conf_channel *conf_channel_like(
    const struct conf_proto *p, const struct conf_channel *ch);

#endif
