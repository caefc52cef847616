/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the control plane: nest/daemon and proto/program.c. Owner of the structs: the
 * control worker; after start `reader` and `custom` belong to the conf worker. Life:
 * struct control until main frees it after the last worker; objects in it until their
 * removal. */
#ifndef TERN_NEST_DAEMON_CONTROL_PRIV_H
#define TERN_NEST_DAEMON_CONTROL_PRIV_H

#include "filter/run/custom.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/control.h"
#include "nest/core/tern.h"
#include "nest/daemon/control_lan.h"
#include "nest/daemon/state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/signal.h"
#include "sysdep/loop/sock_unix.h"
#include "sysdep/os/os.h"
#include "sysdep/os/os_fd.h"

/* A control socket. */
struct control_socket {
	char *path;
	bool restricted, plans; /* as committed, for the next plan */
	struct sock_rights rights; /* of the file */
	struct sock_rights kept; /* as committed: control_sockets_unbind restores them */
	bool changed; /* a commit has changed the rights: cli_server_check is due */
	struct os_fd fd; /* while sv is NULL */
	uint64_t inode; /* inode of the socket's file */
	struct cli_server *sv; /* NULL: bound; the next commit opens the socket */
};

struct asking;
struct override;
struct overrides;

/* An operator's mask for the next instance, instead of the configured mask, if @given. */
struct debug_mask {
	bool given;
	uint32_t mask;
};

/* The members of a host. Embedded in the host's struct instance. members.c */
struct instance_members {
	struct list list; /* struct instance, by member.of_host */
	uint32_t cnt; /* length of the list */
	uint32_t nr; /* number in the last member's name */
	uint64_t full_said_ns; /* time of the last log line about a lack of room */
};

/* A dynamic member. Embedded in the member's struct instance. members.c */
struct instance_member {
	struct list of_host; /* in host->members.list */
	struct ip_addr addr; /* the member's */
	struct ip_addr local; /* local address of the member's first connection */
	char *iface; /* interface of that connection; MEM_CONFIG, or NULL */
	bool was_up; /* the session has been up */
	/* time of the last log line about a connection to a disabled member */
	uint64_t refused_said_ns;
};

/* A drain of an instance (RFC 8326). Embedded in struct instance. drain.c */
struct instance_drain {
	uint32_t since_s; /* Unix time of the command; 0: no drain */
	uint32_t until_s; /* the session closes at the latest then */
	bool done; /* the session is closed, and the instance held */
	char *message; /* of the Cease; NULL: a standard text. MEM_CONFIG */
	char *by; /* user of the command. MEM_CONFIG */
	uint64_t left, counted; /* networks left, by the last look and by the present */
	uint64_t clean_ns; /* since then no network is left; 0: some are */
};

/* The quarantine of an instance. Embedded in struct instance. quarantine.c */
struct instance_quarantine {
	uint32_t since_s; /* Unix time of the begin; 0: no quarantine is configured */
	uint32_t released_s; /* 0: in quarantine */
	uint32_t as; /* of the member at the begin; 0: any */
	char *by; /* user who released the member; NULL: none. MEM_CONFIG */
};

/* An instance by name: the running instance, or an ending instance whose successor
 * follows. */
struct instance {
	struct list link;
	struct htab_node by_name; /* in control->instance_names */
	struct proto *p; /* NULL: no instance now */
	char *name;
	struct config_ref *conf; /* a reference: the last configuration sent to p */
	const struct conf_proto *cf;
	uint64_t place; /* of struct proto; equal for all successors */
	/* p is ending: commands concern its successor, if configured */
	bool deleting;
	bool down; /* disabled, by the configuration or an operator */
	/* time of an operator's disabling, in seconds since 1970: a configuration does
	 * not enable the instance; 0: not held */
	uint32_t held;
	bool limited; /* held by a limit: `revive after limit off` */
	bool revived; /* enabled by the present commit */
	struct instance_drain drain;
	struct instance_quarantine quarantine;
	/* CONF_CH_* from cf to the planned configuration (control->planned) */
	uint32_t change;
	/* while deleting: an operator's masks for log and MRT file */
	struct debug_mask debug, mrtdump;
	/* while deleting or held: text of the operator's `disable`; NULL: none.
	 * MEM_CONFIG */
	char *message;
	struct asking *asking; /* control_wait.c; NULL: no request waits */
	struct instance *host; /* of a dynamic member; NULL: configured, or ending */
	struct instance_member member; /* with a host */
	bool leaves; /* deleting, without a successor */
	struct instance_members members;
};

