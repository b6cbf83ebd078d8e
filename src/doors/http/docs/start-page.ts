/** The page `/`, which says what this server is and links to its parts. */
import { type Html, html } from '../html.ts';
import { layout } from '../page/layout.ts';
import type { Instance } from './instance.ts';

/** @param notice shown above the heading; null to show none */
export function startPage({ address, hostedDomain, webClient }: Instance, notice: Html | null): string {
  return layout({
    title: 'Posthorn',
    description:
      'A server that accepts transactional email over HTTP and SMTP, sends it, and reports what happens to it.',
    root: './',
    notice,
    menu: null,
    contents: null,
    links: [
      ['docs', 'Docs'],
      ['dashboard', 'Sign in'],
    ],
    content: html`<p class="lead">This server accepts transactional email over HTTP and SMTP, sends it, and reports what happens to it.</p>
<ul class="cards first">
${card('docs', 'Send your first email', 'Get an API key and a command to run.')}${card('dashboard', 'Dashboard', 'Emails and their status, domains, API keys and webhooks.')}${card(webClient, 'Mail', 'Read and send mail from a mailbox on this server, in the browser.')}</ul>
<p><img src="./docs/images/overview.png" width="1440" height="960" alt="The overview of a project in the dashboard: problems to fix, the number of emails per day, and the rates of delivered and bounced emails"></p>
<ul>
${link('mail/setup', 'Set up a mail app', 'The settings for a mailbox on this server.')}${link('docs/api', 'API reference', 'Every operation, with examples to copy.')}${link('openapi.yaml', 'OpenAPI document', 'For code generators and API clients.')}${link('docs/postman.json', 'Postman collection', 'Every operation as a request to send.')}${link('llms.txt', 'llms.txt', 'The documentation as Markdown, for AI tools.')}${link('readyz', 'Status', 'Check whether this server is accepting email.')}</ul>
<p class="muted">The API is at <code>${address}</code>, and every project can send from <code>${hostedDomain}</code>.</p>
`,
  });
}

function card(to: string, title: string, text: string): Html {
  return html`<li><a href="${hrefOf(to)}">${title}</a> <span>${text}</span></li>\n`;
}

function link(to: string, title: string, text: string): Html {
  return html`<li><a href="${hrefOf(to)}">${title}</a>: ${text}</li>\n`;
}

/** @param to a path relative to this page, or a complete URL */
function hrefOf(to: string): string {
  return URL.canParse(to) ? to : `./${to}`;
}
