/** `/docs/webhooks`: docs/webhooks.md as a page. */
import { html } from './html.ts';
import { layout } from './layout.ts';
import { renderMarkdown } from './markdown.ts';

/** Files that docs/webhooks.md links to, where the service serves them. */
const LINKS = { 'errors.md': '../docs#errors' };

/** @param source the text of docs/webhooks.md */
export function webhooksPage(source: string): string {
  const { title, body, headings } = renderMarkdown(source, { links: LINKS });
  return layout({
    title,
    description: 'What is sent to a webhook, how to verify it, and when it is sent again.',
    root: '../',
    current: 'webhooks',
    contents: html`<ul>
${headings.filter(({ level }) => level === 2).map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>\n`)}</ul>
`,
    content: html`<h1>${title}</h1>\n${body}`,
  });
}
