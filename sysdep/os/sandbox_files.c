/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landlock: no execution, no device files, and no writing in the folders of the system.
 *
 * Landlock knows permissions and no refusals, so the rules permit writing below each
 * folder of the root but the folders of the system. A file that the configuration names
 * later therefore needs no new rule. Reading stays free: the rights of the user decide.
 *
 * The C library has no functions for the three calls. Loop: before other threads exist.
 * Tested by test/unit/test_sandbox.c. */
#include "sysdep/os/sandbox_priv.h"

#include "lib/base/base.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13) /* Linux 5.19 */
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* Linux 6.2 */
#endif

#define RIGHTS_WRITE                                                                     \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |                \
	    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_DIR |                \
	    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                 \
	    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define RIGHTS_NEVER                                                                     \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                     \
	    LANDLOCK_ACCESS_FS_MAKE_BLOCK)

static bool
files_is_of_system(const char *name)
{
	static const char *const system[] = { ".", "..", "bin", "boot", "etc", "proc",
		"root", "sbin", "sys", "usr" };

	if (!strncmp(name, "lib", 3))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(system); i++)
		if (!strcmp(name, system[i]))
			return true;
	return false;
}

/* files_permit - permit @rights below the folder @path. A folder that cannot be opened
 * needs no permission. */
static int
files_permit(int ruleset, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = rights };
	int rc = 0;

	rule.parent_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return 0;
	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
		rc = -errno;
	close(rule.parent_fd);
	return rc;
}

static int
files_permit_root(int ruleset, uint64_t rights)
{
	DIR *d = opendir("/");
	struct dirent *e;
	int rc = 0;

	if (!d)
		return -errno;
	while (!rc && (e = readdir(d))) {
		char path[PATH_MAX];
		struct stat st;

		snprintf(path, sizeof(path), "/%s", e->d_name);
		/* a link leads to a folder with a rule, or to a folder of the system */
		if (files_is_of_system(e->d_name) || lstat(path, &st) ||
		    !S_ISDIR(st.st_mode))
			continue;
		rc = files_permit(ruleset, path, rights);
	}
	closedir(d);
	return rc;
}

/* files_permit_folder - of the file @file. */
static int
files_permit_folder(int ruleset, const char *file, uint64_t rights)
{
	const char *slash = strrchr(file, '/');
	char path[PATH_MAX];

	if (!slash)
		return files_permit(ruleset, ".", rights);
	snprintf(
	    path, sizeof(path), "%.*s", slash == file ? 1 : (int)(slash - file), file);
	return files_permit(ruleset, path, rights);
}

int
sandbox_files(const char *const *keep)
{
	long abi = syscall(
	    SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = { 0 };
	uint64_t write = RIGHTS_WRITE;
	int ruleset, rc;

	if (abi < 1)
		return -EOPNOTSUPP;
	/* without REFER, a kernel refuses to rename from folder to folder */
	if (abi >= 2)
		write |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		write |= LANDLOCK_ACCESS_FS_TRUNCATE;
	attr.handled_access_fs = write | RIGHTS_NEVER;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset < 0)
		return -errno;
	rc = files_permit_root(ruleset, write);
	for (; keep && *keep && !rc; keep++)
		rc = files_permit_folder(ruleset, *keep, write);
	if (!rc && syscall(SYS_landlock_restrict_self, ruleset, 0))
		rc = -errno;
	close(ruleset);
	return rc;
}
