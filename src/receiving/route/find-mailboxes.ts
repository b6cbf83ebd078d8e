/** Looks up the mailboxes and routes of many addresses in one statement, and the free space of the mailboxes in another. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, outer, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import {
  MAIL_CLAIM,
  MAIL_CLAIM_COLUMNS,
  type MailClaim,
  mailClaim,
  type MailDomains,
  readMailClaim,
} from '../../domains/mx/mail-claim.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { type QuotaUse, readQuotas } from '../../store/usage.ts';
import type { ReceivedAddress } from './read-address.ts';
import { addressOf, ROLE_KEYS } from '../../mailboxes/local-part.ts';

/** A mailbox that mail is addressed to. */
export interface RoutedMailbox {
  projectId: string;
  mailboxId: string;
  /** The mailbox's own address without a tag, even if the mail was addressed to an alias. */
  address: string;
  /** The mailbox's own setting, or the project's setting if it has none. */
  spamLevel: SpamLevel;
  /** The version of the mailbox's filters (`rules/mailbox-filters.ts`); 0 for a mailbox without filters. */
  filingVersion: number;
  /** The free space at the time of the look-up. */
  usage: QuotaUse;
}

/** A route that gets mail (docs/routes.md). */
export interface MatchingRoute {
  projectId: string;
  routeId: string;
  /** The mailbox whose mail the route gets. Null: the route gets the mail itself, because no mailbox has the address. */
  mailboxId: string | null;
  /** If not null, the route gets only mail to addresses with this tag. */
  tag: string | null;
}

export interface RouteRecord {
  /** The claim that receives the domain's mail, or null. */
  claim: MailClaim | null;
  /** Several mailboxes for an alias. Empty if no mailbox or alias has the address. */
  mailboxes: readonly RoutedMailbox[];
  routes: readonly MatchingRoute[];
}

type RouteQuery = Pick<ReceivedAddress, 'domain' | 'key'> & { at: number };

const ROUTE_QUERIES = rowsOf<RouteQuery>('a', {
  at: ['int4', ({ at }) => at],
  domain: ['text', ({ domain }) => domain],
  key: ['text', ({ key }) => key],
});

/** The columns that `mailboxesOfClaim` selects. */
const ROUTED = columnsOf({
  projectId: 'uuid',
  id: 'uuid',
  localPart: 'text',
  domain: 'text',
  spamLevel: shaped<SpamLevel>('text'),
  filingVersion: 'int4',
});
/** The routes of a `RouteRow`: those of the mailbox, or those of an address without a mailbox. */
const ROUTES = columnsOf({ routes: shaped<MatchingRoute[] | null>('json?') });
/** The columns of `ROUTED` with the position of the address. All other columns are null if no mailbox has the address. */
const ROUTE_ROW = columnsOf({ at: 'int4', ...outer(ROUTED.kinds), ...ROUTES.kinds });
type RouteRow = RowOf<typeof ROUTE_ROW>;
type Routed = RouteRow & RowOf<typeof ROUTED>;

const COLUMNS = sql`m.project_id, m.id, m.local_part, m.domain, m.spam_level, m.filing_version, m.api_access`;

/**
 * Joins the mailboxes of an address in SQL: the mailbox with the address, or the mailboxes of the alias with the address, or the
 * catch-all. The tables before the join provide `claim.id` and `a.key`. Mail to an address of the service itself, or of a route, never
 * reaches a catch-all.
 */
function mailboxesOfClaim(): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select 0 as rank, ${COLUMNS} from mailboxes m where m.domain_id = claim.id and m.local_part_key = a.key
      union all select 1, ${COLUMNS} from aliases l
        join alias_mailboxes t on t.project_id = l.project_id and t.alias_id = l.id
        join mailboxes m on m.project_id = t.project_id and m.id = t.mailbox_id
        where l.domain_id = claim.id and l.local_part_key = a.key
      union all select 2, ${COLUMNS} from mailboxes m where m.domain_id = claim.id and m.is_catch_all
        -- Attack: a reply to a mail of the service quotes the link in it.
        and not exists (select from service_senders s where s.domain = m.domain and s.local_part_key = a.key)
        and not exists (select from routes r where r.kind = 'address' and r.domain_id = claim.id and r.local_part_key = a.key)
      order by rank fetch first 1 rows with ties
    ) mailbox on true`;
}

/**
 * Joins the routes in SQL: those of the mailbox that the join before found, or the one that owns the address, or the one of the domain. Mail
 * to an address of the service itself, or to a role address, never reaches a route without a mailbox. Attack: a certification authority
 * mails proof of ownership to `postmaster`.
 */
function matchingRoutes(): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select json_agg(json_build_object('projectId', r.project_id, 'routeId', r.id, 'mailboxId', r.mailbox_id, 'tag', r.tag)) as routes
      from (
        select r.project_id, r.id, r.mailbox_id, r.tag from routes r
        where mailbox.api_access and r.kind = 'mailbox' and r.project_id = mailbox.project_id and r.mailbox_id = mailbox.id
        union all (
          select r.project_id, r.id, null, null from routes r
          where mailbox.id is null and r.domain_id = claim.id and a.key not in (${sql.join([...ROLE_KEYS])})
            and (r.kind = 'address' and r.local_part_key = a.key or r.kind = 'domain')
            and not exists (select from service_senders s where s.domain = claim.name and s.local_part_key = a.key)
          order by r.kind limit 1
        )
      ) r
    ) route on true`;
}

