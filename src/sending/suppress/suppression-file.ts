/** Reads and writes suppression lists as files: exports of Posthorn, and files of other systems. */
import { MAX_ADDRESS_LENGTH } from '../../contract/schema.ts';
import type { Suppression } from '../../contract/suppressions.ts';
import * as clock from '../../model/clock.ts';
import type { SuppressionReason } from '../../model/suppression-reasons.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { csvLine, type CsvRecord, csvRecords } from '../../rfc/csv/csv.ts';

export const SUPPRESSION_COLUMNS = [
  'address',
  'reason',
  'created_at',
  'expires_at',
  'email_id',
  'detail',
] as const;

/** An entry to add to the list. */
export interface SuppressionEntry {
  /** An address that `parseMailbox` normalized. */
  address: string;
  reason: SuppressionReason;
  /** Null: the entry never expires. */
  expiresAt: Date | null;
}

/** Formats an entry as a line of an export. */
export function suppressionLine(entry: Suppression): string {
  return csvLine(
    SUPPRESSION_COLUMNS.map((name) => {
      if (name !== 'detail') return entry[name] ?? '';
      return entry.detail === null ? '' : wordsOf(entry.detail);
    }),
  );
}

/** The server's reply. If there is none, the whole detail as JSON. */
function wordsOf(detail: object): string {
  return 'diagnostic' in detail && typeof detail.diagnostic === 'string'
    ? detail.diagnostic
    : JSON.stringify(detail);
}

/** The format of a file, determined from its first line. Each part of the file is read in this format. */
interface Head {
  separators: string;
  /** The column indexes from 0. -1 if the file has no such column or no column names. */
  address: number;
  reason: number;
  expires: number;
}

interface ReadOptions {
  /** The head of the whole file. */
  head: Head;
  /** Whether the part begins with the first line of the file. */
  isFirst: boolean;
  /** Whether the part is the last part of the file. */
  isEnd: boolean;
  /** The reason for lines that name no reason. */
  reason: SuppressionReason;
}

interface RefusedLine {
  /** The line number within the part, from 0. */
  line: number;
  text: string;
  error: string;
}

interface ReadPiece {
  entries: SuppressionEntry[];
  refused: RefusedLine[];
  /** The number of characters (`read`) and of lines (`lines`) that were read from the text. */
  read: number;
  lines: number;
}

/** The maximum number of lines per part. */
const MAX_RECORDS = 1_000;
const MAX_SHOWN = 200;
const REASON_WORDS: readonly (readonly [part: string, reason: SuppressionReason])[] = [
  ['unsub', 'unsubscribe'],
  ['complain', 'complaint'],
  ['spam', 'complaint'],
  ['bounce', 'bounce'],
  ['manual', 'manual'],
];
const NO_HEAD: Head = { separators: ',;\t', address: -1, reason: -1, expires: -1 };
const ADDRESS = /^(?:e-?mail[ _-]?)?(?:address|recipient)$|^e-?mail$/i;
const REASON = /reason$|^type$/i;
const EXPIRES = /^expires(?:_at)?$/i;

/** Reads the column names from the first line of a text, if this line contains column names. */
export function headOf(text: string): Head {
  const firstLine = text.split(/[\r\n]/, 1)[0] ?? '';
  for (const separators of [',', ';', '\t']) {
    const [record] = csvRecords(firstLine, { separators, isEnd: true, max: 1 }).records;
    const names = record?.cells.map((cell) => cell.trim()) ?? [];
    const address = names.findIndex((name) => ADDRESS.test(name));
    if (address >= 0)
      return {
        separators,
        address,
        reason: names.findIndex((name) => REASON.test(name)),
        expires: names.findIndex((name) => EXPIRES.test(name)),
      };
  }
  return NO_HEAD;
}

/** Reads a part of a file: CSV with column names, or one address per line. */
export function readSuppressions(text: string, { head, isFirst, isEnd, reason }: ReadOptions): ReadPiece {
  const { separators } = head;
  const { records, read, lines } = csvRecords(text, { separators, isEnd, max: MAX_RECORDS });
  const piece: ReadPiece = { entries: [], refused: [], read, lines };
  for (const record of records) {
    if ((isFirst && record.line === 0 && head.address >= 0) || record.text.trim() === '') continue;
    const entry = entryOf(record, head, reason);
    if ('error' in entry)
      piece.refused.push({ line: record.line, text: record.text.slice(0, MAX_SHOWN), error: entry.error });
    else piece.entries.push(entry);
  }
  return piece;
}

function entryOf(
  { cells, text }: CsvRecord,
  head: Head,
  reason: SuppressionReason,
): SuppressionEntry | { error: string } {
  const mailbox = head.address >= 0 ? parsed(cells[head.address] ?? '') : addressIn(text, cells);
  if ('error' in mailbox) return mailbox;
  const time = (head.expires < 0 ? '' : (cells[head.expires] ?? '')).trim();
  const expiresAt = time === '' ? null : new Date(time);
  if (expiresAt !== null && !(expiresAt.getTime() > clock.nowMs()))
    return { error: `expires_at must be a time in the future: ${time.slice(0, MAX_SHOWN)}` };
  const said = head.reason < 0 ? '' : (cells[head.reason] ?? '');
  return { address: mailbox.address, reason: reasonIn(said) ?? reason, expiresAt };
}

/** The address in a line of a file without column names: the whole line, or the first cell that contains an @. */
function addressIn(text: string, cells: readonly string[]) {
  const whole = parsed(text);
  if (!('error' in whole)) return whole;
  const cell = cells.find((each) => each.includes('@'));
  return cell === undefined ? whole : parsed(cell);
}

function parsed(text: string): { address: string } | { error: string } {
  return text.length > MAX_ADDRESS_LENGTH
    ? { error: 'not an address: it is too long' }
    : parseMailbox(text.trim());
}

/**
 * Recognizes the reasons that Posthorn and other services use, such as `HardBounce`, `SpamComplaint`, `Unsubscribed` and
 * `ManualSuppression`. Null: unknown.
 */
function reasonIn(text: string): SuppressionReason | null {
  const word = text.trim().toLowerCase();
  // A longer text is a server's reply, which may contain any of the words.
  if (!/^[a-z_ -]{1,40}$/.test(word)) return null;
  return REASON_WORDS.find(([part]) => word.includes(part))?.[1] ?? null;
}
