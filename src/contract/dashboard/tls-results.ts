/** The results of TLS with recipients' servers, as operators see them (docs/operate/tls-results.md). */
import { Type } from 'typebox';
import { Nullable, Ref, Words } from '../schema.ts';

const Day = { pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'UTC' };

export const TlsResult = Type.Object(
  {
    day: Type.String(Day),
    policy_domain: Type.String({ description: "The recipients' domain." }),
    policy_type: Words(['sts', 'no-policy-found'], {
      description: '`sts`: the domain has an MTA-STS policy, which was enforced.',
    }),
    mx_host: Nullable(Type.String({ description: 'Null: the result is about the policy itself.' })),
    outcome: Type.String({ description: 'A result type of RFC 8460.', examples: ['success'] }),
    sessions: Type.Integer({ minimum: 0 }),
  },
  { $id: 'TlsResult', description: 'The number of connections with this TLS result.' },
);
export type TlsResult = Type.Static<typeof TlsResult>;

export const TlsResultPage = Type.Object(
  {
    data: Type.Array(Ref(TlsResult), { description: 'Newest day first, sorted by domain within a day.' }),
    next_cursor: Nullable(Type.String()),
  },
  { $id: 'TlsResultPage' },
);
export type TlsResultPage = Type.Static<typeof TlsResultPage>;

export const TlsResultsQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 255, description: 'A part of the domain.' })),
    day: Type.Optional(Type.String(Day)),
    cursor: Type.Optional(Type.String({ maxLength: 2_000 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
);
export type TlsResultsQuery = Type.Static<typeof TlsResultsQuery>;
