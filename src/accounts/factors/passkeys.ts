/**
 * Passkeys (WebAuthn Level 3). A device verifies its user before it uses a passkey, so a passkey counts as a password and a second factor
 * in one. Signing in with a passkey needs no email address.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import { MAX_PASSKEYS } from '../limits.ts';
import { checkedName } from '../users.ts';
import { type AssertSignedIn, codesWithFirst, lockFactors, settleRemoval } from './factors.ts';
import type { Holder, Realm } from './holder.ts';
import type { Tickets } from './tickets.ts';

const HOST = 'localhost';

const PASSKEY = columnsOf({ id: 'uuid', name: 'text', createdAt: 'timestamptz', usedAt: 'timestamptz?' });
const NAME = columnsOf({ name: 'text' });
const CREDENTIAL = columnsOf({ credentialId: 'bytea', transports: 'text[]' });
/** Selected together with the key columns of the holder. */
const PUBLIC_KEY = columnsOf({ id: 'uuid', publicKey: 'bytea', counter: 'int8' });

export type PasskeyRecord = RowOf<typeof PASSKEY>;

interface Asserted {
  ticket: string;
  response: AuthenticationResponseJSON;
  /** The origin of the page. The server has checked that the page belongs to this service. */
  origin: string;
}

export interface PasskeysOptions<Id> {
  realm: Realm<Id>;
  database: Database;
  tickets: Tickets;
  /** Returns the public URL of the service. Passkeys are bound to the host in this URL. Called at each request. */
  baseUrl(): string;
}

export class Passkeys<Id> {
  readonly #options: PasskeysOptions<Id>;

  constructor(options: PasskeysOptions<Id>) {
    this.#options = options;
  }

  async list(id: Id): Promise<PasskeyRecord[]> {
    const { database } = this.#options;
    const { rows } = await PASSKEY.sql`
      select id, name, created_at, used_at from ${this.#table} where ${this.#holder(id).is} order by id`.execute(
      database,
    );
    return rows;
  }

