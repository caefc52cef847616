#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The checks and the runner themselves: each must find what is planted in a tree made for it, and
# must find nothing in the same tree without it.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# make_tree FOLDER - the tree without a fault.
make_tree() {
	mkdir -p "$1" && cd "$1" || exit 1
	mkdir -p lib/base lib/mt lib/wire sysdep/os filter/run nest/rib nest/attic nest/channel proto/bgp/in \
		proto/bgp/out proto/pipe client doc test/unit
	echo 'int base_one(void);' >lib/base/base.h
	echo '_Atomic int x;' >lib/mt/atomic.h
	echo '#include "lib/base/base.h"' >lib/wire/wire.h
	echo '#include "lib/wire/wire.h"' >client/main.c
	echo '#include "nest/core.h"' >proto/bgp/bgp.h
	echo '#include "proto/bgp/bgp.h"' >proto/registry.c
	echo '#include "proto/bgp/bgp.h"' >proto/bgp/bgp.c
	cat >nest/core.h <<-'X'
		#include "filter/filter.h"
		put(void)
		{
		    store_release(1); /* pairs: GOOD */
		}
	X
	cat >filter/filter.h <<-'X'
		get(void)
		{
		    load_acquire(1); /* pairs: GOOD */
		}
	X
	echo '| GOOD | a number | put | get (filter.h) |' >doc/concurrency.md
	for p in architecture glossary performance; do
		echo 'read_it in nest/core.h, filter.h' >doc/$p.md
	done
	cat >doc/rfc.md <<-'X'
		| RFC | function | test |
		|---|---|---|
		| 1 | `read_it`, read_* | test_it: test_one; test_it |
	X
	echo 'read_it(void)' >nest/it.c
	echo 'test_one(void)' >test/unit/test_it.c
	find lib sysdep filter nest proto client -name '*.[ch]' >files
	while read -r p; do
		{ printf '/* SPDX */\n/* Pure functions; any thread. */\n'; cat "$p"; } >headed
		mv headed "$p"
	done <files
	rm files
}
make_tree "$dir/tree"

# fresh - $dir/t becomes a copy of the tree without a fault.
fresh() {
	rm -rf "$dir/t"
	cp -R "$dir/tree" "$dir/t"
	cd "$dir/t" || exit 1
}

# expect STATUS CHECK WHAT
expect() {
	TERN_SRCDIR=$dir/t sh "$src/test/tools/$2.sh" >"$dir/out" 2>&1
	rc=$?
	[ $rc -ne 0 ] && rc=1
	if [ $rc -ne "$1" ]; then
		echo "$2: $3: exit status $rc"
		cat "$dir/out"
		failed=1
	fi
}

lines() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "\tx++;" }'
}

fresh
for c in check_floors check_atomics check_tags check_size check_names check_prose check_messages check_function_names \
	check_contracts; do
	expect 0 $c "a tree without fault"
done

plant() {
	fresh
	echo "$2" >>"$1"
}
plant nest/it.c '/* Those that are there, those that are on their way out, and others that they make. */'
expect 1 check_prose "a comment whose words stand for others"
plant doc/architecture.md 'It is there for those that have it, and for others that have one which is not theirs.'
expect 1 check_prose "a document whose words stand for others"

# said TEXT [ENTRY] - a function that logs TEXT, a literal; messages.allow has ENTRY.
said() {
	fresh
	mkdir -p test/tools
	printf 'void\nit_say(void)\n{\n\tlog_msg(%s);\n}\n' "$1" >>nest/it.c
	printf '%s\n' "${2:-# none}" >test/tools/messages.allow
}
for text in '"cannot read it: %s"' '"the peer has one"' '"table %s: there is no route"' '"the same, as DSCP"' \
	'"routes by others"' '"wait so long"' '"its table is full"' '"that is no route"' '"end when that of BFD ends"' \
	'"No session for " "it"' '"%" PRIu64 " of them"'; do
	said "$text"
	expect 1 check_messages "$text"
done
for text in '"one peer of two"' '"at least one"' '"the peer that sends the route"' '"the other side"' \
	'"this session is up"' \
	'"it"' '"functions call each other"' '"all ones"' '"the peer and its route"' '1 /* "say it" */'; do
	said "$text"
	expect 0 check_messages "$text"
