/** Spam rules about the header. */
import { fieldValue } from '../../../rfc/mime/index.ts';
import type { Mail } from '../mail.ts';
import { DAY_MS } from '../../../model/day.ts';

export function isMissing(...names: readonly string[]): (mail: Mail) => boolean {
  return ({ fields }) => names.every((name) => (fieldValue(fields, name) ?? '') === '');
}

/** The number of days by which Date is later than the time of receipt. Null if the message has no readable date. */
function dateAhead({ fields, nowMs }: Mail): number | null {
  const given = (fieldValue(fields, 'date') ?? '').slice(0, 100);
  const ms = Date.parse(given.replace(/\([^)]*\)/g, ''));
  return Number.isNaN(ms) ? null : (ms - nowMs) / DAY_MS;
}

export function dateIsUnreadable(mail: Mail): boolean {
  return !isMissing('date')(mail) && dateAhead(mail) === null;
}

export function dateIsAhead(mail: Mail): boolean {
  return (dateAhead(mail) ?? 0) > 2;
}

export function messageIdIsOdd({ fields }: Mail): boolean {
  const id = fieldValue(fields, 'message-id') ?? '';
  return id !== '' && !/^<[^<>\s]+@[^<>\s]+>/.test(id);
}

const ONCE = ['from', 'to', 'subject', 'date', 'message-id', 'reply-to', 'sender'];

/**
 * Whether a field that must be unique is repeated (RFC 5322, section 3.6). Such a message can mislead its reader, because mail clients
 * differ in which of the fields they show.
 */
export function repeatsField({ fields }: Mail): boolean {
  return ONCE.some((name) => fields.filter((field) => field.name === name).length > 1);
}

export function isBulkWithoutUnsubscribe(mail: Mail): boolean {
  const precedence = fieldValue(mail.fields, 'precedence') ?? '';
  return (
    /^(?:bulk|junk)$/i.test(precedence) && isMissing('list-unsubscribe', 'auto-submitted', 'list-id')(mail)
  );
}

export function isReplyToNothing({ subject, fields }: Pick<Mail, 'subject' | 'fields'>): boolean {
  const answers = fieldValue(fields, 'in-reply-to') ?? fieldValue(fields, 'references');
  return /^\s*re\s*:/i.test(subject) && answers === null;
}

export function subjectShouts({ subject }: Mail): boolean {
  const letters = subject.replaceAll(/[^\p{L}]/gu, '');
  return letters.length >= 12 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
}

export function subjectIsGappy({ subject }: Mail): boolean {
  return /(?:^|\s)(?:\p{L}[\s._*-]){4,}\p{L}(?:\s|$|\p{P})/u.test(subject);
}
