/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a daemon, ternd or ternshadow: options, start-up order, shutdown order.
 *
 * Start: options - limits - configuration (an error ends the start) - background - pid
 * file - log - loops - control plane - control socket - first commit. Then the thread of
 * main waits for the end of the last worker, frees shared objects, and exits with 0.
 * Tested by test/net/test_start.py and test/net/test_selftest.py.
 *
 * Loop: the thread of main. */
#include "proto/program.h"

#include "filter/lang/diag.h"
#include "filter/lang/ext.h"
#include "filter/run/custom.h"
#include "lib/base/named.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/exe_file.h"
#include "nest/core/tern.h"
#include "nest/daemon/control_priv.h"
#include "nest/monitor/monitor.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/source.h"
#include "proto/bgp/out/msg_cache.h"
#include "proto/bgp/out/session_class.h"
#include "proto/program_check.h"
#include "proto/program_rights.h"
#include "proto/program_usage.h"
#include "proto/registry.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/signal.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/daemon.h"
#include "sysdep/os/file.h"
#include "sysdep/os/latch.h"
#include "sysdep/os/os.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/os/side.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>

struct options {
	const struct program *program;
	char *owned[8]; /* paths that the functions below made */
	unsigned owned_cnt;
	const char *name; /* of -n; NULL: not given */
	const char *config, *socket, *pid_file, *debug_file, *user, *group, *state;
	const char *bird; /* of --bird; NULL: not given */
	struct ext_uses ext; /* with bird */
	bool debug, foreground, parse_only, test_only, local, recovers, has_threads;
	bool no_sandbox;
	char **feed; /* of --shadow */
	unsigned feed_cnt;
	uint32_t threads;
	struct pidfh *pid; /* the pid file, after it was locked */
};

__attribute__((noreturn))
PRINTF_LIKE(2, 3) static void program_die(const struct options *o, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b);
	strbuf_addf(&b, "%s: ", o->program->name);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	strbuf_addc(&b, '\n');
	daemon_say(true, b.s);
	daemon_exit(1);
}

/* program_fail - when the pid file may have been written already. */
__attribute__((noreturn))
PRINTF_LIKE(2, 3) static void program_fail(const struct options *o, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	daemon_pid_remove(o->pid);
	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	program_die(o, "%s", b.s);
}

static void
program_parse_threads(struct options *o, const char *arg)
{
	char *end;
	unsigned long v = strtoul(arg, &end, 10);

	if (!*arg || *end || v > 256)
		program_die(o, "-T %s: a number from 0 to 256 is expected", arg);
	o->threads = (uint32_t)v;
	o->has_threads = true;
}

/* program_named - @given, or without it the path that @put makes of the name of -n. */
static const char *
program_named(
    struct options *o, const char *given, void (*put)(struct strbuf *b, const char *name))
{
	struct strbuf b;

	if (given || !o->name)
		return given;
	if (!named_ok(o->name))
		program_die(o,
		    "-n %s: a name has up to %d letters, digits and _ - . and begins "
		    "with a letter or digit",
		    o->name, NAMED_MAX);
	strbuf_init(&b);
	put(&b, o->name);
	o->owned[o->owned_cnt] = strbuf_take(&b);
	return o->owned[o->owned_cnt++];
}

/* program_defaults - @bird: the paths that the name bird promises. */
static void
program_defaults(struct options *o, bool bird)
{
	o->config = program_named(o, o->config, named_conf);
	o->socket = program_named(o, o->socket, named_socket);
	o->pid_file = program_named(o, o->pid_file, named_pid);
	if (!o->config && o->local)
		o->config = bird ? "bird.conf" : "tern.conf";
	if (!o->config)
		o->config = bird ? TERN_BIRD_CONF_PATH : TERN_CONF_PATH;
	if (!o->socket && o->local)
		o->socket = bird ? "bird.ctl" : "tern.ctl";
	if (!o->socket)
		o->socket = TERN_SOCKET_PATH;
	if (!o->state && o->local)
		o->state = bird ? "bird.state" : "tern.state";
}

__attribute__((noreturn)) static void
program_print_usage(const struct program *p, int status)
{
	program_usage(p->name, p->extra_option, p->extra_text, status);
}