done
said '"cannot read it"' 'nest/it.c | read it | a test of the list'
expect 0 check_messages "a text that the list allows"
said '"cannot read it"' 'nest/rib/it.c | read it | a test of the list'
expect 1 check_messages "a text that the list allows in another file"
said '"cannot read it"' 'nest/it.c | read it'
expect 1 check_messages "an entry without a reason"
said '"cannot read"' 'nest/it.c | read it | a test of the list'
expect 1 check_messages "an entry that allows no text"
plant nest/it.c "$(seq 2000 | sed 's/.*/take&(void)\n{\n}/')"
expect 1 check_function_names "functions of one word"
plant nest/it.c "$(seq 2000 | sed 's/.*/static void take&(void)\n{\n}/')"
expect 1 check_function_names "functions of one word behind their type"
plant nest/it.c "$(seq 2000 | sed 's/.*/static void PRINTF_LIKE(1, 2)\n    take&(const char *fmt, ...)\n{\n}/')"
expect 1 check_function_names "functions of one word behind an attribute"
plant nest/it.c "$(seq 2000 | sed 's/.*/take_it&(void)\n{\n}/')"
cp nest/it.c nest/rib/it.c
expect 1 check_function_names "names that functions of two files share"
plant test/unit/test_it.c "$(seq 2000 | sed 's/.*/static void\ntake&(void)\n{\n}/')"
expect 1 check_function_names "functions of one word in a test"
plant test/unit/test_it.c "$(printf 'static void\nset_up(void)\n{\n}')"
cp test/unit/test_it.c test/unit/test_that.c
expect 1 check_function_names "a name that functions of two tests share"
plant test/unit/test_it.c "$(printf 'static void\ntest_two(void **state)\n{\n}')"
cp test/unit/test_it.c test/unit/test_that.c
expect 0 check_function_names "a case of two tests"
# The `;` ends the line read_it(void) of the tree, which has no body.
plant nest/it.c "$(printf ';\nvoid\nread_read_it(void)\n{\n}')"
expect 1 check_function_names "a name that has a word twice"
plant nest/it.c "$(printf ';\nvoid\nread_table_table(void)\n{\n}')"
expect 1 check_function_names "a name that ends with a word twice"
plant nest/it.c "$(printf ';\nvoid\nbi_prefix_in_prefix(void)\n{\n}')"
expect 0 check_function_names "a name in which both places of the word have a meaning"
plant nest/core.h "$(seq 2000 | sed 's/.*/struct s& {/')"
expect 1 check_contracts "structs that do not state owner and life"
plant nest/core.h "$(printf '/* Long work, until its own end. */\nstruct job {\n};')"
expect 1 check_contracts "a struct whose comment has the words in another sense"
plant nest/core.h "$(printf '/* Owner: the session. Life: embedded. */\nstruct job {\n};')"
expect 0 check_contracts "a struct that states owner and life"
plant nest/core.h "$(printf '/* Owner: the session. Life: one answer. */\nstruct job {\n};')"
expect 1 check_contracts "a struct that does not state who frees the struct"
plant nest/core.h "$(printf '/* Owner: the session. Life: one answer. Freed by: job_free. */\nstruct job {\n};')"
expect 0 check_contracts "a struct that states who frees the struct"
printf '/* SPDX */\n/* Any thread. Owner: the session. Life: embedded. */\n\nstruct job {\n};\n' >nest/core.h
expect 1 check_contracts "a struct without a comment, in a file that states owner and life"
printf '/* SPDX */\n/* Any thread. Owner: the session. Life: embedded. */\n\n' >nest/core.h
printf '/* A job. */\nstruct job {\n};\n' >>nest/core.h
expect 0 check_contracts "a struct with a comment, in a file that states owner and life"
plant nest/quiet.c "$(printf '/* SPDX */\n/* Adds numbers, as sysdep/loop/loop.h does. */')"
expect 1 check_contracts "a file that does not state its loop"
plant test/unit/test_what.c "$(printf '/* SPDX */\n/* What a table holds. */')"
expect 1 check_contracts "a first comment that begins with a question word"
plant test/unit/test_what.py "$(printf '# SPDX-License-Identifier: X\n\042\042\042It reads.\042\042\042')"
expect 1 check_contracts "a docstring that begins with a pronoun"
plant test/unit/what.sh "$(printf '#!/bin/sh\n# SPDX-License-Identifier: X\n# How tests wait.')"
expect 1 check_contracts "a first comment of a script that begins with a question word"
plant test/unit/test_what.c "$(printf '/* SPDX */\n/* test_what checks what a table holds. */')"
expect 0 check_contracts "a first comment that begins with its subject"
plant nest/it.c 'struct held { struct set *s; bool owned; };'
expect 1 check_names "a bool beside a pointer says who owns it"
plant lib/base/base.h '#include "lib/mt/atomic.h"'
expect 1 check_floors "base includes mt"
plant sysdep/x.c '#include "nest/core.h"'
expect 1 check_floors "sysdep includes nest"
plant proto/pipe/x.c '#include "proto/bgp/bgp.h"'
expect 1 check_floors "a protocol includes another"
plant client/x.c '#include "sysdep/x.h"'
expect 1 check_floors "client includes sysdep"
plant nest/x.c '#include "core.h"'
expect 1 check_floors "not a full path"
plant nest/channel/x.c '#include "nest/rib/y.h"'
expect 0 check_floors "an earlier folder of nest"
plant nest/rib/x.c '#include "nest/channel/y.h"'
expect 1 check_floors "a later folder of nest"
plant nest/x.y '#include "proto/bgp/bgp.h"'
expect 1 check_floors "a grammar includes proto"
plant filter/run/x.c '#include "filter/set/y.h"'
expect 0 check_floors "an earlier room of filter"
plant filter/run/x.c '#include "filter/lang/y.h"'
expect 1 check_floors "a later room of filter"
plant proto/bgp/in/x.c '#include "proto/bgp/conf/y.h"'
expect 0 check_floors "an earlier room of bgp"
plant proto/bgp/out/x.c '#include "proto/bgp/session/y.h"'
expect 1 check_floors "a later room of bgp"
plant nest/attic/x.c 'int x;'
expect 1 check_floors "a folder that is no room"