/** The columns of a `RouteRow`. */
const ROUTED_COLUMNS = sql`
  a.at, mailbox.project_id, mailbox.id, mailbox.local_part, mailbox.domain, mailbox.filing_version,
  coalesce(mailbox.spam_level, (select p.default_spam_level from projects p where p.id = mailbox.project_id)) as spam_level,
  route.routes`;

/** The mailboxes with their free space, by the position of the address. Omits mailboxes that were deleted in the meantime. */
async function readRouted(
  database: Database,
  rows: readonly RouteRow[],
): Promise<Map<number, RoutedMailbox[]>> {
  const found = rows.filter((row): row is Routed => row.id !== null);
  const keys = new Map(found.map(({ projectId, id }) => [id, { projectId, mailboxId: id }]));
  const usages =
    keys.size === 0 ? new Map<string, QuotaUse>() : await readQuotas(database, [...keys.values()]);
  const routed = new Map<number, RoutedMailbox[]>();
  for (const { at, projectId, id, localPart, domain, spamLevel, filingVersion } of found) {
    const usage = usages.get(id);
    if (usage === undefined) continue;
    const address = addressOf({ localPart, domain });
    const mailboxes = routed.get(at) ?? [];
    mailboxes.push({ projectId, mailboxId: id, address, spamLevel, filingVersion, usage });
    routed.set(at, mailboxes);
  }
  return routed;
}

/**
 * Mail for a domain goes to the one claim that receives it (`mailClaim`): there to the mailbox, alias or route with the address, else to the
 * catch-all, else to the route of the domain. Routes of a mailbox also get its mail. The hosted domain is shared by projects: it has no
 * catch-all, and its role addresses belong to the operator.
 * @returns one record per address, in order
 */
export async function findMailboxes(
  database: Database,
  domains: MailDomains,
  queries: readonly Pick<ReceivedAddress, 'domain' | 'key'>[],
): Promise<RouteRecord[]> {
  const { rows } = await columnsOf({ ...MAIL_CLAIM.kinds, ...ROUTE_ROW.kinds }).sql`
    select ${MAIL_CLAIM_COLUMNS}, ${ROUTED_COLUMNS}
    from ${ROUTE_QUERIES.from(queries.map((address, at) => ({ ...address, at })))}
    ${mailClaim(domains)}
    ${mailboxesOfClaim()}
    ${matchingRoutes()}`.execute(database);
  const routed = await readRouted(database, rows);
  const routes = Map.groupBy(rows, ({ at }) => at);
  const claims = new Map(rows.map((row) => [row.at, readMailClaim(row)]));
  return queries.map((_, at) => ({
    claim: claims.get(at) ?? null,
    mailboxes: routed.get(at) ?? [],
    routes: (routes.get(at) ?? []).flatMap((row) => row.routes ?? []),
  }));
}

/** @returns null if the mailbox was deleted */
export async function findMailboxByKey(database: Database, key: MailboxKey): Promise<RoutedMailbox | null> {
  const row = await database
    .selectFrom('mailboxes')
    .innerJoin('projects', 'projects.id', 'mailboxes.projectId')
    .select(['localPart', 'domain', 'spamLevel', 'defaultSpamLevel', 'filingVersion'])
    .where('mailboxes.projectId', '=', key.projectId)
    .where('mailboxes.id', '=', key.mailboxId)
    .executeTakeFirst();
  const usage = (await readQuotas(database, [key])).get(key.mailboxId);
  if (row === undefined || usage === undefined) return null;
  const address = addressOf(row);
  const { spamLevel, defaultSpamLevel, filingVersion } = row;
  return { ...key, address, spamLevel: spamLevel ?? defaultSpamLevel, filingVersion, usage };
}
