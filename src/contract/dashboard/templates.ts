/** Templates as the dashboard shows and changes them (docs/templates.md). */
import { Type } from 'typebox';
import { MAX_CONTENT_BYTES, MAX_SUBJECT_LENGTH, QueuedEmail } from '../emails.ts';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { ACTOR_KINDS } from './organizations.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { PreviewQuery, SendAgain } from './email.ts';
import { Template } from '../templates.ts';
import { STARTER_KEYS } from '../../model/template-starters.ts';

const MAX_NAME_LENGTH = 200;
const MAX_SAMPLE_BYTES = 65_536;
const MAX_MARK_LENGTH = 100;

const Body = Type.String({ [MAX_BYTES_KEYWORD]: MAX_CONTENT_BYTES });
const sources = {
  subject: Type.String({ maxLength: MAX_SUBJECT_LENGTH }),
  html: Body,
  text: Body,
};
const Sample = Type.String({
  [MAX_BYTES_KEYWORD]: MAX_SAMPLE_BYTES,
  description: 'A JSON object with the sample data for previews.',
});

const Layout = Nullable(
  Type.Unsafe<string>({ ...Id('pce'), description: 'The layout. Null: the template has no layout.' }),
);
const Revision = Nullable(
  Type.Unsafe<string>({
    ...Id('ver'),
    description: 'The last known `revision` of the draft. Null: there was none.',
  }),
);

export const TemplateSummary = Type.Object(
  {
    id: Id('tpl'),
    name: Type.String(),
    subject: Type.String(),
    variables: Type.Array(Type.String()),
    has_html: Type.Boolean(),
    has_text: Type.Boolean(),
    has_draft: Type.Boolean({ description: 'The template has changes that are not published.' }),
    updated_at: Timestamp,
  },
  { $id: 'TemplateSummary' },
);
export type TemplateSummary = Type.Static<typeof TemplateSummary>;

export const TemplateSummaryList = Type.Object(
  { data: Type.Array(Ref(TemplateSummary), { description: 'Sorted by name.' }) },
  { $id: 'TemplateSummaryList' },
);
export type TemplateSummaryList = Type.Static<typeof TemplateSummaryList>;

export const TemplateStarterList = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        key: Words(STARTER_KEYS),
        title: Type.String(),
        description: Type.String(),
        words: Type.Array(Type.String(), {
          description: 'Words in the name of a new template for which the starter is suggested.',
        }),
        subject: Type.String(),
        html: Type.String(),
        text: Type.String(),
        sample: Type.String({ description: 'A JSON object with values for all variables.' }),
      }),
    ),
  },
  { $id: 'TemplateStarterList' },
);
export type TemplateStarterList = Type.Static<typeof TemplateStarterList>;

export const SaveTemplate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
    ...sources,
    layout_id: Type.Optional(Layout),
    sample: Type.Optional(Sample),
  },
  { $id: 'SaveTemplate', additionalProperties: false },
);
export type SaveTemplate = Type.Static<typeof SaveTemplate>;

const basedOn = {
  based_on: Type.Optional(
    Type.Unsafe<string>({
      ...Timestamp,
      description: 'The `updated_at` of the published version that the draft is based on.',
    }),
  ),
};

export const UpdateTemplate = Type.Object(
  { ...SaveTemplate.properties, ...basedOn, draft_revision: Type.Optional(Revision) },
  {
    $id: 'UpdateTemplate',
    additionalProperties: false,
    description:
      'The request is rejected if the template was published since `based_on`, or the draft has changed since `draft_revision`.',
  },
);
export type UpdateTemplate = Type.Static<typeof UpdateTemplate>;

export const CreatedTemplate = Type.Object({ id: Id('tpl') }, { $id: 'CreatedTemplate' });

export const SaveTemplateDraft = Type.Object(
  {
    ...sources,
    layout_id: Type.Optional(Layout),
    sample: Sample,
    ...basedOn,
    revision: Type.Optional(Revision),
  },
  { $id: 'SaveTemplateDraft', additionalProperties: false },
);
export type SaveTemplateDraft = Type.Static<typeof SaveTemplateDraft>;

export const DiscardTemplateDraftQuery = Type.Object(
  { revision: Type.Optional(Type.Unsafe<string>({ ...Id('ver'), description: 'The last known revision.' })) },
  { additionalProperties: false },
);

