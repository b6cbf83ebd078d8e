/**
 * The people a mailbox has written to, for address suggestions. A suggestion is found by the beginning of any word of the name or address.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { normalForm } from '../../store/search/normal-form.ts';
import { mailboxOf, type TypedAddress } from './draft-content.ts';
import { MAX_WRITTEN_ADDRESSES } from './limits.ts';

const KNOWN_PERSON = columnsOf({
  name: 'text?',
  address: 'text',
  source: shaped<'written' | 'directory'>('text'),
});
export type KnownPerson = RowOf<typeof KNOWN_PERSON>;

const MAX_SUGGESTIONS = 10;
const MAX_NAME = 256;

interface Written {
  key: string;
  address: string;
  name: string | null;
  words: string;
}

const WRITTEN = rowsOf<Written>('w', {
  address_key: ['text', ({ key }) => key],
  address: ['text', ({ address }) => address],
  name: ['text', ({ name }) => name],
  words: ['text', ({ words }) => words],
});

/** Records that the mailbox has written to these people. Removes the oldest entries beyond the limit. */
export async function rememberWritten(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  people: readonly TypedAddress[],
): Promise<void> {
  const rows = new Map<string, Written>();
  for (const person of people) {
    const parsed = mailboxOf(person);
    if ('error' in parsed) continue;
    const { address, displayName } = parsed;
    const name = displayName === null || displayName === address ? null : displayName.slice(0, MAX_NAME);
    const key = address.toLowerCase();
    if (!rows.has(key)) rows.set(key, { key, address, name, words: wordsOf(name, address) });
  }
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  await sql`
    insert into written_addresses as a (project_id, mailbox_id, ${WRITTEN.names}, uses, written_at)
    select ${projectId}::uuid, ${mailboxId}::uuid, ${WRITTEN.values}, 1, ${clock.now()}::timestamptz from ${WRITTEN.from([...rows.values()])}
    on conflict (project_id, mailbox_id, address_key) do update set uses = a.uses + 1, written_at = excluded.written_at,
      name = coalesce(excluded.name, a.name),
      words = case when excluded.name is null then a.words else excluded.words end`.execute(tx);
  await sql`
    delete from written_addresses where ${isOf} and address_key in (
      select address_key from written_addresses where ${isOf} order by written_at desc offset ${MAX_WRITTEN_ADDRESSES})`.execute(
    tx,
  );
}

/** Suggestions, with people written to often and recently first. @param text the beginning of a word; empty for all people */
export async function findPeople(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  text: string,
): Promise<KnownPerson[]> {
  const begins = normalForm(text).trim();
  const pattern = `% ${begins.replace(/[\\%_]/g, '\\$&')}%`;
  const { rows: written } = await KNOWN_PERSON.sql`
    select name, address, 'written' as source from written_addresses
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and words like ${pattern}
    -- The weight of a use halves every 30 days.
    order by uses * power(0.5, extract(epoch from now() - written_at) / 2592000) desc, address limit ${MAX_SUGGESTIONS}`.execute(
    database,
  );
  if (begins === '' || written.length === MAX_SUGGESTIONS) return written;
  const known = new Set(written.map(({ address }) => address.toLowerCase()));
  const members = (await findMembers(database, projectId, begins)).filter(
    ({ address }) => !known.has(address.toLowerCase()),
  );
  return [...written, ...members].slice(0, MAX_SUGGESTIONS);
}

/** Finds people in the directory, if the project shows it to mailboxes. */
async function findMembers(database: Database, projectId: string, begins: string): Promise<KnownPerson[]> {
  const start = begins.replace(/[\\%_]/g, '\\$&');
  const { rows } = await KNOWN_PERSON.sql`
    select p.name, p.email as address, 'directory' as source from people p
    where p.project_id = ${projectId} and exists (select from projects where id = ${projectId} and mail_directory)
      and (p.name ilike ${`${start}%`} or p.name ilike ${`% ${start}%`} or p.email ilike ${`${start}%`} or p.email ilike ${`%@${start}%`})
    order by p.name limit ${MAX_SUGGESTIONS}`.execute(database);
  return rows;
}

/** The words, each preceded by a space, so that one condition matches the beginning of any word. */
function wordsOf(name: string | null, address: string): string {
  const parts = address.split(/[@.\-_+]+/);
  return ` ${normalForm(
    `${name ?? ''} ${address} ${address.slice(address.indexOf('@') + 1)} ${parts.join(' ')}`,
  )
    .replace(/[\s"'(),]+/g, ' ')
    .trim()} `;
}
