/** What a browser is shown at a path that leads nowhere. */
import { html } from '../html.ts';
import { layout } from './layout.ts';

/** A path with more parts is not one that a person followed. */
const MAX_PARTS = 20;

/** @param path as it was asked for. It is not repeated: others may have written it. */
export function notFoundPage(path: string): string {
  const parts = path.replace(/[?#].*/s, '').split('/').length - 2;
  const root = parts <= 0 ? './' : parts > MAX_PARTS ? '/' : '../'.repeat(parts);
  return layout({
    title: 'There is no such page',
    description: 'There is no such page.',
    root,
    menu: null,
    contents: null,
    content: html`<p class="lead">Nothing is at this address. It may be mistyped, or the link that led here is old.</p>
<ul class="cards">
<li><a href="${root}docs">Docs</a> <span>How to send, every operation, and all guides.</span></li>
<li><a href="${root}">What this server is</a> <span>And where to sign in.</span></li>
</ul>
`,
  });
}
