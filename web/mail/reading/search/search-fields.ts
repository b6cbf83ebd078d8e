/** Converts a search between its text and the fields of a form. Terms without a field stay in `words`. */
import { termsOf } from '../search-text.ts';

export interface SearchFields {
  from: string;
  to: string;
  subject: string;
  filename: string;
  words: string;
  /** The first and the last day, such as 2026-11-20. */
  after: string;
  until: string;
  /** In megabytes. */
  largerMb: string;
  /** Empty: all folders except Trash and Junk. */
  folder: string;
  hasFile: boolean;
}

export const NO_FIELDS: SearchFields = {
  from: '',
  to: '',
  subject: '',
  filename: '',
  words: '',
  after: '',
  until: '',
  largerMb: '',
  folder: '',
  hasFile: false,
};

const TEXTS = ['from', 'to', 'subject', 'filename'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MEGABYTES = /^(\d+)mb?$/i;

export function fieldsOf(text: string): SearchFields {
  const fields = { ...NO_FIELDS };
  const words: string[] = [];
  for (const term of termsOf(text)) {
    const [, name = '', written = ''] = /^([a-z]+):(.+)$/is.exec(term) ?? [];
    const value = written.replace(/^"(.*?)"?$/s, '$1');
    if (!take(fields, name.toLowerCase(), value)) words.push(term);
  }
  return { ...fields, words: words.join(' ') };
}

/** @returns false if the term has no field, or its field already has a value */
function take(fields: SearchFields, name: string, value: string): boolean {
  const text = TEXTS.find((each) => each === name);
  if (text !== undefined && fields[text] === '') fields[text] = value;
  else if (name === 'in' && fields.folder === '') fields.folder = value;
  else if (name === 'has' && /^(?:file|attachment)s?$/i.test(value)) fields.hasFile = true;
  else if (name === 'after' && fields.after === '' && DAY.test(value)) fields.after = value;
  else if (name === 'before' && fields.until === '' && DAY.test(value)) fields.until = dayAfter(value, -1);
  else if (name === 'larger' && fields.largerMb === '' && MEGABYTES.test(value))
    fields.largerMb = MEGABYTES.exec(value)?.[1] ?? '';
  else return false;
  return true;
}

export function textOf(fields: SearchFields): string {
  const { words, after, until, largerMb, folder, hasFile } = fields;
  return [
    ...TEXTS.map((name) => term(name, fields[name])),
    words.trim(),
    term('in', folder),
    DAY.test(after) ? `after:${after}` : '',
    DAY.test(until) ? `before:${dayAfter(until, 1)}` : '',
    /^[1-9]\d{0,5}$/.test(largerMb) ? `larger:${largerMb}M` : '',
    hasFile ? 'has:file' : '',
  ]
    .filter((each) => each !== '')
    .join(' ');
}

function term(name: string, value: string): string {
  const clean = value.replaceAll('"', '').trim();
  if (clean === '') return '';
  return `${name}:${/\s/.test(clean) ? `"${clean}"` : clean}`;
}

/** `before:` excludes its day, while the form includes the last day. */
function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return Number.isNaN(date.getTime()) ? day : date.toISOString().slice(0, 10);
}