/* A table by name. Owner: the control worker, which frees the slot when the table is
 * removed. */
struct table_slot {
	struct list link; /* of control->tables or control->end.tables */
	struct tern_table named; /* until dropped */
	struct table *t;
	struct rpki_index *rpki; /* of a ROA or ASPA table; else NULL */
	struct match_index *match; /* NULL: not configured */
	char *name;
	uint8_t kind;
};

/* Sessions that recovery waits for after `-R`: recovery.c. */
struct recovery_wait {
	uint32_t waits[FAM_CNT]; /* channels */
	uint8_t keeps; /* 1 << family: some peer is asked to keep routes */
	uint8_t settling; /* 1 << family: pipes are still asked */
	bool joining; /* the first instances are being made */
	uint32_t round, rounds; /* rounds of questions to pipes */
	uint32_t pipes_out, sessions_out; /* questions under way */
	struct timer wait;
};

/* Draining instances. Embedded in struct control. drain.c */
struct control_drains {
	struct timer timer; /* time of the next look at the tables */
	uint32_t cnt; /* instances that drain */
	bool looks; /* a look is under way: */
	uint32_t table_nr, pos; /* number of the next table and id of its next net */
};

/* The last origin that a look met. On the stack of drain_run. */
struct drain_memo {
	const struct origin *origin;
	struct instance *in;
};

/* Problems that were reported as events. Embedded in struct control.
 * event/control_health.c */
struct control_health {
	struct control_lan lan;
	struct timer timer;
	struct htab by_key; /* struct health_known */
	struct list known; /* the same */
	uint32_t cnt;
};

/* The failure of the last `configure`. control_conf.c. Owner: the control worker. Life:
 * embedded in struct control. */
struct control_conf_bad {
	char *text; /* error of the last `configure`; NULL: none. MEM_CONFIG */
	unsigned place_len; /* octets of text that are its place */
	uint64_t time_ns; /* time of that error */
};

/* The return to an earlier configuration. control.c. Owner: the control worker. Life:
 * embedded in struct control. */
struct control_undo {
	/* a reference to the configuration before the present one, target of the
	 * command `undo`; NULL: none */
	struct config_ref *prev;
	/* a reference to the last confirmed configuration, target of the timer; NULL
	 * unless the timer is set */
	struct config_ref *safe;
	struct timer timer;
	uint64_t said_ns; /* time of the last log line about a waiting undo */
};

/* Memory that the reader returns to the system. control.c. Owner: the worker `reader`.
 * Life: embedded in struct control. */
struct control_trim {
	struct timer timer;
	struct os_trim done;
};

/* Control sockets. control_cli.c. Owner: the control worker. Life: embedded in struct
 * control. */
struct control_sockets {
	/* of the command line; of the configuration, during a commit of two */
	struct control_socket at[1 + 2 * CONF_CLI_MAX];
	unsigned cnt;
	/* closed after the answer to the command */
	struct cli_server *old[CONF_CLI_MAX];
	unsigned old_cnt;
};

/* Overrides of operators. override_act.c. Owner: the control worker. Life: embedded in
 * struct control_saved. */
struct control_overrides {
	struct overrides *set; /* a reference; NULL: none */
	uint32_t last_id;
	struct timer end; /* time at which an override ends */
};

/* The state file. control_state.c. Owner: the control worker. Life: embedded in struct
 * control. */
struct control_saved {
	const char *path; /* NULL: no state file; constant after start */
	struct state state;
	char *bad; /* error of the state file; NULL: none. MEM_CONFIG */
	struct control_overrides overrides;
	bool dirty; /* the file lacks a change of `state` */
	bool broken; /* move the file away before writing */
	bool newer; /* the file has a later version */
};

/* Log of the daemon. control_log.c. Owner: the control worker. Life: embedded in struct
 * control. */
