/** Projects: their settings, their contents, and what is deleted by age. */
import { type Static, Type } from 'typebox';
import { PLANS } from '../../model/plans.ts';
import { SPAM_LEVELS } from '../../model/spam-levels.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Words } from '../schema.ts';

const MAX_NAME = 100;
const MAX_DAYS = 36_500;

const Name = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'On one line.' });
const Plan = Words(PLANS, { description: 'Chosen by operators alone.' });
const keepDays = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_DAYS,
    description: 'Emails that are older are deleted; null: they are kept for ever.',
  }),
);
const keepBodiesDays = Nullable(
  Type.Integer({
    minimum: 0,
    maximum: MAX_DAYS,
    description: 'The same for `html` and `text`; 0: once the last attempt has ended.',
  }),
);
const settings = {
  name: Name,
  plan: Plan,
  spam_level: Words(SPAM_LEVELS, { description: 'Of mailboxes that have none of their own.' }),
  track_opens: Type.Boolean(),
  track_clicks: Type.Boolean(),
  smtp_events: Type.Boolean({ description: 'Webhooks are told of emails that came by SMTP, too.' }),
  mail_directory: Type.Boolean({
    description: 'Whoever writes in the web client is offered the addresses of the directory.',
  }),
  link_names: Type.Boolean({
    description: 'The dashboard shows what the files are called that mailboxes send as links.',
  }),
};

export const ProjectSettings = Type.Object(
  {
    ...settings,
    keep_days: keepDays,
    keep_bodies_days: keepBodiesDays,
    installation_keep_days: Nullable(
      Type.Integer({ description: 'POSTHORN_KEEP_DAYS: the shorter one counts.' }),
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
    emails: Type.Integer({ description: 'Those that are older than `keep_days`.' }),
    bodies: Type.Integer({
      description: 'Emails that are older than `keep_bodies_days`, and whose bodies were not deleted so far.',
    }),
    counted_up_to: Type.Integer({ description: 'A number that is as high may be more.' }),
  },
  { $id: 'RetentionPreview', description: 'What goes within the next minutes.' },
);
export type RetentionPreview = Type.Static<typeof RetentionPreview>;

export const ErasePerson = Type.Object(
  {
    address: Type.String({
      minLength: 1,
      maxLength: MAX_ADDRESS_LENGTH,
      description: 'In any case of its letters.',
    }),
    suppressions: Type.Optional(
      Type.Boolean({ description: 'Its entry on the suppression list, too, which keeps mail from it.' }),
    ),
    after: Type.Optional(Type.String({ maxLength: 40, description: 'The `next` of the step before.' })),
  },
  { $id: 'ErasePerson', additionalProperties: false },
);
export type ErasePerson = Type.Static<typeof ErasePerson>;

export const ErasedStep = Type.Object(
  {
    emails_deleted: Type.Integer({ description: 'They went to nobody else.' }),
    emails_redacted: Type.Integer({
      description: 'Others got them too: the address was taken out, and what they say.',
    }),
    recipients_cancelled: Type.Integer({ description: 'What waited for the person is not sent.' }),
    people_deleted: Type.Integer({ description: 'In the directory.' }),
    suppressions_deleted: Type.Integer(),
    suppressions_kept: Type.Integer(),
    next: Nullable(
      Type.Unsafe<string>({
        ...Id('em'),
        description: 'Not all of it so far: ask again with this as `after`. Null: done.',
      }),
    ),
  },
  { $id: 'ErasedStep', description: 'What this step did.' },
);
export type ErasedStep = Type.Static<typeof ErasedStep>;

export const ProjectContents = Type.Object(
  {
    projects: Type.Integer(),
    emails: Type.Integer(),
    waiting: Type.Integer({ description: 'Recipients that are still to be sent to.' }),
    mailboxes: Type.Integer(),
    messages: Type.Integer({ description: 'In mailboxes.' }),
    aliases: Type.Integer(),
    domains: Type.Integer(),
    api_keys: Type.Integer({ description: 'Those that work.' }),
    webhooks: Type.Integer(),
    templates: Type.Integer(),
    people: Type.Integer({ description: 'In the directory.' }),
    suppressions: Type.Integer(),
    storage_bytes: Type.Integer(),
    counted_up_to: Type.Integer({ description: 'A number that is as high may be more.' }),
  },
  { $id: 'ProjectContents', description: 'What is lost when it is deleted.' },
);
export type ProjectContents = Type.Static<typeof ProjectContents>;

/** Confirms the deletion of a project or an organisation. */
export const DeleteByName = Type.Object(
  { name: Type.String({ maxLength: MAX_NAME, description: 'Its name, typed: nobody deletes another one.' }) },
  { $id: 'DeleteByName', additionalProperties: false },
);