# Circles: a.c -> b.h, b.h -> c.h, c.c -> a.h.
circle() {
	fresh
	echo '#include "nest/rib/b.h"' >nest/rib/a.c
	echo 'int a;' >nest/rib/a.h
	echo '#include "nest/rib/c.h"' >nest/rib/b.h
	echo '#include "nest/rib/c.h"' >nest/rib/c.c
	echo 'int c;' >nest/rib/c.h
}
# named FILES - doc/architecture.md lets that circle pass
named() {
	printf '# X\n\n## Circles\n\n- %s: because.\n\n## Y\n' "$1" >doc/architecture.md
}
circle
expect 0 check_floors "a chain of files"
circle
echo '#include "nest/rib/a.h"' >>nest/rib/c.c
expect 1 check_floors "a circle of files"
named '`nest/rib/a`, `nest/rib/b`'
expect 1 check_floors "a circle of which a part is named"
named '`nest/rib/a`, `nest/rib/b`, `nest/rib/c`'
expect 0 check_floors "a circle that is named"
circle
named '`nest/rib/a`, `nest/rib/b`, `nest/rib/c`'
expect 1 check_floors "a name of a circle that has gone"
fresh
echo '#include "nest/rib/a.h"' >nest/rib/a_priv.h
echo '#include "nest/rib/a_priv.h"' >nest/rib/a.c
echo 'int a;' >nest/rib/a.h
expect 0 check_floors "a private header"
echo '#include "nest/rib/a_priv.h"' >nest/channel/b.c
expect 1 check_floors "a private header of another folder"

# Includes of what is used: nothing less, nothing more.
uses() {
	fresh
	echo '#include "lib/mt/b.h"' >lib/mt/c.h
	printf '%s\n' 'struct b { int deep; };' '#define B_TABLE(X) X(ONE) X(TWO)' '#define X(n) B_##n,' \
		'enum { B_TABLE(X) B_CNT };' '#undef X' 'int b_do(void);' >lib/mt/b.h
	echo 'int c_do(struct b b);' >>lib/mt/c.h
	printf '#include "lib/mt/c.h"\n%s\n' "$1" >lib/mt/x.c
	printf '#include "lib/wire/w.h"\n' >client/main.c
	printf 'int w_do(void);\n' >lib/wire/w.h
	echo 'int n = w_do();' >>client/main.c
	echo 'int base_one(void);' >lib/wire/wire.h
	rm -f proto/registry.c proto/bgp/bgp.[ch] nest/core.h
}
uses 'int f(struct b *p) { return c_do(); }'
expect 0 check_includes "a pointer and a function of an included header"
uses 'int f(void) { return c_do() + b_do(); }'
expect 1 check_includes "a function of a header that isn't named"
uses 'int f(void) { return c_do() + B_TWO; }'
expect 1 check_includes "a constant that a table makes"
uses 'int f(struct b *p) { return c_do() + p->deep; }'
expect 1 check_includes "a member"
uses 'int f(void) { static_assert(1, ""); return c_do(); }'
expect 1 check_includes "static_assert without assert.h"
uses 'int f(void) { struct b b; return c_do(b); }'
expect 1 check_includes "a whole struct"
uses 'int f(void) { return c_do() + /* b_do */ sizeof("b_do"); }'
expect 0 check_includes "words of comments and texts"
uses 'int x;'
expect 1 check_includes "a header of which nothing is used"

plant nest/x.c 'static _Atomic int x;'
expect 1 check_atomics "_Atomic in nest"
plant nest/x.c '	atomic_store_explicit(&x, 1, 0);'
expect 1 check_atomics "an atomic call in nest"
plant nest/x.c '	__atomic_load_n(&x, 0);'
expect 1 check_atomics "a built-in of the compiler"
plant nest/x.c '	X(ATOMIC_AGGR, 6, "bgp_atomic_aggr")'
expect 0 check_atomics "an attribute's name"

plant nest/x.c '/* store_release, pairs: ALONE */'
expect 1 check_tags "a tag that stands once"
plant nest/x.c '/* store_release, pairs: TWICE */'
echo '/* store_release, pairs: TWICE */' >filter/x.c
expect 1 check_tags "two releases"
fresh
sed -i 's/get (/take (/' doc/concurrency.md
expect 1 check_tags "a row that names another function"
plant doc/concurrency.md '| OTHER | a number | put | get |'
expect 1 check_tags "a row without a tag"
fresh
sed -i d doc/concurrency.md
expect 1 check_tags "a tag without a row"
plant doc/concurrency.md '| GOOD | a number | put | get |'
expect 1 check_tags "two rows of a tag"

plant doc/rfc.md '| 2 | read_that | test_it |'
expect 1 check_names "a function that is not there"
plant doc/rfc.md '| 2 | test_one | test_it |'
expect 1 check_names "a function of a test among the daemon's"
plant doc/rfc.md '| 2 | `that` | test_it |'
expect 1 check_names "a word between backticks"
plant doc/concurrency.md 'at most THAT_MAX octets'
expect 1 check_names "a constant that is not there"
plant doc/rfc.md '| 2 | read_it | test_that |'
expect 1 check_names "a test that is not there"
plant doc/rfc.md '| 2 | read_it | test_it: test_two |'
expect 1 check_names "a test without that case"
printf '%s\n' '- 3: a row' '  - function: read_it,' '    read_that' >doc/rfc.md
expect 1 check_names "a function of a list that is not there"
printf '%s\n' '- 3: a row' '  - function: read_it' '  - test: test_it: test_one, test_two' >doc/rfc.md
expect 1 check_names "a test of a list without that case"
printf '%s\n' '- 3: a row' '  - function: read_it' '  - test: test_it:' '    test_one' >doc/rfc.md
expect 0 check_names "a list"
plant doc/glossary.md 'see nest/that.c'
expect 1 check_names "a file that is not there"
plant proto/bgp/bgp.h '/* The map of the folder: bgp, bgp_in. */'
expect 0 check_names "a map of a folder"
touch proto/bgp/in/bgp_late.c
expect 1 check_names "a file that the map of the folder lacks"
fresh
printf '# Words\n\n- **b**: a word\n- **a**: a word\n' >doc/glossary.md
expect 1 check_names "words out of order"
printf '# Words\n\n- **a**: a word\n- **B**: a word\n' >doc/glossary.md
expect 0 check_names "words in order"

