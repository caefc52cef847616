#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers are included where they are used: a file names each header of ours whose names the file uses, and no
header without a used name. What x.h and x_priv.h include counts for x.c.

A scan by words, no compiler: it knows the functions, macros, types, constants of enums, variables and members
of structs that each header declares, also those that a table of X() and an "a##b" make. Of a struct that is
only pointed to no header is needed. A member counts where only one struct of all files has one of that name.

    check_includes.py [FILE...]     only these files; run in the source's root
"""
import os
import re
import sys

TOP = ('lib', 'sysdep', 'filter', 'nest', 'proto', 'client')
# Every file has these by whatever it includes.
EVERYWHERE = {'lib/base/base.h', 'lib/base/check.h'}
# The second comes with the first: what log.h takes, in a file of its own for log_sink.h's sake.
WITH = {'sysdep/log/log.h': 'sysdep/log/log_class.h'}
# Made by bison: its names stand in no header of the tree.
GENERATED = {'nest/conf/conf_gram.h'}
# A build in the tree itself has these beside the sources.
WRITTEN = GENERATED | {'nest/conf/conf_gram.c', 'nest/conf/conf_lex.c'}

COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
DEFINE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^)]*)\))?((?:.*\\\n)*.*)', re.M)
DIRECTIVE = re.compile(r'^[ \t]*#(?:.*\\\n)*.*', re.M)
WORD = re.compile(r'[A-Za-z_]\w*')
TOKEN = re.compile(r'\w+|[{}();,=\[\]*:]')
KEYWORDS = set('''auto break case char const continue default do double else enum extern float for goto if inline
    int long register return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Atomic _Bool _Static_assert _Alignas __attribute__ bool'''.split())


def arguments(tok):
    """The words between commas, up to the parenthesis; '' where there is none."""
    return ''.join(tok[:tok.index(')')]).split(',')


class File:
    """What a file declares, includes and uses."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding='utf-8') as f:
            raw = f.read()
        self.includes = INCLUDE.findall(COMMENT.sub(
            lambda m: m[0] if m[0][0] == '"' else re.sub(r'[^\n]', '', m[0]) or ' ', raw))
        self.asserts = re.search(r'^[ \t]*#[ \t]*include[ \t]*<assert.h>', raw, re.M) is not None
        if path.endswith(('.y', '.l')):
            raw = re.sub(r"'(?:\\.|[^'\\\n])'", ' 0 ', raw).replace("'", ' ')
        text = COMMENT.sub(lambda m: ' "" ' if m[0][0] in '"\'' else ' ' + re.sub(r'[^\n]', '', m[0]), raw)
        self.text = re.sub(r'^[ \t]*#[ \t]*include.*', '', text, flags=re.M)
        self.words = set(WORD.findall(self.text))
        self.members_used = set(re.findall(r'(?:->|\.)\s*([A-Za-z_]\w*)', self.text))
        # Tags that must be known whole: of structs those that neither a pointer nor a declaration follows.
        self.whole = set(re.findall(r'\b(?:struct|union)\s+(\w+)\b(?!\s*(?:const\s*)?[*;{])(?!\w)', self.text))
        self.whole |= set(re.findall(r'\benum\s+(\w+)\b(?!\s*\{)', self.text))
        self.names, self.tags, self.members = set(), set(), set()
        self.macros = {}
        for name, params, body in DEFINE.findall(self.text):
            self.macros.setdefault(name, []).append(([p.strip() for p in params.split(',')], body))
            self.names.add(name)
        self.names -= set(re.findall(r'^[ \t]*#[ \t]*undef[ \t]+(\w+)', self.text, re.M))
        guard = re.search(r'^[ \t]*#[ \t]*ifndef[ \t]+(\w+_H)\b', self.text, re.M)
        if guard:
            self.names.discard(guard[1])
        self.declarations(TOKEN.findall(DIRECTIVE.sub('', self.text)))

    def pasted(self, macro, args):
        """The names that MACRO(args) makes by ##; a table's macro is expanded with what it is given."""
        for params, body in self.macros.get(macro, []):
            for first, param in re.findall(r'(\w*)\s*##\s*(\w+)', body):
                if param in params and params.index(param) < len(args):
                    self.names.add(first + args[params.index(param)])
            if len(args) == 1 and args[0] in self.macros:
                for inner in re.findall(r'\b%s\(([^()]*)\)' % re.escape(params[0]), body):
                    self.pasted(args[0], [a.strip() for a in inner.split(',')])

    def declarations(self, tok):
        """Walk the tokens: @kind is the stack of what each open brace belongs to."""
        kind, parens, start, i = [], 0, 0, 0
        while i < len(tok):
            t = tok[i]
            inside = kind[-1] if kind else 'file'
            if t == '(':
                parens += 1
            elif t == ')':
                parens -= 1
            elif parens:
                pass
            elif t == '{':
                kind.append(self.opens(tok[start:i], inside))
                start = i + 1
            elif t == '}':
                if inside == 'enum':
                    self.constants(tok[start:i])
                kind.pop()
                # Behind a body of a function nothing follows, behind one of a struct its declarators.
                start = i + 1
            elif t == ',' and inside == 'enum':
                self.constants(tok[start:i])
                start = i + 1
            elif t == ';':
                if inside == 'file':
                    self.declares(tok[start:i])
                elif inside == 'struct':
                    self.declares_members(tok[start:i])
                start = i + 1
            i += 1

    def opens(self, head, inside):
        for word in ('struct', 'union', 'enum'):
            if word in head and inside in ('file', 'struct') and '(' not in head and '=' not in head:
                at = head.index(word)
                if at + 1 < len(head) and head[at + 1] not in KEYWORDS:
                    self.tags.add(head[at + 1])
                return 'enum' if word == 'enum' else 'struct'
        if inside == 'file':
            self.declares(head)
        return 'body'

    def constants(self, tok):
        """One constant of an enum, or a table of them."""
        if len(tok) > 2 and tok[1] == '(' and tok[0] in self.macros:
            self.pasted(tok[0], arguments(tok[2:]))
            tok = tok[tok.index(')') + 1:]
        if tok and WORD.match(tok[0]):
            self.names.add(tok[0])

    def declares(self, tok):
        """A declaration at file level, or the head of a function; macros that declare may stand before it."""
        while len(tok) > 2 and tok[0] in self.macros and tok[1] == '(':
            self.pasted(tok[0], arguments(tok[2:]))
            tok = tok[tok.index(')') + 1:]
        if not tok or tok[0] == '_Static_assert':
            return
        if tok[0] == 'typedef':
            at = next((k + 1 for k in range(len(tok) - 1) if tok[k] == '(' and tok[k + 1] == '*'), None)
            self.names.add(tok[at + 1] if at and at + 1 < len(tok) else tok[-1])
            return
        for k, t in enumerate(tok[:-1]):
            if t == '=':
                break
            if tok[k + 1] == '(' and WORD.match(t) and t not in KEYWORDS:
                if t not in self.macros:
                    self.names.add(t)
                    return
        if 'extern' in tok or '=' in tok or '[' in tok:
            self.declares_members(tok, self.names)

    def declares_members(self, tok, to=None):
        """`type a, *b, c[2], d : 3` - the last word before each separator."""
        to = self.members if to is None else to
        depth, last, done = 0, None, False
        for before, t in zip([''] + tok, tok + [',']):
            if depth == 0 and t in ',:=[':
                if last and not done:
                    to.add(last)
                last, done = None, t != ','
            depth += (t in '([') - (t in ')]')
            if done or depth > 1 or not WORD.match(t):
                continue
            if depth == 0:
                last = t
            elif before == '*': # (*name)(...)
                to.add(t)
                done = True


