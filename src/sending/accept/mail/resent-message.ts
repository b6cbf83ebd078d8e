/** The copy of a submitted message for sending it again. Mail apps hide a second message with the same Message-ID, so the copy has its own. */
import { hash } from 'node:crypto';
import { now } from '../../../model/clock.ts';
import { messageIdOf, newUuid } from '../../../model/ids.ts';
import { type MessageLayout, shifted } from '../../../model/message-layout.ts';
import { formatDate } from '../../../rfc/message/format-date.ts';
import { readStrictHeader } from '../../../rfc/message/strict-header.ts';
import { otherField } from '../../../rfc/message/text-field.ts';

/** The octets to send, as in `SentMessage`. */
interface ResentMessage {
  data: Buffer;
  digest: Buffer;
  bodyHash: Buffer;
  messageId: string;
  layout: MessageLayout;
}

const REPLACED = new Set(['date', 'message-id']);

/**
 * @param stored the octets of the message in the blob
 * @param domain the domain of the sender
 */
export function resentMessage(
  stored: Buffer,
  { bodyHash, layout }: { bodyHash: Buffer; layout: MessageLayout },
  domain: string,
): ResentMessage {
  const header = readStrictHeader(stored);
  if (header.fault !== undefined) throw new Error('the header of a stored message is malformed');
  const messageId = messageIdOf(newUuid(), domain);
  const kept = header.fields
    .filter(({ name }) => !REPLACED.has(name))
    .map(({ start, end }) => stored.subarray(start, end));
  const own = `Date: ${formatDate(now())}\r\n${otherField('Message-ID', messageId)}\r\n`;
  const head = Buffer.concat([...kept, Buffer.from(own)]);
  const data = Buffer.concat([head, stored.subarray(header.bodyStart)]);
  return {
    data,
    digest: hash('sha256', data, 'buffer'),
    bodyHash,
    messageId,
    layout: shifted(layout, head.length - header.bodyStart),
  };
}
