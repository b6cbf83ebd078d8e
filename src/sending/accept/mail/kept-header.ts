/**
 * Decides which header fields of a submitted message are sent as they are. The fields with addresses are left out, because Posthorn composes
 * them from the values that were checked (`src/sending/deliver/compose-message.ts`).
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { now } from '../../../model/clock.ts';
import { messageIdOf, newUuid } from '../../../model/ids.ts';
import { isRelayOrder } from '../../../model/relay-orders.ts';
import { formatDate } from '../../../rfc/message/format-date.ts';
import { readMessageIds } from '../../../rfc/message/message-ids.ts';
import { readDate } from '../../../rfc/message/read-date.ts';
import type { StrictField } from '../../../rfc/message/strict-header.ts';
import { otherField } from '../../../rfc/message/text-field.ts';
import type { HeaderField } from '../../../rfc/mime/index.ts';

export interface KeptHeader {
  /** The fields that are sent, each with CRLF, and the empty line. */
  header: Buffer;
  messageId: string;
  /** The names of removed fields, as the message spells them. */
  removed: string[];
  /** Whether a field occurs more than once, or was encoded again. */
  isChanged: boolean;
}

/** Fields that are composed from checked or stored values. */
const COMPOSED = new Set([
  'from',
  'to',
  'cc',
  'reply-to',
  // Tracking can replace the unsubscribe link.
  'list-unsubscribe',
  'list-unsubscribe-post',
]);
/** Trace fields, and fields that must not reach recipients. */
const DROPPED = new Set([
  'bcc',
  'sender',
  'idempotency-key',
  'received',
  'return-path',
  'authentication-results',
  'content-length',
]);
const DROPPED_PREFIXES = ['dkim-', 'arc-', 'x-posthorn-'];
/** Fields that Posthorn completes if they are missing or invalid. */
const COMPLETED = new Set(['date', 'message-id', 'mime-version']);

const MAX_REMOVED = 50;
const MAX_NAME = 76;
const MAX_LINE = 998;

export function isDropped(name: string): boolean {
  return DROPPED.has(name) || DROPPED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * @param message a message in which all line ends are CRLF
 * @param decoded the decoded fields of the same header
 * @param domain the domain of the sender, for a Message-ID
 */
export function keepHeader(
  message: Buffer,
  { fields, bodyStart }: { fields: readonly StrictField[]; bodyStart: number },
  decoded: readonly HeaderField[],
  domain: string,
): KeptHeader {
  const values = Map.groupBy(decoded, ({ name }) => name);
  const taken = new Map<string, number>();
  const removed = new Set<string>();
  const kept: Buffer[] = [];
  let isChanged = false;
  for (const { name, start, end, valueStart } of fields) {
    const at = taken.get(name) ?? 0;
    taken.set(name, at + 1);
    if (isDropped(name) || COMPOSED.has(name) || COMPLETED.has(name)) continue;
    const shown = message.toString('latin1', start, valueStart - 1);
    if (isRelayOrder(name)) {
      if (removed.size < MAX_REMOVED) removed.add(shown.slice(0, MAX_NAME));
      continue;
    }
    isChanged ||= at > 0;
    const octets = message.subarray(start, end);
    if (name.startsWith('content-') || (isAscii(octets) && hasShortLines(octets))) kept.push(octets);
    else if (name.length <= MAX_NAME) {
      isChanged = true;
      kept.push(Buffer.from(otherField(shown, values.get(name)?.[at]?.value ?? '')));
    }
  }
  const first = (name: string): string => values.get(name)?.[0]?.value ?? '';
  const date = first('date');
  const given = readMessageIds(first('message-id'), 1)[0];
  const isKept = given !== undefined && /^[!-~]+$/.test(given);
  const messageId = isKept ? given : messageIdOf(newUuid(), domain);
  const completed =
    otherField('Date', readDate(date) === null ? formatDate(now()) : date) +
    otherField('Message-ID', messageId) +
    `MIME-Version: 1.0\r\n${taken.has('content-type') ? '' : missingType(message.subarray(bodyStart), taken)}\r\n`;
  return {
    header: Buffer.concat([...kept, Buffer.from(completed)]),
    messageId,
    removed: [...removed],
    isChanged,
  };
}

/** The type of a text that names none. Without it, recipients would guess the charset. */
function missingType(body: Buffer, fields: ReadonlyMap<string, number>): string {
  if (fields.has('content-transfer-encoding') || isAscii(body) || !isUtf8(body)) return '';
  return 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n';
}

function hasShortLines(octets: Buffer): boolean {
  return octets
    .toString('latin1')
    .split('\r\n')
    .every((line) => line.length <= MAX_LINE);
}
