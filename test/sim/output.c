/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of the world's programs to stdout and stderr by stdio goes to the files of
 * the program's life (sim_launch), without a buffer. Programs without such files, and the
 * simulation itself, write to the streams of the process.
 *
 * Every function __wrap_X stands for the call X. */
#include "test/sim/sim.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __real_fputs(const char *text, FILE *f);
size_t __real_fwrite(const void *from, size_t len, size_t cnt, FILE *f);
ssize_t __real_write(int fd, const void *buf, size_t len);
int __real_isatty(int fd);
pid_t __real_fork(void);

static int
file_of(const FILE *f)
{
	return f == stdout   ? sim_daemon_output(STDOUT_FILENO)
	       : f == stderr ? sim_daemon_output(STDERR_FILENO)
			     : -1;
}

size_t
__wrap_fwrite(const void *from, size_t len, size_t cnt, FILE *f)
{
	int fd = file_of(f);

	if (fd < 0)
		return __real_fwrite(from, len, cnt, f);
	return __real_write(fd, from, len * cnt) == (ssize_t)(len * cnt) ? cnt : 0;
}

int
__wrap_fputs(const char *text, FILE *f)
{
	size_t len = strlen(text);

	return __wrap_fwrite(text, 1, len, f) == len ? 0 : EOF;
}

static int
output_print(FILE *f, const char *fmt, va_list ap)
{
	char *text;
	int len;

	if (file_of(f) < 0)
		return vfprintf(f, fmt, ap);
	len = vasprintf(&text, fmt, ap);
	if (len < 0)
		return len;
	len = __wrap_fputs(text, f) ? -1 : len;
	free(text);
	return len;
}

int
__wrap_fprintf(FILE *f, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = output_print(f, fmt, ap);
	va_end(ap);
	return len;
}

int
__wrap_printf(const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = output_print(stdout, fmt, ap);
	va_end(ap);
	return len;
}

int
__wrap_puts(const char *text)
{
	return __wrap_fprintf(stdout, "%s\n", text);
}

int
__wrap_putchar(int c)
{
	return __wrap_fprintf(stdout, "%c", c);
}

void
__wrap_perror(const char *text)
{
	__wrap_fprintf(stderr, "%s: %s\n", text, strerror(errno));
}

void
sim_print(const char *text, FILE *f)
{
	__real_fputs(text, f);
}

/* ---- what a program of the world lacks ---- */

static bool
is_of_world(void)
{
	return sim_daemon_output(STDERR_FILENO) >= 0;
}

int
__wrap_isatty(int fd)
{
	if (!is_of_world())
		return __real_isatty(fd);
	errno = ENOTTY;
	return 0;
}

pid_t
__wrap_fork(void)
{
	if (!is_of_world())
		return __real_fork();
	errno = ENOSYS;
	return -1;
}

/* __wrap_setproctitle_init - the title moves the environment, which all programs of the
 * world share. */
void
__wrap_setproctitle_init(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	(void)envp;
}
