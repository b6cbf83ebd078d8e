/**
 * The header fields that mail apps fetch for their message list (`BODY.PEEK[HEADER.FIELDS (...)]`). The fields are stored in the database
 * as one text per message, so that the message itself need not be read.
 */
import { selectFields } from './sections.ts';

/**
 * The names, in lower case, of the fields that mutt, Thunderbird, K-9, Evolution, Roundcube, Alpine, Outlook and mbsync fetch, except very
 * large fields.
 */
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
/** The fields of a longer header are not stored, because the whole header would have to be copied in memory. */
const MAX_HEADER = 262_144;
/** Larger fields, for example of a message to a hundred recipients, are not stored, so each FETCH has to read that message. */
const MAX_OCTETS = 8_192;
/** Characters that the stored text cannot represent: a bare CR or LF, and a NUL. */
const UNSUPPORTED = /[\0\r\n]/;

/**
 * Returns the text to store for a message.
 * @param header the header with the empty line at its end
 * @returns the usual fields, one octet per character, with CR instead of CRLF, without the empty line; null if the fields are too large or
 * have bare line ends
 */
export function usualFields(header: Buffer): string | null {
  if (header.length > MAX_HEADER) return null;
  const end = header.toString('latin1', Math.max(0, header.length - 4));
  if (!end.endsWith('\r\n\r\n') && end !== '\r\n') return null;
  const octets = selectFields(header, [...USUAL], false);
  if (octets.length > MAX_OCTETS) return null;
  const lines = octets.toString('latin1', 0, octets.length - 2).split('\r\n');
  return lines.some((line) => UNSUPPORTED.test(line)) ? null : lines.join('\r');
}

/** Whether all names are names of usual fields. @param names in any case */
export function areUsual(names: readonly string[]): boolean {
  return names.every((name) => USUAL.has(name.toLowerCase()));
}

/**
 * Returns the same octets as `selectFields` for the header, one octet per character.
 * @param stored the result of `usualFields`
 * @param names usual fields, in lower case
 */
export function selectUsual(stored: string, names: ReadonlySet<string>): string {
  let selected = '';
  for (let at = 0; at < stored.length; ) {
    let next = stored.indexOf('\r', at) + 1;
    while (stored[next] === ' ' || stored[next] === '\t') next = stored.indexOf('\r', next) + 1;
    const name = stored.slice(at, stored.indexOf(':', at)).trimEnd().toLowerCase();
    if (names.has(name)) selected += stored.slice(at, next);
    at = next;
  }
  return `${selected.replaceAll('\r', '\r\n')}\r\n`;
}
