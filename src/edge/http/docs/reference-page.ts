/** `/docs`: the API reference, made from the OpenAPI document and docs/errors.md. */
import type { ApiDocument } from '../api-document.ts';
import { ERROR_CODES } from '../../../model/app-error.ts';
import { PROBLEMS } from '../problem.ts';
import type { Instance } from './curl.ts';
import { DocumentReader } from './document.ts';
import { firstKey } from './first-key.ts';
import { type Html, html } from './html.ts';
import { layout } from './layout.ts';
import { headingTag, inline, renderMarkdown } from './markdown.ts';
import { operationView, schemaView } from './operation-view.ts';

/** @param errors the text of docs/errors.md */
export function referencePage(document: ApiDocument, errors: string, instance: Instance): string {
  const reader = new DocumentReader(document);
  const groups = groupsOf(reader);
  const schemas = Object.entries(document.components.schemas);
  const { info } = document;
  return layout({
    title: 'API reference',
    description: info.description ?? info.title,
    root: './',
    current: 'reference',
    contents: contentsOf(
      groups,
      schemas.map(([name]) => name),
    ),
    content: html`<h1>${info.title} API reference</h1>
<p class="version">Contract version ${info.version}</p>
${renderMarkdown(info.description ?? '').body}${start(document, instance)}${groups.map(
  ({ name, description, operations }) => html`<section aria-labelledby="tag-${name}">
${headingTag(2, `tag-${name}`, titled(name))}${description === undefined ? null : html`<p>${inline(description)}</p>\n`}${operations.map((operation) => operationView(operation, reader, instance))}</section>
`,
)}<section aria-labelledby="errors">
${headingTag(2, 'errors', 'Errors')}${errorTable()}${renderMarkdown(errors, { shift: 1, idPrefix: 'errors-' }).body}</section>
<section aria-labelledby="schemas">
${headingTag(2, 'schemas', 'Schemas')}${schemas.map(([name, schema]) => schemaView(name, schema, reader))}</section>
`,
  });
}

function groupsOf({ document, operations }: DocumentReader) {
  return document.tags.map((tag) => ({
    ...tag,
    // What removes a thing comes last: the examples before it need the thing.
    operations: operations
      .filter(({ tags }) => tags.includes(tag.name))
      .toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE')),
  }));
}

function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function start({ components }: ApiDocument, { address, hostedDomain }: Instance): Html {
  return html`<section aria-labelledby="start">
${headingTag(2, 'start', 'Start')}<p>The API is at <code>${address}</code>, and the same under <code>${address}/api</code>.</p>
${Object.values(components.securitySchemes).map(({ description }) =>
  description === undefined ? null : html`<p>${inline(description)}</p>\n`,
)}<p>Every operation takes an API key as <code>Authorization: Bearer &lt;API_KEY&gt;</code>. A restricted key needs the
scope that the operation names.</p>
${firstKey()}<p>Paste the examples of a group in their order: one that makes something keeps its id in a variable of the shell, such as
<code>EMAIL_ID</code>, and those about that thing read it. They send from <code>${hostedDomain}</code>, from which every
project may send.</p>
</section>
`;
}

function contentsOf(groups: ReturnType<typeof groupsOf>, schemas: readonly string[]): Html {
  return html`<p class="filter" hidden><label for="filter">Filter</label> <input id="filter" type="search" autocomplete="off"></p>
<ul>
<li><a href="#start">Start</a></li>
${groups.map(
  ({ name, operations }) => html`<li><a href="#tag-${name}">${titled(name)}</a><ul>
${operations.map(
  ({ operationId, summary, method, path }) =>
    html`<li><a href="#op-${operationId}" title="${path}"><span class="method ${method.toLowerCase()}">${method}</span> ${summary}</a></li>\n`,
)}</ul></li>
`,
)}<li><a href="#errors">Errors</a></li>
<li><a href="#schemas">Schemas</a><ul>
${schemas.map((name) => html`<li><a href="#schema-${name}">${name}</a></li>\n`)}</ul></li>
</ul>
`;
}

/** All errors: some (`method-not-allowed`) belong to no operation of the document. */
function errorTable(): Html {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Type</th><th scope="col">Title</th></tr></thead>
<tbody>
${ERROR_CODES.map((slug) => {
  const { status, title } = PROBLEMS[slug];
  return html`<tr><td><span class="status s${String(status).charAt(0)}">${status}</span></td><td><a href="#errors-${slug}"><code>/errors/${slug}</code></a></td><td>${title}</td></tr>\n`;
})}</tbody>
</table></div>
`;
}
