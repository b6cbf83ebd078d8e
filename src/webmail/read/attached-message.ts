/** Messages that are attached to a message. They are read like any other message, but nothing is known about their senders. */
import type { OpenBlob } from '../../blobs/blobs.ts';
import type { MailMessage } from '../../contract/mail/messages.ts';
import type { NamedAddress } from '../../store/facts/message-facts.ts';
import { firstBytes } from '../../store/parts/part-bytes.ts';
import type { AttachedHead } from './attached-head.ts';
import { attachmentOf } from './describe-message.ts';
import type { MessageOfMailbox } from './find-message.ts';
import type { OpenedMessage } from './message-thread.ts';
import type { ReadPart } from './read-message.ts';

/** How deeply messages may be attached to each other. Attack: a message that contains itself a thousand times. */
export const MAX_LEVELS = 5;
/** A message in an encoding that hides its lines (RFC 2046 forbids this) is decoded in memory, so a larger one is not opened. */
const MAX_DECODED = 16 * 1_048_576;

/** The bytes of an attached message, as if it were a message of its own. Null if they no longer exist, or if they are too large to decode. */
export async function attachedBlob(blob: OpenBlob, part: ReadPart): Promise<OpenBlob | null> {
  const { start, end, transferEncoding } = part;
  if (transferEncoding !== 'base64' && transferEncoding !== 'quoted-printable')
    return {
      size: end - start,
      readNow: () => null,
      read: (range = { start: 0, end: end - start }) =>
        blob.read({ start: start + range.start, end: Math.min(end, start + range.end) }),
    };
  if (end - start > MAX_DECODED) return null;
  const decoded = await firstBytes(blob, part, end - start);
  return {
    size: decoded.length,
    readNow: () => decoded,
    read: async (range = { start: 0, end: decoded.length }) => decoded.subarray(range.start, range.end),
  };
}

/** The data of an attached message: its own header, and no checks of its sender. */
export function foundInside(
  { summary, ...outer }: MessageOfMailbox,
  head: AttachedHead | null,
  octets: number,
): MessageOfMailbox {
  const people = (addresses: readonly NamedAddress[] = []) =>
    addresses.map(({ name, address }) => ({ name: name === '' ? null : name, address }));
  return {
    ...outer,
    octets,
    authentication: null,
    sentBy: null,
    spam: null,
    summary: {
      ...summary,
      message_id: head?.messageId ?? null,
      from: people(head?.from),
      to: people(head?.to),
      cc: people(head?.cc),
      bcc: [],
      reply_to: people(head?.replyTo),
      subject: head?.subject ?? '',
      date: head?.sentAt ?? null,
      preview: '',
      octets,
      draft: false,
    },
  };
}

/** @param part the number of the attached message */
export function describeAttached(
  message: MailMessage,
  { message: { calendar, attached } }: OpenedMessage,
  part: string,
): MailMessage {
  const calendarAlone =
    calendar === null || attached.some((each) => each.part === calendar.part) ? null : calendar;
  const attachments = [
    ...message.attachments,
    ...(calendarAlone === null ? [] : [attachmentOf(calendarAlone, [])]),
  ];
  return {
    ...message,
    part,
    authentication: {
      verdict: 'unknown',
      text: 'This message was attached to another message. Its sender was not verified.',
      details: [],
    },
    unsubscribe: null,
    invitation: null,
    files: attachments.length,
    attachments: attachments.map((file) => ({ ...file, part: `${part}.${file.part}` })),
  };
}
