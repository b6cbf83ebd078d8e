/** The filters, vacation reply and forwarding of a mailbox for its owner, one part at a time. */
import { Type } from 'typebox';
import {
  BlockedSender,
  FailingTarget,
  MailboxForwarding,
  MailboxRule,
  MailboxVacation,
} from '../mailbox-filing.ts';
import { Ref } from '../schema.ts';

export const RuleList = Type.Object(
  { data: Type.Array(Ref(MailboxRule), { description: 'In order.' }) },
  { $id: 'RuleList' },
);

export const BlockedSenderList = Type.Object(
  { data: Type.Array(Ref(BlockedSender), { description: 'Sorted alphabetically.' }) },
  { $id: 'BlockedSenderList' },
);

export const Vacation = Type.Object(
  {
    vacation: Type.Union([Ref(MailboxVacation), Type.Null()], {
      description: 'Null: vacation replies are off.',
    }),
  },
  { $id: 'Vacation' },
);

export const Forwarding = Type.Object(
  {
    forwarding: Type.Union([Ref(MailboxForwarding), Type.Null()]),
    failing: Type.Array(Ref(FailingTarget), {
      description: 'Forwarding targets, of the mailbox or of a rule, that rejected the last message.',
    }),
  },
  { $id: 'Forwarding' },
);