# Addresses in memory: the tree's list is of the tree's files.
numbers() {
	fresh
	printf '%s\n' "$1" >nest/rib/x.c
	mkdir -p tools
	cp "$src/test/tools/check_addresses.py" tools/
	printf '%s\n' "${2:-# none}" >tools/addresses.list
}
# numbered STATUS WHAT
numbered() {
	python3 -B tools/check_addresses.py >"$dir/out" 2>&1
	[ $? -eq "$1" ] || { echo "check_addresses: $2"; cat "$dir/out"; failed=1; }
}
numbers 'char *f(const char *p) { return (char *)(uintptr_t)p; }'
numbered 0 "a pointer without const"
numbers 'int f(char *p) { return h[hash_u64(0, (uintptr_t)p)]; }'
numbered 1 "the hash of an address"
numbers 'int f(char *p) { return h[hash_u64(0, (uintptr_t)p)]; }' 'nest/rib/x.c | (uintptr_t)p | only asked'
numbered 0 "a hash with a reason"
numbers 'int x;' 'nest/rib/x.c | (uintptr_t)p | only asked'
numbered 1 "a reason that no line needs"
numbers 'void f(char *p) { log_msg("at %p", p); }'
numbered 1 "an address in a text"
numbers 'int f(struct x *p) { return hash_bytes(0, p, sizeof(*p)); }'
numbered 1 "a struct that is hashed whole"
numbers 'int f(const char *s) { return hash_bytes(0, s, strlen(s)); }'
numbered 0 "the hash of a text"
numbers 'int
f(struct x *p, struct x *q)
{
	return p < q ? -1 : 1;
}'
numbered 1 "an order of pointers"
numbers 'struct x {
	struct y *y;
};
int
f(struct x *p, struct x *q)
{
	return p->y < q->y ? -1 : 1;
}'
numbered 1 "an order of pointers in a struct"
numbers 'int
g(int *p, int *q);
int
f(int p, int q)
{
	return p < q ? -1 : p > q;
}'
numbered 0 "an order of numbers"
numbers 'bool
f(struct x *p, struct x *q)
{
	if (p < q)
		return true;
	return false;
}'
numbered 1 "a choice by the order of pointers"
numbers 'int
f(struct x *p)
{
	return (long)p & 64;
}'
numbered 1 "the number of a pointer"

# Objects of a build folder: what nest/rib/x.c lacks.
objects() {
	fresh
	printf '%s\n' "$1" >nest/rib/x.c
	echo 'int table_open(void) { return 1; }' >nest/rib/y.c
	echo 'int open(const char *, int, ...); int file_open(void) { return open("x", 0); }' >sysdep/os/file.c
	echo 'int main(void) { return 0; }' >proto/main.c
	echo 'sysdep/os/file.o nest/rib/x.o nest/rib/y.o' >libtern.list
	for o in sysdep/os/file nest/rib/x nest/rib/y proto/main; do
		# shellcheck disable=SC2086 # flags
		${CC:-cc} ${2:-} -c -o $o.o $o.c || failed=1
	done
}
export TERN_BUILDDIR="$dir/t"
objects 'int table_open(void), file_open(void); int f(void) { return table_open() + file_open(); }'
expect 0 check_doors "functions of the tree"
objects 'int open(const char *, int, ...); int f(void) { return open("x", 0); }'
expect 1 check_doors "a system call in nest"
grep -q 'nest/rib/x.o: uses open,' "$dir/out" || { echo "check_doors does not name object and symbol"; failed=1; }
objects 'void *memcpy(void *, const void *, unsigned long);
	void *f(void *p, char *q, int n) { return memcpy(p, q, n); }'
expect 0 check_doors "memory"
objects 'long __read_chk(int, void *, unsigned long, unsigned long); long f(void *p) { return __read_chk(0, p, 1, 1); }'
expect 1 check_doors "a system call with a checked length"
objects 'int ssh_new(void); int f(void) { return ssh_new(); }'
expect 1 check_doors "a library of another object"
objects 'void f(void) { __asm__("nop"); }'
expect 1 check_doors "an instruction"
objects 'void f(int x) { __asm__("" : "+r"(x)); }'
expect 0 check_doors "an empty instruction"
# described TEXT [ENTRY] - the objects are without fault, nest/it.c has the text, and the list the entry.
described() {
	objects 'void f(void) { }'
	mkdir -p test/tools
	printf '%s\n' "$1" >>nest/it.c
	printf '%s\n' "${2:-# none}" >test/tools/fds.list
}
for text in 'void f(int fd);' 'struct x { int fd; };' 'int fd[2];' 'int *ready_fd;' 'int rc, fd = -1;' \
	'int f(struct os_fd d) { return d.os_nr; }' 'void f(int n) { g(os_fd_of(n)); }'; do
	described "$text"
	expect 1 check_doors "$text"
