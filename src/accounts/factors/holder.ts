/**
 * The owner of factors: a user of the dashboard, or a mailbox in the web client. The code for factors is shared; these interfaces cover the
 * differences.
 */
import type { RawBuilder } from 'kysely';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { AuditFields } from '../audit.ts';
import type { Guess } from '../passwords/guesses.ts';

type AnyDatabase = Database | DatabaseTransaction;

/** @template Id the type of the owner's id: the uuid of a user, or the key of a mailbox */
export interface Realm<Id> {
  /** The value of the `door` label of sign-ins in metrics and logs. */
  door: 'dashboard' | 'web';
  /** The name that browsers show for the site of a passkey. */
  rpName: string;
  /** Table names. The tables of the two realms differ only in their key columns. */
  tables: { totp: string; recoveryCodes: string; passkeys: string };
  /** The names of the key columns, in SQL. */
  columns: RawBuilder<unknown>;
  /** The types of the key columns in query results. */
  keyKinds: Readonly<Record<string, 'uuid'>>;
  holder(id: Id): Holder;
  /** Returns the id from a `Holder.text`. */
  read(text: string): Id;
  /** Reads the id from the key columns. */
  idOf(row: Readonly<Record<string, string>>): Id;
}

export interface Holder {
  /** A text that identifies the holder. Tickets contain it, and a secret that is sealed with it cannot be opened for another holder. */
  text: string;
  /** The SQL condition that a row belongs to the holder. */
  is: RawBuilder<boolean>;
  /** The values of the key columns, in SQL. */
  values: RawBuilder<unknown>;
  /** The user handle that an authenticator stores with a passkey (WebAuthn). It reveals nothing about the holder. */
  handle: Uint8Array<ArrayBuffer>;
  /** The fields that identify the holder in logs. */
  logged: Readonly<Record<string, string>>;
  /** Locks the sign-in methods, so that only one transaction at a time changes them. */
  lock(tx: DatabaseTransaction): Promise<void>;
  /** The sign-in methods other than second factors; null if the holder was deleted a moment ago. */
  waysIn(database: AnyDatabase): Promise<{ passwordHash: string | null; identities: number } | null>;
  /** Called after the first second factor has been added or the last second factor has been removed, in the same transaction. */
  settle(tx: DatabaseTransaction, hasSecondFactor: boolean): Promise<void>;
  /** Called when the last second factor is removed. @throws AppError validation-failed if a second factor is required */
  assertMayLoseLast(tx: DatabaseTransaction, left: { identities: number }): Promise<void>;
  /** Writes a change to the audit log. @param verb for example `add-passkey` */
  record(
    tx: AnyDatabase,
    verb: string,
    fields?: { before?: AuditFields; after?: AuditFields },
  ): Promise<void>;
  /** The counters that count a wrong code from this IP address. Null if the holder was deleted a moment ago. */
  guesses(database: Database, address: string): Promise<Guess[] | null>;
}
