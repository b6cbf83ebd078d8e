/** Checks responses against the OpenAPI document. An undocumented response, or a response that differs, causes an AssertionError. */
import assert from 'node:assert/strict';
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body if the media type is JSON, otherwise null. */
  body: unknown;
}

interface Reference {
  $ref: string;
}
interface Header {
  required?: boolean;
  schema: { type?: string };
}
interface Response {
  headers?: Record<string, Header | Reference>;
  content?: Record<string, { schema: AnySchemaObject; examples?: Record<string, unknown> }>;
}
interface Operation {
  responses: Record<string, Response | Reference>;
}
interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: AnySchemaObject }> } } }
  >;
  components: { schemas: Record<string, AnySchemaObject> };
}

export interface Contract {
  document: Document;
  /** @throws AssertionError with the request, the response and the difference */
  check(method: string, path: string, received: Received): void;
  /** Checks the body of a delivery. @throws AssertionError with the difference */
  checkDelivery(body: { type: string }): void;
}

const PROBLEM_MEDIA_TYPE = 'application/problem+json';
/** The schema of problems. One object for all checks, because compiled schemas are cached by the identity of their object. */
const PROBLEM: AnySchemaObject = { $ref: '#/components/schemas/Problem' };
/** Paths that the service serves in addition to the API. The OpenAPI document does not contain these paths. */
const SERVICE_PATHS = ['/healthz', '/readyz', '/openapi.yaml', '/openapi.json'];

/**
 * Contracts by the text of their document. Nearly all services of a process serve the same document, and parsing a document takes half a
 * second of processor time.
 */
const contracts = new Map<string, Contract>();

/** @param served the served document: YAML or JSON */
export function contractOf(served: string): Contract {
  const key = served.replaceAll(/\b(?:localhost|127\.0\.0\.1):\d+/g, 'service');
  let contract = contracts.get(key);
  if (contract === undefined) {
    contract = readContract((served.startsWith('{') ? JSON.parse(served) : parse(served)) as Document);
    contracts.set(key, contract);
  }
  return contract;
}

