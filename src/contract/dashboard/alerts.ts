/** Alerts: how a user is notified about problems of a project or of the installation (docs/alerts.md). */
import { type TSchema, Type } from 'typebox';
import { ALERT_CHANNELS } from '../../model/alerts.ts';
import { Id, Nullable, Ref, Secret, Timestamp, Words } from '../schema.ts';
import { CAUSE_KINDS } from './health.ts';
import { NEED_KINDS } from './overview.ts';

const MAX_URL_LENGTH = 2_048;

/** The kinds of problems of an installation. */
const INSTALLATION_KINDS = [...CAUSE_KINDS, 'delayed'] as const;

const kindsOf = <const Kind extends string>(kinds: readonly Kind[]) =>
  Type.Array(Words(kinds), {
    maxItems: kinds.length,
    uniqueItems: true,
    description: 'The kinds of problems. Empty: all, including kinds of later versions.',
  });
const TimeOfDay = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['22:00'] });
const QuietHours = Type.Union(
  [Type.Object({ from: TimeOfDay, until: TimeOfDay }, { additionalProperties: false }), Type.Null()],
  {
    description:
      'In these hours nothing is sent. Problems that still exist afterwards are reported then. Null: none.',
  },
);

const settings = <Kinds extends TSchema>(kinds: Kinds) => ({
  kinds,
  quiet_hours: QuietHours,
  time_zone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The time zone of the quiet hours, such as Europe/Berlin.',
  }),
  urgent_always: Type.Boolean({
    description: 'Whether problems that stop all mail are reported in quiet hours too.',
  }),
});

// Secret, because anyone with the URL of a Slack channel can write to the channel.
const Url = Secret(
  Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'As for webhooks: https on a public host.',
  }),
);

/** Whether the numbers of the project are sent every week. */
const Digest = Type.Boolean({
  description: 'Whether a digest of the project is sent every Monday at 08:00 in the time zone.',
});
const PROJECT_SETTINGS = { ...settings(kindsOf(NEED_KINDS)), digest: Digest };
const INSTALLATION_SETTINGS = settings(kindsOf(INSTALLATION_KINDS));

const creating = <Settings extends Type.TProperties>($id: string, fields: Settings) =>
  Type.Object(
    {
      channel: Words(ALERT_CHANNELS, {
        description: '`email`: to the verified address of the user. Others: to `url`.',
      }),
      url: Type.Optional(Url),
      ...fields,
    },
    { $id, additionalProperties: false },
  );
const updating = <Settings extends Type.TProperties>($id: string, fields: Settings) =>
  Type.Object(
    {
      ...fields,
      enabled: Type.Boolean({ description: 'True also resumes an alert that was disabled after failures.' }),
    },
    { $id, additionalProperties: false },
  );

export const CreateAlert = creating('CreateAlert', PROJECT_SETTINGS);
export const UpdateAlert = updating('UpdateAlert', PROJECT_SETTINGS);
export const CreateInstallationAlert = creating('CreateInstallationAlert', INSTALLATION_SETTINGS);
export const UpdateInstallationAlert = updating('UpdateInstallationAlert', INSTALLATION_SETTINGS);

export type AlertKind = (typeof NEED_KINDS)[number] | (typeof INSTALLATION_KINDS)[number];
/** A body for a project, or for the installation, which has no digest. */
type ForEither<Body> = Omit<Body, 'kinds' | 'digest'> & { kinds: AlertKind[]; digest?: boolean };
export type CreateAlert = ForEither<Type.Static<typeof CreateAlert>>;
export type UpdateAlert = ForEither<Type.Static<typeof UpdateAlert>>;

const alertFields = {
  id: Id('alr'),
  channel: Words(ALERT_CHANNELS),
  host: Nullable(
    Type.String({ description: 'The host of the URL, which is not shown because it is a secret.' }),
  ),
  ...settings(Type.Array(Type.String())),
  digest: Digest,
  enabled: Type.Boolean(),
  disabled_reason: Nullable(
    Words(['failing', 'rejected'], {
      description:
        '`failing`: all messages failed for five days. `rejected`: the receiver rejected a message permanently.',
    }),
  ),
  failing_since: Nullable(Timestamp),
  last_error: Nullable(Type.String({ description: 'Why the last message could not be sent.' })),
  last_sent_at: Nullable(Timestamp),
  created_at: Timestamp,
};

export const Alert = Type.Object(alertFields, { $id: 'Alert', description: 'A subscription of a user.' });
export type Alert = Type.Static<typeof Alert>;

export const AlertList = Type.Object(
  { data: Type.Array(Ref(Alert), { description: 'Oldest first.' }) },
  { $id: 'AlertList' },
);
export type AlertList = Type.Static<typeof AlertList>;

export const CreatedAlert = Type.Object(
  {
    ...alertFields,
    secret: Nullable(
      Secret(Type.String({ description: 'Verifies the signature of a webhook. It is not shown again.' })),
    ),
  },
  { $id: 'CreatedAlert' },
);
export type CreatedAlert = Type.Static<typeof CreatedAlert>;

export const AlertTest = Type.Object(
  {
    is_delivered: Type.Boolean(),
    http_status: Nullable(Type.Integer()),
    error: Nullable(Type.String({ description: 'Why the test was not delivered.' })),
  },
  { $id: 'AlertTest', description: 'The result of a test message.' },
);
export type AlertTest = Type.Static<typeof AlertTest>;
