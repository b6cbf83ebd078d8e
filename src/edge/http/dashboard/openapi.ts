/** The OpenAPI document of the dashboard: made from its operations and schemas, for the client of its pages. */
import { DASHBOARD_COMPONENTS } from '../../../contract/dashboard/components.ts';
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
import type { DashboardOperation } from './operation.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';

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

export function dashboardDocument() {
  const responses: Record<string, Response> = {};
  const paths: Record<string, Record<string, DocumentOperation>> = {};
  for (const operation of DASHBOARD_OPERATIONS) {
    const methods = (paths[`/dashboard/api${operation.path}`] ??= {});
    methods[operation.method.toLowerCase()] = documented(operation, responses);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn dashboard',
      version: VERSION,
      description: 'For the pages of the dashboard alone: it changes with them.',
    },
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-posthorn_session' },
      },
      headers: {
        ...SHARED_HEADERS,
        'Set-Cookie': header('The session.', { type: 'string' }, false),
      },
      schemas: schemas(),
      responses,
    },
    paths,
    servers: [{ url: '/' }],
    security: [{ session: [] }],
    tags: [...new Set(DASHBOARD_OPERATIONS.map(({ tag }) => tag))].map((name) => ({ name })),
  };
}

/** Its problems have more types than those of the API. */
function schemas(): Record<string, Schema> {
  const all = schemasOf(DASHBOARD_COMPONENTS);
  const { Problem } = all;
  const types = [...ERROR_CODES, ...DASHBOARD_ERROR_CODES].map((code) => `/errors/${code}`);
  return {
    ...all,
    Problem: {
      ...Problem,
      properties: {
        ...Problem?.properties,
        type: { ...Problem?.properties?.['type'], enum: types },
        required_role: { type: 'string', description: 'With missing-role: the least role that may.' },
      },
    },
  };
}

/** @param shared collects the error answers, which many operations have in common */
function documented(operation: DashboardOperation, shared: Record<string, Response>): DocumentOperation {
  const { method, path, role, confirms, query, description, body, success } = operation;
  const ids = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const parameters = parametersOf({ query, inPath: ids });
  const codes: ErrorCode[] = [
    ...COMMON_ERRORS,
    ...(method === 'GET' ? [] : BODY_ERRORS),
    ...(role === 'anyone' ? [] : (['not-signed-in'] as const)),
    ...(role === 'anyone' || role === 'signed-in' ? [] : (['missing-role'] as const)),
    ...(confirms === true ? (['confirmation-required'] as const) : []),
    ...(operation.errors ?? []),
    ...(ids.length === 0 ? [] : (['not-found'] as const)),
  ];
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    tags: [operation.tag],
    description: [description, `Role: \`${role}\`.${confirms === true ? ' Asks again who is there.' : ''}`]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    ...requestBodyOf(body),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: {
      [success.status]: successResponse(success, ['X-Request-Id']),
      ...errorResponses(codes, shared, (status) =>
        status === 429 || status === 503 ? ['X-Request-Id', 'Retry-After'] : ['X-Request-Id'],
      ),
    },
  };
}
