/** The pages generated from the OpenAPI document: an overview, one page per resource, and one page about events. */
import { ERROR_CODES } from '../../../../model/app-error.ts';
import type { ApiDocument, Schema } from '../../api-document.ts';
import { PROBLEMS } from '../../problem.ts';
import { type Html, html } from '../../html.ts';
import type { Instance } from '../instance.ts';
import { contentsList } from '../contents-list.ts';
import { curlOf } from '../examples/curl.ts';
import { variablesIn } from '../examples/example-request.ts';
import { headingTag, inline } from '../markdown.ts';
import { hrefOf } from '../menu.ts';
import type { PageContent, PageSource, PageLocation } from '../page-source.ts';
import { DocumentReader, type FoundOperation, nameOf } from './document.ts';
import { operationView, schemaView, type View } from './operation-view.ts';
import { EVENTS_PATH, schemaPaths } from './schema-paths.ts';

interface Resource {
  path: string;
  title: string;
  description: string;
  operations: readonly FoundOperation[];
}

export function referencePages(document: ApiDocument, instance: Instance): PageSource[] {
  const reader = new DocumentReader(document);
  const resources = resourcesOf(reader);
  const pathsOfSchemas = schemaPaths(reader, resources);
  const bodies = bodiesOf(reader);
  const viewOf = ({ root }: PageLocation, here: string): View => ({
    reader,
    instance,
    bodies,
    linkOf(name) {
      const place = pathsOfSchemas.get(name) ?? 'api';
      return `${place === here ? '' : hrefOf(place, root)}#schema-${name}`;
    },
    errors: hrefOf('errors', root),
  });
  const schemasAt = (path: string) =>
    Object.entries(document.components.schemas).filter(
      ([name]) => (pathsOfSchemas.get(name) ?? 'api') === path && !bodies.has(name),
    );
  return [
    {
      path: 'api',
      title: 'API reference',
      make: (place) =>
        overview(document, resources, schemasAt('api'), viewOf(place, 'api'), {
          place,
          pathsOfSchemas,
        }),
    },
    ...resources.map((resource) => ({
      path: resource.path,
      title: resource.title,
      make: (place: PageLocation) =>
        resourcePage(resource, schemasAt(resource.path), viewOf(place, resource.path), place),
    })),
    {
      path: EVENTS_PATH,
      title: 'Events',
      make: (place) => eventsPage(document, schemasAt(EVENTS_PATH), viewOf(place, EVENTS_PATH), place),
    },
  ];
}

/** Maps the schema name of each request body to the `operationId` of the first operation that takes the body. */
function bodiesOf({ operations }: DocumentReader): Map<string, string> {
  const bodies = new Map<string, string>();
  for (const { operationId, requestBody } of operations) {
    const { $ref } = requestBody?.content['application/json']?.schema ?? {};
    if ($ref !== undefined && !bodies.has(nameOf($ref))) bodies.set(nameOf($ref), operationId);
  }
  return bodies;
}

function resourcesOf(reader: DocumentReader): Resource[] {
  return reader.document.tags.map(({ name, description = '' }) => ({
    path: `api/${name}`,
    title: titled(name),
    description,
    operations: reader.operationsOf(name),
  }));
}

function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
}

type NamedSchemas = readonly (readonly [name: string, schema: Schema])[];

function resourcePage(
  { title, description, operations }: Resource,
  schemas: NamedSchemas,
  view: View,
  { root }: PageLocation,
): PageContent {
  return {
    title,
    description: `${description} Operations, fields and examples.`,
    contents: contentsList([
      ...operations.map(({ operationId, summary }) => ({ level: 2, id: `op-${operationId}`, text: summary })),
      ...objectHeadings(schemas),
    ]),
    content: html`<p class="lead">${inline(description)}</p>
<div id="page-account" class="account" hidden></div>
<p class="muted">The examples read an API key from <code>POSTHORN_KEY</code>: <a href="${hrefOf('', root)}#key">how to get one</a>.</p>
${idsNote(operations, view, root)}${operations.map((operation) => operationView(operation, view))}${objects(schemas, view)}`,
  };
}

/** Explains where the ids in the examples come from. Null if the examples contain no id. */
function idsNote(
  operations: readonly FoundOperation[],
  { reader, instance }: View,
  root: string,
): Html | null {
  const commands = operations.map((operation) => curlOf(operation, reader, instance)).join('\n');
  const variables = variablesIn(commands).flatMap(({ name, resource, tag }) => {
    const list = reader.operations.find(({ method, path }) => method === 'GET' && path === `/v1/${tag}`);
    return list === undefined ? [] : [{ name, resource, list, page: hrefOf(`api/${tag}`, root) }];
  });
  if (variables.length === 0) return null;
  return html`<p class="muted">Set the variables in a command before you run it. The IDs in the other languages are examples: replace them with your own.</p>
<ul class="muted">
${variables.map(
  ({ name, resource, list: { operationId, summary }, page }) =>
    html`<li><code>$${name}</code>: the <code>id</code> of the ${resource}, from <a href="${page}#op-${operationId}">${summary}</a></li>\n`,
)}</ul>
`;
}

/** The heading of the last section of the overview, whose only object is Problem. */
const ERROR_OBJECT = 'The error object';

