/** Renders an operation of the OpenAPI document as HTML. */
import type { Response, Schema } from '../../api-document.ts';
import { examplesView } from '../examples/examples-view.ts';
import { type Html, html, joined } from '../../html.ts';
import type { Instance } from '../instance.ts';
import { jsonText } from '../json-text.ts';
import { codeBlock, headingTag, inline, renderMarkdown } from '../markdown.ts';
import { type DocumentReader, type FoundOperation, nameOf } from './document.ts';
import { fieldList, schemaBody, type SchemaLink, typeOf } from './schema-view.ts';

const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The data that all views of a reference page need. */
export interface View {
  reader: DocumentReader;
  instance: Instance;
  linkOf: SchemaLink;
  /** Maps the schema name of a request body to the `operationId` of the operation that describes the body. */
  bodies: ReadonlyMap<string, string>;
  /** The relative path from the page to the errors page. */
  errors: string;
}

export function operationView(operation: FoundOperation, view: View): Html {
  const { reader } = view;
  const { operationId, summary, description = '', method, path, scope } = operation;
  const success = reader.successExample(operation);
  return html`<article class="operation" aria-labelledby="op-${operationId}">
${headingTag(2, `op-${operationId}`, summary)}<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>${scope === null ? null : html` <span class="scope">Scope <code>${scope}</code></span>`}</p>
${renderMarkdown(description).body}${examplesView(operation, view)}${success === undefined ? null : html`<p class="answers">Response:</p>\n${jsonBlock(success)}`}${parameters(operation, view)}${requestBody(operation, view)}<h3>Responses</h3>
<dl class="responses">
${reader.responses(operation).map(([status, response]) => responseEntry(status, response, view))}</dl>
</article>
`;
}

function parameters(operation: FoundOperation, { reader, linkOf }: View): Html | null {
  const fields = reader
    .parameters(operation)
    .map(({ name, in: place, required = false, description, schema }) => ({
      name,
      place,
      required,
      description: description ?? schema.description,
      schema,
    }));
  return fields.length === 0 ? null : html`<h3>Parameters</h3>\n${fieldList(fields, linkOf)}`;
}

function requestBody(
  { operationId, requestBody: body }: FoundOperation,
  { reader, linkOf, bodies }: View,
): Html | null {
  const schema = body?.content['application/json']?.schema;
  if (schema === undefined) return null;
  const whole = reader.deref<Schema>(schema);
  const { $ref } = schema;
  const isHere = $ref !== undefined && bodies.get(nameOf($ref)) === operationId;
  return html`${isHere ? headingTag(3, `schema-${nameOf($ref)}`, 'Request body') : html`<h3>Request body</h3>\n`}<p>JSON${body?.required === true ? '' : ', optional'}.</p>
${schemaBody(whole, reader, linkOf)}`;
}

function responseEntry(status: string, response: Response, view: View): Html {
  const problem = response.content?.[PROBLEM_MEDIA_TYPE];
  return html`<div>
<dt><span class="status s${status[0] ?? ''}">${status}</span></dt>
<dd>${problem === undefined ? successText(response, view) : problemText(Object.keys(problem.examples ?? {}), view)}</dd>
</div>
`;
}

/** Describes a success response, including the headers that only this response has. */
function successText({ description, content, headers = {} }: Response, { reader, linkOf }: View): Html {
  const schema = content?.['application/json']?.schema;
  const own = Object.entries(headers).filter(([, header]) => !('$ref' in header));
  return html`${inline(description)} ${schema === undefined ? 'No body.' : html`Body: ${typeOf(schema, linkOf)}.`}${own.map(
    ([name, header]) => html` Header <code>${name}</code>: ${inline(reader.deref(header).description ?? '')}`,
  )}`;
}

function problemText(slugs: readonly string[], { errors }: View): Html {
  return joined(
    slugs.map((slug) => html`<a href="${errors}#${slug}"><code>${slug}</code></a>`),
    ', ',
  );
}

export function schemaView(name: string, schema: Schema, { reader, linkOf }: View): Html {
  const examples = schema.examples ?? [];
  return html`<article class="schema" aria-labelledby="schema-${name}">
${headingTag(3, `schema-${name}`, name)}${schema.description === undefined ? null : renderMarkdown(schema.description).body}${schemaBody(schema, reader, linkOf)}${examples.map((value) => jsonBlock(value))}</article>
`;
}

function jsonBlock(value: unknown): Html {
  return codeBlock(jsonText(value), 'json');
}
