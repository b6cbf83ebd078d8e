import { fieldValue, type HeaderField } from '../../rfc/mime/index.ts';
import { AUTO_REPLY_SUBJECTS, CHALLENGES } from './marker-phrases.ts';
import type { NotAReport } from './report.ts';

/** What a message is that reports nothing. `subject` is decoded and in lower case, like `text`. */
export function nameOther(fields: readonly HeaderField[], subject: string, text: string): NotAReport {
  const head = text.slice(0, 8_000);
  if (CHALLENGES.some((phrase) => subject.includes(phrase) || head.includes(phrase))) return 'challenge';
  return isAutoReply(fields, subject) ? 'auto-reply' : 'not-a-report';
}

/** An answer that no person wrote (RFC 3834), so far as its header says so. */
export function isAutoReply(fields: readonly HeaderField[], subject: string): boolean {
  const submitted = fieldValue(fields, 'auto-submitted');
  if (submitted !== null && !/^no\b/i.test(submitted)) return true;
  if (AUTO_REPLY_FIELDS.some((name) => fieldValue(fields, name) !== null)) return true;
  if (/^auto_reply$/i.test(fieldValue(fields, 'precedence') ?? '')) return true;
  return hasAutoReplySubject(subject);
}

export function hasAutoReplySubject(subject: string): boolean {
  return AUTO_REPLY_SUBJECTS.some((phrase) => subject.includes(phrase));
}

const AUTO_REPLY_FIELDS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoreply-from',
  'x-mail-autoreply',
  'x-vacation',
];
