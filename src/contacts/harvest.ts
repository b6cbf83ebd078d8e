/**
 * Finds the people in the mail of a mailbox. Nothing is done when mail is filed or sent: a request for contacts first reads the messages that
 * were added since the last such request, in slices of limited duration (docs/decisions/0156-contacts.md).
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import { isOwnAddress, ownAddresses, type OwnAddresses } from '../mailboxes/own-addresses.ts';
import * as clock from '../model/clock.ts';
import { firstUuidAt, NIL_UUID } from '../model/ids.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import type { MessageFacts, NamedAddress } from '../store/facts/message-facts.ts';
import { FLAG } from '../store/flags.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import {
  addFound,
  digestOf,
  type FoundAddress,
  FoundAddresses,
  type Person,
  rememberAgain,
} from './found-addresses.ts';
import { TIMINGS } from './timings.ts';

/** Older messages are not read: their authors and recipients hardly matter for suggestions. */
const MAX_MESSAGES = 20_000;
/** Messages per transaction, about 10 ms. */
const SLICE = 500;
/** A message with more recipients was not written to people whom its author knows. */
const MAX_RECIPIENTS = 50;

/** Header fields of mailing lists and automatic mail, in the text of `store/facts/header-text.ts`. */
const AUTOMATIC =
  '\n(list-id|list-post|list-unsubscribe|feedback-id|x-auto-response-suppress): |\nauto-submitted: auto|\nprecedence: (bulk|list|junk)';
/** Local parts of addresses that no person reads. */
const NO_PERSON =
  /(?:^|[._+-])(?:no[._-]?reply|do[._-]?not[._-]?reply|mailer-daemon|postmaster|bounces?|notifications?)(?:$|[._+@=-])/i;

const UNTIL = columnsOf({ until: 'uuid' });
const MESSAGE = columnsOf({
  objectId: 'uuid',
  addresses: shaped<Pick<MessageFacts, 'from' | 'to' | 'cc' | 'bcc'>>('json'),
  at: 'timestamptz',
  isSent: 'bool',
  isLeftOut: 'bool',
});
type Message = RowOf<typeof MESSAGE>;

/**
 * Reads new mail for addresses, until all of it was read or the budget is used.
 * @returns whether all mail was read
 */
export async function harvest(
  database: Database,
  mailbox: MailboxKey,
  {
    minAgeMs,
    budgetMs,
  }: Pick<typeof TIMINGS, 'minAgeMs' | 'budgetMs'> | { minAgeMs: number; budgetMs: number } = TIMINGS,
): Promise<boolean> {
  const before = firstUuidAt(new Date(clock.nowMs() - minAgeMs));
  const endsAt = performance.now() + budgetMs;
  if (!(await hasNew(database, mailbox, before))) return true;
  const own = await ownAddresses(database, mailbox.projectId, mailbox.mailboxId);
  if (own.length === 0) return true;
  for (;;) {
    const more = await retryingConflicts(() =>
      database.transaction().execute((tx) => harvestSlice(tx, mailbox, own, before)),
    );
    if (more !== true) return more === false;
    if (performance.now() > endsAt) return false;
  }
}

async function hasNew(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  before: string,
): Promise<boolean> {
  const { rows } = await UNTIL.sql`
    select object_id as until from message_contents
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and object_id < ${before} and object_id > coalesce(
      (select harvested_until from contact_harvests where project_id = ${projectId} and mailbox_id = ${mailboxId}), ${NIL_UUID})
    limit 1`.execute(database);
  return rows.length > 0;
}

