/** The second step of signing in, and its setup. Guesses at codes are counted together with guesses at passwords. */
import { hash } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { signIns } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { Guesses } from '../passwords/guesses.ts';
import type { ProvedUser } from '../user-sign-in.ts';
import {
  codesWithFirst,
  type AssertSignedIn,
  type FactorMethod,
  hasSecondFactor,
  lockFactors,
  methodsOf,
  readFactors,
  settleRemoval,
} from './factors.ts';
import type { Holder, Realm } from './holder.ts';
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
import type { Tickets } from './tickets.ts';
import { deleteTotp, insertTotp, newTotp, stepOf, useTotp } from './totp.ts';

export type CodeResult =
  | { outcome: 'right' }
  | { outcome: 'refused' }
  /** The code was not checked. */
  | { outcome: 'try-later'; afterSeconds: number };

interface CodeAttempt<Id> {
  id: Id;
  code: string;
  /** The client's IP address. */
  address: string;
  /** Whether a recovery code is accepted too. */
  takesRecoveryCodes: boolean;
}

/** The outcome of the first step. */
interface FirstStep {
  /** The hash that the password of the first step matched; null if the first step was not a password. */
  passwordHash: string | null;
  by: ProvedUser['by'];
  /** See `ProvedUser`. */
  resetLinkId?: string;
}

/** A user or mailbox at the second step. */
interface PendingSignIn<Id> extends FirstStep {
  id: Id;
  /** Marks the ticket as used. @returns false if the ticket was already used */
  finish(): Promise<boolean>;
}

export interface SecondFactorsOptions<Id> {
  realm: Realm<Id>;
  database: Database;
  sealer: Sealer;
  tickets: Tickets;
  logger: { info(fields: object, message: string): void };
}

const CODE = /^\d{6}$/;

export class SecondFactors<Id> {
  readonly #options: SecondFactorsOptions<Id>;
  readonly #guesses: Guesses;

  constructor(options: SecondFactorsOptions<Id>) {
    this.#options = options;
    this.#guesses = new Guesses(options.database);
  }

  /** The second factors that are accepted after the first step. Empty if no second factor is needed. */
  async methods(id: Id): Promise<FactorMethod[]> {
    return methodsOf(await readFactors(this.#options.database, this.#options.realm, id));
  }

  /** Issues a ticket after the first step. */
  ticketFor(id: Id, { passwordHash, by, resetLinkId }: FirstStep): string {
    const passwordDigest = passwordHash === null ? null : digestOf(passwordHash);
    const holder = this.#options.realm.holder(id).text;
    return this.#options.tickets.issue('second-factor', {
      holder,
      passwordDigest,
      by,
      ...(resetLinkId !== undefined && { resetLinkId }),
    });
  }

  /**
   * @returns the user or mailbox that has completed the first step; null if the ticket is invalid or has expired, or if the password has
   * changed since
   */
  async openTicket(text: string): Promise<PendingSignIn<Id> | null> {
    const { database, realm, tickets } = this.#options;
    const ticket = tickets.open('second-factor', text);
    if (ticket === null) return null;
    const { holder, passwordDigest, by, resetLinkId } = ticket;
    const id = realm.read(holder);
    const ways = await realm.holder(id).waysIn(database);
    if (ways === null) return null;
    const { passwordHash } = ways;
    if (passwordDigest !== null && passwordDigest !== (passwordHash === null ? null : digestOf(passwordHash)))
      return null;
    return {
      id,
      by,
      passwordHash: passwordDigest === null ? null : passwordHash,
      ...(resetLinkId !== undefined && { resetLinkId }),
      finish: () => tickets.use(ticket),
    };
  }