  /** The options that a browser needs to create a passkey. */
  async startAdding(id: Id, { email, name }: { email: string; name: string }) {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    const options = await generateRegistrationOptions({
      rpName: this.#options.realm.rpName,
      rpID: this.#host(),
      userID: this.#holder(id).handle,
      userName: email,
      userDisplayName: name,
      attestationType: 'none',
      excludeCredentials: await this.#credentials(id),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const { challenge } = options;
    return { options, ticket: this.#issue('add', id, challenge) };
  }

  /**
   * @returns the recovery codes that were created with the passkey; null if the user already had a second factor
   * @throws AppError validation-failed, already-exists
   */
  async add(
    holderId: Id,
    named: string,
    {
      ticket: text,
      response,
      origin,
    }: { ticket: string; response: RegistrationResponseJSON; origin: string },
    assertSignedIn?: AssertSignedIn,
  ): Promise<{ passkey: PasskeyRecord; recoveryCodes: string[] | null }> {
    const { database, realm, tickets } = this.#options;
    const holder = this.#holder(holderId);
    const name = checkedName(named);
    const ticket = tickets.open('passkey', text);
    if (ticket === null || ticket.use !== 'add' || ticket.holder !== holder.text) throw unfit();
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: ticket.challenge,
      expectedOrigin: origin,
      expectedRPID: this.#host(),
      requireUserVerification: true,
    }).catch(() => ({ registrationInfo: undefined }));
    if (registrationInfo === undefined) throw unfit();
    const { credential } = registrationInfo;
    const id = newUuid();
    return database.transaction().execute(async (tx) => {
      if (!(await tickets.use(ticket, tx))) throw unfit();
      const before = await lockFactors(tx, realm, holderId);
      await assertSignedIn?.(tx);
      if (before.passkeys >= MAX_PASSKEYS)
        throw validationError({
          name: `you have ${MAX_PASSKEYS} passkeys, which is the limit: remove one first`,
        });
      const passkey = { id, name, createdAt: timeOf(id), usedAt: null };
      const { numAffectedRows } = await sql`
        insert into ${this.#table} (${realm.columns}, id, name, credential_id, public_key, counter, transports, created_at)
        values (${holder.values}, ${id}, ${name}, ${Buffer.from(credential.id, 'base64url')},
          ${Buffer.from(credential.publicKey)}, ${credential.counter}, ${credential.transports ?? []}, ${passkey.createdAt})
        on conflict (credential_id) do nothing`.execute(tx);
      if (numAffectedRows !== 1n)
        throw new AppError('already-exists', 'This passkey is already set up.', {
          errors: { name: 'this passkey is already set up' },
        });
      const recoveryCodes = await codesWithFirst(tx, realm, holderId, before);
      await holder.record(tx, 'add-passkey', {
        after: { passkey: name, id: encodeId('psk', id) },
      });
      return { passkey, recoveryCodes };
    });
  }

  /** The options that a browser needs to sign in with a passkey. @param id the holder; null for any holder */
  async startProving(id: Id | null) {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    const options = await generateAuthenticationOptions({
      rpID: this.#host(),
      userVerification: 'required',
      ...(id !== null && { allowCredentials: await this.#credentials(id) }),
    });
    const { challenge } = options;
    return { options, ticket: this.#issue('sign-in', id, challenge) };
  }

  /**
   * Verifies a passkey response.
   * @param id the required holder; null for any holder
   * @returns the holder; null if the verification fails for any reason
   */
  async prove({ ticket: text, response, origin }: Asserted, id: Id | null): Promise<Id | null> {
    const { database, realm, tickets } = this.#options;
    const requiredHolder = id === null ? null : this.#holder(id).text;
    const ticket = tickets.open('passkey', text);
    if (ticket === null || ticket.use !== 'sign-in' || ticket.holder !== requiredHolder) return null;
    const { rows } = await columnsOf({ ...realm.keyKinds, ...PUBLIC_KEY.kinds }).sql`
      select ${realm.columns}, id, public_key, counter from ${this.#table}
      where credential_id = ${Buffer.from(response.id, 'base64url')}`.execute(database);
    const [passkey] = rows;
    if (passkey === undefined) return null;
    const { id: passkeyId, publicKey, counter: counted, ...key } = passkey;
    const found = realm.idOf(key);
    const holder = this.#holder(found);
    if (requiredHolder !== null && holder.text !== requiredHolder) return null;
    const counter = Number(counted);
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: ticket.challenge,
      expectedOrigin: origin,
      expectedRPID: this.#host(),
      requireUserVerification: true,
      credential: {
        id: response.id,
        publicKey: Uint8Array.from(publicKey),
        counter,
      },
    }).catch(() => ({ verified: false, authenticationInfo: null }));
    if (!verified || authenticationInfo === null || !(await tickets.use(ticket))) return null;
    // Attack: an authenticator and its clone sign in at the same time. Only the first update finds the counter unchanged; the other sign-in
    // is rejected.
    const { numAffectedRows } = await sql`
      update ${this.#table} set counter = ${authenticationInfo.newCounter}, used_at = ${timeOf(newUuid())}
      where ${holder.is} and id = ${passkeyId} and counter = ${counter}`.execute(database);
    return numAffectedRows === 1n ? found : null;
  }

  /** @returns false if there is no such passkey @throws AppError validation-failed */
  async rename(holderId: Id, id: string, name: string): Promise<boolean> {
    const after = checkedName(name);
    const holder = this.#holder(holderId);
    return this.#options.database.transaction().execute(async (tx) => {
      const { rows } = await NAME.sql`
        select name from ${this.#table} where ${holder.is} and id = ${id} for update`.execute(tx);
      const [before] = rows;
      if (before === undefined) return false;
      await sql`update ${this.#table} set name = ${after} where ${holder.is} and id = ${id}`.execute(tx);
      await holder.record(tx, 'rename-passkey', {
        before: { passkey: before.name },
        after: { passkey: after, id: encodeId('psk', id) },
      });
      return true;
    });
  }

  /**
   * @returns false if there is no such passkey
   * @throws AppError validation-failed if the passkey is the last sign-in method, or is required
   */
  async remove(holderId: Id, id: string): Promise<boolean> {
    const { database, realm } = this.#options;
    const holder = this.#holder(holderId);
    return database.transaction().execute(async (tx) => {
      await lockFactors(tx, realm, holderId);
      const { rows } = await NAME.sql`
        delete from ${this.#table} where ${holder.is} and id = ${id} returning name`.execute(tx);
      const [removed] = rows;
      if (removed === undefined) return false;
      await settleRemoval(tx, realm, holderId);
      await holder.record(tx, 'remove-passkey', {
        before: { passkey: removed.name, id: encodeId('psk', id) },
      });
      return true;
    });
  }

  get #table() {
    return sql.table(this.#options.realm.tables.passkeys);
  }

  #holder(id: Id): Holder {
    return this.#options.realm.holder(id);
  }

  #issue(use: 'sign-in' | 'add', id: Id | null, challenge: string): string {
    const holder = id === null ? null : this.#holder(id).text;
    return this.#options.tickets.issue('passkey', { use, holder, challenge });
  }

  async #credentials(id: Id): Promise<{ id: string; transports: string[] }[]> {
    const { rows } = await CREDENTIAL.sql`
      select credential_id, transports from ${this.#table} where ${this.#holder(id).is} order by id`.execute(
      this.#options.database,
    );
    return rows.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      transports,
    }));
  }

  /** Browsers accept no IP address as a relying party, so a loopback address is replaced by the name of this machine. */
  #host(): string {
    const { hostname } = new URL(this.#options.baseUrl());
    return /^(?:127\.|\[::1\]$)/.test(hostname) ? HOST : hostname;
  }
}

function unfit(): AppError {
  return validationError({ response: 'is invalid or arrived too late: try again' });
}
