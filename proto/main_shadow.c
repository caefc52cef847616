/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternshadow: a daemon that runs the configuration of a live route server, opens no
 * session, and compares its own announcements with the live server's
 * (nest/shadow/shadow.h). Loop: the thread of main. */
#include "proto/program.h"
#include "proto/program_shadow.h"

int
main(int argc, char **argv)
{
	return program_main(&program_shadow, argc, argv);
}