done
for text in 'void f(struct os_fd fd) { g(fd); }' '/* int fd */' 'int find; long fds; int fd_cnt;' 'f("int fd");'; do
	described "$text"
	expect 0 check_doors "$text"
done
described 'void f(int fd);' 'nest/it.c | 1 | a file'
expect 0 check_doors "a descriptor of the list"
described 'void f(int fd, int to_fd);' 'nest/it.c | 1 | a file'
expect 1 check_doors "a second descriptor of the list's file"
described 'void f(int x);' 'nest/it.c | 1 | a file'
expect 1 check_doors "an entry that no file needs"
described 'void f(int fd);' 'nest/it.c | 1'
expect 1 check_doors "an entry without words"
if ${CC:-cc} -flto -ffat-lto-objects -c -o x.o nest/rib/x.c 2>/dev/null; then # gcc
	objects '#include <stdlib.h>
		void f(void) { _Exit(1); }' "-flto -ffat-lto-objects"
	expect 1 check_doors "a call that the compiler knows, in an object of two halves"
fi

# Calls: nest/rib/x.c calls what @1 says, and nest/rib/y.c may call back.
calls() {
	fresh
	mkdir -p nest/rib/table
	printf '%s\n' "$1" >nest/rib/x.c
	printf '%s\n' "$2" >nest/rib/table/y.c
	echo 'int channel_do(void) { return 1; }' >nest/channel/z.c
	echo 'nest/rib/x.o nest/rib/table/y.o nest/channel/z.o' >libtern.list
	for o in nest/rib/x nest/rib/table/y nest/channel/z; do
		${CC:-cc} -c -o $o.o $o.c || failed=1
	done
}
calls 'int y_do(void); int x_do(void) { return y_do(); }' 'int y_do(void) { return 1; }'
expect 0 check_calls "a call of an equal room"
calls 'int channel_do(void); int x_do(void) { return channel_do(); }' 'int y_do(void) { return 1; }'
expect 1 check_calls "a call of a later room"
grep -q 'nest/rib/x calls nest/channel/z on a higher floor: channel_do' "$dir/out" ||
	{ echo "check_calls does not name objects and symbol"; failed=1; }
calls 'int x_do(void) { return 1; }' 'int y_do(void) { return 1; }'
mkdir -p nest/rib/new
echo 'int w_do(void) { return 1; }' >nest/rib/new/w.c
${CC:-cc} -c -o nest/rib/new/w.o nest/rib/new/w.c || failed=1
echo 'nest/rib/new/w.o' >>libtern.list
expect 1 check_calls "a folder without a place in the order"
calls 'int y_do(void); int x_do(void) { return y_do(); }' 'int x_do(void); int y_do(void) { return x_do(); }'
expect 1 check_calls "a cycle that no page names"
printf '## Cycles in calls\n\n- `nest/rib/x`, `nest/rib/table/y`: why\n' >doc/architecture.md
expect 0 check_calls "a cycle that the page names"
printf '## Cycles in calls\n\n- `nest/rib/x`, `nest/rib/table/y`, `nest/rib/w`: why\n' >doc/architecture.md
expect 1 check_calls "a cycle that the page names with a file too many"
calls 'int y_do(void); int x_do(void) { return y_do(); }' 'int y_do(void) { return 1; }'
printf '## Cycles in calls\n\n- `nest/rib/x`, `nest/rib/table/y`: why\n' >doc/architecture.md
expect 1 check_calls "a cycle that is gone"
unset TERN_BUILDDIR

fresh
lines 601 >nest/x.c
expect 1 check_size "a file of 601 lines"
fresh
lines 600 >nest/x.c
expect 0 check_size "a file of 600 lines"
fresh
{ echo 'int'; echo 'f(void)'; echo '{'; lines 81; echo '}'; } >nest/x.c
expect 1 check_size "a function of 81 lines"
fresh
{ echo '/* style: a table */'; echo 'int'; echo 'f(void)'; echo '{'; lines 81; echo '}'; } >nest/x.c
expect 0 check_size "an excepted function"
plant nest/x.c "/* $(printf '%084d' 0) */"
expect 0 check_size "a comment of 90 columns"
plant nest/x.c "/* $(printf '%085d' 0) */"
expect 1 check_size "a comment of 91 columns"
plant nest/x.c "$(printf '/*\n *\t%081d\n */' 0)"
expect 0 check_size "a line of 90 columns with a tab"
plant nest/x.c "$(printf '/*\n *\t%083d\n */' 0)"
expect 1 check_size "a line of 91 columns with a tab"
plant nest/x.c "$(printf '%083d;\n\tx(); /* %073d */' 0 0)"
expect 1 check_size "a comment behind code"

# A file with logic names a test.
logic='int
f(void)
{
	a();
	b();
	c();
	return 0;
}'
fresh
expect 0 check_tested "files without logic"
plant nest/lonely.c "$logic"
expect 1 check_tested "a file without a test"
plant nest/lonely.c "/* A file. Tested by test/unit/test_it.c. */
$logic"
expect 0 check_tested "a file that names its test"
plant nest/lonely.c "/* A file. Tests: test_it,
 * test_that.c. */
