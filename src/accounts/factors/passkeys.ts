/** Passkeys (WebAuthn Level 3): found without an email address, and asking the device who holds it, so they are a password and a second factor in one. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import { MAX_PASSKEYS } from '../limits.ts';
import { recordUserChange } from '../user-changes.ts';
import { checkedName } from '../users.ts';
import { codesWithFirst, lockUser, settleRemoval } from './factors.ts';
import type { Tickets } from './tickets.ts';

const RP_NAME = 'Posthorn';
const HOST = 'localhost';

export interface PasskeyRecord {
  /** uuid */
  id: string;
  name: string;
  createdAt: Date;
  usedAt: Date | null;
}

interface Asserted {
  ticket: string;
  response: AuthenticationResponseJSON;
  /** Of the page, which the server found to be one of its own. */
  origin: string;
}

export interface PasskeysOptions {
  database: Database;
  tickets: Tickets;
  /** Where people reach the service: its host is what passkeys are for. Called at a request. */
  baseUrl(): string;
}

export class Passkeys {
  readonly #options: PasskeysOptions;

  constructor(options: PasskeysOptions) {
    this.#options = options;
  }

  async list(userId: string): Promise<PasskeyRecord[]> {
    return this.#options.database
      .selectFrom('userPasskeys')
      .select(['id', 'name', 'createdAt', 'usedAt'])
      .where('userId', '=', userId)
      .orderBy('id')
      .execute();
  }

