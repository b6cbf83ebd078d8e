/**
 * The search terms that find the emails behind a number of Metrics: `outcome:`, `provider:`, `domain:` and `tag:=`; and
 * `queue:`, those of Start. They use the conditions by which these pages count, so that the emails of a link are those that the number counts.
 */
import { type RawBuilder, sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { Read } from '../../db/fair-reads.ts';
import type { EmailQuery, Outcome } from '../../model/email-query.ts';
import { EMAIL_STAGES, type EmailStage, rankOf } from '../../model/email-status.ts';
import type { QueueState } from '../../model/queue-states.ts';
import { IN_STATE } from '../../queue/states.ts';
import { EMAILS, type Filter, filtersOf } from '../../sending/read/list-filters.ts';
import { isAtProvider, providerNames, SENDER_DOMAIN } from '../counts/mailbox-providers.ts';
import { IS_HARD, IS_PERSON, ranksOf, STAGES_OF } from '../counts/outcomes.ts';

export type NumberTerms = Pick<EmailQuery, 'tags' | 'outcome' | 'domain' | 'provider' | 'queue'>;

interface OutcomeRule {
  stages: readonly EmailStage[];
  /** Whether one of the recipient's events must meet a condition, or none may. */
  event?: { is: RawBuilder<boolean>; isPresent: boolean };
}

const { delivered, opened, clicked, complained, bounced, failed } = STAGES_OF;

const RULES: Readonly<Record<Exclude<Outcome, 'any'>, OutcomeRule>> = {
  // The stage of a recipient is 0 before `delivered`.
  pending: { stages: ['queued'] },
  delivered: { stages: delivered },
  opened: { stages: opened },
  'opened-by-people': { stages: opened, event: { is: IS_PERSON, isPresent: true } },
  'opened-by-machines': { stages: opened, event: { is: IS_PERSON, isPresent: false } },
  clicked: { stages: clicked },
  complained: { stages: complained },
  bounced: { stages: bounced },
  hard: { stages: bounced, event: { is: IS_HARD, isPresent: true } },
  soft: { stages: bounced, event: { is: IS_HARD, isPresent: false } },
  failed: { stages: failed },
  undelivered: { stages: [...failed, ...bounced] },
  final: { stages: [...delivered, ...failed, ...bounced] },
};

/** Whether the terms concern recipients, so that their number says more than the number of emails. */
export function countsRecipients({ outcome, provider, queue }: NumberTerms): boolean {
  return outcome !== null || provider !== null || queue !== null;
}

export function hasNumberTerms(terms: NumberTerms): boolean {
  return countsRecipients(terms) || terms.domain !== null || terms.tags.length > 0;
}

/** @returns an error message if a term has an unknown value */
export function faultOf({ provider }: NumberTerms): string | null {
  return provider === null || isAtProvider(provider) !== null
    ? null
    : `provider:${provider} is not a mailbox provider; use one of ${providerNames().join(', ')}`;
}

export async function numberFilters(read: Read, projectId: string, terms: NumberTerms): Promise<Filter[]> {
  const { tags, domain } = terms;
  return [
    ...tags.flatMap((tag) => (tag === '' ? [WITHOUT_TAGS] : filtersOf({ tag }))),
    ...(domain === null ? [] : [await domainFilter(read, projectId, domain)]),
    ...recipientFilters(terms),
    ...(terms.queue === null ? [] : [queueFilter(terms.queue)]),
  ];
}

/** Few emails are in the queue, so its primary key finds them. Mail of mailboxes is in the queue too. */
function queueFilter(state: QueueState): Filter {
  const isIn = sql`queue where stream <> 'mailbox' and ${IN_STATE[state]}`;
  return {
    table: sql`(select distinct project_id, email_id from ${isIn}) q`,
    id: sql`q.email_id`,
    where: sql`true`,
    check: sql<boolean>`exists (select from ${isIn} and project_id = e.project_id and email_id = e.id)`,
  };
}

/** The maximum number of a project's senders that are read to find those of a domain, and of senders of a domain that an index finds. */
const MAX_SENDERS = 200;
const MAX_SENDERS_OF_DOMAIN = 20;

const SENDER = columnsOf({ sender: 'text?' });

/** Projects usually have few senders, and an index finds the emails of each. Otherwise, each email is tested. */
async function domainFilter(read: Read, projectId: string, domain: string): Promise<Filter> {
  const check = sql<boolean>`${SENDER_DOMAIN} = ${domain}`;
  const next = (after: RawBuilder<boolean>) => sql`
    (select sender_address from emails where project_id = ${projectId} and ${after} order by sender_address limit 1)`;
  const { rows } = await read((database) =>
    SENDER.sql`
      with recursive s (sender) as (
        select ${next(sql`true`)} union all select ${next(sql`sender_address > s.sender`)} from s where s.sender is not null
      )
      select sender from s limit ${MAX_SENDERS}`.execute(database),
  );
  const senders = rows
    .flatMap(({ sender }) => sender ?? [])
    .filter((sender) => sender.endsWith(`@${domain}`));
  if (rows.length === MAX_SENDERS || senders.length > MAX_SENDERS_OF_DOMAIN) return scanning(check);
  if (senders.length === 0) return { ...EMAILS, where: sql`false`, check: sql`false` };
  return {
    ...EMAILS,
    where: check,
    anyOf: senders.map((sender) => sql`e.sender_address = ${sender}`),
    check,
  };
}

const WITHOUT_TAGS = scanning(sql<boolean>`e.tags = '{}'`);

function scanning(check: RawBuilder<boolean>): Filter {
  return { ...EMAILS, where: check, scans: 'emails', check };
}

/** Outcome, provider and state of the queue must be those of the same recipient. */
function recipientFilters(terms: NumberTerms): Filter[] {
  const { outcome, provider, queue } = terms;
  const rule = outcome === null || outcome === 'any' ? null : RULES[outcome];
  const isAt = provider === null ? null : isAtProvider(provider);
  const mayHave = rule === null ? sql<boolean>`true` : mayMeet(rule);
  const check =
    isAt === null && queue === null && rule?.event === undefined
      ? mayHave
      : sql<boolean>`(${mayHave} and exists (
          select from email_recipients r
          where r.project_id = e.project_id and r.email_id = e.id and ${recipientCondition(terms)} offset 0))`;
  const ofProvider: Filter[] =
    isAt === null
      ? []
      : [
          {
            table: sql`email_recipients r`,
            id: sql`r.email_id`,
            where: isAt,
            scans: 'own',
            // The filter of the outcome tests both.
            ...(rule === null ? { check } : { rest: check, check: sql<boolean>`true` }),
          },
        ];
  if (rule === null) return ofProvider;
  const statuses = statusesWith(rule);
  return [
    ...(rule.event?.isPresent === true ? [withEvent(rule.event.is, check)] : []),
    ...ofProvider,
    statuses === null
      ? scanning(check)
      : {
          ...EMAILS,
          where: sql<boolean>`true`,
          anyOf: statuses.map((status) => sql<boolean>`e.status = ${sql.lit(rankOf(status))}`),
          rest: check,
          isLoose: true,
          check,
        },
  ];
}

/** A condition on a row `e` of `emails` that is quick to test, and true if one of the recipients meets the rule. */
function mayMeet({ stages, event }: OutcomeRule): RawBuilder<boolean> {
  const hasStage = sql<boolean>`e.stages && array[${ranksOf(stages)}]::int2[]`;
  return event?.isPresent === true
    ? sql<boolean>`${hasStage} and exists (
        select from events v where v.project_id = e.project_id and v.email_id = e.id and ${event.is} offset 0)`
    : hasStage;
}

/** If many emails have a status of the outcome, reading the events in sequence is faster than testing each email. */
function withEvent(is: RawBuilder<boolean>, check: RawBuilder<boolean>): Filter {
  return {
    table: sql`events v`,
    id: sql`v.email_id`,
    where: is,
    scans: 'own',
    rest: check,
    // The filter of the outcome tests it.
    check: sql`true`,
  };
}

/**
 * The statuses of all emails that have a recipient with one of the stages: from `opened` on, the highest stage of a recipient is the status of
 * the email. Null if it can be any status.
 */
function statusesWith({ stages }: OutcomeRule): EmailStage[] | null {
  const lowest = Math.min(...stages.map(rankOf));
  return lowest <= rankOf('delivered') ? null : EMAIL_STAGES.slice(lowest);
}

/** A condition on rows `e` of `emails` and `r` of `email_recipients`. */
function recipientCondition({ outcome, provider, queue }: NumberTerms): RawBuilder<boolean> {
  const conditions: RawBuilder<boolean>[] = [];
  const isAt = provider === null ? null : isAtProvider(provider);
  if (isAt !== null) conditions.push(isAt);
  if (queue !== null)
    conditions.push(sql<boolean>`exists (
      select from queue where project_id = r.project_id and email_id = r.email_id and recipient_index = r.recipient_index
        and ${IN_STATE[queue]})`);
  if (outcome !== null && outcome !== 'any') {
    const { stages, event } = RULES[outcome];
    conditions.push(sql<boolean>`e.stages[r.recipient_index + 1] in (${ranksOf(stages)})`);
    if (event !== undefined)
      conditions.push(sql<boolean>`${event.isPresent ? sql`` : sql`not`} exists (
        select from events v
        where v.project_id = e.project_id and v.email_id = e.id and v.recipient = r.address and ${event.is})`);
  }
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

const COUNT = columnsOf({ count: 'int4' });

/** Counts the recipients of emails that meet the terms. */
export async function countRecipients(
  database: Database,
  projectId: string,
  terms: NumberTerms,
  emailIds: readonly string[],
): Promise<number> {
  // `offset 0` as in `findAlong` of `find-emails.ts`.
  const { rows } = await COUNT.sql`
    select coalesce(sum(e.count), 0)::int as count
    from unnest(${uuidArray(emailIds)}::uuid[]) i(id)
    cross join lateral (
      select (
        select count(*) from email_recipients r
        where r.project_id = e.project_id and r.email_id = e.id and ${recipientCondition(terms)}
      ) as count
      from emails e where e.project_id = ${projectId} and e.id = i.id offset 0
    ) e`.execute(database);
  return rows[0]?.count ?? 0;
}
