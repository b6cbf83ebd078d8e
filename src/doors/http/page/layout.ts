/** The frame around the content of a page. */
import { type Html, html } from '../html.ts';

export interface HtmlPage {
  title: string;
  description: string;
  /** The relative path from the page to the root of the service, so that links also work behind a proxy that adds a path prefix. */
  root: string;
  /** Links to other pages, shown beside the content. Null if the page has no menu. */
  menu: Html | null;
  /** Links to the sections of the page. Null if the page is too short to need them. */
  contents: Html | null;
  /** Shown above the heading. */
  notice?: Html | null;
  /** The content below the heading. */
  content: Html;
  /** The relative URL of the page as Markdown. Absent if there is none. */
  markdown?: string;
  /** The links in the header. Null hides all links, as on pages for mailbox owners. */
  links?: readonly (readonly [path: string, label: string])[] | null;
}

const NAME = 'Posthorn';
const LINKS = [['docs', 'Docs']] as const;

/** The logo of Posthorn, shown to the left of its name. */
export const MARK = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"></rect><circle cx="13" cy="18" r="6"></circle><path d="M18 14 27 7v14l-8-3z"></path></svg>`;

/** @returns the complete HTML document */
export function layout(page: HtmlPage): string {
  const { title, description, root, menu, contents, notice = null, content, markdown, links = LINKS } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title === NAME ? NAME : `${title} – ${NAME}`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${root}docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}docs/style.css">
${markdown === undefined ? null : html`<link rel="alternate" type="text/markdown" href="${markdown}">\n`}<script src="${root}docs/early.js"></script>
<script type="module" src="${root}docs/script.js"></script>
</head>
<body data-root="${root}">
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
${menu === null ? null : html`<button type="button" class="button menu-button" popovertarget="page-menu">Menu</button>\n`}<p class="brand"><a href="${menu === null ? root : `${root}docs`}">${MARK}Posthorn${menu === null ? null : html` <span>Docs</span>`}</a></p>
${menu === null ? null : SEARCH}${links === null ? null : headerLinks(links, root)}</header>
<div class="frame${menu === null ? ' alone' : ''}">
${
  menu === null
    ? null
    : html`<nav class="menu" id="page-menu" popover aria-label="Documentation">
${menu}</nav>
`
}<main id="content" tabindex="-1">
${notice}<h1>${title}</h1>
${
  contents === null
    ? null
    : html`<nav class="contents" aria-label="On this page">
<details><summary>On this page</summary>
${contents}</details>
</nav>
`
}<div class="text">
${content}</div>
${markdown === undefined ? null : html`<p class="as-markdown"><a href="${markdown}">View this page as Markdown</a></p>\n`}</main>
</div>
</body>
</html>
`.toString();
}

/** The search button. Search needs scripts, so the style sheet hides the button without scripts. */
const SEARCH = html`<button type="button" class="search-button" id="page-search" aria-haspopup="dialog" aria-keyshortcuts="/">Search <kbd>/</kbd></button>
`;

function headerLinks(links: NonNullable<HtmlPage['links']>, root: string): Html {
  return html`<nav class="links" aria-label="Posthorn"><ul>
${links.map(([path, label]) => html`<li><a href="${root}${path}">${label}</a></li>\n`)}</ul></nav>
`;
}