/* program_take_feed - --shadow @arg. ternd is no shadow any more. */
static void
program_take_feed(struct options *o, char *arg)
{
	if (o->program->part_new) {
		o->feed[o->feed_cnt++] = arg;
		return;
	}
	daemon_say(true, "ternd: a shadow of a live server is the program ternshadow: "
			 "ternshadow --shadow FEED -c FILE\n");
	daemon_exit(2);
}

static void
program_check_bird(const struct options *o)
{
	if (!o->bird)
		return;
	if (!o->parse_only)
		program_die(o, "--bird needs -p");
	if (!program_knows_bird(o->bird))
		program_die(
		    o, "--bird %s: ternd knows the words of BIRD " EXT_BIRD, o->bird);
}

/* program_flag - true: the option @c has no argument and was noted. */
static bool
program_flag(struct options *o, int c)
{
	o->debug |= c == 'd';
	o->foreground |= c == 'd' || c == 'f';
	o->local |= c == 'l';
	o->no_sandbox |= c == 'N';
	o->parse_only |= c == 'p';
	o->recovers |= c == 'R';
	o->test_only |= c == 't';
	return strchr("dflNpRt", c) != NULL;
}

static void
program_options(struct options *o, const struct program *p, int argc, char **argv)
{
	static const struct option long_opt[] = {
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ "threads", required_argument, NULL, 'T' },
		{ "shadow", required_argument, NULL, 'S' },
		{ "state", required_argument, NULL, 'A' },
		{ "bird", required_argument, NULL, 'B' },
		{ "no-sandbox", no_argument, NULL, 'N' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*o = (struct options){ .program = p };
	ext_init(&o->ext);
	o->feed = mem_zalloc(MEM_CONFIG, (unsigned)argc * sizeof(*o->feed));
	while ((c = getopt_long(argc, argv, "c:dD:fg:hln:pP:Rs:tT:u:", long_opt, NULL)) !=
	       -1)
		switch (c) {
		case 'A':
			o->state = optarg;
			break;
		case 'B':
			o->bird = optarg;
			break;
		case 'c':
			o->config = optarg;
			break;
		case 'D':
			o->debug_file = optarg;
			break;
		case 'g':
			o->group = optarg;
			break;
		case 'h':
			program_print_usage(o->program, 0);
		case 'n':
			o->name = optarg;
			break;
		case 'P':
			o->pid_file = optarg;
			break;
		case 'S':
			program_take_feed(o, optarg);
			break;
		case 's':
			o->socket = optarg;
			break;
		case 'T':
			program_parse_threads(o, optarg);
			break;
		case 'u':
			o->user = optarg;
			break;
		case 'V':
			program_version(program_is_bird(argv[0]));
		default:
			if (!program_flag(o, c))
				program_print_usage(o->program, 1);
		}
	if (optind < argc)
		program_unexpected(p->name, p->extra_option, p->extra_text, argv[optind]);
	program_check_bird(o);
	program_defaults(o, program_is_bird(argv[0]));
}

/* program_absolute - @path (NULL: none) as an absolute path: a daemon in the background
 * has another working directory. */
static const char *
program_absolute(struct options *o, const char *path)
{
	char *abs = path ? file_real(path) : NULL;

	if (!path)
		return NULL;
	if (!abs)
		abs = file_absolute(path);
	if (!abs)
		program_die(
		    o, "'%s': the path is empty, or the working directory is gone", path);
	o->owned[o->owned_cnt++] = abs;
	return abs;
}

/* program_state_path - the state file. Each control socket has its own state file. A dry
 * run has no state file: a command to a dry run must not affect the live server. */
static const char *
program_state_path(struct options *o)
{
	struct strbuf b;
	char *path;

	if (o->program->part_new)
		return NULL;
	if (o->state)
		return program_absolute(o, o->state);
	if (!strcmp(o->socket, TERN_SOCKET_PATH))
		return TERN_STATE_DIR "/state";
	strbuf_init(&b);
	strbuf_addf(&b, TERN_STATE_DIR "/state%s", o->socket);
	path = strbuf_take(&b);
	for (char *p = path + sizeof(TERN_STATE_DIR); *p; p++)
		if (*p == '/')
			*p = '%';
	o->owned[o->owned_cnt++] = path;
	return path;
}

static void
program_free_options(struct options *o)
{
	while (o->owned_cnt)
		mem_free(MEM_OTHER, o->owned[--o->owned_cnt]);
	mem_free(MEM_CONFIG, o->feed);
	ext_fini(&o->ext);
}

/* program_make_part - make the program's own part of the daemon. */
static void
program_make_part(struct tern *t, const struct options *o)
{
	const struct program *p = o->program;
	const char *bad;

	if (!p->part_new)
		return;
	if (!o->feed_cnt)
		program_die(o, "--shadow FEED is missing");
	t->dry_run = true;
	t->part = p->part_new(t, o->feed, o->feed_cnt, &bad);
	if (!t->part)
		program_die(o,
		    "--shadow %s: mrt:FILE, mrt-out:FILE or bmp:[ADDRESS:]PORT is "
		    "expected",
		    bad);
}

static struct config *
program_config(struct control *c, struct options *o)
{
	const char *path = program_absolute(o, o->config);
	struct conf_env env = control_conf_env(c);
	struct config *conf;
	struct diag d;

	env.tests_only = o->test_only;
	env.pipes = true;
	diag_init(&d);
	d.ext = o->bird ? &o->ext : NULL;
	conf = config_parse(path, &env, &d);
	if (d.marked.len)
		daemon_say(true, d.marked.s);
	diag_fini(&d);
	if (!conf && o->bird)
		program_say_ext(&o->ext, path, false);
	if (!conf)
		daemon_exit(1);
	return conf;
}

static void
program_write_pid(struct options *o)
{
	int rc, pid = 0;

	if (!o->pid_file)
		return;
	rc = daemon_pid_file(o->pid_file, &o->pid, &pid);
	if (rc == -EWOULDBLOCK)
		program_die(
		    o, "%s: a daemon with process id %d is running", o->pid_file, pid);
	if (rc < 0)
		program_die(o, "%s: %s", o->pid_file, strerror(-rc));
}

/* program_bind - bind control sockets before any worker runs, so that a failed start
 * leaves no trace. Clients that connect now are answered after the first commit. */
static void
program_bind(struct control *c, const struct options *o, const struct config *conf)
{
	const char *bad = o->socket;
	int rc = control_socket_bind(c, bad, NULL);

	if (!rc)
		rc = control_sockets_bind(c, conf, &bad);
	if (!rc)
		return;
	control_sockets_unbind(c);
	if (rc == -EADDRINUSE)
		program_fail(o, "%s: another daemon answers on this control socket", bad);
	program_fail(o, "%s: %s%s", bad, strerror(-rc),
	    rc == -ENOENT && bad == o->socket ? "; make the folder, or use -s or -l"
					      : "");
}

static void
program_drop_rights(const struct options *o, const struct config *conf, struct tern *t)
{
	struct program_rights r = { .user = o->user,
		.group = o->group,
		.no_sandbox = o->no_sandbox,
		.file = { o->socket, o->pid_file, o->debug_file, o->state } };
	struct strbuf why;

	strbuf_init(&why);
	if (!program_give_up(&r, conf, t, &why))
		program_fail(o, "%s", why.s);
	strbuf_fini(&why);
}

static void
program_early(struct control *c, const struct options *o, const struct config *conf)
{
	const char *bad;
	struct strbuf b;
	int rc;

	strbuf_init(&b);
	/* a router id may need an address; read errors are logged */
	iface_source_read(&c->tern->ifaces);
	if (commit_check(c, conf, &b))
		program_fail(o, "%s", b.s);
	strbuf_fini(&b);
	rc = commit_log(c, conf, &bad);
	if (rc)
		program_fail(o, "cannot open log file %s: %s", bad, strerror(-rc));
	control_state_load(c);
}

static void
program_free_shared(struct control *c)
{
	custom_registry_fini(&c->custom);
	mem_free(MEM_CONFIG, c->begin.conf_classes);
}

/* program_check_only - @conf (TAKE) is right: -p or -t. Returns: the exit status. */
static int
program_check_only(struct control *c, struct options *o, struct config *conf)
{
	int rv = o->test_only ? program_self_tests(conf)
		 : o->bird    ? program_say_ext(&o->ext, conf->path, true)
			      : 0;

	config_free(conf);
	program_free_shared(c);
	program_free_options(o);
	return rv;
}

static void
program_finish(const struct options *o, struct control *c, struct tern *t)
{
	struct tern_view *v = load_acquire_ptr(&t->view); /* pairs: TVIEW */

	if (v) {
		config_ref_put(v->conf);
		mem_free(MEM_CONFIG, v->conf_bad);
		mem_free(MEM_CONFIG, v->state_bad);
		mem_free(MEM_CONFIG, v->proto);
		mem_free(MEM_CONFIG, v->table);
		mem_free(MEM_CONFIG, v->rpki);
		mem_free(MEM_CONFIG, v);
	}
	if (c->conf)
		config_ref_put(c->conf);
	if (c->undo.prev)
		config_ref_put(c->undo.prev);
	if (c->undo.safe)
		config_ref_put(c->undo.safe);
	rcu_drain();
	if (t->part)
		o->program->part_free(t->part);
	channel_spares_free(t);
	class_registry_free(t->session_classes);
	monitor_lists_fini(t);
	attr_store_free(t->store);
	origins_free(t->origins);
	msg_memory_fini(t);
	exe_file_fini(&t->process.program);
	program_free_shared(c);
}

/* program_end_sides - exit() must not destroy a library while a side thread runs in
 * it. */
static void
program_end_sides(void)
{
	if (!side_all_ended())
		daemon_exit_now(0); /* all output was written before */
}

/* program_memory_setup - before any thread. */
static void
program_memory_setup(void)
{
	void *free;
	size_t len = os_free_addresses(&free);

	os_malloc_setup();
	if (len)
		vmem_area(free, len);
}

/* program_detach - go into the background without -f. Returns: daemon_ready's end. */
static struct os_fd
program_detach(const struct options *o)
{
	struct os_fd ready = OS_FD_NONE;

	if (!o->foreground)
		ready = daemon_detach();
	if (!o->foreground && !os_fd_is_open(ready))
		program_die(o, "cannot go into the background: %s",
		    strerror(-os_fd_error(ready)));
	return ready;
}

int
program_main(const struct program *p, int argc, char **argv)
{
	static const int signals[] = { SIGHUP, SIGTERM, SIGINT, SIGUSR1, SIGUSR2 };
	struct options o;
	struct tern t = { 0 };
	struct control c = { 0 };
	struct config *conf;
	struct os_fd ready;
	struct latch all_gone, started;

	program_options(&o, p, argc, argv);
	program_memory_setup();
	c.begin.nofile = os_raise_nofile();
	os_allow_nice_back();
	os_allow_real_time();
	c.tern = &t;
	c.begin.conf_classes = registry_conf_classes();
	custom_registry_init(&c.custom);
	conf = program_config(&c, &o);
	if (o.parse_only || o.test_only)
		return program_check_only(&c, &o, conf);
	t.process.thread_limit = o.has_threads         ? o.threads
				 : conf->threads.given ? conf->threads.cnt
						       : 0;
	program_make_part(&t, &o);
	o.socket = program_absolute(&o, o.socket);
	c.saved.path = program_state_path(&o);
	o.pid_file = program_absolute(&o, o.pid_file);
	o.debug_file = program_absolute(&o, o.debug_file);
	ready = program_detach(&o);
	program_write_pid(&o);
	program_drop_rights(&o, conf, &t);
	c.log.foreground = o.debug;
	c.log.debug_file = o.debug_file;
	signal_block(signals, ARRAY_LEN(signals));
	rcu_join();
	log_start();
	program_early(&c, &o, conf);
	program_bind(&c, &o, conf);
	loop_pool_limit(t.process.thread_limit);
	t.store = attr_store_new();
	t.origins = origins_new();
	t.session_classes = class_registry_new();
	msg_memory_init(&t);
	t.process.start_ns = clock_now_ns();
	t.process.instance = o.name;
	exe_file_init(&t.process.program);
	t.classes = proto_classes;
	t.control.worker = &c.worker;
	latch_init(&all_gone);
	c.end.all_gone = &all_gone;
	latch_init(&started);
	c.begin.started = &started;
	c.begin.hears = true;
	c.begin.recovers = o.recovers;
	control_start(&c, &t, conf);
	rcu_sleep();
	latch_wait(&started);
	rcu_wake();
	daemon_ready(ready);
	daemon_notify("READY=1");
	rcu_sleep();
	latch_wait(&all_gone);
	/* offline: the last grace periods must not wait for this thread */
	loop_pool_fini();
	rcu_wake();
	program_finish(&o, &c, &t);
	log_msg(LOG_C_INFO, "Shutdown completed");
	log_stop();
	rcu_leave();
	daemon_pid_remove(o.pid);
	program_free_options(&o);
	program_end_sides();
	return 0;
}
