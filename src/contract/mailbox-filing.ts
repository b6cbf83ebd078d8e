/** The filters, vacation reply and forwarding of a mailbox, in the rule language of docs/rules.md. */
import { type Static, Type } from 'typebox';
import { Id, Nullable, Ref, Timestamp, Words } from './schema.ts';

/** The maximum length of a condition or an action, in characters. Each kind has a lower limit, which is checked later. */
const MAX_WORDS = 700;
const Condition = Type.String({ maxLength: MAX_WORDS, examples: ['from contains @shop.example'] });
const Action = Type.String({ maxLength: MAX_WORDS, examples: ['file Invoices'] });
const Match = Words(['all', 'any'], {
  description: 'Whether all conditions must match, or any of them.',
});
const Position = Type.Integer({ minimum: 1, maximum: 1_000, description: 'The position, starting at 1.' });
const Time = Nullable(Type.String({ format: 'date-time' }));

export const MailboxRule = Type.Object(
  {
    id: Id('rule'),
    position: Position,
    name: Type.String(),
    enabled: Type.Boolean(),
    match: Match,
    conditions: Type.Array(Condition),
    actions: Type.Array(Action),
  },
  { $id: 'MailboxRule' },
);
export type MailboxRule = Type.Static<typeof MailboxRule>;

const ruleWords = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  match: Match,
  conditions: Type.Array(Condition, { minItems: 1, maxItems: 20 }),
  actions: Type.Array(Action, { minItems: 1, maxItems: 10 }),
};

export const RuleWords = Type.Object(ruleWords, { $id: 'RuleWords', additionalProperties: false });
export type RuleWords = Type.Static<typeof RuleWords>;

export const AddMailboxRule = Type.Object(
  { ...ruleWords, position: Type.Optional(Position) },
  { $id: 'AddMailboxRule', additionalProperties: false },
);
export type AddMailboxRule = Type.Static<typeof AddMailboxRule>;

export const ChangeMailboxRule = Type.Object(
  { enabled: Type.Optional(Type.Boolean()), position: Type.Optional(Position) },
  { $id: 'ChangeMailboxRule', additionalProperties: false },
);
export type ChangeMailboxRule = Type.Static<typeof ChangeMailboxRule>;

export const BlockedSender = Type.Object(
  {
    sender: Type.String({ description: 'An email address, or a domain, which includes its subdomains.' }),
    created_at: Timestamp,
  },
  { $id: 'BlockedSender' },
);

export const SafeSender = Type.Object(
  {
    sender: Type.String({ description: 'An email address, or a domain, which includes its subdomains.' }),
    created_at: Timestamp,
  },
  { $id: 'SafeSender' },
);

const Sender = Type.String({ minLength: 1, maxLength: 500 });
export const BlockSender = Type.Object(
  { sender: Sender },
  { $id: 'BlockSender', additionalProperties: false },
);
export const BlockedSenderQuery = Type.Object({ sender: Sender }, { additionalProperties: false });

export const AddSafeSender = Type.Object(
  { sender: Sender },
  { $id: 'AddSafeSender', additionalProperties: false },
);
export const SafeSenderQuery = Type.Object({ sender: Sender }, { additionalProperties: false });

export const SafeSenderList = Type.Object(
  { data: Type.Array(Ref(SafeSender), { description: 'Sorted alphabetically.' }) },
  { $id: 'SafeSenderList' },
);
export type SafeSenderList = Type.Static<typeof SafeSenderList>;

export const MailboxVacation = Type.Object(
  {
    subject: Nullable(Type.String({ description: 'Null: "Auto:" and the subject of the message answered.' })),
    text: Type.String(),
    html: Nullable(Type.String()),
    from: Time,
    until: Time,
    days: Type.Integer({ description: 'The number of days before a sender gets another reply: 1 to 30.' }),
  },
  { $id: 'MailboxVacation', additionalProperties: false },
);
export type MailboxVacation = Type.Static<typeof MailboxVacation>;

export const MailboxForwarding = Type.Object(
  {
    to: Type.String({ maxLength: 998 }),
    keep: Type.Boolean({ description: 'Whether a copy stays in the mailbox.' }),
  },
  { $id: 'MailboxForwarding', additionalProperties: false },
);
export type MailboxForwarding = Type.Static<typeof MailboxForwarding>;

export const FailingTarget = Type.Object(
  {
    to: Type.String(),
    failures: Type.Integer({ description: 'The number of consecutive failures.' }),
    since: Type.String({ format: 'date-time' }),
    off_since: Nullable(Type.String({ format: 'date-time', description: 'When forwarding to it stopped.' })),
    reply: Type.String({ description: 'The last reply of its server.' }),
  },
  { $id: 'FailingTarget' },
);
export type FailingTarget = Static<typeof FailingTarget>;

export const MailboxFiling = Type.Object(
  {
    rules: Type.Array(Ref(MailboxRule), { description: 'In order.' }),
    blocked: Type.Array(Ref(BlockedSender), { description: 'Sorted alphabetically.' }),
    safe: Type.Array(Ref(SafeSender), { description: 'Sorted alphabetically.' }),
    vacation: Type.Union([Ref(MailboxVacation), Type.Null()], {
      description: 'Null: vacation replies are off.',
    }),
    forwarding: Type.Union([Ref(MailboxForwarding), Type.Null()]),
    failing: Type.Array(Ref(FailingTarget), {
      description: 'Forwarding targets, of the mailbox or of a rule, that rejected the last message.',
    }),
  },
  { $id: 'MailboxFiling' },
);
export type MailboxFiling = Type.Static<typeof MailboxFiling>;
