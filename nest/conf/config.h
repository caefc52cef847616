/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One configuration, parsed and checked: what the daemon is told to be.
 *
 * A struct config is immutable once config_parse (nest/conf/conf_load.h) has returned it;
 * any thread may read it. Everything that it points to lives in its arena and goes with
 * config_free, which the control worker calls after every worker has said that it left
 * it. Times are in seconds where a name says _s. */
#ifndef TERN_NEST_CONFIG_H
#define TERN_NEST_CONFIG_H

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/rpki.h"
#include "filter/run/custom.h"
#include "lib/base/check.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "sysdep/loop/loop_watch.h"
#include "sysdep/os/clock.h"

/* ---- what it is made of ---- */

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

/* A routing table. master4 and master6 always exist. */
struct conf_table {
	struct filter_table ft; /* first: what filters know of it */
	const char *name;
	uint8_t kind; /* enum conf_table_kind; IP4 and IP6 equal enum family */
	/* const struct conf_table *: of an overlay: the table whose routes are its own,
	 * too, as far as its pipe lets them through (conf_overlay.c); else NULL. The
	 * control worker takes it away before a commit (conf_overlays_keep) */
	struct pubptr base;
	bool sorted;
	bool trie;
	bool match_index; /* longest matches have an index */
	/* routes come to it that lead somewhere without being looked up themselves: next
	 * hops may be looked up in it. When the whole configuration is known */
	bool leads;
	uint32_t debug; /* DEBUG_* */
	unsigned index; /* in config->table */
	uint64_t settle_min_ns,
	    settle_max_ns; /* of a ROA table, before changes are told */
	bool settle_given; /* also of changes whose source says that it is through */
	uint32_t rpki_wait_s; /* how long routes wait for its first data; 0: they don't */
	struct src_pos pos;
	/* What filters ask of it, counted, so that ft.map stays as long as the
	 * configuration; NULL: not of type ROA or ASPA, or not committed yet. The control
	 * worker writes it, before any instance is given the configuration, and again if
	 * that comes back by `undo`: others read it under RCU. */
	struct pubptr rpki; /* struct rpki_index *; counted, with its unref: */
	void (*rpki_drop)(struct rpki_index *x);
};

static inline struct conf_table *
conf_table_of(const struct filter_table *t)
{
	return (struct conf_table *)(uintptr_t)t; /* its first member */
}

/* conf_kind_is_rpki - does a table hold what the RPKI says, not routes? */
static inline bool
conf_kind_is_rpki(unsigned kind)
{
	return kind >= TABLE_ROA4;
}

/* conf_kind_family - of prefixes in a table. */
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

struct conf_limit {
	uint32_t max;
	uint8_t action; /* enum limit_action; OFF: no limit */
};

/* One family of one protocol instance, bound to a table. */
struct conf_channel {
	struct conf_channel *next; /* in the order of the file */
	uint8_t family; /* enum family (of ROA channels: that of their prefixes) */
	uint8_t kind; /* enum conf_table_kind, of its table */
	bool is_rpki; /* of a ROA or an ASPA table */
	uint8_t side; /* 1: of a pipe's peer table; else 0 */
	const char *name; /* "ipv4", "ipv6", "roa4", "roa6", "aspa" */
	const struct conf_table *table; /* never NULL after parsing */
	const struct filter *import,
	    *export; /* never NULL after parsing; `all` and `none` are constant filters */
	uint32_t preference;
	struct conf_limit import_limit, receive_limit, export_limit;
	uint32_t net_limit; /* paths of one network from the other side; 0: no limit */
	/* export nothing but networks in this prefix (`in NET`) */
	struct prefix export_in;
	bool has_export_in;
	bool keep_filtered;
	/* of two next hops packets go to the link-local one (`next hop prefer`) */
	bool prefer_local;
	/* packets to next hops leave by the session's link: in a VRF their addresses
	 * don't tell which */
	bool over_link;
	/* refused routes that are remembered for `show route why`, unless they are kept
	 */
	uint32_t rejects;
	bool rpki_reload;
	/* an instance wants its routes as they came (conf_class.monitors) */
	bool monitored;
	/* one wants what is sent (conf_class.monitors_out) */
	bool monitored_out;
	/* one wants what would be sent without policy (conf_class.monitors_offer) */
	bool monitored_offer;
	uint32_t debug; /* DEBUG_* */
	const char *description;
	/* struct of the class: struct bgp_channel_conf for BGP; NULL if it has none */
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
	PROTO_OTHER /* known by name, not supported: never in a finished configuration */
};

/* One protocol instance, or a template while parsing. */
struct conf_proto {
	const struct conf_class *class;
	uint8_t kind; /* enum proto_kind, as class->kind */
	const char *name;
	const char *description; /* NULL: none */
	const char *vrf; /* of its sockets and interfaces; NULL: none */
	bool disabled;
	bool revive_after_limit; /* `configure` starts it when a limit has disabled it */
	bool has_router_id; /* given here, not taken from the configuration */
	uint32_t router_id; /* host order; config's if not given here */
	uint64_t restart_time_ns; /* least time between starts */
	uint32_t debug; /* DEBUG_*, with the global default */
	uint32_t mrtdump; /* MRTDUMP_*, likewise */
	const char *hostname; /* config's if not given here */
	void *opt; /* struct of the class: struct bgp_conf, ... */
	struct conf_channel *chan; /* list */
	unsigned chan_cnt;
	unsigned index; /* in config->proto */
	struct src_pos pos;
};