export const TemplateTrial = Type.Object(
  {
    variables: Type.Array(Type.String(), { description: 'The variables of the parts that can be parsed.' }),
    errors: Type.Object(
      {
        subject: Type.Optional(Type.String()),
        html: Type.Optional(Type.String()),
        text: Type.Optional(Type.String()),
        sample: Type.Optional(Type.String()),
      },
      { description: 'By part, the error and its position: `line 3, column 7: ...`.' },
    ),
    missing: Type.Array(Type.String(), {
      description: 'The missing variables that would cause an email with this data to be rejected.',
    }),
    fault: Nullable(
      Type.String({ description: 'Any other reason why an email with this data would be rejected.' }),
    ),
    filled: Type.Object(
      { subject: Nullable(Type.String()), text: Nullable(Type.String()) },
      {
        description:
          'The rendered parts, with missing values left empty. Null: the part has an error. The HTML is in the preview.',
      },
    ),
  },
  { $id: 'TemplateTrial' },
);
export type TemplateTrial = Type.Static<typeof TemplateTrial>;

export const SavedTemplateDraft = Type.Object(
  {
    ...TemplateTrial.properties,
    revision: Nullable(
      Type.Unsafe<string>({ ...Id('ver'), description: 'Null: the draft equals the published template.' }),
    ),
  },
  { $id: 'SavedTemplateDraft' },
);
export type SavedTemplateDraft = Type.Static<typeof SavedTemplateDraft>;

export const TemplateDetail = Type.Object(
  {
    ...Template.properties,
    layout_id: Layout,
    sample: Sample,
    draft: Type.Union(
      [
        Type.Object({
          ...sources,
          layout_id: Layout,
          sample: Sample,
          revision: Id('ver'),
          actor_name: Type.String({ description: 'The author of the last change.' }),
          updated_at: Timestamp,
          based_on: Timestamp,
        }),
        Type.Null(),
      ],
      {
        description:
          "The changes that are not published. If `based_on` differs from the template's `updated_at`, the template was published in the meantime.",
      },
    ),
    trial: Ref(TemplateTrial, 'The result for the draft, or for the published version if there is no draft.'),
  },
  { $id: 'TemplateDetail' },
);
export type TemplateDetail = Type.Static<typeof TemplateDetail>;

export const LastTemplateEmail = Type.Object(
  {
    email: Type.Union(
      [
        Type.Object({
          id: Id('em'),
          to: Type.String({ description: 'The first recipient.' }),
          created_at: Timestamp,
          trial: Ref(TemplateTrial, 'The result of filling the draft with the values of the email.'),
        }),
        Type.Null(),
      ],
      { description: 'Null: no email was sent with the template, or its bodies were deleted.' },
    ),
  },
  { $id: 'LastTemplateEmail' },
);
export type LastTemplateEmail = Type.Static<typeof LastTemplateEmail>;

export const SendTemplateTest = Type.Object(
  {
    from: Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH }),
    to: Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH }),
    key: SendAgain.properties.key,
  },
  { $id: 'SendTemplateTest', additionalProperties: false },
);
export type SendTemplateTest = Type.Static<typeof SendTemplateTest>;

export const SentTemplateTest = Type.Object(QueuedEmail.properties, { $id: 'SentTemplateTest' });

const versionFields = {
  id: Id('ver'),
  name: Type.String(),
  actor_kind: Words(ACTOR_KINDS),
  actor_name: Type.String(),
  created_at: Timestamp,
};

export const TemplateVersionList = Type.Object(
  {
    data: Type.Array(Type.Object(versionFields), {
      description: 'Newest first: the first is the current version.',
    }),
  },
  { $id: 'TemplateVersionList' },
);
export type TemplateVersionList = Type.Static<typeof TemplateVersionList>;

export const TemplateVersion = Type.Object(
  { ...versionFields, ...sources, layout_id: Layout },
  { $id: 'TemplateVersion' },
);
export type TemplateVersion = Type.Static<typeof TemplateVersion>;

export const TemplatePreviewQuery = Type.Object(
  {
    ...PreviewQuery.properties,
    data: Type.Optional(
      Words(['sample', 'last-email'], {
        description:
          'The values: the sample data (default), or those of the last email, for which viewers need access to email bodies.',
      }),
    ),
    of: Type.Optional(
      Type.String({ maxLength: MAX_MARK_LENGTH, description: 'Another name for the changes since then.' }),
    ),
  },
  { additionalProperties: false },
);

export const StarterPreviewQuery = Type.Object(
  { starter: Words(STARTER_KEYS), theme: PreviewQuery.properties.theme },
  { additionalProperties: false },
);
