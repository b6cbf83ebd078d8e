/** The OpenAPI document (contract, Versioning): made by @fastify/swagger from the operations and their schemas. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { Ref } from '../../contract/schema.ts';
import { Problem } from '../../contract/problem.ts';
import { AppError, type ErrorCode } from '../../model/app-error.ts';
import type { Operation } from './operation.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, problemDocument } from './problem.ts';

const CONTRACT_VERSION = '0.3.0';

/** What any operation may answer beside success. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'bad-request',
  'missing-api-key',
  'invalid-api-key',
  'missing-scope',
  'validation-failed',
  'rate-limited',
  'internal',
  'unavailable',
];
/** Where a body is read, if only to see that there is none. */
const BODY_ERRORS: readonly ErrorCode[] = ['malformed-json', 'unsupported-media-type', 'payload-too-large'];

const HEADERS: Readonly<Record<string, { description: string; required: boolean; schema: object }>> = {
  'X-Request-Id': {
    description: 'Names this request.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  'RateLimit-Limit': {
    description: 'How many requests the API key may make at once. Absent where limits are off.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left.',
    required: false,
    schema: { type: 'integer', minimum: 0 },
  },
  'RateLimit-Reset': {
    description: 'Seconds until all of them are back.',
    required: false,
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'RFC 6750.',
    required: true,
    schema: { type: 'string', enum: ['Bearer'] },
  },
};
const COMMON_HEADERS = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const STATUS_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** @param baseUrl null: servers are named relative to where the document was fetched */
export function swaggerOptions(baseUrl: string | null): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Posthorn',
        version: CONTRACT_VERSION,
        description: 'Transactional email on behalf of a project. Every error is a Problem.',
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
      },
      servers: [
        { url: baseUrl ?? '/', description: 'The service.' },
        { url: `${baseUrl ?? ''}/api`, description: 'The same instance under the prefix /api.' },
      ],
      security: [{ apiKey: [] }],
      tags: [
        { name: 'emails', description: 'Send emails and see what becomes of them.' },
        { name: 'domains', description: 'Domains to send from, and the DNS records that they need.' },
        { name: 'mailboxes', description: 'Addresses that receive mail, each with its own login.' },
        { name: 'webhooks', description: 'URLs that hear what becomes of emails.' },
        { name: 'templates', description: 'Saved subjects and bodies.' },
        { name: 'directory', description: 'The address book of an organisation.' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'A project API key; it begins with svc_live_.',
          },
        },
        headers: HEADERS as Record<string, { description: string }>,
      },
    },
    stripBasePath: false,
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (schema) => String(schema['$id']) },
    transform: ({ route, url }) => ({ schema: documented(route.config?.operation, url), url }),
    transformObject: (documents) => {
      const document = ('openapiObject' in documents ? documents.openapiObject : {}) as unknown as Document;
      for (const path of Object.values(document.paths)) {
        for (const operation of Object.values(path)) finish(operation, document);
      }
      return document;
    },
  };
}

/** What Fastify's schema of a route would say. Routes that are not operations, and those below `/api`, are hidden. */
function documented(operation: Operation | undefined, url: string): FastifySchema {
  if (operation === undefined || !url.startsWith('/v1/')) return { hide: true };
  const { method, operationId, summary, description, tag, resource, body, query, headers, success } =
    operation;
  const codes = [
    ...COMMON_ERRORS,
    ...(method === 'GET' ? [] : BODY_ERRORS),
    ...(operation.errors ?? []),
    ...(resource === undefined ? [] : (['not-found'] as const)),
  ];
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))].sort();
  const responses: Record<number, object> = { [success.status]: successResponse(success) };
  for (const status of statuses) responses[status] = errorResponse(status, codes);
  const id = Type.String({ description: 'An identifier. One that is malformed is an unknown one.' });
  return {
    operationId,
    summary,
    description: `${description === undefined ? '' : `${description}\n\n`}Scope: \`${operation.scope}\`.`,
    tags: [tag],
    ...(body === undefined ? {} : { body: Ref(body) }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(headers === undefined ? {} : { headers: Type.Partial(Type.Object({ ...headers })) }),
    ...(resource === undefined ? {} : { params: Type.Object({ id }) }),
    response: responses,
  };
}

function successResponse({ description, body, headers }: Operation['success']): object {
  const named = { ...headerStubs(COMMON_HEADERS), ...headers };
  if (body === undefined) return { type: 'null', description, headers: named };
  return { description, headers: named, content: { 'application/json': { schema: Ref(body) } } };
}

function errorResponse(status: number, codes: readonly ErrorCode[]): object {
  const found = codes.filter((code) => PROBLEMS[code].status === status);
  const examples = found.map((code) => [code, { value: example(code) }] as const);
  return {
    description: `${found.map((code) => PROBLEMS[code].title).join('; ')}.`,
    headers: headerStubs([...COMMON_HEADERS, ...(STATUS_HEADERS[status] ?? [])]),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: Ref(Problem), examples: Object.fromEntries(examples) } },
  };
}

function example(code: ErrorCode): Problem {
  const field = code === 'idempotency-key-reused' ? 'Idempotency-Key' : 'from';
  const error = new AppError(code, 'What is wrong with this request.', {
    ...(PROBLEMS[code].status === 422 ? { errors: { [field]: 'what is wrong with it' } } : {}),
    ...(code === 'missing-scope' ? { extensions: { required_scope: 'emails:send' } } : {}),
  });
  return problemDocument(error, 'req_5sJ0aQ2xR8Yf1');
}

/** The plugin wants schemas here; `finish` puts references in their place. */
function headerStubs(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, { required?: string[] }>;
    responses?: Record<string, DocumentedResponse>;
  };
}

interface DocumentedOperation {
  parameters?: { required?: boolean; schema: { default?: unknown } }[];
  requestBody?: { required: boolean; content: Record<string, { schema: { $ref: string } }> };
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}

interface DocumentedResponse {
  headers: Record<string, object>;
  content?: Record<string, { examples?: object }>;
}

/** What the plugin cannot say: what may be left out, and what many operations share. */
function finish(operation: DocumentedOperation, { components }: Document): void {
  for (const parameter of operation.parameters ?? []) {
    if (parameter.schema.default !== undefined) parameter.required = false;
  }
  const { requestBody, responses } = operation;
  if (requestBody !== undefined) {
    const name = requestBody.content['application/json']?.schema.$ref.split('/').at(-1) ?? '';
    requestBody.required = (components.schemas[name]?.required ?? []).length > 0;
  }
  components.responses ??= {};
  for (const [status, response] of Object.entries(responses)) {
    if ('$ref' in response) continue;
    for (const name of Object.keys(response.headers)) {
      if (name in HEADERS) response.headers[name] = { $ref: `#/components/headers/${name}` };
    }
    const problem = response.content?.[PROBLEM_MEDIA_TYPE];
    if (problem === undefined) continue;
    const name = Object.keys(problem.examples ?? {}).join('_');
    components.responses[name] ??= response;
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
}