$logic"
expect 1 check_tested "a named test that does not exist"
plant nest/lonely.c "/* Options. Tested by test/conf/that*.conf. */
$logic"
expect 1 check_tested "named configurations that do not exist"
plant nest/lonely.c "$logic
/* Tested by test/unit/test_it.c. */"
expect 1 check_tested "a later comment names the test"
plant nest/it.c "$logic"
expect 0 check_tested "a test of the file's name"
plant proto/it.c "$logic"
expect 1 check_tested "a second file of the name of a test"
plant nest/lonely.c "$logic"
mkdir -p test/tools
echo 'nest/lonely.c | no test can reach the code' >test/tools/tested.allow
expect 0 check_tested "an allowed file"
echo 'nest/lonely.c' >test/tools/tested.allow
expect 1 check_tested "an allowed file without a reason"
plant nest/lonely.c "/* A file. Tested by test/unit/test_it.c. */
$logic"
mkdir -p test/tools
echo 'nest/lonely.c | no test can reach the code' >test/tools/tested.allow
expect 1 check_tested "an allowed file that has a test"

# Session scripts in real time.
sessions() {
	fresh
	mkdir -p test/net
	printf '%s\n' '#   load       figures of the real machine' "$1" >test/net/real.list
	echo "exec python3 -B ${2:-test_a.py}" >test/net/test_a.sh
}
sessions 'test_a load it measures'
expect 0 check_virtual "a script in real time with a reason"
sessions '# none' 'virtual.py test_a.py'
expect 0 check_virtual "a script in virtual time"
sessions '# none'
expect 1 check_virtual "a script in real time that the list lacks"
sessions 'test_a load it measures' 'virtual.py test_a.py'
expect 1 check_virtual "a script in virtual time that the list has"
sessions 'test_a hurry it measures'
expect 1 check_virtual "a reason that the head lacks"
sessions 'test_a load'
expect 1 check_virtual "an entry without words"
sessions 'test_a load it measures
test_b load it measures'
expect 1 check_virtual "an entry without a script"

# Tests that sleep. The verb stands in $z, or check_sleeps would find this file.
z=sleep
slept() {
	fresh
	mkdir -p test/net test/tools
	printf '%s\n' "$2" >"test/net/$1"
	printf '%s\n' "${3:-# none}" >test/tools/sleeps.allow
}
slept test_a.py "import time; time.$z(0.1)"
expect 1 check_sleeps "a test that sleeps"
slept test_a.py "import time; time.$z(0.1)" 'test/net/test_a.py | it plays a slow peer'
expect 0 check_sleeps "a test that may sleep"
slept test_a.py "import time; time.$z(0.1)" 'test/net/test_a.py'
expect 1 check_sleeps "an entry without a reason"
slept test_a.py 'x = 1' 'test/net/test_a.py | it plays a slow peer'
expect 1 check_sleeps "an entry of a file that does not sleep"
slept test_a.py 'x = 1' "$(for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "test/net/a$i.py | a reason"; done)"
expect 1 check_sleeps "eleven entries"
slept test_a.py "from time import $z as nap; nap(3)"
expect 1 check_sleeps "sleep by another name"
slept test_a.py 'import select; select.select([], [], [], 0.5)'
expect 1 check_sleeps "a select of nothing"
slept test_a.py 'event.wait(0.5)'
expect 1 check_sleeps "a wait whose result is not read"
slept test_a.py 'condition.wait(timeout=2)'
expect 1 check_sleeps "a wait for a condition of threads whose result is not read"
slept test_a.py 'check(event.wait(20), "the event")'
expect 0 check_sleeps "a wait whose result is read"
slept test_a.py 'p.wait(20)'
expect 0 check_sleeps "a wait for the end of a process"
slept test_a.py 'try:
    p.wait(2)
except subprocess.TimeoutExpired:
    pass'
expect 1 check_sleeps "a wait for a process that does not end"
for text in 'end = time.time() + 3' 'return time.time() - began' 'began, cnt = time.time(), 0' \
	'ok = time.time() < end'; do
	slept test_a.py "$text"
	expect 1 check_sleeps "a duration by the calendar clock"
done
for text in 'end = time.monotonic() + 3' 'check(abs(h["at"] - time.time()) < 60, "the time")' \
	'exp(int(time.time()) + 60)'; do
	slept test_a.py "$text"
	expect 0 check_sleeps "a duration by a clock without steps"
done
slept test_a.py "subprocess.run(['$z', '3'])"
expect 1 check_sleeps "the program sleep"
slept test_a.py "subprocess.Popen(['$z', 'infinity'])"
expect 0 check_sleeps "a process that stays"
slept test_a.py "sh('true; $z 3')"
expect 1 check_sleeps "a command that sleeps"
slept test_a.py "'It does not $z 3 times.'"
expect 0 check_sleeps "words of a docstring"
slept test_a.sh "while ! true; do $z 0.1; done"
expect 1 check_sleeps "a script that sleeps"
r=read
slept test_a.sh "$r -t 3 line"
expect 1 check_sleeps "a script that reads with a limit"
slept test_a.sh "# $z 3"
expect 0 check_sleeps "a comment of a script"
for call in "u$z(100);" "nano$z(&ts, NULL);" "$z(1);" 'poll(NULL, 0, 100);' 'select(0, NULL, NULL, NULL, &tv);' \
	"system(\"$z 1\");"; do
	slept a.c "void f(void) { $call }"
	expect 1 check_sleeps "$call"
