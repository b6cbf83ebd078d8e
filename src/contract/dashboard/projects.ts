/** Projects: settings, contents and retention periods. */
import { type Static, Type } from 'typebox';
import { PLANS } from '../../model/plans.ts';
import { SPAM_LEVELS } from '../../model/spam-levels.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Words } from '../schema.ts';

const MAX_NAME = 100;
const MAX_DAYS = 36_500;

const Name = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'A single line.' });
const Plan = Words(PLANS, { description: 'Only operators can choose it.' });
const keepDays = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_DAYS,
    description: 'The age in days at which emails are deleted; null: they are stored forever.',
  }),
);
const keepBodiesDays = Nullable(
  Type.Integer({
    minimum: 0,
    maximum: MAX_DAYS,
    description: 'The age in days at which `html` and `text` are deleted; 0: after the last attempt.',
  }),
);
const settings = {
  name: Name,
  plan: Plan,
  spam_level: Words(SPAM_LEVELS, { description: 'The level of mailboxes without their own.' }),
  track_opens: Type.Boolean(),
  track_clicks: Type.Boolean(),
  smtp_tracking: Type.Boolean({
    description: 'Whether opens and clicks are also tracked in emails submitted over SMTP.',
  }),
  smtp_events: Type.Boolean({
    description: 'Whether webhooks also receive events of emails submitted over SMTP.',
  }),
  mail_directory: Type.Boolean({
    description: 'Whether the web client suggests addresses from the directory.',
  }),
  link_names: Type.Boolean({
    description: 'Whether the dashboard shows the names of files that mailboxes send as links.',
  }),
};

export const ProjectSettings = Type.Object(
  {
    ...settings,
    keep_days: keepDays,
    keep_bodies_days: keepBodiesDays,
    installation_keep_days: Nullable(
      Type.Integer({ description: 'The value of POSTHORN_KEEP_DAYS. The shorter of the two applies.' }),
    ),
  },
  { $id: 'ProjectSettings' },
);
export type ProjectSettings = Type.Static<typeof ProjectSettings>;

export const UpdateProject = Type.Partial(Type.Object(settings), {
  $id: 'UpdateProject',
  additionalProperties: false,
});
export type UpdateProject = Static<typeof UpdateProject>;

export const Retention = Type.Object(
  { keep_days: keepDays, keep_bodies_days: keepBodiesDays },
  { $id: 'Retention', additionalProperties: false },
);
export type Retention = Static<typeof Retention>;

export const RetentionQuery = Type.Object(
  {
    keep_days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS })),
    keep_bodies_days: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_DAYS })),
  },
  { additionalProperties: false },
);

export const RetentionPreview = Type.Object(
  {
    emails: Type.Integer({ description: 'The emails older than `keep_days`.' }),
    bodies: Type.Integer({
      description: 'The emails older than `keep_bodies_days` whose bodies are not deleted yet.',
    }),
    counted_up_to: Type.Integer({ description: 'The limit of counting: a number this high may be higher.' }),
  },
  { $id: 'RetentionPreview', description: 'The emails and bodies that will be deleted within minutes.' },
);
export type RetentionPreview = Type.Static<typeof RetentionPreview>;

export const ErasePerson = Type.Object(
  {
    address: Type.String({
      minLength: 1,
      maxLength: MAX_ADDRESS_LENGTH,
      description: 'Letter case is ignored.',
    }),
    suppressions: Type.Optional(
      Type.Boolean({
        description: 'Also delete the suppression list entry of the address, which blocks mail to it.',
      }),
    ),
    after: Type.Optional(Type.String({ maxLength: 40, description: 'The `next` of the previous step.' })),
  },
  { $id: 'ErasePerson', additionalProperties: false },
);
export type ErasePerson = Type.Static<typeof ErasePerson>;

export const ErasedStep = Type.Object(
  {
    emails_deleted: Type.Integer({
      description: 'The number of deleted emails, which had no other recipients.',
    }),
    emails_redacted: Type.Integer({
      description: 'The number of emails with other recipients: the address and the content were removed.',
    }),
    recipients_cancelled: Type.Integer({
      description: 'The number of pending recipients that were cancelled.',
    }),
    people_deleted: Type.Integer({ description: 'The number of deleted people in the directory.' }),
    suppressions_deleted: Type.Integer(),
    suppressions_kept: Type.Integer(),
    next: Nullable(
      Type.Unsafe<string>({
        ...Id('em'),
        description: 'Not finished: send another request with this as `after`. Null: done.',
      }),
    ),
  },
  { $id: 'ErasedStep', description: 'The results of this step.' },
);
export type ErasedStep = Type.Static<typeof ErasedStep>;

export const ProjectContents = Type.Object(
  {
    projects: Type.Integer(),
    emails: Type.Integer(),
    waiting: Type.Integer({ description: 'Recipients that are still waiting for delivery.' }),
    mailboxes: Type.Integer(),
    messages: Type.Integer({ description: 'Messages in mailboxes.' }),
    aliases: Type.Integer(),
    domains: Type.Integer(),
    api_keys: Type.Integer({ description: 'Active API keys.' }),
    webhooks: Type.Integer(),
    templates: Type.Integer(),
    people: Type.Integer({ description: 'People in the directory.' }),
    suppressions: Type.Integer(),
    storage_bytes: Type.Integer(),
    counted_up_to: Type.Integer({ description: 'The limit of counting: a number this high may be higher.' }),
  },
  { $id: 'ProjectContents', description: 'The data that is lost when the project is deleted.' },
);
export type ProjectContents = Type.Static<typeof ProjectContents>;

/** Confirms the deletion of a project or an organization. */
export const DeleteByName = Type.Object(
  {
    name: Type.String({
      maxLength: MAX_NAME,
      description: 'The name, typed by the user as a protection against deleting the wrong resource.',
    }),
  },
  { $id: 'DeleteByName', additionalProperties: false },
);