#define CONF_CLI_MAX 15

/* A further control socket (`cli "path" { restrict; };`). */
struct conf_cli {
	const char *path;
	bool restricted;
};

/* A self-test: `bt_test_suite` (func), or `bt_test_same` (two filters or two functions).
 */
struct conf_test {
	const char *name; /* of a suite */
	const struct ffunc *func, *func_b;
	const struct filter *filter, *filter_b;
	bool same; /* the answer of bt_test_same that is right */
	struct src_pos pos;
};

#define CONF_DIGEST_MAX 65 /* SHA-256 in hex, with its NUL */

struct config {
	const char *path; /* main file, as given */
	/* SHA-256 of the texts of all files, one after another as they end: what is
	 * included before who includes it */
	char digest[CONF_DIGEST_MAX];
	/* host order; 0: not given (lowest IPv4 address of the machine then) */
	uint32_t router_id;
	/* among which addresses; NULL: those of interfaces that aren't loopback */
	const struct iface_pattern *router_id_from;
	const char *hostname; /* NULL: that of the machine */
	bool has_threads;
	uint32_t gr_wait_s; /* `graceful restart wait` */
	uint32_t threads; /* loops that workers share; 0: one a worker */

	const struct log_sink *log;
	/* 0: no log line was given: everything to syslog (or stderr in foreground) */
	unsigned log_cnt;
	struct time_format time_route, time_protocol, time_base, time_log;

	uint32_t debug_protocols, debug_channels,
	    debug_tables; /* DEBUG_*; defaults already applied */
	uint32_t
	    debug_commands; /* 1: clients of control sockets; 2: what they say, too */
	bool debug_show_route; /* walks of `show route` */
	uint32_t filter_steps; /* bound of a run, as at the end of the file */
	struct loop_limits limits;
	const char *mrtdump; /* file; NULL: none */
	uint32_t mrtdump_protocols; /* MRTDUMP_*; default of those of protocols */

	struct conf_table *const *table;
	unsigned table_cnt;
	struct conf_proto *const
	    *proto; /* in the order of the file, templates left out */
	unsigned proto_cnt;
	const struct conf_cli *cli;
	unsigned cli_cnt;
	const struct custom_attr *custom; /* all names known by now; custom[id - 1] */
	unsigned custom_cnt;

	const struct conf_test *test; /* for `ternd -t`; nobody else looks */
	unsigned test_cnt;

	const struct sym_table *symbols; /* `show symbols`: walk first .. defined */
	struct arena arena; /* private */
};

/* ---- using it ---- */

struct conf_class; /* nest/conf/opt/conf_opt.h: what a protocol tells the parser */

/* What config_parse needs from its caller. */
struct conf_env {
	const struct conf_class *const *class; /* ends with NULL */
	struct custom_registry *custom; /* kept over reconfigurations */
	bool tests_only; /* a file without protocols will do */
	bool pipes; /* a pipe will do, and be waited for */
	const struct pub32 *stop; /* once it isn't 0, parsing gives up; NULL: never */
};

void config_free(TAKE struct config *c);

struct conf_proto *config_find_proto(const struct config *c, const char *name);
struct conf_table *config_find_table(const struct config *c, const char *name);

/* How a new configuration's object differs from the running one. */
/* takes effect by reading the new struct (timers, texts, debug) */
#define CONF_CH_INPLACE 0x01
#define CONF_CH_IMPORT  0x02 /* routes must pass the import policy again */
#define CONF_CH_EXPORT  0x04 /* routes must pass the export policy again */
#define CONF_CH_LIMIT   0x08 /* limits have other values */
#define CONF_CH_RESTART 0x10 /* stop and start the instance */

/* conf_table_base - NULL: @t is no overlay. */
static inline const struct conf_table *
conf_table_base(const struct conf_table *t)
{
	return load_relaxed_ptr(&t->base);
}

/* conf_channel_diff, conf_proto_diff - which CONF_CH_* lie between two of the same name;
 * 0: they mean the same. conf_proto_diff includes the channels' answers; it also says
 * RESTART if a channel was added or removed, or the class is another. Templates that both
 * came from don't matter, only results do. */
uint32_t conf_channel_diff(const struct conf_proto *old_p,
    const struct conf_channel *old_c, const struct conf_proto *new_p,
    const struct conf_channel *new_c);
uint32_t conf_proto_diff(const struct conf_proto *old_p, const struct conf_proto *new_p);
/* Who hears of each difference: @fn is told which option it is, by the words that it has
 * in a file, and its CONF_CH_*. @ch: of the new instance; NULL: it is the instance's. */
struct conf_changes {
	void (*fn)(
	    void *arg, const struct conf_channel *ch, const char *what, uint32_t change);
	void *arg;
};
/* conf_proto_changes - conf_proto_diff, and what it consists of. @to: may be NULL. */
uint32_t conf_proto_changes(const struct conf_proto *old_p,
    const struct conf_proto *new_p, const struct conf_changes *to);
/* conf_table_changes - which options of a table differ, though it stays the same. */
void conf_table_changes(const struct conf_table *old_t, const struct conf_table *new_t,
    const struct conf_changes *to);
/* conf_channel_like - the channel of @p that has the place of @ch, of another
 * configuration; NULL: none. */
const struct conf_channel *conf_channel_like(
    const struct conf_proto *p, const struct conf_channel *ch);

#endif
