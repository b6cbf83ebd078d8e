/** Whether mail is sent: shown on every page of the dashboard. */
import { Type } from 'typebox';
import { Nullable, Timestamp, Words } from '../schema.ts';

/** The kinds of problems of an installation. */
export const CAUSE_KINDS = ['provider', 'paused', 'workers', 'disk', 'certificate', 'backup'] as const;

export const Health = Type.Object(
  {
    state: Words(['normal', 'delayed', 'paused', 'stopped', 'unknown'], {
      description:
        '`delayed`: emails of this project have been due for longer than a worker usually needs. `paused`: an operator paused sending. `stopped`: no process can send. `unknown`: the service has just started, or its database was away.',
    }),
    since: Type.Unsafe<string | null>({
      ...Nullable(Timestamp),
      description:
        'Since when. For `delayed`: the time at which the oldest waiting email was due. Null: not known, or `normal`.',
    }),
    waiting: Type.Object(
      { emails: Type.Integer({ minimum: 0 }), is_more: Type.Boolean() },
      { description: 'Emails of this project that are due now. `is_more`: there may be more.' },
    ),
    causes: Type.Array(
      Type.Object({
        kind: Words(CAUSE_KINDS),
        text: Type.String({ description: 'One sentence.' }),
      }),
      {
        description: 'For operators: why mail is not sent, and what will fail soon. Empty for everyone else.',
      },
    ),
  },
  { $id: 'Health', description: 'Whether the mail of a project is sent.' },
);
export type Health = Type.Static<typeof Health>;
export type HealthCause = Health['causes'][number];
