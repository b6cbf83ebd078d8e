/** Mail to people who sign in: a link for another password, and invitations. */
import { type Guess, Guesses, invitationGuesses, resetGuesses } from '../../accounts/passwords/guesses.ts';
import { RESET_HOURS } from '../../accounts/limits.ts';
import { linkUrl } from '../../accounts/link-url.ts';
import { describeLink, findLink, makeResetLinkIn } from '../../accounts/sign-in-links.ts';
import { readUserEmail } from '../../accounts/user-email.ts';
import { guessedName } from '../../accounts/user-sign-in.ts';
import { findUser, findUserByKey } from '../../accounts/users.ts';
import type { Database } from '../../db/database.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { ServiceMail } from './service-mail.ts';

export interface AccountMailOptions {
  database: Database;
  mail: ServiceMail;
  /** Where links lead to, without a trailing slash: never what a request says. Called for each. */
  baseUrl(): string;
  /** Something is in the queue. */
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
   * Sends a link for another password to whoever has the address. Attack: whoever asks learns nothing of who has an account here, not even by
   * the clock: the answer comes before anybody looks.
   * @returns 0; else for how many seconds nothing more is sent to the address, or for the network
   */
  async requestReset({ email, address }: { email: string; address: string }): Promise<number> {
    const read = readUserEmail(email);
    if (read === null) return 0;
    const wait = await this.#take(resetGuesses(guessedName(read.key), clientNetwork(address)));
    if (wait === 0) this.#begin('reset', () => this.#sendReset(read.key));
    return wait;
  }

  /**
   * Counts the mail of an invitation before it is made. Attack: whoever runs an organisation, and gave it its name, writes to anybody without
   * end, in the name of the installation.
   * @returns as `requestReset`
   */
  async takeInvitation(organizationId: string, email: string): Promise<number> {
    const read = readUserEmail(email);
    return read === null ? 0 : this.#take(invitationGuesses(guessedName(read.key), organizationId));
  }

  /** In the background: an invitation is made, whether or not its mail can be. @param token of its link */
  sendInvitation(token: string): void {
    this.#begin('invitation', () => this.#sendInvitation(token));
  }

  /** In the background. Attack: whoever has taken over an owner does it unseen. @param by who has switched it off */
  tellSecondFactorIsOff(userId: string, by: string): void {
    this.#begin('second-factor', () => this.#sendSecondFactorIsOff(userId, by));
  }

  /** What was asked for is in the queue. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #take(guesses: readonly Guess[]): Promise<number> {
    const waitMs = this.#guesses.restMs(guesses) || (await this.#guesses.take(guesses));
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
      const { id: linkId, token } = await makeResetLinkIn(tx, user.id);
      const url = linkUrl(baseUrl(), 'reset', token);
      await mail.send(tx, {
        to: user.email,
        subject: 'Set another password',
        text: resetText(user.name, url),
        linkId,
      });
    });
    onQueued();
  }

  async #sendSecondFactorIsOff(userId: string, by: string): Promise<void> {
    const { database, mail, onQueued } = this.#options;
    const user = await findUser(database, userId);
    if (user === null) return;
    await mail.send(database, {
      to: user.email,
      subject: 'Your second factor is switched off',
      text: secondFactorText(user.name, by),
      linkId: null,
    });
    onQueued();
  }

  async #sendInvitation(token: string): Promise<void> {
    const { database, mail, baseUrl, onQueued } = this.#options;
    const { email, organization, invited_by: by, expires_at: until } = await describeLink(database, token);
    const link = await findLink(database, token);
    if (link === null || email === null || organization === null) return;
    const from = by ?? 'Somebody';
    const url = linkUrl(baseUrl(), 'invitation', token);
    await mail.send(database, {
      to: email,
      subject: `${from} invites you to ${organization}`.slice(0, MAX_SUBJECT).toWellFormed(),
      text: invitationText({ url, organization, from, until }),
      linkId: link.id,
    });
    onQueued();
  }
}

const MAX_SUBJECT = 200;

function resetText(name: string, url: string): string {
  return `Hello ${name},

somebody asked for another password for your account. If it was you, open this link and set it:

${url}

It works once, within ${RESET_HOURS} hours. A second factor is still asked for.

If it was not you, do nothing: your password stays as it is.
`;
}

function secondFactorText(name: string, by: string): string {
  return `Hello ${name},

${by} has switched off your second factor: your authenticator app, all passkeys and recovery codes.
Your password alone opens the dashboard now. Without one, choose "Forgot your password?" where you sign in.

Set up a second factor again under Account.

If you have not asked for it, ask ${by}, and set another password.
`;
}

interface Invitation {
  url: string;
  organization: string;
  from: string;
  until: string;
}

function invitationText({ url, organization, from, until }: Invitation): string {
  return `Hello,

${from} invites you to ${organization}. Open this link to join:

${url}

It works once, until ${new Date(until).toUTCString()}.

If you do not know ${from}, do nothing.
`;
}
