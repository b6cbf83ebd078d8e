/** What somebody types into the search of the web client, as what it means. Any text is a query: what is none is told, and the rest counts. */
import { normalForm } from '../../../store/search/normal-form.ts';

/** Where a text is looked for; `to`: everybody whom it is for. */
export type TextField = 'anywhere' | 'from' | 'to' | 'cc' | 'subject';
export type Mark = 'unread' | 'read' | 'starred' | 'answered' | 'draft';

type Meaning =
  /** In normal form. */
  | { text: string; in: TextField }
  | { has: 'file' }
  | { is: Mark }
  /** Received from the begin of it on, or before. */
  | { after: Date }
  | { before: Date }
  | { largerThan: number }
  | { smallerThan: number }
  /** As it was typed, in small letters. */
  | { folder: string };

/** `not`: of what this is not true. */
export type MailTerm = Meaning & { not: boolean };

export interface MailQuery {
  /** All of them have to be true; but of those that name folders without `not` one is enough. */
  terms: MailTerm[];
  /** What is not understood, in words for whoever typed it. */
  problem: string | null;
}

/** What is behind them is not looked for. */
const MAX_TERMS = 20;
/** Longer texts take long to be looked for, and nobody types them. */
const MAX_TEXT = 200;

/** One word, or what stands between quotation marks, with what may be in front. A mark that is not closed is so at the end. */
const TOKEN = /-?([a-z]+):(?=\s|$)|(-?)(?:([a-z]+):)?(?:"([^"]*)(?:"|$)|([^\s"]+))/giu;

export function parseQuery(text: string): MailQuery {
  const terms: MailTerm[] = [];
  const problems: string[] = [];
  for (const [whole, bare, minus = '', name, quoted, word] of text.matchAll(TOKEN)) {
    // Somebody is still typing it.
    if (bare !== undefined && OPERATORS.has(bare.toLowerCase())) continue;
    if (terms.length === MAX_TERMS) {
      problems.push(`Only the first ${MAX_TERMS} terms are looked for.`);
      break;
    }
    const operator = OPERATORS.get(name?.toLowerCase() ?? '');
    // `https://…` is a text like any other.
    const meaning =
      operator === undefined
        ? textOf(name === undefined ? (quoted ?? word ?? whole) : whole.slice(minus.length), 'anywhere')
        : operator(quoted ?? word ?? '');
    if (typeof meaning === 'string') problems.push(meaning);
    else if (meaning !== null) terms.push({ ...meaning, not: minus === '-' });
  }
  return { terms, problem: problems[0] ?? null };
}

/** @returns what is wrong as a text; null: nothing to look for */
type Operator = (value: string) => Meaning | string | null;

const inPlace =
  (place: TextField): Operator =>
  (value) =>
    textOf(value, place);

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>(
  Object.entries({
    from: inPlace('from'),
    to: inPlace('to'),
    cc: inPlace('cc'),
    subject: inPlace('subject'),
    has: (value) =>
      /^(file|attachment)s?$/i.test(value)
        ? { has: 'file' }
        : `has:${value} is not known. There is has:file.`,
    is: (value) =>
      isMark(value.toLowerCase())
        ? { is: value.toLowerCase() as Mark }
        : `is:${value} is not known. There are is:unread, is:read, is:starred, is:answered and is:draft.`,
    in: (value) => (value === '' ? null : { folder: value.toLowerCase() }),
    after: (value) => dated(value, (after) => ({ after })),
    before: (value) => dated(value, (before) => ({ before })),
    larger: (value) => sized(value, (largerThan) => ({ largerThan })),
    smaller: (value) => sized(value, (smallerThan) => ({ smallerThan })),
  } satisfies Record<string, Operator>),
);

const MARKS: readonly Mark[] = ['unread', 'read', 'starred', 'answered', 'draft'];

function isMark(value: string): value is Mark {
  return (MARKS as readonly string[]).includes(value);
}

/** Scripts whose words have more than one character. */
const ONE_LETTER = /^[\0-\u2e7f]$/;

function textOf(value: string, place: TextField): Meaning | string | null {
  const text = normalForm(value.slice(0, MAX_TEXT)).trim();
  if (text === '') return null;
  return ONE_LETTER.test(text) ? 'Type two letters at least.' : { text, in: place };
}

const DATE = /^(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?$/;

/** A year, a month or a day begins with its first moment, in UTC: the time zone of a mailbox is not known. */
function dated(value: string, meaning: (date: Date) => Meaning): Meaning | string {
  const [, year, month = '1', day = '1'] = DATE.exec(value) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isReal = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
  return isReal && Number(year) > 0
    ? meaning(date)
    : `${value} is no date. Write 2026-11-20, 2026-11 or 2026.`;
}

const SIZE = /^(\d{1,9})([kmg]?)b?$/i;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_024, m: 1_024 ** 2, g: 1_024 ** 3 };

function sized(value: string, meaning: (octets: number) => Meaning): Meaning | string {
  const [whole, number, unit = ''] = SIZE.exec(value) ?? [];
  return whole === undefined
    ? `${value} is no size. Write 500K or 5M.`
    : meaning(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
}
