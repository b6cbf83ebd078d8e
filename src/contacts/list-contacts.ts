/** Lists the people that a mailbox knows: saved contacts, people found in its mail, and the directory. */
import { type RawBuilder, sql } from 'kysely';
import type { Contact, ContactList, ContactsQuery } from '../contract/mail/contacts.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { escaped, hasWords, wordsOfQuery } from './address-words.ts';
import { harvest } from './harvest.ts';
import { MAX_CONTACTS, MAX_LISTED_MEMBERS } from './limits.ts';

const PERSON = columnsOf({
  id: 'uuid?',
  source: shaped<Contact['source']>('text'),
  name: 'text?',
  note: 'text',
  addresses: 'text[]',
  total: 'int4',
});

/** Reads mail that is new since the last request for addresses before it lists them. */
export async function listContacts(
  database: Database,
  mailbox: MailboxKey,
  { q = '', at, limit }: ContactsQuery,
): Promise<ContactList> {
  const isComplete = await harvest(database, mailbox);
  const rows = await readPeople(database, mailbox, {
    fits: (words) => hasWords(words, wordsOfQuery(q)),
    directory: { words: wordsOfQuery(q) },
    at,
    limit,
  });
  return { data: rows.map(contactBody), total: rows[0]?.total ?? 0, is_complete: isComplete };
}

/** The person with an address. @throws AppError not-found */
export async function findContact(
  database: Database,
  mailbox: MailboxKey,
  address: string,
): Promise<Contact> {
  const key = address.toLowerCase();
  const [found] = await readPeople(database, mailbox, {
    fits: (_, addressKey) => sql`${addressKey} = ${key}`,
    directory: { key },
    at: 0,
    limit: 1,
  });
  if (found === undefined) throw new AppError('not-found', 'The mailbox does not know this address.');
  return contactBody(found);
}

/** All people except those of the directory. */
export async function allContacts(database: Database, mailbox: MailboxKey): Promise<Contact[]> {
  const rows = await readPeople(database, mailbox, {
    fits: () => sql`true`,
    directory: null,
    at: 0,
    limit: 2 * MAX_CONTACTS,
  });
  return rows.map(contactBody);
}

interface PeopleQuery {
  /** The condition on an address and its words. */
  fits(words: RawBuilder<unknown>, key: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Null: without the directory. */
  directory: { words: readonly string[] } | { key: string } | null;
  at: number;
  limit: number;
}

/** The words of an address begin with the name, so they also sort the list. */
async function readPeople(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { fits, directory, at, limit }: PeopleQuery,
): Promise<RowOf<typeof PERSON>[]> {
  const isOf = (table: 'a' | 'c' | 'w') =>
    sql`${sql.ref(`${table}.project_id`)} = ${projectId} and ${sql.ref(`${table}.mailbox_id`)} = ${mailboxId}`;
  const known = (key: RawBuilder<unknown>) => sql`exists (
    select from contact_addresses a where ${isOf('a')} and a.address_key = ${key})`;
  const members =
    directory === null
      ? sql``
      : sql`union all (
          select null, 'directory', p.name, '', array[p.email], ' ' || lower(p.name) from people p
          where p.project_id = ${projectId} and exists (select from projects where id = ${projectId} and mail_directory)
            and ${'key' in directory ? sql`p.email_key = ${directory.key}` : isMemberNamed(directory.words)}
            and not ${known(sql`p.email_key`)}
            and not exists (select from written_addresses w where ${isOf('w')} and w.address_key = p.email_key)
          order by p.name limit ${MAX_LISTED_MEMBERS})`;
  const { rows } = await PERSON.sql`
    select k.id, k.source, k.name, k.note, k.addresses, (count(*) over ())::int as total from (
      select c.id, 'contact' as source, c.name, c.note, x.addresses, x.sort from contacts c
      cross join lateral (
        select array_agg(a.address order by a.position) as addresses, min(a.words collate "C") as sort,
          bool_or(${fits(sql`a.words`, sql`a.address_key`)}) as fits
        from contact_addresses a where ${isOf('a')} and a.contact_id = c.id) x
      where ${isOf('c')} and x.fits
      union all
      select null, 'mail', w.name, '', array[w.address], w.words from written_addresses w
      where ${isOf('w')} and ${fits(sql`w.words`, sql`w.address_key`)} and not ${known(sql`w.address_key`)}
      ${members}) k
    order by k.sort collate "C", k.addresses[1] collate "C" offset ${at} limit ${limit}`.execute(database);
  return rows;
}

function isMemberNamed(words: readonly string[]): RawBuilder<unknown> {
  if (words.length === 0) return sql`true`;
  return sql.join(
    words.map((word) => {
      const start = escaped(word);
      return sql`(p.name ilike ${`${start}%`} or p.name ilike ${`% ${start}%`} or p.email ilike ${`${start}%`} or p.email ilike ${`%@${start}%`})`;
    }),
    sql` and `,
  );
}

function contactBody({ id, source, name, note, addresses }: Omit<RowOf<typeof PERSON>, 'total'>): Contact {
  return { id: id === null ? null : encodeId('ctc', id), source, name, note, addresses };
}
