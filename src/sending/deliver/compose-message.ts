/**
 * Composes the outgoing message of an email that an application submitted by SMTP. Our own fields, with the addresses that were checked, are
 * written in front of the stored octets, so that signed and encrypted bodies stay valid.
 */
import type { Blobs } from '../../blobs/blobs.ts';
import { copyInSteps } from '../../concurrency/copy-in-steps.ts';
import type { BodyRange } from '../../model/message-layout.ts';
import { parseMailboxes } from '../../rfc/address/index.ts';
import { signDkim, type SigningKey, type SigningOptions } from '../../rfc/dkim/sign.ts';
import { addressFields } from '../../rfc/message/compose.ts';
import { toSevenBit } from '../../rfc/message/seven-bit.ts';
import { readStrictHeader } from '../../rfc/message/strict-header.ts';
import { otherField } from '../../rfc/message/text-field.ts';
import { base64Part } from '../../rfc/message/transfer-encoding.ts';
import type { TrackedContent } from '../track/recipients-copy.ts';
import { type ComposedContent, mailboxOf, type StoredMessage } from './stored-email.ts';

export interface MessageComposing {
  keys: readonly SigningKey[];
  signing: SigningOptions;
  blobs: Pick<Blobs, 'open'>;
  /** The value of X-Posthorn-Return. */
  reference: string;
  /** Whether the server accepts only ASCII. */
  isSevenBit: boolean;
}

/**
 * @param copy the content for one recipient, if tracking changes it
 * @returns the whole message, and whether an address in its header needs SMTPUTF8; null if the message cannot be converted to ASCII
 */
export async function composeMessage(
  projectId: string,
  content: ComposedContent & StoredMessage,
  copy: TrackedContent | null,
  { keys, signing, blobs, reference, isSevenBit }: MessageComposing,
): Promise<{ data: Buffer; smtputf8: boolean } | null> {
  const stored = await (await blobs.open(projectId, content.digest))?.read();
  // This would be a bug, because bytes are stored as long as a row refers to them.
  if (stored == null) throw new Error('the bytes of a message are gone');
  const tracked = copy === null ? stored : withTexts(stored, content, copy);
  const changed = isSevenBit ? toSevenBit(tracked) : tracked;
  if (changed === null) return null;
  const { headers } = copy ?? content;
  const { fields, smtputf8 } = ownFields({ ...content, headers });
  const own = Buffer.from(fields + otherField('X-Posthorn-Return', reference));
  const bodyStart = changed.indexOf('\r\n\r\n') + 4;
  const body = changed.subarray(bodyStart);
  const signature = await signDkim(
    { header: Buffer.concat([own, changed.subarray(0, bodyStart - 2)]), body },
    keys,
    { ...signing, ...(changed === stored && { bodyHash: content.bodyHash }) },
  );
  const added = Buffer.concat([Buffer.from(signature), own]);
  const data = Buffer.allocUnsafe(added.length + changed.length);
  added.copy(data);
  await copyInSteps(changed, data.subarray(added.length));
  return { data, smtputf8 };
}

/** The fields that are written in front of the stored octets, and whether an address in them needs SMTPUTF8. */
export function ownFields({
  sender,
  toList,
  cc,
  replyTo,
  headers,
}: Pick<ComposedContent, 'sender' | 'toList' | 'cc' | 'replyTo' | 'headers'>): {
  fields: string;
  smtputf8: boolean;
} {
  const { fields, smtputf8 } = addressFields({
    from: mailboxOf(sender),
    to: toList.map(mailboxOf),
    cc: cc.map(mailboxOf),
    replyTo: parseMailboxes(replyTo ?? ''),
  });
  return { fields: fields + listFields(headers), smtputf8 };
}

const LIST_FIELDS = new Set(['list-unsubscribe', 'list-unsubscribe-post']);

/** The fields with the unsubscribe link, which tracking can replace. */
function listFields(headers: Readonly<Record<string, string>> | null): string {
  return Object.entries(headers ?? {})
    .filter(([name]) => LIST_FIELDS.has(name.toLowerCase()))
    .map(([name, value]) => otherField(name, value))
    .join('');
}

/** Replaces the texts that tracking changed. All other octets stay as they are. */
function withTexts(
  stored: Buffer,
  { html, text, layout }: ComposedContent & StoredMessage,
  copy: TrackedContent,
): Buffer {
  const changes = [
    { range: layout.html, subtype: 'html', before: html, after: copy.html },
    { range: layout.text, subtype: 'plain', before: text, after: copy.text },
  ]
    .flatMap(({ range, subtype, before, after }) =>
      range === null || after === null || after === before ? [] : [{ range, subtype, after }],
    )
    .toSorted((one, other) => one.range.start - other.range.start);
  if (changes.length === 0) return stored;
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { range, subtype, after } of changes) {
    pieces.push(stored.subarray(at, range.start), partWith(stored, range, subtype, after));
    at = range.end;
  }
  return Buffer.concat([...pieces, stored.subarray(at)]);
}

/** Fields that describe the octets of a part. */
const OF_OCTETS = new Set(['content-type', 'content-transfer-encoding', 'content-md5']);

/** The part with another text. It is in base64, in which no line looks like a boundary of the message. */
function partWith(stored: Buffer, { start, end }: BodyRange, subtype: string, text: string): Buffer {
  const part = stored.subarray(start, end);
  const header = readStrictHeader(part);
  const others =
    header.fault === undefined
      ? header.fields
          .filter(({ name }) => !OF_OCTETS.has(name))
          .map((field) => part.subarray(field.start, field.end))
      : [];
  const { fields, content } = base64Part(subtype, text);
  return Buffer.concat([...others, Buffer.from(`${fields}\r\n`), content, ...(start === 0 ? [CRLF] : [])]);
}

const CRLF = Buffer.from('\r\n');