function objectHeadings(schemas: NamedSchemas, heading = 'Objects') {
  if (schemas.length === 0) return [];
  return [
    { level: 2, id: 'schemas', text: heading },
    ...schemas.map(([name]) => ({ level: 3, id: `schema-${name}`, text: name })),
  ];
}

function objects(schemas: NamedSchemas, view: View, heading = 'Objects'): Html | null {
  if (schemas.length === 0) return null;
  return html`<section aria-labelledby="schemas">
${headingTag(2, 'schemas', heading)}${schemas.map(([name, schema]) => schemaView(name, schema, view))}</section>
`;
}

function eventsPage(
  document: ApiDocument,
  schemas: NamedSchemas,
  view: View,
  { root }: PageLocation,
): PageContent {
  return {
    title: 'Events',
    description: 'Email events, field by field: in the timeline of an email, and as sent to webhooks.',
    contents: contentsList(objectHeadings(schemas)),
    content: html`<p class="lead">Email events, field by field: in the timeline of an email, and as sent to a <a href="${hrefOf('webhooks', root)}">webhook</a>. The guide explains how to verify events, and when they are retried.</p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Type</th><th scope="col">When</th><th scope="col">Body</th></tr></thead>
<tbody>
${Object.entries(document.webhooks).map(([type, { post }]) => {
  const name = post.requestBody.content['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
  return html`<tr><td><code>${type}</code></td><td>${inline(post.summary)}</td><td><a href="${view.linkOf(name)}">${name}</a></td></tr>\n`;
})}</tbody>
</table></div>
${objects(schemas, view)}`,
  };
}

function overview(
  document: ApiDocument,
  resources: readonly Resource[],
  schemas: NamedSchemas,
  view: View,
  { place: { root }, pathsOfSchemas }: { place: PageLocation; pathsOfSchemas: ReadonlyMap<string, string> },
): PageContent {
  const { info, components } = document;
  const { address } = view.instance;
  return {
    title: 'API reference',
    description: info.description ?? info.title,
    contents: contentsList([
      ...resources.map(({ path, title }) => ({ level: 2, id: `tag-${path.slice(4)}`, text: title })),
      { level: 2, id: 'errors', text: 'Errors' },
      { level: 2, id: 'all-objects', text: 'All objects' },
      ...objectHeadings(schemas, ERROR_OBJECT),
    ]),
    content: html`<p class="lead">${inline(info.description ?? '')}</p>
<p>The API is at <code>${address}</code>, and also at <code>${address}/api</code>. <a href="${root}openapi.yaml">The OpenAPI document</a> (contract version ${info.version}), also <a href="${root}openapi.json">as JSON</a>, is for
code generators and API clients, and <a href="${root}docs/postman.json">the collection</a> is for Postman and clients that read its format. Add <code>.md</code> to the URL of a page to get it as Markdown. For
AI tools, <a href="${root}llms.txt">llms.txt</a> lists all pages.</p>
${Object.values(components.securitySchemes).map(({ description = '' }) => html`<p>${inline(description)} See <a href="${hrefOf('', root)}#key">how to get a key</a> and <a href="${hrefOf('api-keys', root)}#scopes">what each scope allows</a>.</p>\n`)}<p><a href="${hrefOf('contract', root)}">Rules of the API</a> describes what all operations have in common: identifiers, timestamps and limits.</p>
${resources.map(
  ({ path, title, description, operations }) => html`<section aria-labelledby="tag-${path.slice(4)}">
${headingTag(2, `tag-${path.slice(4)}`, title)}<p>${inline(description)} <a href="${hrefOf(path, root)}">Fields and examples</a></p>
<ul class="operations">
${operations.map(
  ({ operationId, method, path: at, summary }) =>
    html`<li><a id="op-${operationId}" href="${hrefOf(path, root)}#op-${operationId}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${at}</code></a> <span>${summary}</span></li>\n`,
)}</ul>
</section>
`,
)}<section aria-labelledby="errors">
${headingTag(2, 'errors', 'Errors')}<p>Every error is a problem document. <a href="${hrefOf('errors', root)}">Errors</a> explains how to handle each one.</p>
${errorTable(view)}</section>
<section aria-labelledby="all-objects">
${headingTag(2, 'all-objects', 'All objects')}<ul class="names">
${[...pathsOfSchemas].map(([name, path]) =>
  path === 'api'
    ? html`<li><a href="#schema-${name}">${name}</a></li>\n`
    : html`<li><a id="schema-${name}" href="${hrefOf(path, root)}#schema-${name}">${name}</a></li>\n`,
)}</ul>
</section>
${objects(schemas, view, ERROR_OBJECT)}`,
  };
}

/** The table of all errors, including errors such as `method-not-allowed` that belong to no operation of the document. */
function errorTable({ errors }: View): Html {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Type</th><th scope="col">Title</th></tr></thead>
<tbody>
${ERROR_CODES.map((slug) => {
  const { status, title } = PROBLEMS[slug];
  return html`<tr><td><span class="status s${String(status).charAt(0)}">${status}</span></td><td><a id="errors-${slug}" href="${errors}#${slug}"><code>/errors/${slug}</code></a></td><td>${title}</td></tr>\n`;
})}</tbody>
</table></div>
`;
}
