/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ternc support FILE`: a bundle of what a report of a fault needs. Loop: the only
 * thread of ternc. */
#ifndef TERN_CLIENT_SUPPORT_H
#define TERN_CLIENT_SUPPORT_H

struct session;

/* support_run - write the bundle to the new file @file, and print a line for each part:
 * the octets, or why the bundle lacks the part. A daemon that does not answer leaves the
 * parts without the daemon. @s: not open yet. @conf: the configuration; NULL: the
 * daemon's, or without an answer @conf_default. Returns: exit status; 0: the file is
 * complete. */
int support_run(
    struct session *s, const char *file, const char *conf, const char *conf_default);

#endif
