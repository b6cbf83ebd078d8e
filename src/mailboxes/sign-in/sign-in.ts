/** Signs users in to mailboxes, over any protocol. No other code checks passwords of mailboxes (docs/decisions/0049-signing-in.md). */
import { MAX_PASSWORD_BYTES } from '../../contract/password-limits.ts';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import type { Sealer } from '../../db/seal.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { MailDoor } from '../../model/mail-doors.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { signIns } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { appPasswordDigest, noteUse } from './app-passwords.ts';
import {
  type MailboxAccount,
  type MailboxAccountQuery,
  findAccounts,
  guessedName,
  readUserName,
  type UserName,
} from './find-accounts.ts';
import { rememberNetwork } from './known-networks.ts';
import { BUSY_SECONDS, MAX_LOOK_UPS } from '../../accounts/passwords/limits.ts';
import { renewPassword } from './renew-password.ts';
import { SignInRegister } from './sign-in-register.ts';
import { StandIns } from './stand-ins.ts';
import type { WebSession } from '../../accounts/calls.ts';
import {
  type Credential,
  OpenMailboxes,
  type OpenMailboxesTimings,
  type SignedInMailbox,
} from './open-mailboxes.ts';
import { isImported } from '../../accounts/passwords/imported-hash.ts';
import type { WrongReason } from '../../accounts/passwords/memory.ts';
import { type Candidate, PasswordJudge } from '../../accounts/passwords/password-judge.ts';

export type { SignedInMailbox } from './open-mailboxes.ts';

export interface SignInAttempt {
  /** The address of the mailbox, in any spelling. */
  user: string;
  password: string;
  /** The client's IP address. */
  address: string;
  door: MailDoor;
  /** The access that the protocol needs. An app password for reading is rejected if the protocol needs `everything`. */
  access: SignedInMailbox['access'];
}

export type SignInResult =
  | { outcome: 'signed-in'; mailbox: SignedInMailbox }
  /** The sign-in is rejected. Neither the result nor the time of the check reveals the reason. */
  | { outcome: 'refused' }
  /**
   * The password was not checked, or there are too many sessions. `guesses`: too many wrong passwords. `connections`: the mailbox
   * has too many sessions. `busy`: too many sign-ins at the moment.
   */
  | { outcome: 'try-later'; afterSeconds: number; reason: TryLater };

/** The result of checking only the password, before the mailbox is opened. */
export type MailboxProofResult =
  | { outcome: 'proved'; account: MailboxAccount; passwordHash: string }
  | Exclude<SignInResult, { outcome: 'signed-in' }>;

type TryLater = 'guesses' | 'connections' | 'busy';

export interface SignInOptions {
  database: Database;
  /** The URL of the same database, for a separate connection that listens for notifications. */
  databaseUrl: string;
  /** The id in the table `processes`. */
  processId: string;
  /** Returns the sealer of the installation. Called only for domains with password hashes of other systems. */
  unseal(): Promise<Sealer>;
  logger: { info(fields: object, message: string): void };
  /** Default: `TIMINGS`. */
  timings?: OpenMailboxesTimings;
}

/**
 * The maximum number of names in one query. Attack: sign-ins with a flood of different names. However many there are, they occupy only one
 * connection.
 */
const MAX_BATCH = 64;

/** The reasons in the log for a rejected password. */
const REASONS: Readonly<Record<WrongReason, string>> = {
  'no-account': 'no-mailbox',
  'wrong-password': 'wrong-password',
  'not-enough': 'app-password-needed',
};

type SignInOrigin = Pick<SignInAttempt, 'door' | 'address'>;
type EnteredAccount = Pick<MailboxAccount, 'projectId' | 'mailboxId' | 'isKnown' | 'isNoted'>;

interface LookUp {
  accounts: MailboxAccount[];
  /** See `StandIns`. */
  standIn: string | null;
}

interface Opening {
  account: MailboxAccount;
  credential: Credential;
  access: SignedInMailbox['access'];
}

const NOTHING: LookUp = { accounts: [], standIn: null };

export class SignIn implements AsyncDisposable {
  readonly #options: SignInOptions;
  readonly #lookUps: GroupCommit<MailboxAccountQuery, LookUp>;
  readonly #judge: PasswordJudge<MailboxAccount & Candidate>;
  readonly #open: OpenMailboxes;
  readonly #register: SignInRegister;
  /** Passwords that are being renewed, by mailbox and hash, so that the ten connections of a mail app share one new hash. */
  readonly #renewing = new Map<string, Promise<string | null>>();

