/** What a browser is shown at a path that leads nowhere. */
import { html } from './html.ts';
import { layout } from './layout.ts';

/** A path with more parts is not one that a person followed. */
const MAX_PARTS = 20;

/** @param path as it was asked for. It is not repeated: others may have written it. */
export function notFoundPage(path: string): string {
  const parts = path.replace(/[?#].*/s, '').split('/').length - 2;
  const root = parts <= 0 ? './' : parts > MAX_PARTS ? '/' : '../'.repeat(parts);
  return layout({
    title: 'Not found',
    description: 'There is no such page.',
    root,
    current: null,
    contents: null,
    content: html`<h1>There is no such page</h1>
<p>Nothing is at this address. It may be mistyped, or the link that led here is old.</p>
<ul>
<li><a href="${root}">What this server is</a></li>
<li><a href="${root}docs">API reference</a></li>
<li><a href="${root}docs/webhooks">Webhooks</a></li>
</ul>
`,
  });
}
