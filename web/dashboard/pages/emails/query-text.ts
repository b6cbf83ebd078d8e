/**
 * Edits the search text (docs/emails-search.md). The server parses the text; this file only adds and removes terms.
 */

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
const STREAMS: readonly string[] = ['transactional', 'bulk'];
/** Matches a time that is not complete yet: `7` of `7d`, `2026-11-2` of `2026-11-20`, or a time of day without a zone. */
const TIME_BEGUN = /^(?:\d{1,5}|\d{4}-\d{0,2}|\d{4}-\d\d-\d?|\d{4}-\d\d-\d\dT[\d:.]*(?:[+-]\d{0,2}:?\d?)?)$/i;

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
  const isPlain = /^[^\s"\\]+$/.test(value);
  const term = `${field}:${isPlain ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
  return [...others, ...(value === '' ? [] : [term])].join(' ');
}

/** Whether the last field has no value yet, or only the beginning of a value that must be complete. */
export function isUnfinished(text: string): boolean {
  const [, name = '', value] =
    /(?:^|\s)(to|from|subject|tag|stream|status|since|until|id):"?([^\s"]*)$/i.exec(text) ?? [];
  if (value === undefined || value === '') return value === '';
  switch (name.toLowerCase()) {
    case 'status':
      return isBegun(value, STATUSES);
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
