/** The body of every error (docs/contract.md, Errors; RFC 9457). */
import { Type } from 'typebox';
import { ERROR_CODES } from '../model/app-error.ts';
import { SCOPES } from '../model/scopes.ts';
import { StringMap, Words } from './schema.ts';

export const Problem = Type.Object(
  {
    type: Words(
      ERROR_CODES.map((code) => `/errors/${code}` as const),
      { description: 'The type of the error. It is stable: use it to handle errors in code.' },
    ),
    title: Type.String({ description: 'A short summary of the error type, always the same for a type.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(
      Type.String({ description: 'A readable explanation of what is wrong with this request.' }),
    ),
    instance: Type.String({ description: 'The request id, also in X-Request-Id.' }),
    errors: Type.Optional(
      StringMap({
        description:
          'Present on every 422: what is wrong with each invalid field of the request, by field name.',
      }),
    ),
    required_scope: Type.Optional(Words(SCOPES, { description: 'The scope required, for `missing-scope`.' })),
  },
  {
    $id: 'Problem',
    description: 'The body of every error (RFC 9457).',
    examples: [
      {
        type: '/errors/validation-failed',
        title: 'Validation failed',
        status: 422,
        detail: 'The request has invalid fields. See errors.',
        instance: 'req_5sJ0aQ2xR8Yf1',
        errors: { to: 'to[0]: not an address: it has no @; write local@domain or Name <local@domain>' },
      },
    ],
  },
);
export type Problem = Type.Static<typeof Problem>;
