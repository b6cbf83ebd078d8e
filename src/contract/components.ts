/** Every schema with an `$id`: the components of the OpenAPI document. */
import type { TSchema } from 'typebox';
import { EmailDetail, EmailEvent, EmailList, EmailSummary, QueuedEmail, SendEmail } from './emails.ts';
import { Problem } from './problem.ts';

export const COMPONENTS: readonly TSchema[] = [
  SendEmail,
  QueuedEmail,
  EmailSummary,
  EmailEvent,
  EmailDetail,
  EmailList,
  Problem,
];