struct control_log {
	/* why the log differs from the last commit; NULL: it does not. MEM_OTHER */
	char *bad;
	bool foreground; /* -d: log to stderr whatever the configuration says */
	const char *debug_file; /* -D */
};

/* Instances made for members. members.c. Owner: the control worker. Life: embedded in
 * struct control. */
struct control_members {
	uint32_t cnt;
	struct timer age; /* ends members that are down too long */
	bool grown; /* the view lacks a new member */
};

/* Start of the daemon: constant after the first commit. proto/program.c, control.c.
 * Owner: the control worker. Life: embedded in struct control. */
struct control_begin {
	const struct conf_class **conf_classes;
	char *path; /* the file of the command line. MEM_OTHER */
	uint64_t nofile;
	bool hears; /* follows signals, from the first commit on */
	bool recovers; /* `-R` */
	/* opened after the first commit; NULL: no waiter */
	struct latch *started;
};

/* End of instances, tables and the daemon. control_end.c. Owner: the control worker.
 * Life: embedded in struct control. */
struct control_end {
	bool stopping; /* no further changes are allowed */
	bool shut; /* control_shut_down was called */
	struct latch *all_gone;
	struct list instances; /* struct proto: stay in the view until the turn ends */
	struct list tables; /* struct table_slot: deleted with the next view */
};

/* Owner: the control worker. Life: as the process. */
struct control {
	struct worker worker;
	struct worker reader; /* parses configurations */
	struct tern *tern;
	struct custom_registry custom;
	struct list instances, tables;
	/* A commit looks up each name several times. */
	struct htab instance_names;
	struct config_ref *conf; /* a reference */
	/* configuration of the last control_plan; else NULL */
	const struct config *planned;
	uint64_t conf_time_ns;
	struct control_conf_bad bad;
	struct control_undo undo;
	struct control_trim trim;
	struct signal_watch signals;
	struct watch refusals; /* of the sandbox */
	uint32_t ifaces_nr; /* number of the list of interfaces at the last view */
	struct control_begin begin;
	struct control_end end;
	struct control_sockets cli;
	struct control_saved saved;
	struct control_log log;
	struct control_members members;
	struct recovery_wait recovery;
	struct control_health health;
	struct control_drains drains;
};

/* control_name_hash - key of a name in instance_names. */
static inline uint64_t
control_name_hash(const char *name)
{
	return hash_bytes(0, name, strlen(name));
}

/* control_down - the command `down`. Answered before control sockets close. */
void control_down(struct control *c, TAKE struct control_req *r);
/* Of tern.control.ops. */
extern const struct control_ops control_plane_ops;
/* control_start - start the workers. @first: the first configuration (TAKE), committed in
 * the control worker. */
void control_start(struct control *c, struct tern *t, TAKE struct config *first);

/* ---- control_end.c ---- */
/* control_shut_down - end all instances and tables. @message: to peers; may be NULL.
 * control_show_gone - publish a view without the ended instances, which are then freed
 * (commit/commit.c, I1). After the last instance the tables are deleted. */
void control_shut_down(struct control *c, const char *message);
void control_show_gone(struct control *c);

/* ---- recovery.c ---- */
void recovery_init(struct control *c);
/* recovery_begin - after `-R`, before the first commit. recovery_joined - after the
 * commit. */
void recovery_begin(struct control *c);
void recovery_joined(struct control *c);
/* recovery_report - write to @r a line for each up session whose peer would delete our
 * routes at a restart. Returns: their number. */
uint32_t recovery_report(struct control *c, struct control_req *r);
/* recovery_leave - end the daemon so that peers keep its routes. */
void recovery_leave(struct control *c);

/* ---- commit/plan.c ---- */
/* Change of an instance between enabled and disabled. */
struct plan_switch {
	bool was, down; /* disabled before; disabled after */
	bool limited; /* struct instance */
};
struct plan_switch plan_switch(const struct instance *in, const struct conf_proto *cf);
/* plan_texts - call @say for each function and filter of @next that @was has with another
 * meaning; of many, for the first ones and once for the number of the others. */
void plan_texts(const struct config *was, const struct config *next,
    void (*say)(void *arg, const char *what, const char *name, const char *fate),
    void *arg);
