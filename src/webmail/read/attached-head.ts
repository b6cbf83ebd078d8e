/** The header of an attached message. */
import { fieldValue, readEntity } from '../../rfc/mime/index.ts';
import { readDate } from '../../rfc/message/read-date.ts';
import { readMessageIds } from '../../rfc/message/message-ids.ts';
import { LIMITS, type NamedAddress, readAddresses, subjectOf } from '../../store/facts/message-facts.ts';
import type { ReadPart } from './read-message.ts';

/** The fields of an attached message's header that are shown above the message. */
export interface AttachedHead {
  subject: string;
  from: NamedAddress[];
  replyTo: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  sentAt: string | null;
  messageId: string | null;
}

/** Reads the header of an attached message. Runs in the worker thread, and never throws. */
export function readAttachedHead(raw: Buffer): AttachedHead {
  const { fields } = readEntity(raw, { ...LIMITS, depth: 0, insideMessages: false });
  const value = (name: string): string => fieldValue(fields, name) ?? '';
  return {
    subject: subjectOf(fields),
    from: readAddresses(value('from')),
    replyTo: readAddresses(value('reply-to')),
    to: readAddresses(value('to')),
    cc: readAddresses(value('cc')),
    sentAt: readDate(value('date'))?.at.toISOString() ?? null,
    messageId: readMessageIds(value('message-id'), 1)[0]?.replaceAll('\0', '') ?? null,
  };
}

/** Whether a part can be opened as a message. */
export function isMessage({ type, name }: Pick<ReadPart, 'type' | 'name'>): boolean {
  return (
    type === 'message/rfc822' ||
    type === 'message/global' ||
    (type === 'application/octet-stream' && /\.eml$/i.test(name))
  );
}
