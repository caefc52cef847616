/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program ternd: reads the command line and runs the daemon. Loop: the thread of
 * main. */
#include "proto/program.h"

int
main(int argc, char **argv)
{
	static const struct program ternd = {
		.name = "ternd",
		.extra_option = "[--state FILE]",
		.extra_text =
		    "  --state FILE  keep holds in FILE beyond the end of the daemon\n",
	};

	return program_main(&ternd, argc, argv);
}
