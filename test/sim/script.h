/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a drawn run as a story (script.c). */
#ifndef TERN_TEST_SIM_SCRIPT_H
#define TERN_TEST_SIM_SCRIPT_H

#include <stdbool.h>

struct member;
struct world;

/* script_begin - from now on write steps to the real file @path. Fails the run if the
 * file cannot be written. Without this call all functions do nothing. */
void script_begin(const char *path);
/* script_end - write nothing any more. */
void script_end(void);
/* script_pause - write nothing until script_pause(false): steps within a step. */
void script_pause(bool pause);
/* script_head - a step of the beginning, without a time. script_step - a step at the
 * present time. */
void script_head(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void script_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* script_file - the daemon's file, or another file. */
void script_file(const char *path, const char *text);
/* script_state - comments of the script: the routes that each member has sent, and the
 * routes that each member holds. The world rests. */
void script_state(const struct world *w);
/* script_member - the member of its first step. */
void script_member(const struct member *m);

#endif