/* control_plan - write to @r a line for each object that the commit of @conf changes. The
 * next commit, if any, is of @conf. */
void control_plan(
    struct control *c, const struct config *conf, bool soft, struct control_req *r);

/* plan_revived - report instances enabled by the commit; @r waits for them. */
void plan_revived(struct control *c, struct control_req *r);

/* ---- control_conf.c ---- */
/* control_conf_failed - keep the last line of @r's answer for `configure status`. */
void control_conf_failed(struct control *c, const struct control_req *r);
/* control_conf_warn - send the lines of @text to the asker and to the log. */
void control_conf_warn(struct control_req *r, const char *text);
/* control_conf_status - answer `configure status`. */
void control_conf_status(struct control *c, struct control_req *r);

/* ---- event/control_health.c ---- */
/* control_health_init, control_health_fini - before the first and after the last call of
 * control_health_run, which looks for problems while a client is subscribed. */
void control_health_init(struct control *c);
void control_health_run(struct control *c);
void control_health_fini(struct control *c);

/* ---- event/control_events.c ---- */
/* Post events: the daemon starts with @conf; @r (NULL: the end of a timeout) has changed
 * the configuration; @r has failed; @r reloads instances. */
void control_event_started(const struct control *c, const struct config *conf);
void control_event_configured(const struct control *c, const struct control_req *r);
void control_event_failed(const struct control *c, const struct control_req *r);
void control_event_reload(const struct control *c, const struct control_req *r);

/* ---- control_guard.c ---- */
/* control_guard_check - apply the guards of @conf to its sets, and compare the sets with
 * the configuration in force. Writes to @r's answer a line for each guard that a set
 * trips. Returns: false: the configuration is refused, and the answer has ended. */
bool control_guard_check(
    struct control *c, const struct config *conf, struct control_req *r);
/* control_guard_first - log the guards that the first configuration trips. */
void control_guard_first(const struct config *conf);

/* ---- control_state.c ---- */
/* control_state_load - before the first commit; thread of main. */
void control_state_load(struct control *c);
void control_state_fini(struct control *c);
/* control_state_take - before @in is made: apply the records of @in. */
void control_state_take(struct control *c, struct instance *in);
/* control_state_note - update the records of @in. */
void control_state_note(struct control *c, const struct instance *in);
/* control_state_save - write the file if changes are unwritten; an error adds a line to
 * @r (may be NULL). */
void control_state_save(struct control *c, struct control_req *r);

/* ---- control_act.c ---- */
/* control_act - carry out @r, a command about instances; @r is answered when the
 * instances have carried it out. */
void control_act(struct control *c, TAKE struct control_req *r);

/* ---- control_log.c ---- */
/* commit_log - log as @conf says. Returns: 0, or negative errno with the file in
 * *@bad. */
int commit_log(struct control *c, const struct config *conf, const char **bad);
/* control_log_to - commit_log in a running daemon. Returns: NULL, or (MEM_OTHER) the
 * logged reason why the log did not change. */
OWNED char *control_log_to(struct control *c, const struct config *conf);
/* control_log_check - answer with a warning for each log file of @conf that the process
 * may not write to. */
void control_log_check(
    struct control *c, const struct config *conf, struct control_req *r);
/* control_log_reopen - log files were moved away: make new files. */
void control_log_reopen(struct control *c, struct control_req *r);
/* control_log_state - log the state, as requested by a signal: class info, which every
 * log has. */
void control_log_state(struct control *c);

/* ---- control_audit.c ---- */

/* The line of a request about configurations. A value on the stack of the control
 * worker. */
struct control_audit {
	const char *name; /* of the command; NULL: no line */
	char path[256];
	char file[CONF_DIGEST_MAX], before[CONF_DIGEST_MAX];
};

/* control_audit_begin - before the request @r is carried out. control_audit_end - log the
 * line, before @r is answered. */
void control_audit_begin(
    struct control_audit *au, const struct control *c, const struct control_req *r);
void control_audit_end(
    const struct control_audit *au, const struct control *c, const struct control_req *r);
/* control_audit_timeout - the control worker itself has undone a configuration with the
 * digest @before. */
void control_audit_timeout(const struct control *c, const char *before);

