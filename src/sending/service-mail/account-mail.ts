/** Mail to users who sign in: password reset links, invitations, and notices about the second factor. */
import { sql } from 'kysely';
import { type Guess, Guesses, invitationGuesses, resetGuesses } from '../../accounts/passwords/guesses.ts';
import { RESET_HOURS } from '../../accounts/limits.ts';
import { linkUrl } from '../../accounts/link-url.ts';
import { mailedTokenFor, makeResetLinkIn } from '../../accounts/sign-in-links.ts';
import { readUserEmail } from '../../accounts/user-email.ts';
import { guessedName } from '../../accounts/user-sign-in.ts';
import { findUser, findUserByKey } from '../../accounts/users.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { findLocal } from '../../mailboxes/local-addresses.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { needsSecondFactor } from './account-link-guard.ts';
import type { ServiceMail } from './service-mail.ts';

export interface AccountMailOptions {
  database: Database;
  mail: ServiceMail;
  /**
   * Returns the base URL of links, without a trailing slash. Called for each link. The URL is never taken from a request, which an attacker
   * could forge.
   */
  baseUrl(): string;
  /** Called after mail was queued. */
  onQueued(): void;
  logger: { error(fields: object, message: string): void };
}

export class AccountMail implements AsyncDisposable {
  readonly #options: AccountMailOptions;
  readonly #guesses: Guesses;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: AccountMailOptions) {
    this.#options = options;
    this.#guesses = new Guesses(options.database);
  }

  /**
   * Sends a password reset link to the address. A local address gets no link unless the user must also prove a second factor; without a
   * second factor, the mail names the person to ask. Resolves before the database is queried, to stop this attack: the caller learns from
   * the response or its timing which addresses have an account or a local mailbox.
   * @returns 0, or the seconds for which no more mail is sent to the address or for the network
   */
  async requestReset({ email, address }: { email: string; address: string }): Promise<number> {
    const read = readUserEmail(email);
    if (read === null) return 0;
    const wait = await this.#take(resetGuesses(guessedName(read.key), clientNetwork(address)));
    if (wait === 0) this.#begin('reset', () => this.#sendReset(read.key));
    return wait;
  }

  /**
   * Counts the mail for an invitation before the invitation is created. Stops this attack: the owner of an organization, who chose its
   * name, sends unlimited mail to any address in the name of the installation.
   * @returns the same as `requestReset`
   */
  async takeInvitation(organizationId: string, email: string): Promise<number> {
    const read = readUserEmail(email);
    return read === null ? 0 : this.#take(invitationGuesses(guessedName(read.key), organizationId));
  }

  /** Sends an invitation in the background, because the invitation is valid even if its mail fails. @param linkId UUID of the link */
  sendInvitation(linkId: string): void {
    this.#begin('invitation', () => this.#sendInvitation(linkId));
  }

  /**
   * Notifies a user in the background. Stops this attack: a person with a stolen owner account switches off second factors unnoticed.
   * @param by the name of the user who switched off the second factor
   */
  notifySecondFactorOff(userId: string, by: string): void {
    this.#begin('second-factor', () => this.#sendSecondFactorIsOff(userId, by));
  }

  /** Resolves when all requested mail is queued. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #take(guesses: readonly Guess[]): Promise<number> {
    const waitMs = this.#guesses.remainingWaitMs(guesses) || (await this.#guesses.take(guesses));
    return Math.ceil(waitMs / 1_000);
  }

  #begin(purpose: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error, purpose }, LOG_MESSAGES.accountMailFailed);
      })
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }

  async #sendReset(key: string): Promise<void> {
    const { database, mail, baseUrl, onQueued } = this.#options;
    const user = await findUserByKey(database, key);
    if (user === null) return;
    await database.transaction().execute(async (tx) => {
      await lockMailing(tx);
      const isLocal = (await findLocal(tx, user.email)) !== null;
      if (isLocal && !(await needsSecondFactor(tx, user.id))) {
        await mail.send(tx, {
          to: user.email,
          subject: 'Your password reset request',
          text: resetWithoutLinkText(user.name),
        });
        return;
      }
      const { id } = await makeResetLinkIn(tx, user.id);
      const token = await mailedTokenFor(tx, id, { needsSecondFactor: isLocal });
      const submissionId = await mail.send(tx, {
        to: user.email,
        subject: 'Reset your password',
        text: resetText(user.name, linkUrl(baseUrl(), 'reset', token)),
        linkId: id,
      });
      await noteMail(tx, id, submissionId);
    });
    onQueued();
  }

  async #sendSecondFactorIsOff(userId: string, by: string): Promise<void> {
    const { database, mail, onQueued } = this.#options;
    const user = await findUser(database, userId);
    if (user === null) return;
    await mail.send(database, {
      to: user.email,
      subject: 'Your second factor was turned off',
      text: secondFactorText(user.name, by),
    });
    onQueued();
  }

  async #sendInvitation(linkId: string): Promise<void> {
    const { database, mail, baseUrl, onQueued } = this.#options;
    await database.transaction().execute(async (tx) => {
      await lockMailing(tx);
      const link = await tx
        .selectFrom('signInLinks as l')
        .innerJoin('organizations as o', 'o.id', 'l.organizationId')
        .select(['l.email', 'l.madeBy', 'l.expiresAt', 'o.name as organization'])
        .where('l.id', '=', linkId)
        .forUpdate('l')
        .executeTakeFirst();
      if (link === undefined || link.email === null) return;
      if ((await findLocal(tx, link.email)) !== null) return;
      const { email, organization, madeBy, expiresAt } = link;
      const from = madeBy ?? 'An operator';
      const token = await mailedTokenFor(tx, linkId, { needsSecondFactor: false });
      const url = linkUrl(baseUrl(), 'invitation', token);
      const submissionId = await mail.send(tx, {
        to: email,
        subject: `${from} has invited you to join ${organization}`.slice(0, MAX_SUBJECT).toWellFormed(),
        text: invitationText({ url, organization, from, until: expiresAt }),
        linkId,
      });
      await noteMail(tx, linkId, submissionId);
    });
    onQueued();
  }
}

const MAX_SUBJECT = 200;
/**
 * The advisory lock of a transaction that mails a link. The creation of a mailbox takes the lock in shared mode (`end_mailed_links` in
 * SQL).
 */
