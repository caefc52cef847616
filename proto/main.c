/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program ternd: reads the command line and runs the daemon, or makes a preview
 * without a daemon. Loop: the thread of main. Tested by test/net/test_start.py and
 * test/net/test_offline.py. */
#include "proto/program.h"
#include "proto/program_preview.h"

int
main(int argc, char **argv)
{
	static const struct program ternd = {
		.name = "ternd",
		.extra_option = "[--state FILE]",
		.extra_text =
		    "  --state FILE  keep holds in FILE beyond the end of the daemon\n"
		    "  --preview NEW  print the effect of NEW on the routes, without a "
		    "daemon\n"
		    "  --against OLD  with --preview: the configuration in force\n"
		    "  --routes FILE  with --preview: a file of `ternc snapshot`\n",
	};

	if (program_preview_wanted(argc, argv))
		return program_preview_main(argc, argv);
	return program_main(&ternd, argc, argv);
}
