/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of UNIX sockets, which live among the files (disk.c); for sock.c. */
#ifndef TERN_TEST_SIM_DISK_H
#define TERN_TEST_SIM_DISK_H

/* sim_disk_bind - give @listener a path. Returns: 0, or -1 with EADDRINUSE. */
int sim_disk_bind(const char *path, void *listener);
/* sim_disk_listener - who listens there; NULL with errno: no such path, or no socket. */
void *sim_disk_listener(const char *path);
/* sim_disk_listener_gone - the socket is closed; its path stays until somebody removes
 * the path. */
void sim_disk_listener_gone(void *listener);

#endif
