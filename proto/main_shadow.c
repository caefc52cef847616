/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternshadow: a daemon that runs the configuration of a live route server, opens no
 * session, and compares its own announcements with the live server's
 * (nest/shadow/shadow.h). Loop: the thread of main. */
#include "nest/cli/show/cmd_show.h"
#include "nest/shadow/shadow.h"
#include "proto/bgp/listen/bgp_listen.h"
#include "proto/program.h"

static struct tern_part *
shadow_part_new(struct tern *t, char *const *feed, unsigned cnt, const char **bad)
{
	return shadow_new(t, feed, cnt, bgp_listen_inject, cmd_shadow_list, bad);
}

int
main(int argc, char **argv)
{
	static const struct program ternshadow = {
		.name = "ternshadow",
		.extra_option = "--shadow FEED...",
		.extra_text =
		    "  --shadow FEED  routes of the live server: mrt:FILE, mrt-out:FILE "
		    "or\n"
		    "                 bmp:[ADDRESS:]PORT; may be given several times\n",
		.part_new = shadow_part_new,
		.part_free = shadow_free,
	};

	return program_main(&ternshadow, argc, argv);
}
