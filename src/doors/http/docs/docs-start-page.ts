/** The page `/docs`, which shows how to send the first email and links to further pages. */
import { COMMAND_LINE } from '../../../model/command-line.ts';
import type { ApiDocument } from '../api-document.ts';
import { KEY_VARIABLE } from './examples/curl.ts';
import { examplesView } from './examples/examples-view.ts';
import { type Html, html } from '../html.ts';
import type { Instance } from './instance.ts';
import { jsonText } from './json-text.ts';
import { contentsList } from './contents-list.ts';
import { codeBlock, headingTag } from './markdown.ts';
import { hrefOf } from './menu.ts';
import { DocumentReader } from './reference/document.ts';
import type { PageContent, PageSource, PageLocation } from './page-source.ts';

const TITLE = 'Send your first email';
const COMMAND = `${COMMAND_LINE} key create --project default --name docs`;

const HEADINGS = [
  { level: 2, id: 'key', text: '1. Get an API key' },
  { level: 2, id: 'send', text: '2. Send an email' },
  { level: 2, id: 'see', text: '3. Track the email' },
  { level: 2, id: 'next', text: 'Next steps' },
] as const;
const [KEY, SEND, SEE, NEXT] = HEADINGS;

export function docsStartPage(document: ApiDocument, instance: Instance): PageSource {
  return { path: '', title: TITLE, make: (location) => start(document, instance, location) };
}

function start(document: ApiDocument, instance: Instance, { root }: PageLocation): PageContent {
  const reader = new DocumentReader(document);
  const send = reader.operations.find(({ operationId }) => operationId === 'sendEmail');
  const link = (path: string, label: string) => html`<a href="${hrefOf(path, root)}">${label}</a>`;
  return {
    title: TITLE,
    description: 'Send your first email in a minute: get an API key, send, and find what to read next.',
    contents: contentsList(HEADINGS),
    content: html`<p class="lead">Posthorn accepts email over HTTP or SMTP, sends it, and reports what happens to it. Your first email takes a minute.</p>
${headingTag(2, KEY.id, KEY.text)}<p>Applications authenticate with an API key. There are three ways to get one:</p>
<ul>
<li>The <strong>first start</strong> of Posthorn prints a key with full access, once, in its terminal.</li>
<li>The <strong>dashboard</strong>: <a href="${root}dashboard/api-keys">API keys</a>, <em>Create API key</em>. The key is shown only once.</li>
<li>The <strong>command line</strong>, in the folder where Posthorn is installed:</li>
</ul>
${codeBlock(COMMAND, 'sh')}<p>A lost key cannot be recovered: create another one, and revoke the first. ${link('api-keys', 'API keys')} explains how to create a key with fewer permissions. The examples read it from the environment:</p>
${codeBlock(`export ${KEY_VARIABLE}=svc_live_...`, 'sh')}${headingTag(2, SEND.id, SEND.text)}<div id="page-account" class="account" hidden></div>
<p>Every project can send from <code>${instance.hostedDomain}</code> without any setup.</p>
${send === undefined ? null : examplesView(send, { reader, instance })}<p>Posthorn responds with 202 and the email's ID once the email is safely on disk:</p>
${codeBlock(jsonText(send === undefined ? {} : reader.successExample(send)), 'json')}${headingTag(2, SEE.id, SEE.text)}<p><a href="${root}dashboard/emails">Emails</a> in the dashboard shows the email as its recipient sees it, with its timeline. In code, call
${link('api/emails#op-getEmail', 'GET /v1/emails/{id}')} or receive a ${link('webhooks', 'webhook')}.</p>
<p>Out of the box the provider is the <strong>sandbox</strong>: nothing leaves the machine, and the recipient's address decides what happens. Send to <code>bounced@example.org</code>,
<code>soft-bounced@</code>, <code>complained@</code>, <code>failed@</code>, <code>delayed@</code>, <code>opened@</code> or <code>clicked@</code> to test how your application handles each outcome; mail to any other address is reported as delivered.</p>
${headingTag(2, NEXT.id, NEXT.text)}<ul class="cards">
${[
  card(
    hrefOf('domains', root),
    'Send from your own domain',
    'Add it, publish its DNS records, and verify it.',
  ),
  card(
    hrefOf('operate/install', root),
    'Go to production',
    'Install Posthorn on a server, and choose a provider: a smart host, Amazon SES or direct delivery.',
  ),
  card(
    hrefOf('webhooks', root),
    'Get notified of bounces',
    'Signed events for your application, with code that verifies them.',
  ),
  card(hrefOf('mailboxes', root), 'Receive replies', 'Your own mailboxes, in the browser or in a mail app.'),
  card(hrefOf('sdk', root), 'Use TypeScript', 'A typed client that retries without sending twice.'),
  card(hrefOf('submission', root), 'Send by SMTP', 'For programs that only support SMTP.'),
  card(hrefOf('api', root), 'Look up an operation', 'Every operation, field and error, with examples.'),
]}</ul>
`,
  };
}

function card(href: string, title: string, text: string): Html {
  return html`<li><a href="${href}">${title}</a> <span>${text}</span></li>\n`;
}