/** @returns whether there are more messages; null if another process reads the mailbox */
async function harvestSlice(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  own: OwnAddresses,
  before: string,
): Promise<boolean | null> {
  const { projectId, mailboxId } = mailbox;
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  await beginHarvest(tx, mailbox);
  const { rows: locked } = await UNTIL.sql`
    select harvested_until as until from contact_harvests where ${isOf} for update skip locked`.execute(tx);
  const [last] = locked;
  if (last === undefined) return null;
  const { rows } = await MESSAGE.sql`
    select c.object_id, c.addresses, m.at, m.is_sent, (m.is_left_out or coalesce(c.header, '') ~ ${AUTOMATIC}) as is_left_out
    from (
      select object_id, addresses, header from message_contents
      where ${isOf} and object_id > ${last.until} and object_id < ${before} order by object_id limit ${SLICE}) c
    cross join lateral (
      select coalesce(max(m.internal_date), now()) as at, coalesce(bool_or(f.role = 'sent'), false) as is_sent,
        coalesce(bool_and(f.role in ('junk', 'trash')), true) or bool_or(m.flags & ${sql.lit(FLAG.draft)} <> 0) as is_left_out
      from messages m join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.id = m.folder_id
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = c.object_id) m
    order by c.object_id`.execute(tx);
  const people = await withoutForgotten(tx, mailbox, peopleIn(rows, own));
  await addFound(tx, mailbox, people);
  const end = rows.at(-1)?.objectId;
  if (end !== undefined)
    await sql`update contact_harvests set harvested_until = ${end} where ${isOf}`.execute(tx);
  return rows.length === SLICE;
}

/** Creates the row that locks the contacts of a mailbox. Mail before the newest `MAX_MESSAGES` messages is never read. */
export async function beginHarvest(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<void> {
  await sql`
    insert into contact_harvests (project_id, mailbox_id, harvested_until)
    select ${projectId}, ${mailboxId}, coalesce((
      select object_id from message_contents where project_id = ${projectId} and mailbox_id = ${mailboxId}
      order by object_id desc offset ${MAX_MESSAGES} limit 1), ${NIL_UUID})
    where not exists (select from contact_harvests where project_id = ${projectId} and mailbox_id = ${mailboxId})
    on conflict do nothing`.execute(tx);
}

function peopleIn(messages: readonly Message[], own: OwnAddresses): FoundAddress[] {
  const found = new FoundAddresses();
  for (const { addresses, at, isSent, isLeftOut } of messages) {
    if (isLeftOut) continue;
    const to = [...addresses.to, ...addresses.cc, ...addresses.bcc];
    const named = isSent ? (to.length > MAX_RECIPIENTS ? [] : to) : addresses.from.slice(0, 1);
    for (const one of named) {
      const person = personOf(one, own);
      if (person !== null) found.add(person, isSent ? 'sent' : 'received', at);
    }
  }
  return found.sorted();
}

/** Null for an own address, an address that no person reads, and an address that is invalid. */
function personOf({ name, address }: NamedAddress, own: OwnAddresses): Person | null {
  const parsed = parseMailbox(address);
  if ('error' in parsed || isOwnAddress(parsed, own) || NO_PERSON.test(parsed.localPart)) return null;
  return { address: parsed.address, displayName: name.trim() === '' ? null : name.trim() };
}

/** Leaves out forgotten addresses, except those that the mailbox has written to since. */
async function withoutForgotten(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  people: readonly FoundAddress[],
): Promise<readonly FoundAddress[]> {
  if (people.length === 0) return people;
  const digests = new Map(people.map((person) => [digestOf(mailbox, person.key).toString('hex'), person]));
  const forgotten = await tx
    .selectFrom('forgottenAddresses')
    .select(['digest', 'forgottenAt'])
    .where('projectId', '=', mailbox.projectId)
    .where('mailboxId', '=', mailbox.mailboxId)
    .where(
      'digest',
      'in',
      [...digests.keys()].map((hex) => Buffer.from(hex, 'hex')),
    )
    .execute();
  const again: string[] = [];
  for (const { digest, forgottenAt } of forgotten) {
    const hex = digest.toString('hex');
    const person = digests.get(hex);
    if (person !== undefined && person.sentAt > forgottenAt) again.push(person.key);
    else digests.delete(hex);
  }
  await rememberAgain(tx, mailbox, again);
  return [...digests.values()];
}
