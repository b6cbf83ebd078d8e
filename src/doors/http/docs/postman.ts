/** The operations of the API as a Postman collection (format v2.1.0), for API clients that can send requests. */
import type { ApiDocument, Parameter } from '../api-document.ts';
import { requestOf, valueOf, variableOf, withVariables } from './examples/example-request.ts';
import type { Instance } from './instance.ts';
import { jsonText } from './json-text.ts';
import { DocumentReader, type FoundOperation } from './reference/document.ts';

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const JSON_HEADER = { key: 'Content-Type', value: 'application/json' };

export function postmanCollection(document: ApiDocument, instance: Instance): object {
  const reader = new DocumentReader(document);
  const ids = reader.operations.flatMap((operation) => requestOf(operation, reader).id ?? []);
  return {
    info: {
      name: 'Posthorn',
      description: `${document.info.description ?? ''}\n\nSet the variable \`api_key\` to an API key of your project: ${instance.address}/docs#key. A request that creates something saves its ID in a variable, such as \`email_id\`, for the requests that need it.`,
      schema: FORMAT,
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: instance.address, type: 'string' },
      { key: 'api_key', value: '', type: 'string' },
      ...[...new Set(ids)].map((id) => ({ key: nameOf(id), value: id, type: 'string' })),
    ],
    item: document.tags.map(({ name, description = '' }) => ({
      name,
      description,
      item: reader.operationsOf(name).map((operation) => requestItem(operation, reader)),
    })),
  };
}

function requestItem(operation: FoundOperation, reader: DocumentReader): object {
  const { summary, description = '' } = operation;
  const request = requestIn(operation, reader);
  const saved = savedVariable(operation, reader);
  return {
    name: summary,
    request: { ...request, description },
    ...(saved === null ? {} : { event: [{ listen: 'test', script: scriptSaving(saved) }] }),
    response: responsesOf(operation, reader).map((response) => ({
      ...response,
      originalRequest: request,
    })),
  };
}

function requestIn(operation: FoundOperation, reader: DocumentReader): object {
  const { method, id, body } = requestOf(operation, reader);
  const of = (location: Parameter['in']) =>
    reader.parameters(operation).filter((parameter) => parameter.in === location);
  // Optional parameters are listed for users to switch on.
  const entry = (parameter: Parameter) => ({
    key: parameter.name,
    value: String(valueOf(parameter)),
    description: parameter.description ?? '',
    ...(parameter.required === true ? {} : { disabled: true }),
  });
  const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
  return {
    method,
    header: [...(body === undefined ? [] : [JSON_HEADER]), ...of('header').map(entry)],
    url: {
      raw: `{{base_url}}${path}`,
      host: ['{{base_url}}'],
      path: path.slice(1).split('/'),
      query: of('query').map(entry),
      variable: of('path').map(({ name, description = '', ...parameter }) => ({
        key: name,
        value: name === 'id' && id !== null ? `{{${nameOf(id)}}}` : String(valueOf({ ...parameter, name })),
        description,
      })),
    },
    ...(body === undefined
      ? {}
      : {
          body: {
            mode: 'raw',
            raw: withVariables(jsonText(body), (variable) => `"{{${variable.toLowerCase()}}}"`),
            options: { raw: { language: 'json' } },
          },
        }),
  };
}

/** The success response, as an example that API clients show beside the request. */
function responsesOf(operation: FoundOperation, reader: DocumentReader): object[] {
  return reader
    .responses(operation)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { description, content }]) => {
      const example = reader.exampleOf(content?.['application/json']);
      return {
        name: description,
        code: Number(status),
        header: example === undefined ? [] : [JSON_HEADER],
        body: example === undefined ? null : jsonText(example),
        ...(example === undefined ? {} : { _postman_previewlanguage: 'json' }),
      };
    });
}

/** The variable for the id of the resource that the operation creates. Null if it creates none, or if no request needs the id. */
function savedVariable(
  { method, path, ...operation }: FoundOperation,
  reader: DocumentReader,
): string | null {
  if (method !== 'POST' || path.includes('{')) return null;
  const example = reader.successExample(operation);
  const hasId = typeof example === 'object' && example !== null && 'id' in example;
  return hasId && typeof example.id === 'string' ? nameOf(example.id) : null;
}

function scriptSaving(variable: string): object {
  return {
    type: 'text/javascript',
    exec: [`if (pm.response.code < 300) pm.collectionVariables.set('${variable}', pm.response.json().id);`],
  };
}

function nameOf(id: string): string {
  return (variableOf(id) ?? 'ID').toLowerCase();
}
