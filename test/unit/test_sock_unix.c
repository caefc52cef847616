/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket: refused while somebody answers, a stale file replaced, other files
 * left alone. */
#include "sysdep/loop/sock_unix.c"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include <fcntl.h>
#include <sys/resource.h>

static char dir[64], path[96];

static int
test_sock_unix_set_up(void **arg)
{
	(void)arg;
	snprintf(dir, sizeof(dir), "/tmp/tern-unix-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/ctl", dir);
	return 0;
}

static int
test_sock_unix_tear_down(void **arg)
{
	(void)arg;
	unlink(path);
	return rmdir(dir);
}

static void
test_bind(void **arg)
{
	char long_path[300];
	struct stat st;
	uint64_t inode;
	int fd, other;

	(void)arg;
	fd = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_true(fd >= 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	assert_int_equal(sock_unix_bind(path, NULL, &inode).os_nr, -EADDRINUSE);
	close(fd);
	/* Stale now. */
	fd = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_true(fd >= 0);
	close(fd);
	unlink(path);

	other = open(path, O_CREAT | O_WRONLY, 0600);
	close(other);
	assert_int_equal(sock_unix_bind(path, NULL, &inode).os_nr, -ENOTSOCK);
	unlink(path);
	memset(long_path, 'x', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = 0;
	assert_int_equal(sock_unix_bind(long_path, NULL, &inode).os_nr, -ENAMETOOLONG);
	assert_int_equal(
	    sock_unix_bind("/nonexistent/dir/ctl", NULL, &inode).os_nr, -ENOENT);
}

/* forbid_descriptors - the process has all descriptors that the process may have.
 * Returns: the limit before, for setrlimit. */
static struct rlimit
forbid_descriptors(void)
{
	struct rlimit was, none;
	int next = dup(STDERR_FILENO);

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = (struct rlimit){ (rlim_t)next, was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	return was;
}

static void
test_no_descriptors(void **arg)
{
	struct rlimit was;
	uint64_t inode;
	int fd, rc;

	(void)arg;
	was = forbid_descriptors();
	rc = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(rc, -EMFILE);
	assert_int_equal(access(path, F_OK), -1);
	/* a file of an earlier daemon: stays, as nobody can look who is there */
	fd = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_true(fd >= 0);
	close(fd);
	was = forbid_descriptors();
	rc = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(rc, -EMFILE);
	assert_int_equal(access(path, F_OK), 0);
}

/* The name of the file until the rename is longer than the path. */
static void
test_long_temp(void **arg)
{
	char name[sizeof(((struct sockaddr_un *)0)->sun_path)];
	uint64_t inode;

	(void)arg;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, dir, strlen(dir));
	name[strlen(dir)] = '/';
	assert_int_equal(sock_unix_bind(name, NULL, &inode).os_nr, -ENAMETOOLONG);
}

/* A user without rights: the socket of another user stays, and no file is left when the
 * group is not the user's. */
static void
test_no_rights(void **arg)
{
	const struct sock_rights r = { 0600, 7 };
	int fd, theirs, group;
	uint64_t inode;

	(void)arg;
	if (getuid())
		unit_cannot_here("only root can become another user");
	assert_int_equal(chmod(dir, 0777), 0);
	fd = sock_unix_bind(path, &r, &inode).os_nr;
	assert_true(fd >= 0);
	assert_int_equal(seteuid(54321), 0);
	theirs = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_int_equal(seteuid(0), 0);
	close(fd);
	unlink(path);
	assert_int_equal(theirs, -EACCES);
	assert_int_equal(seteuid(54321), 0);
	group = sock_unix_bind(path, &r, &inode).os_nr;
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(group, -EPERM);
	assert_int_equal(access(path, F_OK), -1);
	/* the folder is empty: test_sock_unix_tear_down removes the folder */
}

struct server {
	struct sock_unix unix;
	struct timer look; /* until the server pauses */
	struct rlimit was;
	bool pauses, paused;
	int listen_fd, client;
	uint64_t inode;
	unsigned cnt;
	bool stop_first;
};

static void
test_sock_unix_accepted(struct sock_unix *u, struct os_fd fd)
{
	struct server *v = container_of(u, struct server, unix);
	struct worker *w = u->watch.worker;

	close(fd.os_nr);
	v->cnt++;
	if (v->stop_first) {
		worker_stop(w);
	} else {
		sock_unix_close(u);
		sock_unix_close(u);
		worker_stop(w);
	}
}

static void
server_stop(struct scene *s)
{
	sock_unix_close(&((struct server *)s->arg)->unix);
}

/* server_look - the server pauses for want of descriptors: the descriptors come back. */
static void
server_look(struct timer *t)
{
	struct server *v = container_of(t, struct server, look);

	v->paused = timer_active(&v->unix.pause);
	if (v->paused)
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &v->was), 0);
	else
		timer_set(t, loop_now_ns(v->unix.watch.worker) + NS_PER_MS);
}

