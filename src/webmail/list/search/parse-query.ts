/**
 * Parses the search text of the web client. Any text is a valid query: terms that cannot be parsed are reported, and the remaining terms
 * are used.
 */
import { normalForm } from '../../../store/search/normal-form.ts';

/** The field in which a text is searched. `to` covers all recipients: To, Cc and Bcc. `filename`: the names of attachments. */
export type TextField = 'anywhere' | 'from' | 'to' | 'cc' | 'subject' | 'filename';
export type Mark = 'unread' | 'read' | 'starred' | 'answered' | 'draft' | 'pinned' | 'muted' | 'snoozed';

type Meaning =
  /** `text` is in normal form. */
  | { text: string; in: TextField }
  | { has: 'file' }
  | { is: Mark }
  /** `after`: messages received at this time or later. `before`: messages received earlier than this time. */
  | { after: Date }
  | { before: Date }
  | { largerThan: number }
  | { smallerThan: number }
  /** The folder name as typed, in lower case. */
  | { folder: string }
  /** The name or the keyword of a label as typed, in lower case. */
  | { label: string };

/** `not` negates the term. */
export type MailTerm = Meaning & { not: boolean };

export interface MailQuery {
  /** All terms must match. Exception: if several folders are named without `not`, a message must be in only one of these folders. */
  terms: MailTerm[];
  /** A message for the user about a term that could not be parsed; null if all terms could be parsed. */
  problem: string | null;
}

/** The maximum number of terms. Further terms are ignored. */
const MAX_TERMS = 20;
/** Longer texts are truncated, because searching for them is slow and users do not type them. */
const MAX_TEXT = 200;

/** A word or a quoted text, with an optional minus and operator. A missing closing quote is added at the end. */
const TOKEN = /-?([a-z]+):(?=\s|$)|(-?)(?:([a-z]+):)?(?:"([^"]*)(?:"|$)|([^\s"]+))/giu;

export function parseQuery(text: string): MailQuery {
  const terms: MailTerm[] = [];
  const problems: string[] = [];
  for (const [whole, bare, minus = '', name, quoted, word] of text.matchAll(TOKEN)) {
    // The user is still typing the operator's value.
    if (bare !== undefined && OPERATORS.has(bare.toLowerCase())) continue;
    if (terms.length === MAX_TERMS) {
      problems.push(`Only the first ${MAX_TERMS} terms are searched.`);
      break;
    }
    const operator = OPERATORS.get(name?.toLowerCase() ?? '');
    // `https://…` is not an operator, so it is searched for as text.
    const meaning =
      operator === undefined
        ? textOf(name === undefined ? (quoted ?? word ?? whole) : whole.slice(minus.length), 'anywhere')
        : operator(quoted ?? word ?? '');
    if (typeof meaning === 'string') problems.push(meaning);
    else if (meaning !== null) terms.push({ ...meaning, not: minus === '-' });
  }
  return { terms, problem: problems[0] ?? null };
}

/** @returns the condition; an error message as a string; null if there is nothing to search for */
type Operator = (value: string) => Meaning | string | null;

const inField =
  (field: TextField): Operator =>
  (value) =>
    textOf(value, field);

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>(
  Object.entries({
    from: inField('from'),
    to: inField('to'),
    cc: inField('cc'),
    subject: inField('subject'),
    filename: inField('filename'),
    has: (value) =>
      /^(file|attachment)s?$/i.test(value) ? { has: 'file' } : `has:${value} is not supported. Use has:file.`,
    is: (value) =>
      isMark(value.toLowerCase())
        ? { is: value.toLowerCase() as Mark }
        : `is:${value} is not supported. Use ${MARK_LIST}.`,
    in: (value) => (value === '' ? null : { folder: value.toLowerCase() }),
    label: (value) => (value === '' ? null : { label: value.normalize('NFC').toLowerCase() }),
    after: (value) => dated(value, (after) => ({ after })),
    before: (value) => dated(value, (before) => ({ before })),
    larger: (value) => sized(value, (largerThan) => ({ largerThan })),
    smaller: (value) => sized(value, (smallerThan) => ({ smallerThan })),
  } satisfies Record<string, Operator>),
);

const MARKS: readonly Mark[] = [
  'unread',
  'read',
  'starred',
  'answered',
  'draft',
  'pinned',
  'muted',
  'snoozed',
];
const MARK_LIST = `${MARKS.slice(0, -1)
  .map((mark) => `is:${mark}`)
  .join(', ')} or is:${MARKS.at(-1)}`;

function isMark(value: string): value is Mark {
  return (MARKS as readonly string[]).includes(value);
}

/** A single character of a script in which words have more than one character. */
const ONE_LETTER = /^[\0-\u2e7f]$/;

function textOf(value: string, field: TextField): Meaning | string | null {
  const text = normalForm(value.slice(0, MAX_TEXT)).trim();
  if (text === '') return null;
  return ONE_LETTER.test(text) ? 'Type at least two letters.' : { text, in: field };
}

const DATE = /^(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?$/;

/** Parses a year, a month or a day. Each starts at midnight UTC, because the time zone of a mailbox is not known. */
function dated(value: string, meaning: (date: Date) => Meaning): Meaning | string {
  const [, year, month = '1', day = '1'] = DATE.exec(value) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isReal = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
  return isReal && Number(year) > 0
    ? meaning(date)
    : `${value} is not a date. Write 2026-11-20, 2026-11 or 2026.`;
}

const SIZE = /^(\d{1,9})([kmg]?)b?$/i;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_024, m: 1_024 ** 2, g: 1_024 ** 3 };

function sized(value: string, meaning: (octets: number) => Meaning): Meaning | string {
  const [whole, number, unit = ''] = SIZE.exec(value) ?? [];
  return whole === undefined
    ? `${value} is not a size. Write 500K or 5M.`
    : meaning(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
}
