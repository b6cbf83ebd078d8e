/**
 * Dovecot's file of UIDs in a Maildir, `dovecot-uidlist`, in its versions 1 and 3
 * (https://doc.dovecot.org/2.3/developer_manual/design/dovecot-uidlist/).
 */

/** The UIDs of a Maildir folder. */
export interface Uidlist {
  uidValidity: number;
  uidNext: number;
  /** By the base name of the message's file, without its flags. */
  messages: Map<string, ListedUid>;
}

interface ListedUid {
  uid: number;
  /** The unique-id for POP3, if it is not made from UIDVALIDITY and UID. */
  uidl: string | null;
}

const MAX_NUMBER = 2 ** 32 - 1;
/** RFC 1939, section 7. */
const UNIQUE_ID = /^[\x21-\x7e]{1,70}$/;
const FIRST_LINE = /^1 (?<validity>\d{1,10}) (?<next>\d{1,10})$|^3(?<fields>(?: [A-Z]\S*)+)$/;
const LINE_1 = /^(?<uid>\d{1,10}) (?<file>.+)$/;
const LINE_3 = /^(?<uid>\d{1,10})(?<fields>(?: [A-Z][^ ]*)*) :(?<file>.+)$/;

/**
 * Reads the file. Lines that are not valid, and unique-ids that are not valid or not unique, are skipped. UIDs must ascend.
 * @returns null if the first line is not valid
 */
export function parseUidlist(file: string): Uidlist | null {
  const [first = '', ...lines] = file.split('\n');
  const header = FIRST_LINE.exec(first)?.groups;
  if (header === undefined) return null;
  const fields = fieldsOf(header['fields']);
  const uidValidity = numberOf(header['validity'] ?? fields.get('V'));
  const listedNext = numberOf(header['next'] ?? fields.get('N'));
  if (uidValidity === null || listedNext === null) return null;
  const line = header['validity'] === undefined ? LINE_3 : LINE_1;
  const messages = new Map<string, ListedUid>();
  const seen = new Set<string>();
  let last = 0;
  for (const text of lines) {
    const found = line.exec(text)?.groups;
    const uid = numberOf(found?.['uid']);
    if (found === undefined || uid === null || uid <= last) continue;
    last = uid;
    const uidl = fieldsOf(found['fields']).get('P') ?? null;
    const isUsable = uidl !== null && UNIQUE_ID.test(uidl) && !seen.has(uidl);
    if (isUsable) seen.add(uidl);
    messages.set(found['file']?.split(':', 1)[0] ?? '', { uid, uidl: isUsable ? uidl : null });
  }
  return { uidValidity, uidNext: Math.max(listedNext, last + 1), messages };
}

/** The unique-id that Dovecot's POP3 shows for a message without the field `P`, with its default setting `pop3_uidl_format = %08Xu%08Xv`. */
export function defaultUidl(uid: number, uidValidity: number): string {
  return [uid, uidValidity].map((number) => number.toString(16).padStart(8, '0')).join('');
}

/** Fields are a letter and a value without a space. */
function fieldsOf(text = ''): Map<string, string> {
  return new Map(
    text
      .split(' ')
      .filter((field) => field !== '')
      .map((field) => [field.charAt(0), field.slice(1)]),
  );
}

function numberOf(text: string | undefined): number | null {
  const number = Number(text ?? Number.NaN);
  return Number.isInteger(number) && number >= 1 && number <= MAX_NUMBER ? number : null;
}
