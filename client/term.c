/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal, or a pipe or file in place of the terminal.
 *
 * On a terminal readline edits the line through its callbacks, so one poll waits for
 * keys, for signals and for unsolicited lines of the daemon. SIGINT and SIGWINCH are
 * blocked and read from a signalfd: at the prompt an interrupt drops the line, during a
 * command an interrupt ends the command. From a pipe or file lines are read as they
 * arrive: no prompt, no echo, no pager, and default signals. A one-shot command is
 * treated like a pipe, except that output may be a terminal.
 *
 * I1  While a command runs readline has restored the terminal; the pager changes the
 *     terminal's modes only while it waits for a key.
 *
 * Loop: the only thread of ternc. Tested by test/net/test_terminal.py. */
#include "client/term.h"
#include "client/complete.h"
#include "client/conn.h"
#include "lib/wire/cli_code.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>
#include <readline/history.h>
#include <readline/readline.h>

#define MORE        "--More--"
#define MORE_KEYS   "--More-- (space: page, enter: line, q: no more) "
#define PROMPT      "tern> "
#define PROMPT_LOST "tern (not connected)> "
#define BIRD_PROMPT "bird> "

/* style: readline's callbacks have no argument; this variable is the program's only term,
 * set while term_loop runs. */
static struct term *the_term;

/* --- Output --- */

static void
term_read_signals(struct term *t)
{
	struct signalfd_siginfo si;

	while (t->signals >= 0 && read(t->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGINT)
			t->interrupted = true;
		else
			rl_resize_terminal();
	}
}

/* Wait until @fd is readable. Returns: false: an interrupt came first. */
static bool
term_wait(void *self, int fd)
{
	struct term *t = self;
	struct pollfd p[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = t->signals, .events = POLLIN },
	};

	fflush(stdout);
	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[1].revents)
		term_read_signals(t);
	return !t->interrupted;
}

/* term_read_key - a key, without a wait for a line. Returns: 'q' after an interrupt or
 * at the end. */
static char
term_read_key(struct term *t)
{
	struct termios was, raw;
	char key = 'q';

	if (tcgetattr(STDIN_FILENO, &was) < 0)
		return 'q';
	raw = was;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	if (term_wait(t, STDIN_FILENO) && read(STDIN_FILENO, &key, 1) != 1)
		key = 'q';
	tcsetattr(STDIN_FILENO, TCSANOW, &was);
	return key;
}

/* term_line_rows - rows of a line on the screen, with tabs and wrapping. */
static unsigned
term_line_rows(const char *line, unsigned cols)
{
	unsigned col = 0;

	for (; *line; line++)
		col = *line == '\t' ? (col | 7) + 1 : col + 1;
	return col == 0 ? 1 : (col + cols - 1) / cols;
}

/* Returns: false: the user has seen enough. */
static bool
term_page(struct term *t, const char *line)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 80 };
	unsigned rows;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_row < 3 || ws.ws_col == 0)
		return true;
	rows = term_line_rows(line, ws.ws_col);
	if (t->row > 0 && t->row + rows >= ws.ws_row) {
		char key;

		fputs(ws.ws_col > sizeof(MORE_KEYS) ? MORE_KEYS : MORE, stdout);
		key = term_read_key(t);
		fputs("\r\033[K", stdout);
		if (key == 'q' || key == 'Q' || key == 3 || key == 4)
			return false;
		t->row = key == '\n' || key == '\r' ? ws.ws_row - 1 - rows : 0;
	}
	t->row += rows;
	return true;
}

static bool
term_put(void *self, const char *line)
{
	struct term *t = self;

	if (t->signals >= 0) {
		term_read_signals(t);
		if (t->interrupted || (t->paged && !term_page(t, line)))
			return false;
	}
	fputs(line, stdout);
	putchar('\n');
	return true;
}

/* term_screen - clear the screen of a terminal; the following output is not paged. */
static void
term_screen(void *self)
{
	struct term *t = self;

	t->row = 0;
	t->paged = false;
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
}

/* Returns: false: an interrupt came first, or the output has no reader. */
static bool
term_pause(void *self, unsigned ms)
{
	struct term *t = self;
	struct pollfd p[2] = { { .fd = t->signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO } };

	if (fflush(stdout))
		return false;
	if (poll(p, 2, (int)ms) > 0 && p[0].revents)
		term_read_signals(t);
	return !t->interrupted && !p[1].revents;
}

static bool
term_confirm(void *self, const char *question)
{
	struct term *t = self;
	char key;

	fputs(question, stdout);
	key = term_read_key(t);
	puts(key == 'y' || key == 'Y' ? "yes" : "no");
	return key == 'y' || key == 'Y';
}

void
term_init(struct term *t, struct session *s)
{
	*t = (struct term){ .signals = -1, .paged = true, .session = s };
	t->interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	s->colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	s->io = (struct session_io){ .put = term_put,
		.wait = term_wait,
		.screen = term_screen,
		.pause = term_pause,
		.confirm = t->interactive ? term_confirm : NULL,
		.self = t };
}

void
term_fini(struct term *t)
{
	fflush(stdout);
	if (t->signals >= 0)
		close(t->signals);
}

/* --- Input from a file or a pipe --- */

static int
term_pipe_run(struct term *t, char *line, size_t len)
{
	line[len] = '\0';
	if (t->as_bird)
		printf(BIRD_PROMPT "%s\n", line);
	t->rc = session_run(t->session, line);
	if (t->as_bird)
		/* birdc ends well, whatever the command's result */
		t->session->last_code = 0;
	t->failed |= session_status(t->session);
	fflush(stdout);
	return t->rc;
}

