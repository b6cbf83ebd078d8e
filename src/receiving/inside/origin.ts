/**
 * Where a message came from that a mailbox here passes on to another one here. Attack: taken for mail of this instance, what somebody forged
 * outside would be genuine at its second mailbox.
 */
import type { Arrival } from '../authenticate/authentication.ts';

/** As it came in, for the check of SPF. Of the return path it has the domain alone. */
export type Origin = Pick<Arrival, 'address' | 'helo' | 'mailFrom'>;

const MAX_HEADER = 65_536;
/** Both are the first of their name: this server wrote them in front of the message (`trace-fields.ts`). */
const RECEIVED = /^Received: from (\S+) \((?:\S+ )?\[(?:IPv6:)?([0-9a-f.:]+)\]\)/m;
const RESULTS = /^Authentication-Results:([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)/m;
const MAIL_FROM = /;\s*spf=\w+ smtp\.mailfrom=([a-z0-9._-]+)/i;

/** Null: a project of this instance sent it. */
export function readOrigin(message: Buffer): Origin | null {
  const header = message.toString('latin1', 0, MAX_HEADER);
  const results = RESULTS.exec(header)?.[1] ?? '';
  if (/;\s*auth=pass\b/.test(results)) return null;
  const [, helo = '', address = ''] = RECEIVED.exec(header) ?? [];
  const domain = MAIL_FROM.exec(results)?.[1];
  return { address, helo, mailFrom: domain === undefined ? '' : `postmaster@${domain}` };
}
