/** The body of every error (docs/contract.md, Errors; RFC 9457). */
import { Type } from 'typebox';
import { ERROR_CODES } from '../model/app-error.ts';
import { SCOPES } from '../model/scopes.ts';
import { StringMap, Words } from './schema.ts';

export const Problem = Type.Object(
  {
    type: Words(
      ERROR_CODES.map((code) => `/errors/${code}` as const),
      { description: 'What kind of error this is. It is stable: branch on it.' },
    ),
    title: Type.String({ description: 'The kind of error in a few words, the same each time.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(Type.String({ description: 'What is wrong with this request, for people.' })),
    instance: Type.String({ description: 'The request id, also in X-Request-Id.' }),
    errors: Type.Optional(
      StringMap({
        description: 'With every 422: the name of a field of the request to what is wrong with it.',
      }),
    ),
    required_scope: Type.Optional(
      Words(SCOPES, { description: 'With missing-scope: the scope that the key lacks.' }),
    ),
  },
  { $id: 'Problem', description: 'The body of every error (RFC 9457).' },
);
export type Problem = Type.Static<typeof Problem>;