static int
term_pipe_end(struct term *t, char *line, size_t len)
{
	int rc = len > 0 ? term_pipe_run(t, line, len) : 0;

	if (t->as_bird && rc == 0 && !t->session->quit)
		puts(BIRD_PROMPT);
	return rc;
}

/* term_pipe_loop - read lines by read() instead of stdio, so that poll() is reliable. */
static int
term_pipe_loop(struct term *t)
{
	char buf[CONN_COMMAND_MAX + 2];
	size_t len = 0;

	fflush(stdout);
	while (!t->session->quit) {
		char *lf = memchr(buf, '\n', len);
		ssize_t n;

		if (lf) {
			size_t used = (size_t)(lf - buf) + 1;

			if (term_pipe_run(t, buf, used - 1) < 0)
				return -1;
			memmove(buf, lf + 1, len - used);
			len -= used;
			continue;
		}
		if (t->eof)
			return term_pipe_end(t, buf, len);
		if (len == sizeof(buf) - 1) {
			fprintf(stderr, "ternc: a line of input is too long\n");
			t->session->last_code = CLI_BAD_COMMAND;
			return 0;
		}
		n = read(STDIN_FILENO, buf + len, sizeof(buf) - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			t->eof = true;
			continue;
		}
		len += (size_t)n;
	}
	return 0;
}

/* --- Input from a terminal --- */

static void term_on_line(char *line);

/* term_prompt - a lost connection isn't the end, but for birdc: the next command makes
 * another. */
static void
term_prompt(struct term *t)
{
	bool lost = session_lost(t->session);

	if (t->rc < 0 && lost && !t->as_bird)
		t->rc = 0;
	if (t->rc == 0)
		rl_callback_handler_install(t->as_bird ? BIRD_PROMPT
					    : lost     ? PROMPT_LOST
						       : PROMPT,
		    term_on_line);
}

/* term_run_line - `quit` needs no connection. */
static int
term_run_line(struct term *t, const char *line)
{
	struct session *s = t->session;

	if (session_lost(s) && line[strspn(line, " \t")] &&
	    strncmp(line, "quit", 4) != 0 && strncmp(line, "exit", 4) != 0) {
		if (session_again(s) < 0)
			return -1;
		if (session_greet(s) < 0)
			return -1;
	}
	return session_run(s, line);
}

static void
term_on_line(char *line)
{
	struct term *t = the_term;

	rl_callback_handler_remove();
	if (!line) {
		putchar('\n');
		t->eof = true;
		return;
	}
	if (*line)
		add_history(line);
	t->row = 0;
	t->paged = true;
	t->interrupted = false;
	t->rc = term_run_line(t, line);
	if (t->interrupted)
		puts("Interrupted");
	t->interrupted = false;
	fflush(stdout);
	free(line);
	if (!t->session->quit)
		term_prompt(t);
}

/* term_on_help_key - the key "?": list the possible continuations, unless the key
 * belongs to an expression. */
static int
term_on_help_key(int count, int key)
{
	struct term *t = the_term;
	char line[CONN_COMMAND_MAX];

	if (strcspn(rl_line_buffer, "\"'[{(") < (size_t)rl_point)
		return rl_insert(count, key);
	snprintf(line, sizeof(line), "%.*s?", rl_point, rl_line_buffer);
	putchar('\n');
	t->row = 0;
	t->interrupted = false;
	t->rc = session_run(t->session, line);
	t->interrupted = false;
	rl_on_new_line();
	rl_redisplay();
	return 0;
}

static void
term_drop_line(struct term *t)
{
	t->interrupted = false;
	fputs("^C\n", stdout);
	rl_free_line_state();
	rl_callback_sigcleanup();
	rl_replace_line("", 0);
	rl_on_new_line();
	rl_redisplay();
}

/* Between commands the daemon may say something, or go away. */
static void
term_on_daemon(struct term *t)
{
	rl_clear_visible_line();
	fflush(stdout); /* before any output on stderr */
	t->row = 0;
	t->rc = session_idle(t->session);
	if (session_lost(t->session)) {
		rl_callback_handler_remove();
		term_prompt(t);
	} else if (t->rc == 0) {
		rl_on_new_line();
		rl_redisplay();
	}
}

static int
term_tty_loop(struct term *t)
{
	struct pollfd p[3] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .events = POLLIN }, { .events = POLLIN } };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	the_term = t;
	rl_readline_name = t->as_bird ? "birdc" : "ternc";
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	complete_init(t->session);
	rl_bind_key('?', term_on_help_key);
	t->paged = false;
	if (!t->session->json && !t->as_bird)
		t->rc = session_greet(t->session);
	term_prompt(t);
	while (!t->eof && t->rc == 0 && !t->session->quit) {
		p[1].fd = t->signals;
		p[2].fd = session_fd(t->session);
		fflush(stdout);
		if (poll(p, 3, -1) < 0)
			continue;
		if (p[1].revents) {
			term_read_signals(t);
			if (t->interrupted)
				term_drop_line(t);
		}
		if (p[0].revents)
			rl_callback_read_char();
		else if (p[2].revents)
			term_on_daemon(t);
	}
	rl_callback_handler_remove();
	return t->rc;
}

int
term_loop(struct term *t)
{
	int rc = t->interactive ? term_tty_loop(t) : term_pipe_loop(t);

	return rc ? rc : -t->failed;
}