/* ---- control.c ---- */
/* control_conf_env - for config_parse, with the checks that each file of the daemon
 * passes. */
struct conf_env control_conf_env(struct control *c);

/* ---- control_wait.c ---- */
/* control_wait_for - answer @r when @in has carried out all commands so far (proto_ask),
 * or after a second, with a line about the delay. The answer ends with CLI_DONE, unless
 * @r is about a configuration and ends with its own line. */
void control_wait_for(struct control *c, struct control_req *r, struct instance *in);
/* Questions to several instances, without a request. Embedded in its owner's struct, an
 * object of the control worker; no reference remains after `done`. */
struct control_group {
	struct control_wait *wait; /* NULL: no question is under way */
	uint64_t until_ns; /* monotonic time: `done` is called at the latest */
	/* done - all instances have answered, or (@late) the time is over. The function
	 * may ask further questions. */
	void (*done)(struct control_group *g, bool late);
};
/* control_wait_group - ask @in in the name of @g: as control_wait_for. */
void control_wait_group(struct control *c, struct control_group *g, struct instance *in);
/* control_wait_launched - the next instance of @in exists (in->p), or none follows:
 * continue the requests that wait for it. */
void control_wait_launched(struct instance *in);

/* ---- control_cli.c ---- */
/* control_socket_bind - bind a further socket; the first is the command line's. @rights:
 * of the file; NULL: the usual rights. The next commit opens the socket. Returns: 0 or
 * negative errno (sock_unix_bind). */
MUST_CHECK int control_socket_bind(
    struct control *c, const char *path, const struct sock_rights *rights);
/* control_sockets_bind - bind the missing sockets of @conf, and give the files of the
 * other sockets the rights of @conf. Returns: 0, or negative errno with the socket in
 * *@bad; then control_sockets_unbind must follow. */
MUST_CHECK int control_sockets_bind(
    struct control *c, const struct config *conf, const char **bad);
/* control_sockets_unbind - close bound sockets, and restore the rights of files; no
 * commit follows. */
void control_sockets_unbind(struct control *c);
/* control_sockets_plan - call @say for each new, removed or changed socket. */
void control_sockets_plan(struct control *c, const struct config *conf,
    void (*say)(void *arg, const char *path, const char *what), void *arg);
/* control_sockets_commit - open and drop sockets as @conf says. */
void control_sockets_commit(struct control *c, const struct config *conf);
/* control_sockets_notify - log @text, and send @text to all clients unasked. */
void control_sockets_notify(struct control *c, enum log_class class, const char *text);
/* control_sockets_close_dropped - after the answer: close dropped sockets and their
 * clients, and clients that changed rights keep out. */
void control_sockets_close_dropped(struct control *c);
/* control_sockets_close - close all sockets for good. */
void control_sockets_close(struct control *c);

/* ---- view.c ---- */
/* publish_view - publish the present instances and tables. */
void publish_view(struct control *c);

/* ---- commit/commit_tables.c ---- */
struct table_slot *table_find_slot(struct control *c, const char *name);
/* commit_drop_table - leave the table out of the next view, and then delete it. */
void commit_drop_table(struct control *c, TAKE struct table_slot *ts);
/* commit_tables_new - make the new tables of @conf. commit_tables_old - drop the tables
 * that @conf lacks. */
void commit_tables_new(struct control *c, const struct config *conf);
/* commit_tables_lend - let filters of @conf, which is not committed, query the indices of
 * VRPs and ASPAs of the present tables. */
void commit_tables_lend(struct control *c, const struct config *conf);
void commit_tables_old(struct control *c, const struct config *conf);

/* ---- commit/fill.c ---- */
/* fill_begin - before instances get the configuration @conf: filters wait for the ROA and
 * ASPA tables that a changed static protocol or pipe will fill. Returns: NULL: no such
 * table. fill_ask - after the instances got the configuration: end the waits when the
 * tables have the routes. */
struct table_fill;
OWNED struct table_fill *fill_begin(struct control *c, const struct config *conf);
void fill_ask(TAKE struct table_fill *fl);

/* ---- commit/commit_check.c ---- */
/* commit_check - checks that need a running daemon. Returns: NULL, or text in @b. */
const char *commit_check(struct control *c, const struct config *conf, struct strbuf *b);
/* commit_room - is there room for a further instance? Returns: NULL, or the missing
 * resource. */