done
for call in "rcu_$z();" "/* u$z(1) */" 'poll(fds, 1, 100);'; do
	slept a.c "void f(void) { $call }"
	expect 0 check_sleeps "$call"
done

# timed FILE TEXT [ENTRY] - test/net/FILE has the text, and the list the entry.
timed() {
	fresh
	mkdir -p test/tools test/net
	printf '%s\n' "$2" >"test/net/$1"
	printf '%s\n' "${3:-# none}" >test/tools/fast.allow
}
for text in 'check(time.time() - began < 3, "it")' 'assert time.monotonic() - began <= LIMIT' \
	'took = time.time() - began
check(3 > took, "it")' 'took = []
took.append(time.perf_counter() - began)
check(max(took) < 1, took)' 'began = time.time()
now = time.time()
if now - began > 5:
    raise Failed("slow")' 'def lasts():
    began = time.time()
    return time.time() - began
check(lasts() * 1000 < 100, "it")' 'worst = 0
while True:
    worst = max(worst, time.time() - t)
check(0 < worst < 2 and other, "it")'; do
	timed test_a.py "$text"
	expect 1 check_fast "$text"
done
for text in 'check(time.time() - began > 3, "it")' 'while time.time() - began < 3:
    pass' 'check(time.time() < until, "a hang")' 'took = time.time() - began
check(not VIRTUAL or took < 3, "it")' 'took = time.time() - began
check(cnt < 25 * took, "it")' 'check(len(found) < 3, "it")' 'if time.time() - began < 1:
    raise Failed("too early")'; do
	timed test_a.py "$text"
	expect 0 check_fast "$text"
done
timed test_a.py 'def f():
    check(time.time() - began < 3, "it")' 'test/net/test_a.py | f | a budget'
expect 0 check_fast "a function of the list"
timed test_a.py 'def f():
    check(time.time() - began < 3, "it")' 'test/net/test_a.py | g | a budget'
expect 1 check_fast "another function of the list"
timed test_a.py 'x = 1' 'test/net/test_a.py | f | a budget'
expect 1 check_fast "an entry without an assertion"
timed test_a.py 'x = 1' 'test/net/test_a.py | f'
expect 1 check_fast "an entry without a reason"
timed a.c 'f(void)
{
	assert_true(clock_now_ns() - began < NS_PER_S);
}'
expect 1 check_fast "a difference of clocks in C"
timed a.c 'f(void)
{
	now = loop_now_ns(&w);
	took = now - began;
	assert_in_range(took, 0, NS_PER_S);
}'
expect 1 check_fast "a name of a difference in C"
timed a.c 'f(void)
{
	assert_true(clock_now_ns() < until && x - 3 < y);
	assert_true(clock_now_ns() - began > NS_PER_S);
}'
expect 0 check_fast "the end of a wait, and a lower bound"
l=lt # or check_fast would find this file
timed a.sh "[ \$SECONDS -$l 20 ] || exit 1"
expect 1 check_fast "seconds of a script"
timed a.sh "[ \$((now - began)) -ge 20 ] || exit 1"
expect 0 check_fast "a lower bound of a script"

# The runner counts, shows the output of a failed test, ends a test that hangs, and repeats a failed test once.
fresh
mkdir -p b
echo 'exit 0' >good.sh
echo 'echo reason; exit 1' >bad.sh
echo 'echo no tool; exit 77' >skip.sh
echo 'sleep infinity' >slow.sh
echo '[ -e once ] && exit 0; : >once; echo early; exit 1' >flaky.sh
echo '[ -e failed ] && { echo later; exit 77; }; : >failed; echo first; exit 1' >later.sh
echo 'echo "wrong"; echo "seed 1 of the world; replay: TERN_SIM_SEED=1"
[ -e seen ] && exit 0; : >seen; exit 1' >world.sh
cat >hangs.sh <<'X'
trap 'echo "seed 1 of the world; replay: TERN_SIM_SEED=1"; exit 1' TERM
[ -e hung ] && exit 0
: >hung
sleep infinity &
wait
X
echo '[ -e played ] && exit 0; : >played; exit 1' >check_sim.sh
echo 'echo "WARNING: ThreadSanitizer: data race (pid=1)"; [ -e raced ] && exit 0; : >raced; exit 66' >race.sh
cat >part.sh <<'X'
echo '[ RUN      ] a'
echo 'cannot here: no such thing'
echo '[  SKIPPED ] a'
echo '[ RUN      ] b'
echo '[  SKIPPED ] b'
echo '[  SKIPPED ] 2 test(s), listed below:'
echo '[  SKIPPED ] a'
echo '[  SKIPPED ] b'
echo 'skip the third (needs it)'
X