  /** What a browser is asked, to make one. */
  async startAdding({ userId, email, name }: { userId: string; email: string; name: string }) {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    const options = await generateRegistrationOptions({
      rpName: RP_NAME,
      rpID: this.#host(),
      userID: Uint8Array.from(Buffer.from(userId.replaceAll('-', ''), 'hex')),
      userName: email,
      userDisplayName: name,
      attestationType: 'none',
      excludeCredentials: await this.#credentials(userId),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const { challenge } = options;
    return { options, ticket: this.#options.tickets.issue('passkey', { use: 'add', userId, challenge }) };
  }

  /**
   * @returns the recovery codes that came with it; null: the user had a second factor already
   * @throws AppError validation-failed, already-exists
   */
  async add(
    userId: string,
    named: string,
    {
      ticket: text,
      response,
      origin,
    }: { ticket: string; response: RegistrationResponseJSON; origin: string },
  ): Promise<{ passkey: PasskeyRecord; recoveryCodes: string[] | null }> {
    const { database, tickets } = this.#options;
    const name = checkedName(named);
    const ticket = tickets.open('passkey', text);
    if (ticket === null || ticket.use !== 'add' || ticket.userId !== userId) throw unfit();
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
      const before = await lockUser(tx, userId);
      if (before.passkeys >= MAX_PASSKEYS)
        throw validationError({ name: `there are ${MAX_PASSKEYS} passkeys, which is the most` });
      const passkey = { id, name, createdAt: timeOf(id), usedAt: null };
      const inserted = await tx
        .insertInto('userPasskeys')
        .values({
          ...passkey,
          userId,
          credentialId: Buffer.from(credential.id, 'base64url'),
          publicKey: Buffer.from(credential.publicKey),
          counter: credential.counter,
          transports: credential.transports ?? [],
        })
        .onConflict((conflict) => conflict.column('credentialId').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (inserted === undefined)
        throw new AppError('already-exists', 'This passkey is set up already.', {
          errors: { name: 'is a passkey that is set up already' },
        });
      const recoveryCodes = await codesWithFirst(tx, userId, before);
      await recordUserChange(tx, userId, {
        action: 'user.add-passkey',
        after: { passkey: name, id: encodeId('psk', id) },
      });
      return { passkey, recoveryCodes };
    });
  }

  /** What a browser is asked, to sign in with one. @param userId null: of whoever has it */
  async startProving(userId: string | null) {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    const options = await generateAuthenticationOptions({
      rpID: this.#host(),
      userVerification: 'required',
      ...(userId !== null && { allowCredentials: await this.#credentials(userId) }),
    });
    const { challenge } = options;
    return { options, ticket: this.#options.tickets.issue('passkey', { use: 'sign-in', userId, challenge }) };
  }

  /** Whose it is, and that they hold it in this moment. Null: whatever the reason. @param userId who it has to be; null: anybody */
  async prove({ ticket: text, response, origin }: Asserted, userId: string | null): Promise<string | null> {
    const { database, tickets } = this.#options;
    const ticket = tickets.open('passkey', text);
    if (ticket === null || ticket.use !== 'sign-in' || ticket.userId !== userId) return null;
    const passkey = await database
      .selectFrom('userPasskeys')
      .select(['userId', 'id', 'credentialId', 'publicKey', 'counter'])
      .where('credentialId', '=', Buffer.from(response.id, 'base64url'))
      .executeTakeFirst();
    if (passkey === undefined || (userId !== null && passkey.userId !== userId)) return null;
    const counter = Number(passkey.counter);
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: ticket.challenge,
      expectedOrigin: origin,
      expectedRPID: this.#host(),
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId.toString('base64url'),
        publicKey: Uint8Array.from(passkey.publicKey),
        counter,
      },
    }).catch(() => ({ verified: false, authenticationInfo: null }));
    if (!verified || authenticationInfo === null || !(await tickets.use(ticket))) return null;
    // A copy of an authenticator counts on its own; of two answers with one count, one is taken
    const counted = await database
      .updateTable('userPasskeys')
      .set({ counter: authenticationInfo.newCounter, usedAt: timeOf(newUuid()) })
      .where((row) => rowIs(row, { userId: passkey.userId, id: passkey.id, counter: String(counter) }))
      .returning('id')
      .executeTakeFirst();
    return counted === undefined ? null : passkey.userId;
  }

  /** @returns false: the user has no such passkey @throws AppError validation-failed */
  async rename(userId: string, id: string, name: string): Promise<boolean> {
    const after = checkedName(name);
    return this.#options.database.transaction().execute(async (tx) => {
      const before = await tx
        .selectFrom('userPasskeys')
        .select('name')
        .where((row) => rowIs(row, { userId, id }))
        .forUpdate()
        .executeTakeFirst();
      if (before === undefined) return false;
      await tx
        .updateTable('userPasskeys')
        .set({ name: after })
        .where((row) => rowIs(row, { userId, id }))
        .execute();
      await recordUserChange(tx, userId, {
        action: 'user.rename-passkey',
        before: { passkey: before.name },
        after: { passkey: after, id: encodeId('psk', id) },
      });
      return true;
    });
  }

  /** @returns false: the user has no such passkey @throws AppError validation-failed: it is the last way in */
  async remove(userId: string, id: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      await lockUser(tx, userId);
      const removed = await tx
        .deleteFrom('userPasskeys')
        .where((row) => rowIs(row, { userId, id }))
        .returning('name')
        .executeTakeFirst();
      if (removed === undefined) return false;
      await settleRemoval(tx, userId);
      await recordUserChange(tx, userId, {
        action: 'user.remove-passkey',
        before: { passkey: removed.name, id: encodeId('psk', id) },
      });
      return true;
    });
  }

  async #credentials(userId: string): Promise<{ id: string; transports: string[] }[]> {
    const rows = await this.#options.database
      .selectFrom('userPasskeys')
      .select(['credentialId', 'transports'])
      .where('userId', '=', userId)
      .orderBy('id')
      .execute();
    return rows.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      transports,
    }));
  }

  /** Browsers take no IP address: on this machine the name is used. */
  #host(): string {
    const { hostname } = new URL(this.#options.baseUrl());
    return /^(?:127\.|\[::1\]$)/.test(hostname) ? HOST : hostname;
  }
}

function unfit(): AppError {
  return validationError({ response: 'is not what was asked for, or came too late: try again' });
}