function readContract(document: Document): Contract {
  closeSchemas(document.components.schemas);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
  ajv.addSchema(document, 'api');
  const compiled = new Map<AnySchemaObject, ValidateFunction>();

  function valid(schema: AnySchemaObject, value: unknown, what: string): void {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      validate = ajv.compile(rebased(schema));
      compiled.set(schema, validate);
    }
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }

  function deref<T extends object>(value: T | Reference): T {
    if (!('$ref' in value)) return value;
    const path = value.$ref.slice(2).split('/');
    return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
  }

  function checkHeaders(headers: Record<string, Header | Reference>, received: Received): void {
    for (const [name, reference] of Object.entries(headers)) {
      const header = deref(reference);
      const text = received.headers.get(name);
      if (text === null) assert.ok(header.required !== true, `the header ${name} is missing`);
      else valid(header.schema, header.schema.type === 'integer' ? Number(text) : text, `the header ${name}`);
    }
  }

  function checkProblem(received: Received, codes: string[] | null): void {
    assert.equal(received.headers.get('content-type'), PROBLEM_MEDIA_TYPE);
    valid(PROBLEM, received.body, 'the problem');
    const problem = received.body as { type: string; status: number; instance: string; errors?: object };
    const code = problem.type.replace('/errors/', '');
    assert.equal(problem.status, received.status, 'the status of the problem');
    assert.equal(problem.instance, received.headers.get('x-request-id'), 'the instance of the problem');
    assert.equal(
      problem.errors !== undefined,
      received.status === 422,
      'errors is present exactly for status 422',
    );
    assert.equal(received.headers.has('retry-after'), [429, 503].includes(received.status), 'Retry-After');
    assert.equal(received.headers.has('allow'), received.status === 405, 'Allow');
    if (codes !== null) assert.ok(codes.includes(code), `${code} is not documented for ${received.status}`);
  }

  function checkDocumented(operation: Operation, received: Received, isHead: boolean): void {
    const reference = operation.responses[received.status];
    assert.ok(reference !== undefined, `the status ${received.status} is not documented`);
    const response = deref(reference);
    checkHeaders(response.headers ?? {}, received);
    if (response.content === undefined || isHead) {
      assert.equal(received.text, '', 'the body must be empty');
      return;
    }
    const mediaType = (received.headers.get('content-type') ?? '').replace(/;.*/, '');
    const content = response.content[mediaType];
    assert.ok(content !== undefined, `the media type ${mediaType} is not documented`);
    if (mediaType === PROBLEM_MEDIA_TYPE) checkProblem(received, Object.keys(content.examples ?? {}));
    else valid(content.schema, received.body, 'the body');
  }

  function find(path: string): Record<string, Operation> | undefined {
    const templates = Object.entries(document.paths);
    return templates.find(([template]) => matches(template, path.replace(/^\/api(?=\/v1\/)/, '')))?.[1];
  }

  return {
    document,
    checkDelivery(body) {
      const schema = document.webhooks[body.type]?.post.requestBody.content['application/json']?.schema;
      assert.ok(schema !== undefined, `the webhook ${body.type} is not documented`);
      valid(schema, body, body.type);
    },
    check(method, path, received) {
      const { pathname } = new URL(path, 'http://service');
      const isHead = method === 'HEAD';
      try {
        assert.ok(received.headers.has('x-request-id'), 'the request id is missing');
        const operation = find(pathname)?.[isHead ? 'get' : method.toLowerCase()];
        if (operation !== undefined) checkDocumented(operation, received, isHead);
        else if (received.status >= 400) {
          if (!isHead) checkProblem(received, null);
        } else
          assert.ok(
            SERVICE_PATHS.includes(pathname.replace(/^\/api/, '')),
            'the operation is not documented',
          );
      } catch (error) {
        if (!(error instanceof assert.AssertionError)) throw error;
        const answer = `${received.status} ${received.text.slice(0, 500)}`;
        throw new assert.AssertionError({ message: `${method} ${path}: ${error.message}\n${answer}` });
      }
    },
  };
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/');
  const segments = path.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, at) => part.startsWith('{') || part === segments[at])
  );
}

/** Rewrites references within the document to references that resolve from outside the document. */
function rebased(schema: AnySchemaObject): AnySchemaObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/')) as AnySchemaObject;
}

/** Clients must ignore unknown fields in responses, but tests reject them, so that every field is documented. */
export function closeSchemas(schemas: Readonly<Record<string, object>>): void {
  const open = structuredClone(schemas);
  for (const schema of Object.values(schemas)) closeObjects(schema, open);
}

/** @param open the original components, which stay open: each part of an `allOf` must accept the members of the other parts */
function closeObjects(
  schema: unknown,
  open: Readonly<Record<string, AnySchemaObject>>,
  isPart = false,
): void {
  if (typeof schema !== 'object' || schema === null) return;
  const whole = schema as AnySchemaObject;
  const { properties, items, anyOf, allOf } = whole as {
    properties?: object;
    items?: object;
    anyOf?: object[];
    allOf?: (object | Reference)[];
  };
  if (properties !== undefined) {
    if (!isPart) whole['additionalProperties'] ??= false;
    for (const property of Object.values(properties)) closeObjects(property, open);
  }
  closeObjects(items, open);
  for (const alternative of anyOf ?? []) closeObjects(alternative, open, isPart);
  if (allOf === undefined) return;
  whole['unevaluatedProperties'] = false;
  const parts = allOf.map((part) =>
    '$ref' in part ? structuredClone(open[part.$ref.split('/').at(-1) ?? '']) : part,
  );
  whole['allOf'] = parts;
  for (const part of parts) closeObjects(part, open, true);
}
