/** The page for unknown paths. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../html.ts';
import { layout } from './layout.ts';
import { HTML_TYPE, PAGE_HEADERS } from './page-headers.ts';

/** Maximum number of path segments for which links to the root are relative. Users do not follow longer URLs. */
const MAX_PARTS = 20;

/** Sends the page in place of the problem document `not-found`. */
export function sendNotFoundPage({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .headers(PAGE_HEADERS)
    .header('vary', 'accept')
    .type(HTML_TYPE)
    .send(notFoundPage(url));
}

/** @param path the requested path; the page does not show the path, because an attacker may have written it */
function notFoundPage(path: string): string {
  const parts = path.replace(/[?#].*/s, '').split('/').length - 2;
  const root = parts <= 0 ? './' : parts > MAX_PARTS ? '/' : '../'.repeat(parts);
  return layout({
    title: 'Page not found',
    description: 'This page does not exist.',
    root,
    menu: null,
    contents: null,
    content: html`<p class="lead">No page exists at this address. The address may be mistyped, or the link out of date.</p>
<ul class="cards">
<li><a href="${root}docs">Docs</a> <span>How to send, the API reference and all guides.</span></li>
<li><a href="${root}">About this server</a> <span>What it does, and where to sign in.</span></li>
</ul>
`,
  });
}
