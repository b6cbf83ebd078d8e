/** Suggests recipients by the beginnings of the words of a name or an address. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { escaped, hasWords, wordsOfQuery } from './address-words.ts';
import { harvest } from './harvest.ts';
import { MAX_SUGGESTIONS } from './limits.ts';

const KNOWN_PERSON = columnsOf({
  name: 'text?',
  address: 'text',
  source: shaped<'contact' | 'written' | 'received' | 'directory'>('text'),
});
export type KnownPerson = RowOf<typeof KNOWN_PERSON>;

/** The weight of a message halves in this time. */
const HALF_LIFE = sql.lit(30 * 86_400);
/** A message to a person weighs as much as this many messages from the person. */
const SENT_WEIGHT = sql.lit(5);
/** A contact that the owner saved weighs as much as this many messages from a person. */
const CONTACT_WEIGHT = sql.lit(2);
/** More messages from a person than this do not count: automatic mail is frequent. */
const MAX_RECEIVED = sql.lit(50);

/**
 * Suggestions, with people written to often and recently first. A person whose name or address begins with the query weighs more, and a
 * person of whom only the domain matches weighs less.
 * @param text the beginnings of words; empty for all people
 */
export async function findPeople(
  database: Database,
  mailbox: MailboxKey,
  text: string,
): Promise<KnownPerson[]> {
  await harvest(database, mailbox);
  const { projectId, mailboxId } = mailbox;
  const words = wordsOfQuery(text);
  const begins = ` ${escaped(words.join(' '))}%`;
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  const decayed = (column: 'written_at' | 'received_at') => sql`exp(-least(
    600, greatest(0, extract(epoch from now() - w.${sql.ref(column)})::float8) / ${HALF_LIFE} * ln(2::float8)))`;
  const { rows: known } = await KNOWN_PERSON.sql`
    select k.name, k.address, k.source from (
      select coalesce(c.name, w.name) as name, coalesce(a.address, w.address) as address,
        case when c.id is not null then 'contact' when w.written_at > 'epoch' then 'written' else 'received' end as source,
        coalesce(a.words, w.words) as words, coalesce(a.address_key, w.address_key) as key,
        coalesce((w.uses + case when w.written_at > 'epoch' then 1 else 0 end) * ${SENT_WEIGHT} * ${decayed('written_at')}, 0)
          + least(coalesce(w.received, 0), ${MAX_RECEIVED}) * ${decayed('received_at')}
          + case when c.id is not null then ${CONTACT_WEIGHT} else 0 end as weight
      from (select * from written_addresses where ${isOf}) w
      full join (select * from contact_addresses where ${isOf}) a on a.address_key = w.address_key
      left join contacts c on c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.id = a.contact_id) k
    where ${hasWords(sql`k.words`, words)}
    order by k.weight * case
        when k.words like ${begins} or k.key like ${begins.slice(1)} then 1.25
        when ${hasWords(sql`translate(split_part(k.words, '@', 1), '.-_+', '    ')`, words)} then 1
        else 0.2 end desc, k.address
    limit ${MAX_SUGGESTIONS}`.execute(database);
  if (words.length === 0 || known.length === MAX_SUGGESTIONS) return known;
  const seen = new Set(known.map(({ address }) => address.toLowerCase()));
  const members = (await findMembers(database, projectId, words.join(' '))).filter(
    ({ address }) => !seen.has(address.toLowerCase()),
  );
  return [...known, ...members].slice(0, MAX_SUGGESTIONS);
}

/** Finds people in the directory, if the project shows it to mailboxes. */
async function findMembers(database: Database, projectId: string, begins: string): Promise<KnownPerson[]> {
  const start = escaped(begins);
  const { rows } = await KNOWN_PERSON.sql`
    select p.name, p.email as address, 'directory' as source from people p
    where p.project_id = ${projectId} and exists (select from projects where id = ${projectId} and mail_directory)
      and (p.name ilike ${`${start}%`} or p.name ilike ${`% ${start}%`} or p.email ilike ${`${start}%`} or p.email ilike ${`%@${start}%`})
    order by p.name limit ${MAX_SUGGESTIONS}`.execute(database);
  return rows;
}