def product_files():
    for top in TOP:
        for folder, _, files in os.walk(top):
            for f in files:
                if f.endswith(('.c', '.h', '.l', '.y')) and folder + '/' + f not in WRITTEN:
                    yield folder + '/' + f


def reached(files, path, seen):
    """All headers that @path gets, also through others: a name can be only of one of these."""
    for h in files[path].includes:
        if h in files and h not in seen:
            seen.add(h)
            reached(files, h, seen)
    return seen


def main():
    files = {p: File(p) for p in product_files()}
    headers = {p: f for p, f in files.items() if p.endswith('.h')}
    where, whole, member_of, member_cnt = {}, {}, {}, {}
    for p, f in headers.items():
        for n in f.names:
            where.setdefault(n, set()).add(p)
        for n in f.tags:
            whole.setdefault(n, set()).add(p)
        for n in f.members:
            member_of[n] = p
    for f in files.values():
        for n in f.members:
            member_cnt[n] = member_cnt.get(n, 0) + 1
    bad = 0
    for p in sys.argv[1:] or sorted(files):
        f = files[p]
        own = set(f.includes)
        stem = p.rsplit('.', 1)[0]
        base = {stem + '.h', stem + '_priv.h'} - {p}
        direct = set(own)
        for b in base & own:
            direct |= set(files[b].includes) | {b}
        known = direct | {p} | EVERYWHERE | {WITH[h] for h in direct & WITH.keys()}
        all_seen = reached(files, p, set())
        missing = {}
        for n in f.words & where.keys():
            if where[n] & all_seen and not where[n] & known and n not in f.names:
                missing.setdefault(min(where[n] & all_seen), set()).add(n)
        for n in f.whole & whole.keys():
            if whole[n] & all_seen and not whole[n] & known and n not in f.tags:
                missing.setdefault(min(whole[n] & all_seen), set()).add(n)
        for n in f.members_used & member_of.keys():
            if member_cnt[n] == 1 and member_of[n] in all_seen - known:
                missing.setdefault(member_of[n], set()).add('.' + n)
        if 'static_assert' in f.words and not f.asserts:
            print('%s: uses static_assert without <assert.h>: write _Static_assert' % p)
            bad += 1
        for h in sorted(missing):
            print('%s: uses %s of %s, without an include' % (p, ', '.join(sorted(missing[h])[:4]), h))
            bad += 1
        for h in sorted(own - base - GENERATED - EVERYWHERE):
            d = headers.get(h)
            theirs = d and (d.members - f.members) & f.members_used
            if h in WITH:
                d.names |= headers[WITH[h]].names
            if d and not (d.names | d.tags) & f.words and not theirs:
                print('%s: includes %s, and uses no name of the header' % (p, h))
                bad += 1
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
