/** Whose factors: a user of the dashboard, or a mailbox in the web client. What both do is written once, and told by this what differs. */
import type { RawBuilder } from 'kysely';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { AuditFields } from '../audit.ts';
import type { Guess } from '../passwords/guesses.ts';

type AnyDatabase = Database | DatabaseTransaction;

/** @template Id how it is known: the uuid of a user, the key of a mailbox */
export interface Realm<Id> {
  /** As sign-ins are counted. */
  door: 'dashboard' | 'web';
  /** What browsers call the place that a passkey is for. */
  rpName: string;
  /** The names of tables, which have the same columns behind those of the key. */
  tables: { totp: string; recoveryCodes: string; passkeys: string };
  /** Of the key: their names in SQL, and what they are as result columns. */
  columns: RawBuilder<unknown>;
  keyKinds: Readonly<Record<string, 'uuid'>>;
  holder(id: Id): Holder;
  /** The reverse of `Holder.text`. */
  read(text: string): Id;
  /** By the columns of the key. */
  idOf(row: Readonly<Record<string, string>>): Id;
}

export interface Holder {
  /** Stands in tickets, and seals secrets: no other holder has it. */
  text: string;
  /** That a row is the holder's, and the values of its columns. */
  is: RawBuilder<boolean>;
  values: RawBuilder<unknown>;
  /** What a passkey has as its user: it tells nobody anything. */
  handle: Uint8Array<ArrayBuffer>;
  /** What the log says of whom. */
  logged: Readonly<Record<string, string>>;
  /** One change of the ways in at a time. */
  lock(tx: DatabaseTransaction): Promise<void>;
  /** The ways in beside those of here; null: it was deleted a moment ago. */
  waysIn(database: AnyDatabase): Promise<{ passwordHash: string | null; identities: number } | null>;
  /** There is a second factor from now on, or none any more. Within the transaction that changes it. */
  settle(tx: DatabaseTransaction, hasSecondFactor: boolean): Promise<void>;
  /** Before the last second factor goes. @throws AppError validation-failed: one is required */
  assertMayLoseLast(tx: DatabaseTransaction, left: { identities: number }): Promise<void>;
  /** Writes a change to the audit log. @param verb `add-passkey` */
  record(
    tx: AnyDatabase,
    verb: string,
    fields?: { before?: AuditFields; after?: AuditFields },
  ): Promise<void>;
  /** What a code is counted for that comes from an address. Null: it was deleted a moment ago. */
  guesses(database: Database, address: string): Promise<Guess[] | null>;
}
