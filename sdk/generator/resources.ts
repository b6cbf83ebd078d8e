/** Generates groups of methods from the OpenAPI document: a group for each tag, with a method for each operation. */
import type { ApiDocument, DocumentOperation, Parameter } from '../../src/doors/http/api-document.ts';
import { clientMethods } from '../../src/doors/http/client-methods.ts';
import { commentOf, declarationOf, typeOf } from './schema-type.ts';

/** POST operations that may be repeated (docs/contract.md, Cancelling, and addSuppressions). The OpenAPI document cannot express this. */
const REPEATABLE: readonly string[] = ['cancelEmail', 'addSuppressions'];

interface Method {
  name: string;
  /** The line that declares the method in the interface. */
  declaration: string;
  /** The line that defines the method in the object that implements the interface. */
  implementation: string;
  /** The type of the method's query, or an empty string. */
  queryType: string;
}

/** The source text for the query types, an interface for each tag, and the class `Resources`. */
export function resourcesOf(document: ApiDocument): string {
  const groups = document.tags.map((tag) => ({ ...tag, methods: methodsOf(document, tag.name) }));
  const known = new Set(groups.map(({ name }) => name));
  for (const { operationId, tags } of operationsOf(document).map(({ operation }) => operation)) {
    if (tags.length !== 1 || !known.has(String(tags[0])))
      throw new TypeError(`${operationId} needs exactly one tag of the document`);
  }
  const interfaces = groups.map(({ name, description, methods }) => {
    const body = methods.map(({ declaration }) => declaration).join('');
    return `${commentOf(description)}export interface ${interfaceName(name)} {\n${body}}\n`;
  });
  const members = groups.map(({ name, description }) => {
    return `${commentOf(description)}readonly ${name}: ${interfaceName(name)};\n`;
  });
  const assignments = groups.map(({ name, methods }) => {
    const body = methods.map(({ implementation }) => implementation).join('');
    return `this.${name} = {\n${body}};\n`;
  });
  const queries = groups.flatMap(({ methods }) => methods.map(({ queryType }) => queryType));
  return [
    ...queries.filter((text) => text !== ''),
    ...interfaces,
    `/** The operations of the API, by resource. */\nexport class Resources {\n${members.join('')}\n` +
      `constructor(call: Call) {\n${assignments.join('')}}\n}\n`,
  ].join('\n');
}

function operationsOf({ paths }: ApiDocument) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
}

function methodsOf(document: ApiDocument, tag: string): Method[] {
  const operations = operationsOf(document).filter(({ operation }) => operation.tags.includes(tag));
  const names = clientMethods(document);
  return operations.flatMap(({ method, path, operation }) => {
    const name = names.get(operation.operationId) ?? operation.operationId;
    return methodOf(document, method.toUpperCase(), path, operation, name);
  });
}

function methodOf(
  document: ApiDocument,
  method: string,
  path: string,
  operation: DocumentOperation,
  name: string,
): Method[] {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const takesKey = parameters.some(
    (parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key',
  );
  const queryName = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
  const answer = answerOf(operation);

  const [idName, part] = Array.from(path.matchAll(/\{(\w+)\}/g), ([, found = '']) => found);
  const id = [idName, part].flatMap((each) => (each === undefined ? [] : [`${each}: string`]));
  const bodySchema = requestBody?.content?.['application/json']?.schema;
  const body =
    bodySchema === undefined
      ? []
      : [`body${requestBody?.required === true ? '' : '?'}: ${typeOf(bodySchema)}`];
  const queried =
    query.length === 0 ? [] : [`query${query.some(({ required }) => required) ? '' : '?'}: ${queryName}`];
  const options = [`options?: ${takesKey ? 'SendOptions' : 'CallOptions'}`];
  const declared = [...id, ...body, ...queried, ...options];
  const names = declared.map((parameter) => parameter.replace(/\??:.*/s, ''));
  const sent = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...names
      .filter((name) => name !== 'options')
      .map((name) => (name === idName && name !== 'id' ? `id: ${name}` : name)),
    ...(takesKey ? ['takesIdempotencyKey: true'] : []),
    ...(REPEATABLE.includes(operationId) ? ['isRepeatable: true'] : []),
  ];
  const comment = commentOf(description === undefined ? summary : `${summary}.\n\n${description}`);
  const one: Method = {
    name,
    declaration: `${comment}${name}(${declared.join(', ')}): Promise<${answer}>;\n`,
    implementation: `${name}: (${names.join(', ')}) => call({ ${sent.join(', ')} }, options),\n`,
    queryType: query.length === 0 ? '' : queryDeclaration(queryName, query),
  };
  const item = itemOf(document, answer, query);
  return item === null ? [one] : [one, iterationOf(queryName, item, sent)];
}

/** The method that iterates over all pages of a list with a cursor. */
function iterationOf(queryName: string, item: string, sent: readonly string[]): Method {
  const comment = commentOf('Iterates over all pages, and fetches each when it is needed.');
  const call = `call({ ${sent.join(', ')} }, options)`;
  return {
    name: 'iterate',
    declaration: `${comment}iterate(query?: ${queryName}, options?: CallOptions): AsyncGenerator<${item}, void>;\n`,
    implementation: `iterate: (first, options) => iterate(first, (query) => ${call}),\n`,
    queryType: '',
  };
}

function itemOf({ components }: ApiDocument, answer: string, query: readonly Parameter[]): string | null {
  const { data, next_cursor } = components.schemas[answer]?.properties ?? {};
  const hasCursor = next_cursor !== undefined && query.some(({ name }) => name === 'cursor');
  return hasCursor && data?.items !== undefined ? typeOf(data.items) : null;
}

/** The type of the response's body, or `void` for a response without a body. */
function answerOf({ operationId, responses }: DocumentOperation): string {
  const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const [found] = success;
  if (found === undefined || success.length > 1)
    throw new TypeError(`${operationId} needs exactly one success response`);
  const [, response] = found;
  const schema = 'content' in response ? response.content?.['application/json']?.schema : undefined;
  return schema === undefined ? 'void' : typeOf(schema);
}

function queryDeclaration(name: string, query: readonly Parameter[]): string {
  const properties = query.map(({ name, description, schema }) => {
    return [name, description === undefined ? schema : { ...schema, description }] as const;
  });
  const required = query.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return declarationOf(name, { type: 'object', properties: Object.fromEntries(properties), required });
}

function interfaceName(tag: string): string {
  return `${tag.charAt(0).toUpperCase()}${tag.slice(1)}Resource`;
}
