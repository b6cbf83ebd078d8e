/** The page that visitors of a link see. The page works without scripts and loads no files except its icon. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { OpenedLink } from '../../../file-links/open/opened-link.ts';
import { type Html, html } from '../html.ts';
import { MARK } from '../page/layout.ts';
import { HTML_TYPE } from '../page/page-headers.ts';
import { stylesheet } from '../page/stylesheet.ts';
import type { OfferedFile } from './offered-file.ts';

export type LinkPage =
  /** The link never existed, has expired, was revoked or is used up. Visitors do not learn which of these is the case. */
  | { shows: 'nothing' }
  /** This network has sent too many requests, or the server is busy. */
  | { shows: 'busy' }
  /** `fault` is the error for the submitted password. Null if no password was submitted. */
  | { shows: 'password'; token: string; fault: string | null }
  | { shows: 'files'; token: string; link: OpenedLink; files: readonly OfferedFile[] };

const STYLE = join(import.meta.dirname, 'files/page.css');
/**
 * `allow-same-origin` is needed because the proof of a password is a cookie, and some browsers send no cookies from a page without an
 * origin. Scripts never run.
 */
const WHOLE_PAGE =
  "sandbox allow-forms allow-downloads allow-same-origin; default-src 'none'; img-src 'self'";
const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** @param root the relative path from the page to the parent of `/s` @returns the page and its headers */
export async function linkPage(
  page: LinkPage,
  root: string,
): Promise<{ headers: Record<string, string>; body: string }> {
  style ??= stylesheet(STYLE);
  const css = await style;
  const { title, content } = shown(page, root);
  const head = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${root}docs/icon.svg" type="image/svg+xml">
`;
  const rest = html`</head>
<body>
<header class="brand">${MARK}Posthorn</header>
<main>
<h1>${title}</h1>
${content}</main>
</body>
</html>
`;
  const digest = createHash('sha256').update(css).digest('base64');
  return {
    headers: {
      'content-type': HTML_TYPE,
      'content-security-policy': `${WHOLE_PAGE}; style-src 'sha256-${digest}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    },
    // Text in a style element cannot be escaped, but this text is the service's own style sheet.
    body: `${head.toString()}<style>${css}</style>\n${rest.toString()}`,
  };
}

let style: Promise<string> | null = null;

function shown(page: LinkPage, root: string): { title: string; content: Html } {
  switch (page.shows) {
    case 'nothing':
      return {
        title: 'This link does not work',
        content: html`<p>It may have expired, been revoked or reached its download limit, or the address may be incomplete.</p>
<p>Go back to the message and try the link there. If it still does not work, ask the sender for a new link.</p>
`,
      };
    case 'busy':
      return {
        title: 'Please try again in a minute',
        content: html`<p>There are too many requests right now. Downloads that have started will continue.</p>
`,
      };
    case 'password':
      return { title: 'These files are password-protected', content: passwordForm(page, root) };
    case 'files':
      return { title: titleOf(page.files), content: filesOf(page, root) };
    default:
      return page satisfies never;
  }
}

function titleOf(files: readonly OfferedFile[]): string {
  return files.length === 1 ? 'A file for you' : `${files.length} files for you`;
}

function passwordForm({ token, fault }: Extract<LinkPage, { shows: 'password' }>, root: string): Html {
  return html`<p>Ask the sender for the password. It is not your own email password.</p>
<form method="post" action="${root}s/${token}">
<label for="password">Password</label>
<div class="row">
<input id="password" name="password" type="password" autocomplete="off" required${
    fault === null ? null : html` aria-invalid="true" aria-describedby="fault"`
  }>
<button class="button primary">Show files</button>
</div>
${fault === null ? null : html`<p class="fault" id="fault" role="alert">${fault}</p>\n`}</form>
`;
}

