/**
 * Edits the search text (docs/emails-search.md). The server parses the text; this file only adds and removes terms.
 */

import type { EmailOutcome, EmailQueueState } from '../../../../src/contract/dashboard/email-log.ts';

/** The allowed values of `status:`. */
export const STATUSES: readonly string[] = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'failed',
  'bounced',
  'complained',
];
/** The allowed values of `outcome:`. */
const OUTCOMES: readonly EmailOutcome[] = [
  'any',
  'pending',
  'delivered',
  'opened',
  'opened-by-people',
  'opened-by-machines',
  'clicked',
  'complained',
  'bounced',
  'hard',
  'soft',
  'failed',
  'undelivered',
  'final',
];
/** The allowed values of `queue:`. */
const QUEUE_STATES: readonly EmailQueueState[] = [
  'waiting',
  'untried',
  'in-flight',
  'deferred',
  'unavailable',
];
const STREAMS: readonly string[] = ['transactional', 'bulk'];
/** Matches a time that is not complete yet: `7` of `7d`, `2026-11-2` of `2026-11-20`, or a time of day without a zone. */
const TIME_BEGUN = /^(?:\d{1,5}|\d{4}-\d{0,2}|\d{4}-\d\d-\d?|\d{4}-\d\d-\d\dT[\d:.]*(?:[+-]\d{0,2}:?\d?)?)$/i;

/** The names of the fields. */
const FIELDS: readonly string[] =
  'to from subject tag stream outcome domain provider queue status since until id'.split(' ');
const TERMS = /(?:[a-z]+:)?"(?:[^"\\]|\\.)*"?|\S+/gi;
const WHOLE_ID = /^em_[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;

function termsOf(text: string): string[] {
  return text.match(TERMS) ?? [];
}

function isOf(term: string, field: string): boolean {
  return term.toLowerCase().startsWith(`${field}:`);
}

/** The value of a field in the search; empty if the search does not have the field. */
export function valueOf(text: string, field: string): string {
  const term = termsOf(text).find((each) => isOf(each, field));
  const value = term?.slice(field.length + 1) ?? '';
  return value.startsWith('"') ? value.slice(1).replace(/"$/, '').replace(/\\(.)/g, '$1') : value;
}

/** The search with a field set, or without the field if the value is empty. */
export function withValue(text: string, field: string, value: string): string {
  const others = termsOf(text).filter((term) => !isOf(term, field));
  return [...others, ...(value === '' ? [] : [termOf(field, value)])].join(' ');
}

function termOf(field: string, value: string): string {
  const isPlain = /^[^\s"\\]+$/.test(value);
  return `${field}:${isPlain ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
}

/** What a number counts. */
export interface Counted {
  outcome?: EmailOutcome;
  /** The start and the end of a time range, as ISO text. The end itself is not in it. */
  since?: string;
  until?: string;
  domain?: string;
  provider?: string;
  stream?: string;
  queue?: EmailQueueState;
  /** Tags that the email has exactly so. An empty one means no tags. */
  tags?: readonly string[];
}

/** The search that finds the emails behind a number. */
export function searchFor({ tags = [], since, until, ...fields }: Counted): string {
  const terms = Object.entries({ ...fields, since: minuteOf(since), until: minuteOf(until) });
  return [
    ...terms.flatMap(([field, value]) => (value === undefined ? [] : [termOf(field, value)])),
    ...tags.map((tag) => termOf('tag', `=${tag}`)),
  ].join(' ');
}

/** The ranges of numbers begin at full hours, so the text needs no seconds. */
function minuteOf(time: string | undefined): string | undefined {
  return time?.replace(/:00\.000Z$/, 'Z');
}

/** Whether the number of recipients matters, because the search is for something that each of them has. */
export function countsRecipients(text: string): boolean {
  return ['outcome', 'provider', 'queue'].some((field) => valueOf(text, field) !== '');
}

/** A term that looks like a field but is none, and the field that was probably meant. Null if there is none. */
export function mistakenField(text: string): { name: string; field: string } | null {
  for (const term of termsOf(text)) {
    const name = /^([a-z]{2,}):[^\s/]/i.exec(term)?.[1]?.toLowerCase() ?? '';
    if (name === '' || FIELDS.includes(name)) continue;
    const field = FIELDS.find((each) => each.length > 3 && isNear(name, each));
    if (field !== undefined) return { name, field };
  }
  return null;
}

/** Whether a word is the beginning of another one, or differs from it in one or two letters. */
function isNear(name: string, field: string): boolean {
  if (name.length >= 3 && field.startsWith(name)) return true;
  const differences = Math.abs(name.length - field.length);
  const common = [...name].filter((letter) => field.includes(letter)).length;
  return name[0] === field[0] && differences <= 2 && common >= field.length - 1;
}

/** Whether the last field has no value yet, or only the beginning of a value that must be complete. */
export function isUnfinished(text: string): boolean {
  const [, name = '', value] =
    /(?:^|\s)(to|from|subject|tag|stream|outcome|domain|provider|queue|status|since|until|id):"?([^\s"]*)$/i.exec(
      text,
    ) ?? [];
  if (value === undefined || value === '') return value === '';
  switch (name.toLowerCase()) {
    case 'status':
      return isBegun(value, STATUSES);
    case 'outcome':
      return isBegun(value, OUTCOMES);
    case 'queue':
      return isBegun(value, QUEUE_STATES);
    case 'stream':
      return isBegun(value, STREAMS);
    case 'since':
    case 'until':
      return TIME_BEGUN.test(value);
    default:
      return false;
  }
}

function isBegun(value: string, whole: readonly string[]): boolean {
  const typed = value.toLowerCase();
  return !whole.includes(typed) && whole.some((each) => each.startsWith(typed));
}

/** The email id if the search consists only of an id, otherwise null. */
export function idIn(text: string): string | null {
  const trimmed = text.trim();
  return WHOLE_ID.test(trimmed) ? `em_${trimmed.slice(3).toUpperCase()}` : null;
}
