/** Counts the outcomes of emails, grouped by dimensions such as domain and tag. */
import { type RawBuilder, sql } from 'kysely';
import { textArray } from '../../db/arrays.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { Read } from '../../db/fair-reads.ts';
import { timeOfId } from '../../db/time-of-id.ts';
import { HOUR_MS } from '../../model/day.ts';
import { type Dimension, type DimensionFilter, DIMENSIONS } from '../../model/dimensions.ts';
import { firstUuidAt, timeOf } from '../../model/ids.ts';
import type { StepPacer } from '../../sending/background-scan.ts';
import { LATENCY_BOUNDS_MS } from './latency.ts';
import {
  OTHER_PROVIDERS,
  PROVIDER_DOMAINS,
  PROVIDER_NAMES,
  RECIPIENT_DOMAIN,
  SENDER_DOMAIN,
} from './mailbox-providers.ts';
import { IS_HARD, IS_PERSON, REACHED } from './outcomes.ts';
import { numbersAs, type TallyPart, Tally } from './tally.ts';

/** The number of emails that one statement counts. The statement takes a few hundred milliseconds. */
const SLICE = 5_000;
/** The maximum number of tags counted by name in a slice. */
const SLICE_TAGS = 500;
/** The maximum number of values per dimension that the counts of an hour contain by name. */
const VALUES = 100;

const EMAIL_ID = columnsOf({ id: 'uuid' });

/** The outcomes of the emails that were accepted in an hour. */
export async function countEmails(
  database: Database,
  pace: StepPacer,
  projectId: string,
  from: Date,
  until: Date,
): Promise<TallyPart[]> {
  const end = firstUuidAt(until);
  const tally = new Tally(VALUES);
  for (let start: string | null = firstUuidAt(from); start !== null; ) {
    const first: string = start;
    const next: string | null = await pace(async () => {
      const firstAfter = await findFirstAfter(database, projectId, first, end);
      const slice = { projectId, from, stepMs: HOUR_MS, start: first, end: firstAfter ?? end };
      for (const { at: _, ...part } of await countSlice(database, slice, DIMENSIONS)) tally.add(part);
      return firstAfter;
    });
    start = next;
  }
  return tally.parts();
}

/** Outcomes of the emails of a step. */
export interface StepPart extends TallyPart {
  /** The number of the step. */
  at: number;
}

interface SteppedRange {
  projectId: string;
  /** The start of step 0. */
  from: Date;
  stepMs: number;
  filter?: DimensionFilter;
}

/** Counts all emails of a range in one statement. The range must have few emails. */
export async function countSteps(
  database: Database,
  range: SteppedRange,
  [since, until]: [Date, Date],
  dimensions: readonly Dimension[],
): Promise<StepPart[]> {
  const slice = { ...range, start: firstUuidAt(since), end: firstUuidAt(until) };
  return addedUp(await countSlice(database, slice, dimensions));
}

/** Adds up the parts of each step. */
function addedUp(parts: readonly StepPart[]): StepPart[] {
  const tallies = new Map<number, Tally>();
  for (const { at, ...part } of parts) {
    const tally = tallies.get(at) ?? new Tally(VALUES);
    tallies.set(at, tally);
    tally.add(part);
  }
  return [...tallies].flatMap(([at, tally]) => tally.parts().map((part) => ({ ...part, at })));
}

/** The newest emails of a range that could be counted. */
export interface NewestSteps {
  parts: StepPart[];
  /** All emails accepted from this time on were counted. The start of the range, if all of them were. */
  from: Date;
}

/**
 * Counts the emails of a range slice by slice, newest first.
 * @param mayContinue called before each slice
 */
export async function countNewestSteps(
  read: Read,
  range: SteppedRange,
  [since, until]: [Date, Date],
  dimensions: readonly Dimension[],
  mayContinue: () => boolean,
): Promise<NewestSteps> {
  const { projectId } = range;
  const first = firstUuidAt(since);
  let parts: StepPart[] = [];
  for (let end = firstUuidAt(until); ; ) {
    if (!mayContinue()) return { parts, from: new Date(timeOf(end).getTime() + 1) };
    const before = end;
    const start = (await read((database) => findSliceStart(database, projectId, first, before))) ?? first;
    const slice = { ...range, start, end };
    parts = addedUp([...parts, ...(await read((database) => countSlice(database, slice, dimensions)))]);
    if (start === first) return { parts, from: since };
    end = start;
  }
}

/**
 * Finds the first email after the slice that begins at `start`. A slice is a range of email ids, so that the events and recipients of its
 * emails can be read as ranges too.
 * @returns null if the slice is the last one
 */
async function findFirstAfter(
  database: Database,
  projectId: string,
  start: string,
  end: string,
): Promise<string | null> {
  const { rows } = await EMAIL_ID.sql`
    select id from emails where project_id = ${projectId} and id >= ${start} and id < ${end}
    order by id offset ${SLICE} limit 1`.execute(database);
  return rows[0]?.id ?? null;
}

/** Finds the first email of the slice that ends at `end`. @returns null if the slice contains all emails since `first` */
async function findSliceStart(
  database: Database,
  projectId: string,
  first: string,
  end: string,
): Promise<string | null> {
  const { rows } = await EMAIL_ID.sql`
    select id from emails where project_id = ${projectId} and id >= ${first} and id < ${end}
    order by id desc offset ${SLICE - 1} limit 1`.execute(database);
  return rows[0]?.id ?? null;
}

