/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The style sheet of the looking glass. Loop: the only thread of ternhttp.
 *
 * Each colour of text has a contrast of 4.5 or more with its background, in both schemes.
 * States have a word beside the colour. Numbers stand in columns of equal digits.
 *
 * Tested by test/net/test_http_pages.py. */
#include "client/http/page/html.h"
#include "client/http/job/job.h"
#include "lib/base/strbuf.h"

static const char style_text[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;"
    "--line:#d0d7de;--head:#f3f5f8;--link:#0b57b0;--good:#116329;--goodbg:#dafbe1;"
    "--bad:#a40e26;--badbg:#ffebe9;--warn:#7a4b00;--warnbg:#fff3cd;--nonebg:#eaeef2}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--bg:#0f1419;--fg:#e2e8ee;--soft:#a0abb6;"
    "--line:#343c45;--head:#182028;--link:#7ab8ff;--good:#7ee2a0;--goodbg:#0f2e1b;"
    "--bad:#ff9d97;--badbg:#3a1518;--warn:#f0c674;--warnbg:#33280d;--nonebg:#262e37}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--bg);color:var(--fg);"
    "font:16px/1.5 system-ui,'Segoe UI',Roboto,'Liberation Sans',sans-serif}\n"
    "a{color:var(--link);text-underline-offset:.15em}\n"
    ":focus-visible{outline:3px solid var(--link);outline-offset:2px}\n"
    ".skip{position:absolute;left:-99em}.skip:focus{left:.5rem;top:.5rem;padding:.5rem;"
    "background:var(--bg);z-index:2}\n"
    "header{display:flex;flex-wrap:wrap;gap:.75rem 2rem;align-items:center;"
    "justify-content:space-between;padding:.75rem 1.25rem;background:var(--head);"
    "border-bottom:1px solid var(--line)}\n"
    "nav{display:flex;gap:1.25rem}nav .home{font-weight:600}\n"
    "form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}\n"
    "label{color:var(--soft)}\n"
    ".field{display:flex;gap:.5rem;align-items:center}.field label{white-space:nowrap}\n"
    "input,select,button{font:inherit;color:var(--fg);background:var(--bg);"
    "border:1px solid var(--soft);border-radius:4px;padding:.35rem "
    ".6rem;min-height:44px}\n"
    "::placeholder{color:var(--soft);opacity:1}\n"
    "input{width:17rem;max-width:100%}\n"
    "button{background:var(--link);border-color:var(--link);color:var(--bg);"
    "font-weight:600;cursor:pointer}\n"
    "main{padding:1rem 1.25rem 2rem;max-width:100rem;margin:0 auto}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:1.75rem 0 .5rem}h3{font-size:1rem;margin:1.25rem 0 "
    ".4rem}\n"
    "h2 small{font-weight:400;color:var(--soft)}\n"
    "time{white-space:nowrap}\n"
    "p{margin:.5rem 0;max-width:60rem}.soft,small{color:var(--soft)}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));"
    "gap:1rem;margin:1rem 0}\n"
    ".card{border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;"
    "min-width:0}.card h2{margin:0 0 .35rem}.card p{margin:.2rem 0}\n"
    ".sides{display:grid;gap:0 2rem;grid-template-columns:minmax(0,1fr)}\n"
    "@media(min-width:1200px){.sides{grid-template-columns:repeat(auto-fit,"
    "minmax(36rem,1fr))}}\n"
    ".sides>section{min-width:0}\n"
    ".wide{overflow-x:auto;margin:.5rem 0;border:1px solid var(--line);"
    "border-radius:6px}\n"
    "table{border-collapse:collapse;width:100%;font-size:.94rem;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;padding:.4rem .7rem;color:var(--soft)}\n"
    "th,td{padding:.45rem .7rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n"
    "tr:last-child>td,tr:last-child>th{border-bottom:0}\n"
    "thead th{background:var(--head);font-weight:600;white-space:nowrap}\n"
    "tbody th{font-weight:400}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}\n"
    "td.net,th.net{white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    "th.group{border-left:1px solid var(--line);text-align:center}\n"
    "td.first,th.first{border-left:1px solid var(--line)}\n"
    "tr.best{background:var(--goodbg)}\n"
    ".path{overflow-wrap:anywhere;min-width:9rem}\n"
    ".words{min-width:15rem}\n"
    "code{font:.9em/1.4 ui-monospace,'Liberation "
    "Mono',monospace;background:var(--nonebg);"
    "padding:.05em .3em;border-radius:3px;overflow-wrap:anywhere}\n"
    "tr.best code{background:none;padding:0}\n"
    ".badge{display:inline-block;padding:0 .5em;border-radius:1em;font-size:.88rem;"
    "font-weight:600;white-space:nowrap;background:var(--nonebg);color:var(--fg)}\n"
    ".good{background:var(--goodbg);color:var(--good)}"
    ".bad{background:var(--badbg);color:var(--bad)}"
    ".warn{background:var(--warnbg);color:var(--warn)}\n"
    ".badge.good,.badge.bad,.badge.warn{border:1px solid currentColor}\n"
    ".downs{vertical-align:middle;fill:var(--bad);stroke:none}"
    ".downs path{stroke:var(--soft)}\n"
    "footer{padding:1rem 1.25rem;border-top:1px solid var(--line);color:var(--soft)}\n"
    "ul.links{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0;margin:.5rem 0;"
    "list-style:none}\n"
    "@media(max-width:40rem){header,main,footer{padding-left:.75rem;padding-right:.75rem}"
    "header form{width:100%}header input{flex:1 1 10rem;width:auto}"
    ".field{width:100%}.field label{flex:0 0 6rem}.field input,.field select{flex:1 1 "
    "8rem;"
    "width:auto;min-width:0}h1{font-size:1.35rem}th,td{padding:.4rem}"
    ".stack thead{position:absolute;left:-99em}"
    ".stack tr{display:block;padding:.5rem .7rem;border-bottom:1px solid var(--line)}"
    ".stack tr:last-child{border-bottom:0}"
    ".stack td,.stack th{display:block;border:0;padding:.1rem 0;text-align:left;"
    "white-space:normal}"
    ".stack td[data-k]::before{content:attr(data-k) ': ';color:var(--soft)}"
    ".stack td:empty{display:none}.stack .path,.stack .words{min-width:0}}\n"
    "@media print{header,.skip,form,ul.links,.more{display:none}"
    "body{background:#fff;color:#000;font-size:10pt}table{font-size:8.5pt}"
    "th,td{padding:.25rem .2rem}.badge{font-size:1em}main{max-width:none;padding:0}"
    ".wide{overflow:visible;border:0}time,thead th,td.n,th.n,td.net,th.net,.badge{"
    "white-space:normal}td.net,th[scope=row]{overflow-wrap:anywhere}"
    ".path,.words{min-width:0}.downs{width:4.5rem;height:auto}"
    ".many thead{display:none}.many tr{display:block;padding:.2rem 0}"
    ".many td,.many th{display:inline;border:0;padding:0 .3rem 0 0}"
    ".many td[data-k]::before{content:attr(data-k) ': '}"
    ".many td.first::before{content:'\\A' attr(data-k) ': ';white-space:pre}"
    "a{color:inherit;text-decoration:none}tr{break-inside:avoid}}\n";

static void
style_begin(struct job *j)
{
	strbuf_adds(&j->out, style_text);
}

static void
style_end(struct job *j)
{
	(void)j;
}

const struct view html_style_view = {
	.type = "text/css; charset=utf-8",
	.begin = style_begin,
	.end = style_end,
	.problem = html_problem,
};
