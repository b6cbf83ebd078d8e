/** An operation of the document as HTML. */
import type { Response, Schema } from '../api-document.ts';
import { curlOf, type Instance } from './curl.ts';
import type { DocumentReader, FoundOperation } from './document.ts';
import { type Html, html, joined } from './html.ts';
import { codeBlock, headingTag, inline, renderMarkdown } from './markdown.ts';
import { fieldList, schemaBody, typeOf } from './schema-view.ts';

const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export function operationView(operation: FoundOperation, reader: DocumentReader, instance: Instance): Html {
  const { operationId, summary, description = '', method, path, scope } = operation;
  const success = reader.successExample(operation);
  return html`<article class="operation" aria-labelledby="op-${operationId}">
${headingTag(3, `op-${operationId}`, summary)}<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${scope === null ? null : html`<p class="scope">Scope <code>${scope}</code></p>\n`}${renderMarkdown(description).body}${parameters(operation, reader)}${requestBody(operation, reader)}<h4>Responses</h4>
<dl class="responses">
${reader.responses(operation).map(([status, response]) => responseEntry(status, response, reader))}</dl>
<h4>Example</h4>
${codeBlock(curlOf(operation, reader, instance), 'sh')}${success === undefined ? null : html`<p>The answer:</p>\n${jsonBlock(success)}`}</article>
`;
}

function parameters(operation: FoundOperation, reader: DocumentReader): Html | null {
  const fields = reader
    .parameters(operation)
    .map(({ name, in: place, required = false, description, schema }) => ({
      name,
      place,
      required,
      description: description ?? schema.description,
      schema,
    }));
  return fields.length === 0 ? null : html`<h4>Parameters</h4>\n${fieldList(fields)}`;
}

function requestBody({ requestBody }: FoundOperation, reader: DocumentReader): Html | null {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined) return null;
  return html`<h4>Request body</h4>
<p>JSON, ${typeOf(schema)}${requestBody?.required === true ? '' : '; it may be left out'}.</p>
${schemaBody(reader.deref<Schema>(schema), reader)}`;
}

function responseEntry(status: string, response: Response, reader: DocumentReader): Html {
  const problem = response.content?.[PROBLEM_MEDIA_TYPE];
  return html`<div>
<dt><span class="status s${status[0] ?? ''}">${status}</span></dt>
<dd>${problem === undefined ? successText(response, reader) : problemText(Object.keys(problem.examples ?? {}))}</dd>
</div>
`;
}

/** Names the headers that only this answer has. */
function successText({ description, content, headers = {} }: Response, reader: DocumentReader): Html {
  const schema = content?.['application/json']?.schema;
  const own = Object.entries(headers).filter(([, header]) => !('$ref' in header));
  return html`${inline(description)} ${schema === undefined ? 'No body.' : html`Body: ${typeOf(schema)}.`}${own.map(
    ([name, header]) => html` Header <code>${name}</code>: ${inline(reader.deref(header).description ?? '')}`,
  )}`;
}

function problemText(slugs: readonly string[]): Html {
  return joined(
    slugs.map((slug) => html`<a href="#errors-${slug}"><code>${slug}</code></a>`),
    ', ',
  );
}

export function schemaView(name: string, schema: Schema, reader: DocumentReader): Html {
  const examples = schema.examples ?? [];
  return html`<article class="schema" aria-labelledby="schema-${name}">
${headingTag(3, `schema-${name}`, name)}${schema.description === undefined ? null : renderMarkdown(schema.description).body}${schemaBody(schema, reader)}${examples.map(jsonBlock)}</article>
`;
}

function jsonBlock(value: unknown): Html {
  return codeBlock(JSON.stringify(value, null, 2), 'json');
}