function filesOf({ token, link, files }: Extract<LinkPage, { shows: 'files' }>, root: string): Html {
  const { sender, expiresAt, downloadsLeft } = link;
  const ready = files.filter(({ state }) => state === 'ready');
  const unscanned = ready.filter(({ file }) => file.scan !== 'clean');
  // If only some files were not scanned, each of them is marked.
  const marked = unscanned.length < ready.length ? unscanned : [];
  const base = `${root}s/${token}`;
  return html`<dl class="facts">
<dt>From</dt><dd>${sender.name === null ? null : html`<bdi>${sender.name}</bdi>, `}<bdi>${sender.address}</bdi></dd>
<dt>Expires</dt><dd><time datetime="${expiresAt.toISOString()}">${timeText(expiresAt)}</time></dd>
${downloadsLeft === null ? null : html`<dt>Downloads left</dt><dd>${downloadsLeft}</dd>\n`}</dl>
<ul class="files">
${files.map((file) => fileOf(file, base, files.length === 1, marked.includes(file)))}</ul>
${
  ready.length > 1
    ? html`<p class="all"><a class="button primary" href="${base}/all.zip">Download all as a ZIP (${sizeText(sum(ready))})</a></p>
`
    : null
}${ready.length === 0 ? null : note(unscanned.length, ready.length)}`;
}

function fileOf(
  { file, number, name, warning, state }: OfferedFile,
  base: string,
  isOnly: boolean,
  isMarked: boolean,
): Html {
  const word =
    state === 'ready'
      ? warning === null
        ? null
        : html`<p class="word warn">${warning}</p>\n`
      : WHY_NOT[state];
  return html`<li>
<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zm0 0v5h5"></path></svg>
<span><bdi class="name">${name}</bdi> <span class="size">${sizeText(file.octets)}</span></span>
${word}${isMarked ? html`<p class="word warn">Not scanned for viruses</p>\n` : null}${
  state === 'ready'
    ? html`<a class="button${isOnly ? ' primary' : ''}" href="${base}/${number}/${encodeURIComponent(name)}">Download<span class="unseen"> ${name}</span></a>
`
    : null
}</li>
`;
}

const WHY_NOT = {
  coming: html`<p class="word">This file is still being uploaded. Come back in a few minutes.</p>\n`,
  waiting: html`<p class="word">This file is being scanned for viruses. Come back in a few minutes.</p>\n`,
  infected: html`<p class="word bad">A virus scanner found a threat in this file, so you cannot download it.</p>\n`,
} as const;

function note(unscanned: number, ready: number): Html {
  const isClean = unscanned === 0;
  const what =
    unscanned < ready ? 'Some of these files were' : ready === 1 ? 'This file was' : 'These files were';
  return html`<div class="note${isClean ? '' : ' warn'}">
<svg viewBox="0 0 24 24" aria-hidden="true">${
    isClean
      ? html`<circle cx="12" cy="12" r="9"></circle><path d="M12 11v5m0-8v.01"></path>`
      : html`<path d="M12 4 2.5 20h19zm0 6v4m0 3v.01"></path>`
  }</svg>
<div>
<p>${
    isClean
      ? html`A virus scanner found nothing${ready === 1 ? ' in this file' : ' in these files'}. It does not know every virus.`
      : html`<strong>${what} not scanned for viruses.</strong>`
  }</p>
<p>Only open files you were expecting. If you are not sure, check with the sender first, but not by replying to the message.</p>
</div>
</div>
`;
}

function sum(files: readonly OfferedFile[]): number {
  return files.reduce((octets, { file }) => octets + file.octets, 0);
}

/** Formats a size as the web client does. */
function sizeText(octets: number): string {
  const step = octets < 1_024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(octets) / 10));
  const amount = octets / 1_024 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : Number(amount.toFixed(1))} ${UNITS[step]}`;
}

/** Formats a time in UTC, because the visitor's time zone is unknown without a script. */
function timeText(date: Date): string {
  const day = date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}
