/** Suppression lists as files: those that are written here, and those of other systems. */
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

/** What is put on the list. */
export interface SuppressionEntry {
  /** In normal form, as `parseMailbox` gives it. */
  address: string;
  reason: SuppressionReason;
  /** Null: for good. */
  expiresAt: Date | null;
}

/** An entry as a line of an export. */
export function suppressionLine(entry: Suppression): string {
  return csvLine(
    SUPPRESSION_COLUMNS.map((name) => {
      if (name !== 'detail') return entry[name] ?? '';
      return entry.detail === null ? '' : wordsOf(entry.detail);
    }),
  );
}

/** What the server said, else all of it. */
function wordsOf(detail: object): string {
  return 'diagnostic' in detail && typeof detail.diagnostic === 'string'
    ? detail.diagnostic
    : JSON.stringify(detail);
}

/** What a piece of a file is read by: what stood in its first line. */
interface Head {
  separators: string;
  /** Where these are, from 0; -1: the file has no such column, or names none. */
  address: number;
  reason: number;
  expires: number;
}

interface ReadOptions {
  /** Of the file. */
  head: Head;
  /** The piece begins with it, if the file has one. */
  isFirst: boolean;
  /** Nothing follows. */
  isEnd: boolean;
  /** Of lines that say none. */
  reason: SuppressionReason;
}

interface RefusedLine {
  /** From 0, in the piece. */
  line: number;
  text: string;
  error: string;
}

interface ReadPiece {
  entries: SuppressionEntry[];
  refused: RefusedLine[];
  /** In characters, and in lines. */
  read: number;
  lines: number;
}

/** In one piece. */
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

/** What the first line of a text says of the others: their names, where it has some. */
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

/**
 * Reads a piece of a file: CSV that names its columns, or addresses, one a line.
 */
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
    return { error: `expires_at is no time in the future: ${time.slice(0, MAX_SHOWN)}` };
  const said = head.reason < 0 ? '' : (cells[head.reason] ?? '');
  return { address: mailbox.address, reason: reasonIn(said) ?? reason, expiresAt };
}

/** Of a line in a file that names no columns: all of it, or the first cell that could be one. */
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

/** As this and other services call them: `HardBounce`, `SpamComplaint`, `Unsubscribed`, `ManualSuppression`. Null: it is no such word. */
function reasonIn(text: string): SuppressionReason | null {
  const word = text.trim().toLowerCase();
  // A server's words may have any of these in them.
  if (!/^[a-z_ -]{1,40}$/.test(word)) return null;
  return REASON_WORDS.find(([part]) => word.includes(part))?.[1] ?? null;
}
