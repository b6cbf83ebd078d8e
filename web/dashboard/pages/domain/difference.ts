/** Compares the records in DNS with the expected records. */
import type { DomainRecord } from '../../../../src/contract/domains.ts';

export type Difference = 'unasked' | 'none' | 'missing' | 'other' | 'extra' | 'unknown';

/** @returns `extra` if DNS has the expected record, and also another record that must not exist */
export function differenceOf(record: DomainRecord): Difference {
  if (record.status === 'pending') return 'unasked';
  if (record.status === 'temporary_failure') return 'unknown';
  if (record.status === 'verified') return 'none';
  if (record.found.length === 0) return 'missing';
  return record.found.includes(dataOf(record)) ? 'extra' : 'other';
}

/** The record data in DNS notation: MX and SRV data begin with the priority. */
export function dataOf({ priority, value }: Pick<DomainRecord, 'priority' | 'value'>): string {
  return priority === null ? value : `${priority} ${value}`;
}

/**
 * Splits a text found in DNS into the start shared with the expected text, the difference, and the shared end. If the
 * texts share neither start nor end, the difference is the whole text.
 */
export function compare(found: string, wanted: string): { head: string; middle: string; tail: string } {
  const most = Math.min(found.length, wanted.length);
  let head = 0;
  while (head < most && found[head] === wanted[head]) head++;
  let tail = 0;
  while (tail < most - head && found[found.length - 1 - tail] === wanted[wanted.length - 1 - tail]) tail++;
  return {
    head: found.slice(0, head),
    middle: found.slice(head, found.length - tail),
    tail: found.slice(found.length - tail),
  };
}

/** Where a term is in a text found in DNS: its last occurrence between blanks or semicolons, or else the last one. -1: nowhere. */
export function indexOfTerm(text: string, term: string): number {
  // Outside the text, `charAt` is empty.
  const isEnd = (at: number) => ' ;'.includes(text.charAt(at));
  for (let at = text.lastIndexOf(term); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(term, at - 1))
    if (isEnd(at - 1) && isEnd(at + term.length)) return at;
  return text.lastIndexOf(term);
}

/**
 * A name as DNS panels expect it: relative to the zone, with `@` for the zone itself. Names outside the zone stay
 * complete.
 */
export function relativeTo(name: string, zone: string): string {
  if (name === zone) return '@';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}