  constructor(options: SignInOptions) {
    const { database, databaseUrl, processId, timings, unseal } = options;
    const standIns = new StandIns(database, unseal);
    this.#options = options;
    this.#lookUps = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: async (queries) => {
        const found = await findAccounts(database, queries);
        const drawn = await standIns.of(queries.map(({ name }) => name));
        return found.map((accounts, at) => ({ accounts, standIn: drawn[at] ?? null }));
      },
    });
    this.#judge = new PasswordJudge(database);
    this.#open = new OpenMailboxes(database, databaseUrl, timings);
    this.#register = new SignInRegister(database, processId);
  }

  /** @throws database errors */
  async signIn(attempt: SignInAttempt): Promise<SignInResult> {
    const network = clientNetwork(attempt.address);
    const name = readUserName(attempt.user);
    if (this.#lookUps.pending >= MAX_LOOK_UPS) return this.#tryLater(attempt, 'busy', BUSY_SECONDS);
    const digest = appPasswordDigest(attempt.password);
    const found = name === null ? NOTHING : await this.#lookUps.add({ name, network, digest });
    const byApp = openedByApp(attempt, found.accounts);
    if (byApp !== null) return this.#enter(attempt, network, byApp);
    const proof = await this.#byPassword(attempt, network, name, found);
    if (proof.outcome !== 'proved') return proof;
    const { account, passwordHash } = proof;
    const credential = {
      kind: 'password',
      passwordHash,
      mayHaveSecondFactor: attempt.door === 'web',
    } as const;
    return this.#enter(attempt, network, { account, credential, access: 'everything' });
  }

  /** Checks only the password. The caller checks further factors and begins the session. @throws database errors */
  async prove(attempt: SignInAttempt): Promise<MailboxProofResult> {
    const network = clientNetwork(attempt.address);
    const name = readUserName(attempt.user);
    if (this.#lookUps.pending >= MAX_LOOK_UPS) return this.#tryLater(attempt, 'busy', BUSY_SECONDS);
    const found = name === null ? NOTHING : await this.#lookUps.add({ name, network, digest: null });
    return this.#byPassword(attempt, network, name, found);
  }

  /**
   * Opens a mailbox for a browser, as long as the web session is valid. The caller disposes of the result when the browser disconnects.
   * @returns null if the mailbox has too many sessions, or the web session has just ended
   * @throws database errors
   */
  async openForWebSession(session: WebSession, address: string): Promise<SignedInMailbox | null> {
    const credential = { kind: 'web-session', id: session.sessionId } as const;
    const opened = await this.#open.open(session, credential, 'everything', clientNetwork(address));
    return typeof opened === 'string' ? null : opened;
  }

  /** Records a sign-in after which the caller, not this class, begins the session. @throws database errors */
  async noteEntered(origin: SignInOrigin, account: EnteredAccount): Promise<void> {
    const { projectId, mailboxId, isKnown, isNoted } = account;
    if (!isNoted) await rememberNetwork(this.#options.database, account, clientNetwork(origin.address));
    this.#log(origin, LOG_MESSAGES.signedIn, account, { isNewNetwork: !isKnown });
    signIns.inc({ door: origin.door, result: 'signed_in' });
    // Close the recorded session at once, so that only the sign-in is recorded: the list of sessions already contains the web session.
    this.#register.note({ ...origin, projectId, mailboxId, appPasswordId: null })();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#open[Symbol.asyncDispose](),
      this.#judge[Symbol.asyncDispose](),
      this.#register[Symbol.asyncDispose](),
    ]);
  }

  async #byPassword(
    attempt: SignInAttempt,
    network: string,
    name: UserName | null,
    { accounts, standIn }: LookUp,
    mayRepeat = true,
  ): Promise<MailboxProofResult> {
    const { door, address } = attempt;
    const judged = await this.#judge.judge({
      // No mailbox has a password of this length. Check an empty password instead, which takes as long as any wrong password.
      password: Buffer.byteLength(attempt.password) > MAX_PASSWORD_BYTES ? '' : attempt.password,
      name: name === null ? null : guessedName(name),
      address,
      network,
      standIn,
      accounts: accounts.map((account) => ({
        ...account,
        id: account.mailboxId,
        isPasswordEnough: door === 'web' || !account.hasSecondFactor,
      })),
    });
    switch (judged.verdict) {
      case 'right': {
        const { account, passwordHash } = judged;
        if (!isImported(passwordHash)) return { outcome: 'proved', account, passwordHash };
        const renewed = await this.#renew(account, { password: attempt.password, passwordHash });
        if (renewed === 'busy') return this.#tryLater(attempt, 'busy', BUSY_SECONDS, account);
        if (renewed !== null) return { outcome: 'proved', account, passwordHash: renewed };
        // Another sign-in has just renewed the password, or the password was changed. Check against the hash that is stored now.
        if (!mayRepeat || name === null) return this.#refuse(attempt, account);
        const now = await this.#lookUps.add({ name, network, digest: null });
        return this.#byPassword(attempt, network, name, now, false);
      }
      case 'wrong': {
        const { reason, isLogged } = judged;
        // Repeated attempts with the same password are not logged, because a phone with an old password would fill the log.
        if (isLogged)
          this.#log(attempt, LOG_MESSAGES.signInRefused, accounts[0], { reason: REASONS[reason] });
        signIns.inc({ door, result: 'refused' });
        return { outcome: 'refused' };
      }
      case 'not-checked':
        return this.#tryLater(
          attempt,
          judged.reason,
          judged.afterSeconds,
          judged.isLogged ? accounts[0] : null,
        );
      default:
        return judged satisfies never;
    }
  }

  /** @returns the new hash; null if the stored hash has changed; `busy` if too many passwords are being hashed */
  async #renew(
    account: MailboxAccount,
    proved: { password: string; passwordHash: string },
  ): Promise<string | null | 'busy'> {
    const key = `${account.mailboxId} ${proved.passwordHash}`;
    const underWay = this.#renewing.get(key);
    const renewing =
      underWay ??
      renewPassword(this.#options.database, account, proved).finally(() => this.#renewing.delete(key));
    this.#renewing.set(key, renewing);
    try {
      return await renewing;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') return 'busy';
      throw error;
    }
  }

  async #enter(
    attempt: SignInAttempt,
    network: string,
    { account, credential, access }: Opening,
  ): Promise<SignInResult> {
    const { database } = this.#options;
    const mailbox = await this.#open.open(account, credential, access, network);
    // The credential was changed while it was being checked. The user can sign in again with the new one.
    if (mailbox === 'changed') return this.#refuse(attempt, account);
    if (mailbox === 'full') return this.#tryLater(attempt, 'connections', BUSY_SECONDS, account);
    try {
      if (!account.isNoted) await rememberNetwork(database, account, network);
      if (account.appPassword !== null && credential.kind === 'app-password')
        await noteUse(database, account, account.appPassword);
    } catch (error) {
      mailbox[Symbol.dispose]();
      throw error;
    }
    const fields = credential.kind === 'password' ? {} : { appPasswordId: encodeId('app', credential.id) };
    this.#log(attempt, LOG_MESSAGES.signedIn, account, { ...fields, isNewNetwork: !account.isKnown });
    signIns.inc({ door: attempt.door, result: 'signed_in' });
    return { outcome: 'signed-in', mailbox: this.#noted(mailbox, attempt, credential) };
  }

  #noted(
    mailbox: SignedInMailbox,
    { door, address }: SignInAttempt,
    credential: Credential,
  ): SignedInMailbox {
    const { projectId, mailboxId } = mailbox;
    const appPasswordId = credential.kind === 'app-password' ? credential.id : null;
    const closed = this.#register.note({ projectId, mailboxId, door, address, appPasswordId });
    const dispose = (): void => {
      closed();
      mailbox[Symbol.dispose]();
    };
    return { ...mailbox, [Symbol.dispose]: dispose };
  }

  #refuse(attempt: SignInAttempt, account: MailboxAccount): { outcome: 'refused' } {
    this.#log(attempt, LOG_MESSAGES.signInRefused, account, { reason: 'changed' });
    signIns.inc({ door: attempt.door, result: 'refused' });
    return { outcome: 'refused' };
  }

  /** @param account null for a repeated attempt, which is not logged; absent if no account was found */
  #tryLater(
    attempt: SignInAttempt,
    reason: TryLater,
    afterSeconds: number,
    account?: MailboxAccount | null,
  ): Exclude<SignInResult, { outcome: 'signed-in' | 'refused' }> {
    if (account !== null) this.#log(attempt, LOG_MESSAGES.signInPutOff, account, { reason, afterSeconds });
    signIns.inc({ door: attempt.door, result: 'try_later' });
    return { outcome: 'try-later', afterSeconds, reason };
  }

  /** What a client sent as the user name is never logged, because some users type their password there. */
  #log(
    { door, address }: SignInOrigin,
    message: string,
    account: Pick<MailboxAccount, 'projectId' | 'mailboxId'> | undefined,
    fields: object,
  ): void {
    this.#options.logger.info(
      {
        ...(account !== undefined && {
          projectId: encodeId('prj', account.projectId),
          mailboxId: encodeId('mbx', account.mailboxId),
        }),
        door,
        clientAddress: address,
        ...fields,
      },
      message,
    );
  }
}

/**
 * Finds the account that an app password opens. An app password has 140 random bits and cannot be guessed, so it is checked before guesses
 * are counted. So however many wrong passwords others try, a mail app is not locked out.
 */
function openedByApp(
  { door, access: requested }: SignInAttempt,
  accounts: readonly MailboxAccount[],
): Opening | null {
  if (door === 'web') return null;
  for (const account of accounts) {
    const { appPassword } = account;
    if (appPassword === null || (requested === 'everything' && appPassword.access === 'read')) continue;
    const { id, access } = appPassword;
    return { account, credential: { kind: 'app-password', id }, access };
  }
  return null;
}
