/** `/`: what this is, and where to go. */
import type { ApiDocument } from '../api-document.ts';
import { type Instance, requestOf } from './curl.ts';
import { DocumentReader } from './document.ts';
import { firstKey } from './first-key.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import { codeBlock } from './markdown.ts';

export function startPage(document: ApiDocument, instance: Instance): string {
  const reader = new DocumentReader(document);
  const send = reader.operations.find(({ operationId }) => operationId === 'sendEmail');
  return layout({
    title: 'Start',
    description: 'A server that takes transactional email over HTTP, sends it, and tells what became of it.',
    root: './',
    current: 'start',
    contents: null,
    content: html`<h1>Posthorn</h1>
<p class="lead">This server takes transactional email over HTTP, sends it, and tells what became of it.</p>
<ul class="cards">
${card('docs', 'API reference', 'Every operation, with examples to paste.')}${card('docs/webhooks', 'Webhooks', 'Events, signatures and retries.')}${card('openapi.yaml', 'OpenAPI document', 'For code generators and API clients.')}${card('readyz', 'Status', 'Whether this server takes email now.')}</ul>
<section aria-labelledby="send">
<h2 id="send">Send an email</h2>
<p>The API is at <code>${instance.address}</code>, and every project may send from <code>${instance.hostedDomain}</code>.</p>
${firstKey()}${send === undefined ? null : codeBlock(requestOf(send, reader, instance), 'sh')}<p>What became of it is at <code>GET /v1/emails/{id}</code>: <a href="./docs#op-getEmail">Fetch an email</a>.</p>
</section>
`,
  });
}

function card(path: string, title: string, text: string): Html {
  return html`<li><a href="./${path}">${title}</a> <span>${text}</span></li>\n`;
}
