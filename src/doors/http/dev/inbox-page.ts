/** The page of the inbox. Its script fills it, from the same addresses that tests use. */
import { html } from '../html.ts';
import { MARK } from '../page/layout.ts';
import { HTML_TYPE, PAGE_HEADERS } from '../page/page-headers.ts';

/** Emails are shown in frames of this service; their own policy keeps them from acting. */
export const INBOX_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': `${PAGE_HEADERS['content-security-policy']}; frame-src 'self'`,
  'content-type': HTML_TYPE,
} as const;

const TABS = [
  ['html', 'HTML'],
  ['text', 'Text'],
  ['files', 'Files'],
  ['headers', 'Headers'],
  ['source', 'Source'],
] as const;

/** @param smtpAddress the address of the port that catches mail */
export function inboxPage(smtpAddress: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Inbox – Posthorn</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/inbox/style.css">
<script type="module" src="/inbox/script.js"></script>
</head>
<body>
<a class="skip" href="#list">Skip to the emails</a>
<header>
<h1 class="brand" id="title">${MARK}Inbox <span id="count"></span></h1>
<nav aria-label="Posthorn"><ul>
<li><a href="/dev/dashboard">Dashboard</a></li>
<li><a href="/docs/dev">Docs</a></li>
</ul></nav>
</header>
<main>
<section class="list" aria-labelledby="title">
<div class="bar">
<form role="search" id="search"><label class="hidden" for="query">Search emails</label><input id="query" type="search" placeholder="Search, such as to:anna" autocomplete="off"></form>
<button type="button" class="button" id="delete" hidden>Delete all</button>
</div>
<p class="hidden" role="status" id="status"></p>
<div class="empty" id="empty" hidden>
<h2>No emails yet</h2>
<p>Send mail to <code>${smtpAddress}</code>, with any user and password. Every sender and recipient works, and nothing leaves this machine.</p>
</div>
<p class="empty" id="none" hidden>No emails match.</p>
<ul id="list" tabindex="-1"></ul>
<button type="button" class="button" id="more" hidden>Show more</button>
</section>
<article id="message" aria-labelledby="subject" hidden>
<p class="bar"><button type="button" class="button" id="back">Back to the inbox</button><a id="open" href="/dev/dashboard">Timeline in the dashboard</a></p>
<h2 id="subject" tabindex="-1"></h2>
<dl id="facts"></dl>
<div class="tabs" role="tablist" aria-label="Parts of the email">${TABS.map(
    ([name, label]) =>
      html`<button type="button" role="tab" id="tab-${name}" aria-controls="panel" data-part="${name}">${label}</button>`,
  )}</div>
<div id="panel" role="tabpanel" tabindex="0"></div>
</article>
</main>
<dialog id="confirm" aria-labelledby="confirm-title">
<form method="dialog">
<h2 id="confirm-title">Delete all emails?</h2>
<p>Their timelines are deleted too.</p>
<div class="bar"><button class="button" value="">Cancel</button><button class="button bad" value="delete">Delete all</button></div>
</form>
</dialog>
</body>
</html>
`.toString();
}
