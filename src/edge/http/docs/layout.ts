/** The frame of every page around its content. */
import { type Html, html } from './html.ts';

export interface Page {
  title: string;
  description: string;
  /** From the page to the root of the service, so that it also works where a proxy serves it below a path. */
  root: string;
  /** Null: none of those that the header leads to. `mail`: for the owners of mailboxes, whom the header leads nowhere. */
  current: 'start' | 'reference' | 'webhooks' | 'mail' | null;
  /** Beside the content: links into it. Null: it is short. */
  contents: Html | null;
  content: Html;
}

export function layout({ title, description, root, current, contents, content }: Page): string {
  const item = (name: Page['current'], path: string, label: string) =>
    html`<li><a href="${root}${path}"${name === current ? html` aria-current="page"` : null}>${label}</a></li>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} – Posthorn</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${root}docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}docs/style.css">
<script src="${root}docs/script.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<p class="brand"><a href="${root}"${current === 'start' ? html` aria-current="page"` : null}>Posthorn</a></p>
${
  current === 'mail'
    ? null
    : html`<nav aria-label="Documentation"><ul>
${item('reference', 'docs', 'API reference')}
${item('webhooks', 'docs/webhooks', 'Webhooks')}
<li><a href="${root}openapi.yaml">OpenAPI document</a></li>
</ul></nav>
`
}</header>
<div class="${contents === null ? 'single' : 'columns'}">
${
  contents === null
    ? null
    : html`<nav class="contents" aria-label="On this page">
<details open><summary>On this page</summary>
${contents}</details>
</nav>
`
}<main id="content" tabindex="-1">
${content}</main>
</div>
</body>
</html>
`.toString();
}
