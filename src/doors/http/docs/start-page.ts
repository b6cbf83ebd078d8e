/** The page `/`, which says what this server is and links to its parts. */
import { type Html, html } from '../html.ts';
import { layout } from '../page/layout.ts';
import type { Instance } from './instance.ts';

export function startPage({ address, hostedDomain, webClient }: Instance): string {
  return layout({
    title: 'Posthorn',
    description:
      'A server that accepts transactional email over HTTP and SMTP, sends it, and reports what happens to it.',
    root: './',
    menu: null,
    contents: null,
    links: [
      ['docs', 'Docs'],
      ['dashboard', 'Sign in'],
    ],
    content: html`<p class="lead">This server accepts transactional email over HTTP and SMTP, sends it, and reports what happens to it.</p>
<ul class="cards">
${card('docs', 'Send your first email', 'Get an API key and a command to run.')}${card('dashboard', 'Dashboard', 'Emails and their status, domains, API keys and webhooks.')}${card(webClient, 'Mail', 'Read and send mail from a mailbox on this server, in the browser.')}${card('docs/api', 'API reference', 'Every operation, with examples to copy.')}${card('mail/setup', 'Set up a mail app', 'The settings for a mailbox on this server.')}${card('openapi.yaml', 'OpenAPI document', 'For code generators and API clients.')}${card('readyz', 'Status', 'Check whether this server is accepting email.')}</ul>
<p class="muted">The API is at <code>${address}</code>, and every project can send from <code>${hostedDomain}</code>.</p>
`,
  });
}

/** @param to a path relative to this page, or a complete URL */
function card(to: string, title: string, text: string): Html {
  return html`<li><a href="${URL.canParse(to) ? to : `./${to}`}">${title}</a> <span>${text}</span></li>\n`;
}
