/** The user signed in to the dashboard, and what they can open there. */
import { Type } from 'typebox';
import { PLANS } from '../../model/plans.ts';
import { ROLES } from '../../model/roles.ts';
import { SIGN_IN_REQUIREMENTS } from '../../model/sign-in-requirements.ts';
import { Id, Nullable, Timestamp, Words } from '../schema.ts';
import { RequiredSignIn } from './organizations.ts';

const ServiceFacts = Type.Object(
  {
    version: Type.String(),
    environment: Words(['development', 'production']),
    provider: Words(['sandbox', 'smtp', 'direct', 'ses', 'none']),
    not_sending_since: Type.Unsafe<string | null>({
      ...Nullable(Timestamp),
      description:
        'Since when this installation sends no mail, because it has no provider for it. Mail is accepted and waits. Null: it sends.',
    }),
    hosted_domain: Type.String({ description: 'Every project sends from it without any set-up.' }),
    hostname: Type.String({ description: 'Where applications hand in mail by SMTP.' }),
    base_url: Type.String({ description: 'Where the API is, without a trailing slash.' }),
    submission: Type.Array(
      Type.Object({
        port: Type.Integer(),
        security: Words(['tls', 'starttls', 'none'], { description: '`tls`: from the first byte.' }),
      }),
      { description: 'The ports for SMTP, the best one first.' },
    ),
  },
  { $id: 'ServiceFacts', description: 'This installation.' },
);

export const Session = Type.Object(
  {
    user: Type.Object({
      id: Id('usr'),
      email: Type.String(),
      name: Type.String(),
      is_operator: Type.Boolean({ description: 'Of the installation: sees System.' }),
      operator_lacks: Nullable(
        Words(SIGN_IN_REQUIREMENTS, {
          description:
            'What the session lacks that the installation requires of its operators. Null: nothing.',
        }),
      ),
    }),
    session_id: Id('ses'),
    csrf_token: Type.String({
      description:
        'Goes into X-CSRF-Token of every request that is no GET. It is the same for all of the session.',
    }),
    confirmed_until: Type.Unsafe<string>({
      ...Timestamp,
      description:
        'Until then keys, secrets and people can be changed without being asked again who is there.',
    }),
    organizations: Type.Array(
      Type.Object({
        id: Id('org'),
        name: Type.String(),
        role: Words(ROLES),
        required_sign_in: RequiredSignIn,
        lacks: Nullable(
          Words(SIGN_IN_REQUIREMENTS, {
            description:
              'What the session lacks that the organisation requires: it is shut until then. Null: nothing.',
          }),
        ),
      }),
    ),
    projects: Type.Array(
      Type.Object({
        id: Id('prj'),
        name: Type.String(),
        organization_id: Id('org'),
        plan: Words(PLANS),
        role: Words(ROLES),
        sees_bodies: Type.Boolean({ description: 'Whether the user is shown what emails say.' }),
        created_at: Timestamp,
      }),
      { description: 'Those in which the user is somebody, oldest first.' },
    ),
    service: ServiceFacts,
  },
  { $id: 'Session', description: 'Who is signed in.' },
);
export type Session = Type.Static<typeof Session>;
