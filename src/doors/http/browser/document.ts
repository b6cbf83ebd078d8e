/**
 * The OpenAPI document of the dashboard or the web client. The document is generated from operations and schemas, for the client code of
 * the pages.
 */
import type { TSchema } from 'typebox';
import { DASHBOARD_ERROR_CODES, ERROR_CODES, type ErrorCode } from '../../../model/app-error.ts';
import { VERSION } from '../../../model/version.ts';
import type { DocumentOperation, Response, Schema } from '../api-document.ts';
import {
  errorResponses,
  header,
  parametersOf,
  requestBodyOf,
  schemasOf,
  SHARED_HEADERS,
  successResponse,
} from '../document-parts.ts';
import { placeholderProblem } from '../problem-examples.ts';
import { type BrowserOperation, onlyReads } from './add-operation.ts';

const COMMON_ERRORS: readonly ErrorCode[] = [
  'bad-request',
  'validation-failed',
  'rate-limited',
  'internal',
  'unavailable',
];
const BODY_ERRORS: readonly ErrorCode[] = [
  'malformed-json',
  'unsupported-media-type',
  'payload-too-large',
  'request-forged',
];

interface DescribedOperation extends BrowserOperation {
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  errors?: readonly ErrorCode[];
}

export interface BrowserDocumentOptions<Operation> {
  title: string;
  description: string;
  /** The prefix of all paths, such as `/mail/api`. */
  prefix: string;
  /** The name of the session cookie. */
  cookie: string;
  operations: readonly Operation[];
  components: readonly TSchema[];
  /** Describes in one sentence which callers may use the operation. */
  access(operation: Operation): string;
  /** The errors that the guard of the operation may return. */
  refusals(operation: Operation): readonly ErrorCode[];
}

export function browserDocument<Operation extends DescribedOperation>(
  options: BrowserDocumentOptions<Operation>,
) {
  const { title, description, prefix, cookie, operations, components } = options;
  const responses: Record<string, Response> = {};
  const paths: Record<string, Record<string, DocumentOperation>> = {};
  for (const operation of operations) {
    const methods = (paths[prefix + operation.path] ??= {});
    methods[operation.method.toLowerCase()] = documented(operation, options, responses);
  }
  return {
    openapi: '3.1.0',
    info: { title, version: VERSION, description },
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: cookie } },
      headers: {
        ...SHARED_HEADERS,
        'Set-Cookie': header('The session cookie.', { type: 'string' }, false),
      },
      schemas: schemas(components),
      responses,
    },
    paths,
    servers: [{ url: '/' }],
    security: [{ session: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
  };
}

/** The request body of an operation that takes arbitrary bytes. */
const OCTETS = {
  requestBody: {
    required: true,
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  },
};

/** The schemas of the document. `Problem` has more types and fields here than in the document of the public API. */
function schemas(components: readonly TSchema[]): Record<string, Schema> {
  const all = schemasOf(components);
  const { Problem } = all;
  const types = [...ERROR_CODES, ...DASHBOARD_ERROR_CODES].map((code) => `/errors/${code}`);
  return {
    ...all,
    Problem: {
      ...Problem,
      properties: {
        ...Problem?.properties,
        type: { ...Problem?.properties?.['type'], enum: types },
        required_sign_in: {
          type: 'string',
          description: 'The sign-in required, for `stronger-sign-in-required`: `second-factor` or `openid`.',
        },
        required_role: { type: 'string', description: 'The role required, for `missing-role`.' },
      },
    },
  };
}

/** @param shared receives the error responses, which many operations share */
function documented<Operation extends DescribedOperation>(
  operation: Operation,
  { access, refusals }: BrowserDocumentOptions<Operation>,
  shared: Record<string, Response>,
): DocumentOperation {
  const { path, query, description, body, bodyKind, success } = operation;
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const parameters = parametersOf({ query, inPath: Object.fromEntries(ids.map((id) => [id, null])) });
  const codes: ErrorCode[] = [
    ...COMMON_ERRORS,
    ...(onlyReads(operation) ? [] : BODY_ERRORS),
    ...refusals(operation),
    ...(operation.errors ?? []),
    ...(ids.length === 0 ? [] : (['not-found'] as const)),
  ];
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    tags: [operation.tag],
    description: [description, access(operation)].filter((text) => text !== undefined).join('\n\n'),
    ...(bodyKind === 'octets' && operation.method !== 'DELETE' ? OCTETS : requestBodyOf(body)),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: {
      [success.status]: successResponse(success, ['X-Request-Id']),
      ...errorResponses(codes, shared, {
        exampleOf: placeholderProblem,
        headersOf: (status) =>
          status === 429 || status === 503 ? ['X-Request-Id', 'Retry-After'] : ['X-Request-Id'],
      }),
    },
  };
}
