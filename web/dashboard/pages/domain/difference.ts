/** What DNS has beside what it should have. */
import type { DomainRecord } from '../../../../src/contract/domains.ts';

export type Difference = 'unasked' | 'none' | 'missing' | 'other' | 'extra' | 'unknown';

/** @returns `extra`: the record is there, and something beside it that must not be */
export function differenceOf(record: DomainRecord): Difference {
  if (record.status === 'pending') return 'unasked';
  if (record.status === 'temporary_failure') return 'unknown';
  if (record.status === 'verified') return 'none';
  if (record.found.length === 0) return 'missing';
  return record.found.includes(dataOf(record)) ? 'extra' : 'other';
}

/** As DNS tells the record: an MX or SRV record with its priority in front. */
export function dataOf({ priority, value }: Pick<DomainRecord, 'priority' | 'value'>): string {
  return priority === null ? value : `${priority} ${value}`;
}

/**
 * Of a text that DNS has: what it begins with and ends with as it should, and what is different between.
 * A text with nothing in common is different as a whole.
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

/** A name as panels take it: relative to their zone, of which `@` is the top. Names outside of the zone stay in full. */
export function relativeTo(name: string, zone: string): string {
  if (name === zone) return '@';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}