  /** Checks a code. If the code is valid, marks it as used, so that it does not work again. */
  async proveCode({ id, code, address, takesRecoveryCodes }: CodeAttempt<Id>): Promise<CodeResult> {
    const { database, realm, sealer } = this.#options;
    const holder = realm.holder(id);
    const guesses = await holder.guesses(database, address);
    if (guesses === null) return { outcome: 'refused' };
    const waitMs = this.#guesses.remainingWaitMs(guesses) || (await this.#guesses.take(guesses));
    if (waitMs > 0) {
      const afterSeconds = Math.ceil(waitMs / 1_000);
      this.#log(LOG_MESSAGES.signInPutOff, holder, address, { reason: 'guesses', afterSeconds });
      return { outcome: 'try-later', afterSeconds };
    }
    const typed = code.replaceAll(/\s/g, '');
    const isRight = CODE.test(typed)
      ? await useTotp(database, sealer, realm, id, typed)
      : takesRecoveryCodes && (await useRecoveryCode(database, realm, id, typed));
    if (isRight) {
      await this.#guesses.refund(guesses);
      return { outcome: 'right' };
    }
    this.#log(LOG_MESSAGES.signInRefused, holder, address, { reason: 'wrong-code' });
    signIns.inc({ door: realm.door, result: 'refused' });
    return { outcome: 'refused' };
  }

  /** Creates a secret for an authenticator app. The app is active after `confirmTotp`. @param label the account name that apps show */
  async startTotp(id: Id, label: string) {
    const { realm, tickets } = this.#options;
    const totp = await newTotp(label);
    return { ...totp, ticket: tickets.issue('totp', { holder: realm.holder(id).text, secret: totp.secret }) };
  }

  /**
   * Adds the authenticator app.
   * @returns the recovery codes that were created with the app; null if the holder already had a second factor, and therefore recovery
   * codes
   * @throws AppError not-found, validation-failed, already-exists
   */
  async confirmTotp(
    id: Id,
    ticketText: string,
    code: string,
    assertSignedIn?: AssertSignedIn,
  ): Promise<string[] | null> {
    const { database, realm, sealer, tickets } = this.#options;
    const holder = realm.holder(id);
    const ticket = tickets.open('totp', ticketText);
    if (ticket === null || ticket.holder !== holder.text)
      throw new AppError('not-found', 'The setup has expired. Start again.');
    const step = await stepOf(ticket.secret, code.replaceAll(/\s/g, ''));
    if (step === null)
      throw validationError({
        code: 'is not the current code: wait for the next one, and check the clock of your phone',
      });
    return database.transaction().execute(async (tx) => {
      const before = await lockFactors(tx, realm, id);
      await assertSignedIn?.(tx);
      if (!(await insertTotp(tx, realm, id, { sealer, secret: ticket.secret, step })))
        throw new AppError('already-exists', 'An authenticator app is already set up. Remove it first.', {
          errors: { code: 'an authenticator app is already set up: remove it first' },
        });
      const codes = await codesWithFirst(tx, realm, id, before);
      await holder.record(tx, 'add-authenticator-app');
      return codes;
    });
  }

  /** @returns false if no app is set up */
  async removeTotp(id: Id): Promise<boolean> {
    const { database, realm } = this.#options;
    return database.transaction().execute(async (tx) => {
      await lockFactors(tx, realm, id);
      if (!(await deleteTotp(tx, realm, id))) return false;
      await settleRemoval(tx, realm, id);
      await realm.holder(id).record(tx, 'remove-authenticator-app');
      return true;
    });
  }

  /** Creates new recovery codes and invalidates the old ones. @throws AppError validation-failed if there is no second factor to replace */
  async newRecoveryCodes(id: Id): Promise<string[]> {
    const { database, realm } = this.#options;
    return database.transaction().execute(async (tx) => {
      if (!hasSecondFactor(await lockFactors(tx, realm, id)))
        throw validationError({ recovery_codes: 'require a second factor: set one up first' });
      await realm.holder(id).record(tx, 'make-recovery-codes');
      return makeRecoveryCodes(tx, realm, id);
    });
  }

  #log(message: string, { logged }: Holder, clientAddress: string, fields: object): void {
    const { door } = this.#options.realm;
    this.#options.logger.info({ ...logged, door, clientAddress, ...fields }, message);
  }
}

/** Tickets contain this digest instead of the password hash itself, even though tickets are sealed. */
function digestOf(passwordHash: string): string {
  return hash('sha256', passwordHash);
}
