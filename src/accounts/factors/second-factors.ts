/** The step behind the password, and setting it up. Codes are guessed like passwords, and counted with them. */
import { hash } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { signIns } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { Guesses, knownGuess, strangersGuesses } from '../passwords/guesses.ts';
import { recordUserChange } from '../user-changes.ts';
import { userNetworks } from '../user-networks.ts';
import { guessedName, type ProvedUser } from '../user-sign-in.ts';
import {
  codesWithFirst,
  type FactorMethod,
  hasSecondFactor,
  lockUser,
  methodsOf,
  readFactors,
  settleRemoval,
} from './factors.ts';
import { makeRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
import type { Tickets } from './tickets.ts';
import { insertTotp, newTotp, stepOf, useTotp } from './totp.ts';

export type CodeResult =
  | { outcome: 'right' }
  | { outcome: 'refused' }
  /** The code was not looked at. */
  | { outcome: 'try-later'; afterSeconds: number };

interface CodeAttempt {
  /** uuid */
  userId: string;
  code: string;
  /** The client's IP address. */
  address: string;
  /** Whether a recovery code does too. */
  takesRecoveryCodes: boolean;
}

/** Somebody at the second step. */
interface Waiting {
  proved: ProvedUser;
  /** Uses the ticket up. @returns false: it was used already */
  finish(): Promise<boolean>;
}

export interface SecondFactorsOptions {
  database: Database;
  sealer: Sealer;
  tickets: Tickets;
  logger: { info(fields: object, message: string): void };
}

const CODE = /^\d{6}$/;

export class SecondFactors {
  readonly #options: SecondFactorsOptions;
  readonly #guesses: Guesses;

  constructor(options: SecondFactorsOptions) {
    this.#options = options;
    this.#guesses = new Guesses(options.database);
  }

  /** What a user is asked for behind the first step. Empty: nothing. */
  async methods(userId: string): Promise<FactorMethod[]> {
    return methodsOf(await readFactors(this.#options.database, userId));
  }

  /** For whoever has proved the first step. */
  ticketFor({ userId, passwordHash, by }: ProvedUser): string {
    const passwordDigest = passwordHash === null ? null : digestOf(passwordHash);
    return this.#options.tickets.issue('second-factor', { userId, passwordDigest, by });
  }

  /** Null: the ticket is too old, or the password was changed since. */
  async waiting(text: string): Promise<Waiting | null> {
    const { database, tickets } = this.#options;
    const ticket = tickets.open('second-factor', text);
    if (ticket === null) return null;
    const { userId, passwordDigest, by } = ticket;
    const user = await database
      .selectFrom('users')
      .select('passwordHash')
      .where('id', '=', userId)
      .executeTakeFirst();
    if (user === undefined) return null;
    const digest = user.passwordHash === null ? null : digestOf(user.passwordHash);
    if (passwordDigest !== null && passwordDigest !== digest) return null;
    const proved = { userId, passwordHash: passwordDigest === null ? null : user.passwordHash, by };
    return { proved, finish: () => tickets.use(ticket) };
  }

  /** Whether a code is the user's. It is used up then. */
  async proveCode({ userId, code, address, takesRecoveryCodes }: CodeAttempt): Promise<CodeResult> {
    const { database, sealer } = this.#options;
    const user = await database
      .selectFrom('users')
      .select('emailKey')
      .where('id', '=', userId)
      .executeTakeFirst();
    if (user === undefined) return { outcome: 'refused' };
    const network = clientNetwork(address);
    const name = guessedName(user.emailKey);
    const isKnown = (await userNetworks(database, userId)).includes(network);
    const guesses = isKnown ? [knownGuess(name, network)] : strangersGuesses(name, address, network);
    const waitMs = this.#guesses.restMs(guesses) || (await this.#guesses.take(guesses));
    if (waitMs > 0) {
      const afterSeconds = Math.ceil(waitMs / 1_000);
      this.#log(LOG_MESSAGES.signInPutOff, userId, address, { reason: 'guesses', afterSeconds });
      return { outcome: 'try-later', afterSeconds };
    }
    const typed = code.replaceAll(/\s/g, '');
    const isRight = CODE.test(typed)
      ? await useTotp(database, sealer, userId, typed)
      : takesRecoveryCodes && (await useRecoveryCode(database, userId, typed));
    if (isRight) {
      await this.#guesses.giveBack(guesses);
      return { outcome: 'right' };
    }
    this.#log(LOG_MESSAGES.signInRefused, userId, address, { reason: 'wrong-code' });
    signIns.inc({ door: 'dashboard', result: 'refused' });
    return { outcome: 'refused' };
  }

  /** A secret for an app. It counts once a code of it was typed (`confirmTotp`). */
  async startTotp({ userId, email }: { userId: string; email: string }) {
    const { secret, uri } = await newTotp(email);
    return { secret, uri, ticket: this.#options.tickets.issue('totp', { userId, secret }) };
  }

  /**
   * @returns the recovery codes that came with it; null: the user had a second factor already, and has codes
   * @throws AppError not-found, validation-failed, already-exists
   */
  async confirmTotp(userId: string, ticketText: string, code: string): Promise<string[] | null> {
    const { database, sealer, tickets } = this.#options;
    const ticket = tickets.open('totp', ticketText);
    if (ticket === null || ticket.userId !== userId)
      throw new AppError('not-found', 'It took too long. Begin again.');
    const step = await stepOf(ticket.secret, code.replaceAll(/\s/g, ''));
    if (step === null)
      throw validationError({ code: 'is not what the app should show now: look at the clock of the phone' });
    return database.transaction().execute(async (tx) => {
      const before = await lockUser(tx, userId);
      if (!(await insertTotp(tx, sealer, { userId, secret: ticket.secret, step })))
        throw new AppError('already-exists', 'There is an authenticator app already. Remove it first.', {
          errors: { code: 'another app is set up' },
        });
      const codes = await codesWithFirst(tx, userId, before);
      await recordUserChange(tx, userId, { action: 'user.add-authenticator-app' });
      return codes;
    });
  }

  /** @returns false: there is none */
  async removeTotp(userId: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      await lockUser(tx, userId);
      const removed = await tx
        .deleteFrom('userTotp')
        .where('userId', '=', userId)
        .returning('userId')
        .executeTakeFirst();
      if (removed === undefined) return false;
      await settleRemoval(tx, userId);
      await recordUserChange(tx, userId, { action: 'user.remove-authenticator-app' });
      return true;
    });
  }

  /** Those before stop working. @throws AppError validation-failed: there is nothing that they would stand in for */
  async newRecoveryCodes(userId: string): Promise<string[]> {
    return this.#options.database.transaction().execute(async (tx) => {
      if (!hasSecondFactor(await lockUser(tx, userId)))
        throw validationError({ recovery_codes: 'stand in for a second factor, and there is none' });
      await recordUserChange(tx, userId, { action: 'user.make-recovery-codes' });
      return makeRecoveryCodes(tx, userId);
    });
  }

  #log(message: string, userId: string, clientAddress: string, fields: object): void {
    this.#options.logger.info(
      { userId: encodeId('usr', userId), door: 'dashboard', clientAddress, ...fields },
      message,
    );
  }
}

/** A ticket holds no hash of a password, sealed as it is. */
function digestOf(passwordHash: string): string {
  return hash('sha256', passwordHash);
}