const char *commit_room(const struct control *c);
/* commit_router_id - the present router id if still allowed, or the lowest allowed
 * address; 0: none. */
uint32_t commit_router_id(struct control *c, const struct config *conf);
/* commit_files - descriptors not needed by the configuration are for clients: four each.
 * A few clients are allowed in any case, from the reserve. */
void commit_files(struct control *c, const struct config *conf);

/* ---- instance.c ---- */
/* instance_new - add an instance with a new name. instance_find - NULL: none. */
struct instance *instance_new(struct control *c, const char *name);
struct instance *instance_find(const struct control *c, const char *name);
/* instance_launch - make the struct proto of @in, and start it unless disabled. @cf: its
 * configuration, of @ref. @old: the predecessor, whose worker has ended; NULL: none. */
void instance_launch(struct control *c, struct instance *in, struct config_ref *ref,
    const struct conf_proto *cf, struct proto *old);
/* instance_delete - end the struct proto of @in. */
void instance_delete(struct instance *in, enum proto_reason why, const char *message);
/* instance_end - the same, for configuration @ref. */
void instance_end(struct instance *in, enum proto_reason why, struct config_ref *ref);
/* instance_remember - @cf, of @ref, is the last configuration sent to @in. */
void instance_remember(
    struct instance *in, struct config_ref *ref, const struct conf_proto *cf);
/* instance_unsay - void an operator's statements about the next instance. A held instance
 * stays held in its successors. */
void instance_unsay(struct instance *in);
/* instance_listed - true: @in, a member's instance, is shown behind its host. */
bool instance_listed(const struct control *c, const struct instance *in);

/* ---- commit/commit.c ---- */
/* commit - make @ref (TAKE) the running configuration. @soft: don't refilter. Returns:
 * true: an instance must restart first; the restart continues by itself. */
bool commit(struct control *c, TAKE struct config_ref *ref, bool soft);
/* instance_gone - the worker of @p ended: make its successor, if configured. Returns:
 * true: @p is in the view, and the caller must publish a new view. */
bool instance_gone(struct control *c, struct proto *p);
void commit_shutdown(struct control *c, const char *message);
/* instance_conf - the part of @conf for @in; as members_conf. */
OWNED struct config_ref *instance_conf(const struct conf_proto **cf,
    const struct instance *in, const struct config *conf, struct config_ref *ref);

/* ---- commit/places.c ---- */
/* places_behind - for each instance of @conf, by index: the place of the next existing
 * instance behind it; 0: none. MEM_CONFIG. place_between - the place of a new instance
 * behind the place @before (0: the instance is the first) and before @behind (0: the
 * instance is the last). Instances that change places in the file keep their places, so
 * @behind may be lower than @before. place_again - a new place for an existing instance
 * that is ending and has a successor. */
OWNED uint64_t *places_behind(const struct control *c, const struct config *conf);
uint64_t place_between(uint64_t before, uint64_t behind);
uint64_t place_again(struct instance *in, uint64_t before, uint64_t behind);
/* ---- members.c ---- */

void members_init(struct control *c);
/* members_conf - the configuration of the member's instance @in by @conf. @ref: of @conf,
 * gets a reference; NULL: @conf lives long enough. Returns: a reference, with the
 * instance's part in *@cf; NULL: @conf has no place for the member. */
OWNED struct config_ref *members_conf(const struct conf_proto **cf,
    const struct instance *in, const struct config *conf, struct config_ref *ref);
/* members_part - @in becomes a configured instance, or ends: drop its host and
 * members. */
void members_part(struct control *c, struct instance *in);

/* ---- control_iface.c ---- */

/* control_ifaces_start - follow the interfaces from now on. */
void control_ifaces_start(struct tern *t);
/* control_ifaces_viewed - view @v was published: its new instances must not miss a
 * change. */
void control_ifaces_viewed(struct control *c, const struct tern_view *v);

/* control_sandbox.c: the log of refused system calls, until control_sandbox_stop. In the
 * control worker. */
void control_sandbox_start(struct control *c);
void control_sandbox_stop(struct control *c);

#endif
