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

/** The channels that can be chosen. */
const Channel = Words(['slack', 'webhook']);
// Secret, because anyone with the URL of a Slack channel can write to the channel.
const Url = Secret(
  Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description: 'As for webhooks: https on a public host.',
  }),
);

const creating = <Kinds extends TSchema>($id: string, kinds: Kinds) =>
  Type.Object({ channel: Channel, url: Url, ...settings(kinds) }, { $id, additionalProperties: false });
const updating = <Kinds extends TSchema>($id: string, kinds: Kinds) =>
  Type.Object(
    {
      ...settings(kinds),
      enabled: Type.Boolean({ description: 'True also resumes an alert that was disabled after failures.' }),
    },
    { $id, additionalProperties: false },
  );

export const CreateAlert = creating('CreateAlert', kindsOf(NEED_KINDS));
export const UpdateAlert = updating('UpdateAlert', kindsOf(NEED_KINDS));
export const CreateInstallationAlert = creating('CreateInstallationAlert', kindsOf(INSTALLATION_KINDS));
export const UpdateInstallationAlert = updating('UpdateInstallationAlert', kindsOf(INSTALLATION_KINDS));

export type AlertKind = (typeof NEED_KINDS)[number] | (typeof INSTALLATION_KINDS)[number];
/** An alert for a project or for the installation. */
export type CreateAlert = Omit<Type.Static<typeof CreateAlert>, 'kinds'> & { kinds: AlertKind[] };
export type UpdateAlert = Omit<Type.Static<typeof UpdateAlert>, 'kinds'> & { kinds: AlertKind[] };

const alertFields = {
  id: Id('alr'),
  channel: Words(ALERT_CHANNELS),
  host: Nullable(
    Type.String({ description: 'The host of the URL, which is not shown because it is a secret.' }),
  ),
  ...settings(Type.Array(Type.String())),
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
