/** Addresses that were found in the mail of a mailbox, with the number of messages to them and from them. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import type { MailboxAddress } from '../rfc/address/index.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { wordsOf } from './address-words.ts';
import { MAX_CONTACTS, MAX_FOUND_NAME } from './limits.ts';

export type Person = Pick<MailboxAddress, 'address' | 'displayName'>;

export interface FoundAddress {
  key: string;
  address: string;
  name: string | null;
  /** The number of messages that the mailbox sent to the address. */
  sent: number;
  /** The epoch if there is none. */
  sentAt: Date;
  /** The number of messages that the mailbox received from the address. */
  received: number;
  receivedAt: Date;
}

const EPOCH = new Date(0);

const FOUND = rowsOf<FoundAddress>('f', {
  address_key: ['text', ({ key }) => key],
  address: ['text', ({ address }) => address],
  name: ['text', ({ name }) => name],
  words: ['text', ({ name, address }) => wordsOf(name, address)],
  uses: ['int4', ({ sent }) => sent],
  written_at: ['timestamptz', ({ sentAt }) => sentAt],
  received: ['int4', ({ received }) => received],
  received_at: ['timestamptz', ({ receivedAt }) => receivedAt],
});

/** Counts the messages of one batch by address. */
export class FoundAddresses {
  readonly #found = new Map<string, FoundAddress>();

  add({ address, displayName }: Person, kind: 'sent' | 'received', at: Date): void {
    const key = address.toLowerCase();
    const name =
      displayName === null || displayName === address ? null : displayName.slice(0, MAX_FOUND_NAME);
    const found = this.#found.get(key) ?? {
      key,
      address,
      name: null,
      sent: 0,
      sentAt: EPOCH,
      received: 0,
      receivedAt: EPOCH,
    };
    // Names that the owner typed or saw when writing count more than names that strangers choose.
    if (name !== null && (kind === 'sent' || found.sent === 0)) found.name = name;
    if (kind === 'sent') {
      found.sent++;
      if (at > found.sentAt) found.sentAt = at;
    } else {
      found.received++;
      if (at > found.receivedAt) found.receivedAt = at;
    }
    this.#found.set(key, found);
  }

  /** In the order of their keys, so that transactions lock rows in the same order. */
  sorted(): FoundAddress[] {
    return [...this.#found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

/** The digest by which a forgotten address is recognized. */
export function digestOf({ mailboxId }: MailboxKey, key: string): Buffer {
  return hash('sha256', `${mailboxId} ${key}`, 'buffer');
}

/**
 * Adds the counts to those that are stored. Beyond the limit, the addresses used least recently are removed.
 * @param people in the order of their keys
 */
export async function addFound(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  people: readonly FoundAddress[],
): Promise<void> {
  if (people.length === 0) return;
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  // A name of received mail never replaces a name: a stranger could rename a person whom the owner knows.
  const newName = sql`(excluded.name is not null and (excluded.written_at > 'epoch' or a.name is null))`;
  await sql`
    insert into written_addresses as a (project_id, mailbox_id, ${FOUND.names})
    select ${projectId}::uuid, ${mailboxId}::uuid, ${FOUND.values} from ${FOUND.from(people)}
    on conflict (project_id, mailbox_id, address_key) do update set
      uses = a.uses + excluded.uses, written_at = greatest(a.written_at, excluded.written_at),
      received = a.received + excluded.received, received_at = greatest(a.received_at, excluded.received_at),
      name = case when ${newName} then excluded.name else a.name end,
      words = case when ${newName} then excluded.words else a.words end`.execute(tx);
  await sql`
    delete from written_addresses where ${isOf} and address_key in (
      select address_key from written_addresses where ${isOf}
      order by written_at > 'epoch' desc, greatest(written_at, received_at) desc, address_key offset ${MAX_CONTACTS})`.execute(
    tx,
  );
}

/**
 * Records that the mailbox has written to these people now. An address that was forgotten is known again. The message is counted when its copy
 * in Sent is read (`harvest.ts`).
 */
export async function rememberWritten(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  people: readonly Person[],
): Promise<void> {
  const found = new FoundAddresses();
  const now = clock.now();
  for (const person of people) found.add(person, 'sent', now);
  const all = found.sorted();
  await rememberAgain(
    tx,
    mailbox,
    all.map(({ key }) => key),
  );
  await addFound(
    tx,
    mailbox,
    all.map((one) => ({ ...one, sent: 0 })),
  );
}

export async function rememberAgain(
  tx: DatabaseTransaction,
  mailbox: MailboxKey,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx
    .deleteFrom('forgottenAddresses')
    .where('projectId', '=', mailbox.projectId)
    .where('mailboxId', '=', mailbox.mailboxId)
    .where(
      'digest',
      'in',
      keys.map((key) => digestOf(mailbox, key)),
    )
    .execute();
}