const MAILING_LOCK = 7_340_086;

/**
 * Ensures that only one link is mailed at a time, and none while a mailbox is being created. So either the link is mailed before the
 * mailbox exists, and the creation of the mailbox ends the link (`end_mailed_links` in SQL), or the transaction finds the mailbox.
 */
async function lockMailing(tx: DatabaseTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(MAILING_LOCK)})`.execute(tx);
}

/** Records which mail contains the link, so that the link is checked again when the mail is sent. */
async function noteMail(tx: DatabaseTransaction, linkId: string, submissionId: string): Promise<void> {
  await tx.updateTable('signInLinks').set({ submissionId }).where('id', '=', linkId).execute();
}

function resetText(name: string, url: string): string {
  return `Hello ${name},

A password reset was requested for your account. If you requested it, open this link to set a new password:

${url}

The link works once, within ${RESET_HOURS} hours. If your account has a second factor, you still need it.

If you did not request it, ignore this email. Your password stays the same.
`;
}

function resetWithoutLinkText(name: string): string {
  return `Hello ${name},

A password reset was requested for your account.

This email has no link. Your mailbox is on the same server as your account, and a link sent there could be used by other people who
can read the mailbox. Ask another owner of your organization, or an operator of the server, for a link.

If your account has an authenticator app or a passkey, links are sent by email.

If you did not request it, ignore this email. Your password stays the same.
`;
}

function secondFactorText(name: string, by: string): string {
  return `Hello ${name},

${by} has turned off your second factor: your authenticator app, all passkeys and recovery codes.
You can now sign in to the dashboard with your password alone. If you have none, choose "Forgot your password?" on the sign-in page.

You can set up a second factor again under Account.

If you did not ask for this, contact ${by} and change your password.
`;
}

interface Invitation {
  url: string;
  organization: string;
  from: string;
  until: Date;
}

function invitationText({ url, organization, from, until }: Invitation): string {
  return `Hello,

${from} has invited you to join ${organization}. Open this link to accept:

${url}

The link works once, until ${until.toUTCString()}.

If you do not know ${from}, ignore this email.
`;
}
