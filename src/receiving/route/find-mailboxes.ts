/** The mailboxes of many addresses, by one statement, and what they have room for, by another one. */
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

/** A mailbox that mail is for. */
export interface RoutedMailbox {
  projectId: string;
  mailboxId: string;
  /** Its own address, without a tag, though an alias was asked for. */
  address: string;
  /** Its own, else its project's. */
  spamLevel: SpamLevel;
  /** Of what it wants done with its mail (`rules/filing.ts`); 0: nothing. */
  filingVersion: number;
  /** When it was looked for. */
  room: QuotaUse;
}

export interface RouteRecord {
  /** The claim that has the mail of the domain; null: none. */
  claim: MailClaim | null;
  /** One, but for an alias; none: nobody has the address. */
  mailboxes: readonly RoutedMailbox[];
}

type RouteQuery = Pick<ReceivedAddress, 'domain' | 'key'> & { at: number };

const ROUTE_QUERIES = rowsOf<RouteQuery>('a', {
  at: ['int4', ({ at }) => at],
  domain: ['text', ({ domain }) => domain],
  key: ['text', ({ key }) => key],
});

/** What is selected from `mailboxesOfClaim`. */
const ROUTED = columnsOf({
  projectId: 'uuid',
  id: 'uuid',
  localPart: 'text',
  domain: 'text',
  spamLevel: shaped<SpamLevel>('text'),
  filingVersion: 'int4',
});
/** The same beside the number of the address: where no mailbox has it, all else is null. */
const ASKED_AND_ROUTED = columnsOf({ at: 'int4', ...outer(ROUTED.kinds) });
type AskedAndRouted = RowOf<typeof ASKED_AND_ROUTED>;
type Routed = AskedAndRouted & RowOf<typeof ROUTED>;

const COLUMNS = sql`m.project_id, m.id, m.local_part, m.domain, m.spam_level, m.filing_version`;

/**
 * Of the claim and the address before it in the from clause, `claim.id` and `a.key`: the mailbox with the address, else those of the alias
 * with the address, else the catch-all. No catch-all gets what is sent to an address of the service itself.
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
        -- Attack: an answer to a mail of the service quotes the link in it.
        and not exists (select from service_senders s where s.domain = m.domain and s.local_part_key = a.key)
      order by rank fetch first 1 rows with ties
    ) mailbox on true`;
}

/** The columns of a `RoutedRow`. */
const ROUTED_COLUMNS = sql`
  a.at, mailbox.project_id, mailbox.id, mailbox.local_part, mailbox.domain, mailbox.filing_version,
  coalesce(mailbox.spam_level, (select p.default_spam_level from projects p where p.id = mailbox.project_id)) as spam_level`;

/** The mailboxes of such rows with what they have room for, by the number of the address. One that was deleted meanwhile is not there. */
async function readRouted(
  database: Database,
  rows: readonly AskedAndRouted[],
): Promise<Map<number, RoutedMailbox[]>> {
  const found = rows.filter((row): row is Routed => row.id !== null);
  const keys = new Map(found.map(({ projectId, id }) => [id, { projectId, mailboxId: id }]));
  const rooms =
    keys.size === 0 ? new Map<string, QuotaUse>() : await readQuotas(database, [...keys.values()]);
  const routed = new Map<number, RoutedMailbox[]>();
  for (const { at, projectId, id, localPart, domain, spamLevel, filingVersion } of found) {
    const room = rooms.get(id);
    if (room === undefined) continue;
    const address = `${localPart.normalize('NFC')}@${domain}`;
    const mailboxes = routed.get(at) ?? [];
    mailboxes.push({ projectId, mailboxId: id, address, spamLevel, filingVersion, room });
    routed.set(at, mailboxes);
  }
  return routed;
}

/**
 * Mail of a domain goes to the one claim that has it (`mailClaim`), and there to the mailbox or the alias with the address, else to
 * the catch-all. What the projects of the hosted domain have there is theirs alone: it has no catch-all, and its roles are the operator's.
 * @returns one for each address, in order
 */
export async function findMailboxes(
  database: Database,
  domains: MailDomains,
  asked: readonly Pick<ReceivedAddress, 'domain' | 'key'>[],
): Promise<RouteRecord[]> {
  const { rows } = await columnsOf({ ...MAIL_CLAIM.kinds, ...ASKED_AND_ROUTED.kinds }).sql`
    select ${MAIL_CLAIM_COLUMNS}, ${ROUTED_COLUMNS}
    from ${ROUTE_QUERIES.from(asked.map((address, at) => ({ ...address, at })))}
    ${mailClaim(domains)}
    ${mailboxesOfClaim()}`.execute(database);
  const routed = await readRouted(database, rows);
  const claims = new Map(rows.map((row) => [row.at, readMailClaim(row)]));
  return asked.map((_, at) => ({ claim: claims.get(at) ?? null, mailboxes: routed.get(at) ?? [] }));
}

/** Null: it was deleted. */
export async function findMailboxByKey(database: Database, key: MailboxKey): Promise<RoutedMailbox | null> {
  const row = await database
    .selectFrom('mailboxes')
    .innerJoin('projects', 'projects.id', 'mailboxes.projectId')
    .select(['localPart', 'domain', 'spamLevel', 'defaultSpamLevel', 'filingVersion'])
    .where('mailboxes.projectId', '=', key.projectId)
    .where('mailboxes.id', '=', key.mailboxId)
    .executeTakeFirst();
  const room = (await readQuotas(database, [key])).get(key.mailboxId);
  if (row === undefined || room === undefined) return null;
  const address = `${row.localPart.normalize('NFC')}@${row.domain}`;
  const { spamLevel, defaultSpamLevel, filingVersion } = row;
  return { ...key, address, spamLevel: spamLevel ?? defaultSpamLevel, filingVersion, room };
}
