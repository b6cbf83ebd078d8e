/**
 * The header fields that mail apps ask for to make a list of messages (`BODY.PEEK[HEADER.FIELDS (...)]`), kept as one text beside the message, so that
 * no message is read for them.
 */
import { selectFields } from './sections.ts';

/** In small letters. Those of mutt, Thunderbird, K-9, Evolution, Roundcube, Alpine, Outlook and mbsync; none that is as large as all others together. */
const USUAL: ReadonlySet<string> = new Set(
  [
    'date from sender reply-to to cc bcc subject message-id in-reply-to references newsgroups followup-to lines',
    'mime-version content-type content-transfer-encoding content-disposition content-description content-language content-class',
    'content-location content-md5 content-id return-path delivered-to envelope-to x-original-to resent-date resent-from resent-to',
    'list-id list-post list-help list-owner list-archive list-subscribe list-unsubscribe list-unsubscribe-post mailing-list',
    'x-mailing-list x-list x-loop x-beenthere originator precedence auto-submitted mail-followup-to mail-reply-to',
    'priority x-priority x-msmail-priority importance sensitivity disposition-notification-to return-receipt-to',
    'x-spam x-spam-flag x-spam-level x-spam-score x-spam-status status x-status x-keywords x-label x-mozilla-keys x-mozilla-status',
    'x-tuid x-offlineimap x-uniform-type-identifier x-universally-unique-identifier x-k9mail-identity chat-version',
    'thread-topic thread-index organization user-agent x-mailer x-evolution-source x-calendar-attachment path',
  ].flatMap((names) => names.split(' ')),
);
/** A longer header is not looked through: it would be held once more. */
const MAX_HEADER = 262_144;
/** Of all of them. Few messages have more, for a hundred recipients, and are read for each list. */
const MAX_OCTETS = 8_192;
/** What the text cannot say: a CR or LF by itself, and a NUL. */
const UNSAYABLE = /[\0\r\n]/;

/**
 * @param header with the empty line behind it
 * @returns each octet a character, a CR in the place of CRLF, without the empty line; null: they are not kept, for there is too much of them, or lines end otherwise
 */
export function usualFields(header: Buffer): string | null {
  if (header.length > MAX_HEADER) return null;
  const end = header.toString('latin1', Math.max(0, header.length - 4));
  if (!end.endsWith('\r\n\r\n') && end !== '\r\n') return null;
  const octets = selectFields(header, [...USUAL], false);
  if (octets.length > MAX_OCTETS) return null;
  const lines = octets.toString('latin1', 0, octets.length - 2).split('\r\n');
  return lines.some((line) => UNSAYABLE.test(line)) ? null : lines.join('\r');
}

/** @param names in any case */
export function areUsual(names: readonly string[]): boolean {
  return names.every((name) => USUAL.has(name.toLowerCase()));
}

/** What `selectFields` gives of the header. @param kept by `usualFields` @param wanted of the usual ones, in small letters @returns each octet a character */
export function selectUsual(kept: string, wanted: ReadonlySet<string>): string {
  let taken = '';
  for (let at = 0; at < kept.length; ) {
    let next = kept.indexOf('\r', at) + 1;
    while (kept[next] === ' ' || kept[next] === '\t') next = kept.indexOf('\r', next) + 1;
    const name = kept.slice(at, kept.indexOf(':', at)).trimEnd().toLowerCase();
    if (wanted.has(name)) taken += kept.slice(at, next);
    at = next;
  }
  return `${taken.replaceAll('\r', '\r\n')}\r\n`;
}