const EMAIL_COUNT = columnsOf({
  ...numbersAs('int4'),
  dimension: shaped<TallyPart['dimension']>('text'),
  value: 'text?',
  at: 'int4',
  /** The bucket of the delivery time. Null for an undelivered email. */
  bucket: 'int4?',
});

interface Slice extends SteppedRange {
  /** The ids of the emails: from `start` to before `end`. */
  start: string;
  end: string;
}

/** @param dimensions at least `all` */
async function countSlice(
  database: Database,
  { projectId, from, stepMs, start, end, filter = {} }: Slice,
  dimensions: readonly Dimension[],
): Promise<StepPart[]> {
  const grouped = dimensions.filter((name) => name !== 'all' && name !== 'tag');
  const nameOf = (of: (name: Dimension) => RawBuilder<unknown>, all: string) =>
    grouped.reduce<RawBuilder<unknown>>(
      (rest, name) => sql`case when grouping(${sql.ref(name)}) = 0 then ${of(name)} else ${rest} end`,
      sql.lit(all),
    );
  const byTag = sql`
    union all
    select 'tag', n.tag, at, bucket, ${NUMBERS_OF} from tagged left join named n using (tag) group by n.tag, at, bucket`;
  const { rows } = await EMAIL_COUNT.sql`
    with facts as (
      select email_id, recipient, min(${timeOfId(sql`id`)}) filter (where type = 'delivered') as delivered_at,
             bool_or(${IS_HARD}) as is_hard, bool_or(${IS_PERSON}) as is_person
      from events
      where project_id = ${projectId} and email_id >= ${start} and email_id < ${end}
        and type in ('delivered', 'bounced', 'opened', 'clicked')
      group by email_id, recipient
    ), sent as materialized (
      select * from (select (r.recipient_index = 0)::int as first, e.stages[r.recipient_index + 1] as stage, e.tags, 
             case when coalesce(e.is_bulk, (
               select c.stream = 'bulk' from email_contents c where c.project_id = e.project_id and c.email_id = e.id
             )) then 'bulk' else 'transactional' end as stream,
             floor((${timeOfId(sql`e.id`)} - ${from.getTime()}::float8) / ${stepMs}::float8)::int as at,
             ${SENDER_DOMAIN} as domain, p.name as provider, f.is_hard, f.is_person,
             width_bucket((f.delivered_at - coalesce(extract(epoch from e.scheduled_at) * 1000, ${timeOfId(sql`e.id`)}))::float8, ${bounds}) as bucket
      from emails e
      join email_recipients r on r.project_id = e.project_id and r.email_id = e.id
      left join facts f on f.email_id = e.id and f.recipient = r.address
      left join unnest(${textArray(PROVIDER_DOMAINS)}::text[], ${textArray(PROVIDER_NAMES)}::text[]) p (domain, name)
        on p.domain = ${RECIPIENT_DOMAIN}
      where e.project_id = ${projectId} and e.id >= ${start} and e.id < ${end}
        and r.project_id = ${projectId} and r.email_id >= ${start} and r.email_id < ${end}
      ) s where ${isWithin(filter)}
    ), tagged as materialized (
      select s.*, t.tag from sent s cross join lateral (
        select distinct tag from unnest(case when s.tags = '{}' then array[''] else s.tags end) u (tag)
      ) t
    ), named as (
      select tag from tagged group by tag order by count(*) desc, tag limit ${SLICE_TAGS}
    )
    select ${nameOf((name) => sql.lit(name), 'all')} as dimension, ${nameOf((name) => sql.ref(name), '')} as value, at, bucket, ${NUMBERS_OF}
    from sent group by grouping sets (${sql.join([
      sql`(at, bucket)`,
      ...grouped.map((name) => sql`(at, ${sql.ref(name)}, bucket)`),
    ])})
    ${dimensions.includes('tag') ? byTag : sql``}`.execute(database);
  return rows.map(({ value, bucket, ...row }) => ({
    ...row,
    value: value ?? '',
    isRest: value === null,
    latency: bucket === null ? [] : [...Array<number>(bucket).fill(0), row.recipients],
  }));
}

/** A condition on a row of `sent`. */
function isWithin({ domain, provider, stream, tag }: DimensionFilter): RawBuilder<boolean> {
  const conditions = [
    sql`true`,
    ...(domain === undefined ? [] : [sql`domain = ${domain}`]),
    ...(provider === undefined
      ? []
      : [provider === OTHER_PROVIDERS ? sql`provider is null` : sql`provider = ${provider}`]),
    ...(stream === undefined ? [] : [sql`stream = ${stream}`]),
    ...(tag === undefined ? [] : [sql`tags @> array[${tag}]::text[]`]),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

const bounds = sql`array[${sql.join(LATENCY_BOUNDS_MS.map((bound) => sql.lit(bound)))}]::float8[]`;

const count = (condition: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(count(*) filter (where ${condition}))::int`;

const NUMBERS_OF = sql`
  sum(first)::int as emails, count(*)::int as recipients, ${count(REACHED.delivered)} as delivered,
  ${count(sql`${REACHED.bounced} and is_hard is true`)} as bounced_hard,
  ${count(sql`${REACHED.bounced} and is_hard is not true`)} as bounced_soft,
  ${count(REACHED.complained)} as complained, ${count(REACHED.failed)} as failed,
  ${count(sql`${REACHED.opened} and is_person is true`)} as opened_by_people,
  ${count(sql`${REACHED.opened} and is_person is not true`)} as opened_by_machines,
  ${count(REACHED.clicked)} as clicked`;
