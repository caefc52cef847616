/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sockets, files and limits of the system. */
#include "test/load/load_sock.h"

#include <bsd/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static socklen_t
sockaddr_of(struct sockaddr_storage *ss, struct ip_addr a, unsigned port)
{
	struct sockaddr_in6 *s6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *s4 = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (ip_is_v4(a)) {
		s4->sin_family = AF_INET;
		s4->sin_port = htons((uint16_t)port);
		s4->sin_addr.s_addr = htonl(ip_to_v4(a));
		return sizeof(*s4);
	}
	s6->sin6_family = AF_INET6;
	s6->sin6_port = htons((uint16_t)port);
	ip_put16(s6->sin6_addr.s6_addr, a);
	return sizeof(*s6);
}

static int
set_md5(int fd, const struct sockaddr_storage *to, const char *password)
{
	struct tcp_md5sig md5;

	memset(&md5, 0, sizeof(md5));
	memcpy(&md5.tcpm_addr, to, sizeof(*to));
	md5.tcpm_keylen = (uint16_t)strlen(password);
	if (md5.tcpm_keylen > TCP_MD5SIG_MAXKEYLEN)
		return -EINVAL;
	memcpy(md5.tcpm_key, password, md5.tcpm_keylen);
	return setsockopt(fd, IPPROTO_TCP, TCP_MD5SIG, &md5, sizeof(md5)) ? -errno : 0;
}

static int
load_sock_prepare(int fd, struct ip_addr from, const struct load_opt *o,
    const struct sockaddr_storage *to)
{
	bool v4 = ip_is_v4(from);
	struct sockaddr_storage ss;
	int one = 1, ttl = (int)o->ttl, room = (int)o->rcvbuf, held = (int)o->sndbuf, err;
	socklen_t len;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (v4) {
		setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
		setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one));
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &one, sizeof(one));
	}
	if (ttl && v4)
		setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
	else if (ttl)
		setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &ttl, sizeof(ttl));
	/* Before connecting, since the window is scaled by it; from then on the system
	 * leaves it alone. */
	if (room)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (held)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &held, sizeof(held));
	err = o->password ? set_md5(fd, to, o->password) : 0;
	len = sockaddr_of(&ss, from, 0);
	if (!err && bind(fd, (struct sockaddr *)&ss, len))
		err = -errno;
	return err;
}

int
load_sock_connect(struct ip_addr from, const struct load_opt *o)
{
	struct sockaddr_storage to;
	socklen_t len = sockaddr_of(&to, o->server, o->port);
	int fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	err = load_sock_prepare(fd, from, o, &to);
	/* A refused connection shows up as an event, at once or later, and is tried
	 * again. */
	if (!err && connect(fd, (struct sockaddr *)&to, len) && errno != EINPROGRESS &&
	    errno != ECONNREFUSED)
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int
load_sock_limit(uint64_t need)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return -errno;
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
	if (rl.rlim_cur >= need)
		return 0;
	fprintf(stderr,
	    "ternload: %llu open files are needed, but the hard limit is %llu (ulimit "
	    "-Hn)\n",
	    (unsigned long long)need, (unsigned long long)rl.rlim_cur);
	return -EMFILE;
}

FILE *
load_sock_open_gz(const char *path, int *pid)
{
	size_t len = strlen(path);
	int p[2], fd;
	FILE *f;

	*pid = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "ternload: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	if (len > 3 && strcmp(path + len - 3, ".gz") == 0) {
		if (pipe2(p, O_CLOEXEC) || (*pid = fork()) < 0) {
			perror("ternload: gzip");
			return NULL;
		}
		if (*pid == 0) {
			dup2(fd, 0);
			dup2(p[1], 1);
			closefrom(STDERR_FILENO + 1);
			execlp("gzip", "gzip", "-dc", (char *)NULL);
			perror("ternload: gzip");
			_exit(127);
		}
		close(p[1]);
		close(fd);
		fd = p[0];
	}
	f = fdopen(fd, "r");
	return f;
}

int
load_sock_close_gz(FILE *f, int pid)
{
	bool bad = ferror(f) || !feof(f);
	int status = 0;

	fclose(f);
	if (pid && (waitpid(pid, &status, 0) < 0 || status))
		bad = true;
	return bad ? -EIO : 0;
}