static void
server_play(struct scene *s)
{
	struct server *v = s->arg;
	struct sockaddr_un un;

	s->stop = server_stop;
	sock_unix_close(&v->unix); /* never opened */
	sock_unix_start(&v->unix, &s->worker, os_fd_of(v->listen_fd), v->inode, path,
	    test_sock_unix_accepted);
	assert_int_equal(unix_make_address(&un, path), 0);
	v->client = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(connect(v->client, (struct sockaddr *)&un, sizeof(un)), 0);
	if (v->pauses) {
		v->was = forbid_descriptors();
		timer_init(&v->look, &s->worker, server_look);
		timer_set(&v->look, loop_now_ns(&s->worker));
	}
}

static void
run_server(bool stop_first, bool pauses)
{
	struct server v = { .stop_first = stop_first, .pauses = pauses };
	struct scene s;

	v.listen_fd = sock_unix_bind(path, NULL, &v.inode).os_nr;
	assert_true(v.listen_fd >= 0);
	scene_start(&s, server_play, &v);
	assert_true(scene_wait(&s));
	loop_pool_fini();
	assert_int_equal(v.cnt, 1);
	assert_int_equal(v.paused, pauses);
	assert_int_equal(access(path, F_OK), -1);
	close(v.client);
}

static void
test_server(void **arg)
{
	(void)arg;
	run_server(false, false);
	run_server(true, false);
	/* a connection without a descriptor for the connection: accepted later */
	run_server(true, true);
}

/* Another daemon's socket has taken the path: it stays. */
static void
test_not_ours(void **arg)
{
	struct server v = { 0 };
	uint64_t inode;
	int other;

	(void)arg;
	v.listen_fd = sock_unix_bind(path, NULL, &v.inode).os_nr;
	assert_true(v.listen_fd >= 0);
	v.unix.path = mem_strdup(MEM_OTHER, path);
	v.unix.fd = v.listen_fd;
	v.unix.inode = v.inode;
	v.unix.watch.fd = OS_FD_NONE;
	unlink(path);
	other = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_true(other >= 0);
	sock_unix_close(&v.unix);
	assert_int_equal(access(path, F_OK), 0);
	close(other);
}

static uint32_t
rights_now(void)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 0777;
}

static gid_t
group_now(void)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_gid;
}

/* Without a group of its own the file has the group of new files of the folder, at the
 * start and after another group. */
static void
test_rights(void **arg)
{
	const struct sock_rights usual = { SOCK_MODE, SOCK_DEFAULT_GROUP };
	struct sock_rights r = { 0600, 7 };
	uint64_t inode;
	int fd;

	(void)arg;
	if (getuid())
		skip();
	for (gid_t folder = getegid(); folder < getegid() + 2; folder++) {
		assert_int_equal(chown(dir, (uid_t)-1, folder), 0);
		assert_int_equal(chmod(dir, folder == getegid() ? 0755 : 02755), 0);
		fd = sock_unix_bind(path, NULL, &inode).os_nr;
		assert_true(fd >= 0);
		assert_int_equal(rights_now(), SOCK_MODE);
		assert_int_equal(group_now(), folder);
		assert_int_equal(sock_unix_rights(path, inode, &r), 0);
		assert_int_equal(rights_now(), 0600);
		assert_int_equal(group_now(), 7);
		assert_int_equal(sock_unix_rights(path, inode, &usual), 0);
		assert_int_equal(rights_now(), SOCK_MODE);
		assert_int_equal(group_now(), folder);
		close(fd);
		/* bound with a group */
		fd = sock_unix_bind(path, &r, &inode).os_nr;
		assert_true(fd >= 0);
		assert_int_equal(group_now(), 7);
		assert_int_equal(sock_unix_rights(path, inode, &usual), 0);
		assert_int_equal(group_now(), folder);
		close(fd);
	}
}

/* Another file under the path keeps its rights: a file, a link, another socket. */
static void
test_rights_not_ours(void **arg)
{
	const struct sock_rights r = { 0666, SOCK_DEFAULT_GROUP };
	char other[sizeof(path) + 8];
	struct stat st;
	uint64_t inode;
	int fd, file;

	(void)arg;
	snprintf(other, sizeof(other), "%s.other", path);
	fd = sock_unix_bind(path, NULL, &inode).os_nr;
	assert_true(fd >= 0);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(sock_unix_rights(path, inode, &r), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(sock_unix_rights(path, inode, &r), 0);
	assert_int_equal(lstat(other, &st), 0);
	assert_int_equal(st.st_mode & 0777, SOCK_MODE);
	unlink(path);
	file = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(file >= 0);
	assert_int_equal(sock_unix_rights(path, inode, &r), 0);
	assert_int_equal(rights_now(), 0600);
	close(file);
	close(fd);
	unlink(other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_bind, test_sock_unix_set_up, test_sock_unix_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_no_descriptors, test_sock_unix_set_up, test_sock_unix_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_long_temp, test_sock_unix_set_up, test_sock_unix_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_no_rights, test_sock_unix_set_up, test_sock_unix_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_server, test_sock_unix_set_up, test_sock_unix_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_not_ours, test_sock_unix_set_up, test_sock_unix_tear_down),
		cmocka_unit_test_setup_teardown(
		    test_rights, test_sock_unix_set_up, test_sock_unix_tear_down),
		cmocka_unit_test_setup_teardown(test_rights_not_ours,
		    test_sock_unix_set_up, test_sock_unix_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