# ran JOBS FORGIVEN TEST... - the runner with these tests; its output to $dir/out.
ran() {
	jobs=$1 max=$2
	shift 2
	for t; do
		case $t in
		--plan | plan) set -- "$@" "$t" ;;
		*) set -- "$@" "$dir/t/$t.sh" ;;
		esac
		shift
	done
	rm -f b/once b/raced b/failed b/seen b/hung b/played
	TERN_SRCDIR=$dir/t TERN_BUILDDIR=$dir/t/b TERN_TEST_TIMEOUT=1 TERN_TEST_JOBS=$jobs TERN_FLAKY_MAX=$max \
		TERN_TIMES= python3 -B "$src/test/tools/run_tests.py" "$@" >"$dir/raw"
	rc=$?
	sed "s/^\\(ok .*\\) ([0-9]* s)\$/\\1 (N s)/; s,; /.*/test/log,; LOG," "$dir/raw" >"$dir/out"
}

# wrong WHAT RC - did the run end with another status than RC, or print other lines than $dir/want?
wrong() {
	[ $rc -ne "$2" ] || ! cmp -s "$dir/want" "$dir/out" || return 0
	echo "run_tests, $1: exit status $rc, output:"
	cat "$dir/out"
	failed=1
}

cat >"$dir/want" <<-'X'
	ok good (N s)
	again bad (exit status 1)
	    reason
	skip skip (no tool)
	again slow (no end after 1 s)
	again flaky (exit status 1)
	    early
	FAIL race (exit status 66)
	    WARNING: ThreadSanitizer: data race (pid=1)
	FAIL world (exit status 1)
	    wrong
	    seed 1 of the world; replay: TERN_SIM_SEED=1
	FAIL hangs (no end after 1 s)
	    seed 1 of the world; replay: TERN_SIM_SEED=1
	FAIL check_sim (exit status 1)
	again later (exit status 1)
	    first
	ok part (N s)
	skip part: the third (needs it)
	skip part: a (cannot here: no such thing)
	skip part: b (no reason)
	FAIL bad (exit status 1)
	    reason
	FAIL slow (no end after 1 s)
	ok flaky (N s)
	FAIL later (exit status 1; the second run was skipped: later)
	flaky flaky (exit status 1; LOG/flaky.first.log)
	3 passed, 7 failed, 4 skipped
X
ran 1 1 good bad skip slow flaky race world hangs check_sim later part
wrong "one at a time" 1
# Two at a time: the same lines, in another order.
sort "$dir/want" >"$dir/want.sorted"
ran 2 1 good bad skip slow flaky race world hangs check_sim later part
tail -n 1 "$dir/out" | grep -q skipped$ || rc=99
mv "$dir/want.sorted" "$dir/want"
sort -o "$dir/out" "$dir/out"
wrong "two at a time" 1
cat >"$dir/want" <<-'X'
	again flaky (exit status 1)
	    early
	ok flaky (N s)
	flaky flaky (exit status 1; LOG/flaky.first.log)
	1 passed, 0 failed, 0 skipped
X
ran 1 1 flaky
wrong "a forgiven test" 0
sed -i '$d' "$dir/want"
printf '%s\n' 'FAIL run_tests (1 flaky tests)' '1 passed, 1 failed, 0 skipped' >>"$dir/want"
ran 1 0 flaky
wrong "too many flaky tests" 1

# A plan: a part whose build is there; a part whose build ends while a test of the first part runs; a part whose build
# failed. Each part has its environment, its command before the tests, and its folder of logs.
mkdir -p c d
cat >builds.sh <<'X'
echo 0 >../c/built
[ "$WORD" = first ] && [ "$TERN_BUILDDIR" = "$PWD" ] || exit 1
X
cat >sees.sh <<'X'
[ "$WORD" = second ] && [ "$BEFORE" = set ] && [ "$PWD" = "$TERN_BUILDDIR" ] && echo seen
X
echo 0 >b/built
echo 2 >d/built
printf '%s\n' "part one $dir/t/b $dir/t/b/built" "env WORD=first" "test $dir/t/builds.sh" \
	"part two $dir/t/c $dir/t/c/built" "env WORD=second" "before env BEFORE=set" "alone $dir/t/sees.sh" \
	"part three $dir/t/d $dir/t/d/built" "test $dir/t/good.sh" >plan
cat >"$dir/want" <<-'X'
	... the build of part one has ended
	... the build of part three has ended
	... the build of part two has ended
	1 passed, 0 failed, 0 skipped
	FAIL three (1 tests were not run: the build failed)
	ok one/builds (N s)
	ok two/sees (N s)
	one: 1 tests, 0 s of processor time
	three: 0 tests, 0 s of processor time
	two: 1 tests, 0 s of processor time
X
sed -i 's/1 passed, 0 failed/2 passed, 1 failed/' "$dir/want"
sort -o "$dir/want" "$dir/want"
ran 2 0 --plan plan
sort -o "$dir/out" "$dir/out"
wrong "a plan" 1
grep -q seen c/test/log/sees.log || { echo "run_tests: no log in the folder of part two"; failed=1; }
# A program and a script of one name: each has a log of its own.
mkdir -p b/unit
printf '%s\n' '#!/bin/sh' 'echo program' >b/unit/sees
chmod +x b/unit/sees
echo 'echo script' >sees.sh
printf '%s\n' "part one $dir/t/b $dir/t/b/built" "test unit/sees" "test $dir/t/sees.sh" >plan
ran 2 0 --plan plan
[ $rc -eq 0 ] && [ "$(cat b/test/log/sees.log)" = script ] && [ "$(cat b/test/log/sees.program.log)" = program ] ||
	{ echo "run_tests: two tests of one name share a log"; failed=1; }
exit $failed
