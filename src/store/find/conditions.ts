import { type RawBuilder, sql } from 'kysely';
import { FLAG } from '../flags.ts';
import { uidSet } from '../uid-ranges.ts';
import type { LeafMatches, Leaf } from './find-leaves.ts';
import type { MessageQuery, Period } from './message-query.ts';

type Condition = RawBuilder<boolean>;

const ALL: Condition = sql<boolean>`true`;
const NONE: Condition = sql<boolean>`false`;
const MAX_BITS = Object.values(FLAG).reduce((all, bit) => all | bit, 0);
const MAX_OCTETS = 2 ** 31 - 1;

/** The leaves of a query. See `Leaf`. */
export function leavesOf(query: MessageQuery): Leaf[] {
  if ('all' in query) return query.all.flatMap(leavesOf);
  if ('any' in query) return query.any.flatMap(leavesOf);
  if ('not' in query) return leavesOf(query.not);
  return 'text' in query || 'threadId' in query ? [query] : [];
}

/** The query as a condition on the row `m` of `messages`. The condition never evaluates to null. */
export function conditionOf(query: MessageQuery, found: LeafMatches): Condition {
  const of = (one: MessageQuery): Condition => conditionOf(one, found);
  if ('all' in query) return joined(cheapFirst(query.all).map(of), ' and ', ALL);
  if ('any' in query) return joined(cheapFirst(query.any).map(of), ' or ', NONE);
  if ('not' in query) return sql<boolean>`not ${of(query.not)}`;
  if ('text' in query || 'threadId' in query) return found.condition(query);
  if ('uids' in query) return sql<boolean>`m.uid <@ ${uidSet(query.uids)}::int4multirange`;
  if ('flags' in query) {
    const bits = sql.lit(query.flags & MAX_BITS);
    return sql<boolean>`m.flags & ${bits} = ${bits}`;
  }
  if ('keyword' in query)
    // Most messages have no keywords: skip the subquery for them.
    return sql<boolean>`(m.keywords <> '{}' and exists (
      select from unnest(m.keywords) k where lower(k collate "C") = lower(${query.keyword} collate "C")))`;
  if ('internalDate' in query) return within(sql`m.internal_date`, query.internalDate, 'timestamptz');
  if ('saveDate' in query) return within(sql`m.save_date`, query.saveDate, 'timestamptz');
  if ('sentOn' in query)
    return sql<boolean>`(select ${within(SENT_ON, query.sentOn, 'date')} from ${CONTENTS})`;
  if ('largerThan' in query) return sql<boolean>`m.octets > ${Math.min(query.largerThan, MAX_OCTETS)}::int`;
  if ('smallerThan' in query)
    return query.smallerThan > MAX_OCTETS ? ALL : sql<boolean>`m.octets < ${query.smallerThan}::int`;
  if ('modseqFrom' in query) return sql<boolean>`m.modseq >= ${query.modseqFrom}::int8`;
  return sql<boolean>`m.object_id = ${query.objectId}::uuid`;
}

/**
 * Sorts queries so that PostgreSQL, which evaluates conditions in order, reads contents last. Reading contents takes ten times as long as
 * all other conditions.
 */
function cheapFirst(queries: readonly MessageQuery[]): MessageQuery[] {
  return queries.toSorted((a, b) => Number(readsContents(a)) - Number(readsContents(b)));
}

function readsContents(query: MessageQuery): boolean {
  if ('all' in query) return query.all.some(readsContents);
  if ('any' in query) return query.any.some(readsContents);
  return 'not' in query ? readsContents(query.not) : 'sentOn' in query;
}

function joined(conditions: readonly Condition[], by: ' and ' | ' or ', none: Condition): Condition {
  return conditions.length === 0 ? none : sql<boolean>`(${sql.join(conditions, sql.raw(by))})`;
}

function within(
  value: RawBuilder<unknown>,
  period: Period<Date | string>,
  type: 'timestamptz' | 'date',
): Condition {
  const cast = sql.raw(`::${type}`);
  const bounds: Condition[] = [];
  if (period.from !== null) bounds.push(sql<boolean>`${value} >= ${period.from}${cast}`);
  if (period.before !== null) bounds.push(sql<boolean>`${value} < ${period.before}${cast}`);
  return joined(bounds, ' and ', ALL);
}

/**
 * Looks up the contents for each row that matches the other conditions. With a join PostgreSQL would read the contents of the whole
 * mailbox.
 */
export const CONTENTS = sql.raw(`message_contents c
  where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id`);
/** As in Dovecot, a missing or invalid date counts as 1970-01-01. */
const SENT_ON = sql.raw(`coalesce(c.sent_on, (c.sent_at at time zone 'UTC')::date, '1970-01-01')`);
