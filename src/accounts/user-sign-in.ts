/**
 * Signing in to the dashboard. This is the only code that checks a user's password. Guesses at users' passwords are counted in the same
 * table as guesses at mailbox passwords (docs/decisions/0049-signing-in.md).
 */
import { MAX_PASSWORD_BYTES } from '../contract/password-limits.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { rowsOf } from '../db/rows.ts';
import { encodeId } from '../model/ids.ts';
import { clientNetwork } from '../net/client-network.ts';
import { signIns } from '../observe/instruments.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { accountGuess, forgive, type GuessedName, knownGuess } from './passwords/guesses.ts';
import { BUSY_SECONDS, KNOWN_DAYS, MAX_LOOK_UPS } from './passwords/limits.ts';
import { type Candidate, PasswordJudge } from './passwords/password-judge.ts';
import { beginSession, type BegunSession, type SessionClient } from './sessions.ts';
import { readUserEmail } from './user-email.ts';
import { rememberUserNetwork, userNetworks } from './user-networks.ts';

export interface UserAttempt {
  /** The email address in any spelling. */
  email: string;
  password: string;
  /** The client's IP address. */
  address: string;
}

/** A user who has proved their identity. */
export interface ProvedUser {
  /** uuid */
  userId: string;
  /** The hash that the password matches; null if the user did not use a password. */
  passwordHash: string | null;
  /** The method, for the log. */
  by: 'password' | 'link' | 'passkey' | 'openid';
  /** Whether a second factor was proved too. A passkey counts as a second factor. */
  withSecondFactor?: boolean;
  /** The uuid of a link whose new password is set once the second factor has been proved (`finishReset`). */
  resetLinkId?: string;
}

export type ProofResult =
  | { outcome: 'right'; proved: ProvedUser }
  /** Rejected. The result and its delay are the same for every reason. */
  | { outcome: 'refused' }
  /** The password was not checked. */
  | { outcome: 'try-later'; afterSeconds: number };

interface AccountQuery {
  key: string;
  network: string;
}

/**
 * Maximum number of attempts that one query looks up. Attack: a flood of names. Because of this limit, the flood occupies only one
 * connection.
 */
const MAX_BATCH = 64;

/** The name of a user for the guess counters. It has three parts, so that it differs from the name of any mailbox. */
export function guessedName(key: string): GuessedName {
  return ['', 'dashboard', key];
}

export interface UserSignInOptions {
  database: Database;
  logger: { info(fields: object, message: string): void };
}

export class UserSignIn implements AsyncDisposable {
  readonly #database: Database;
  readonly #logger: UserSignInOptions['logger'];
  readonly #lookUps: GroupCommit<AccountQuery, Candidate[]>;
  readonly #judge: PasswordJudge<Candidate>;

  constructor({ database, logger }: UserSignInOptions) {
    this.#database = database;
    this.#logger = logger;
    this.#lookUps = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (queries) => findAccounts(database, queries),
    });
    this.#judge = new PasswordJudge(database);
  }

  /**
   * Checks a user's password, but does not begin a session. `enter` begins the session.
   * @throws the database's errors
   */
  async prove({ email, password, address }: UserAttempt): Promise<ProofResult> {
    const network = clientNetwork(address);
    const key = readUserEmail(email)?.key ?? null;
    if (this.#lookUps.pending >= MAX_LOOK_UPS) return this.#tryLater(address, 'busy', BUSY_SECONDS);
    const accounts = key === null ? [] : await this.#lookUps.add({ key, network });
    const [account] = accounts;
    const judged = await this.#judge.judge({
      // No account has a password this long. Checking an empty password instead takes as long as checking a wrong password.
      password: Buffer.byteLength(password) > MAX_PASSWORD_BYTES ? '' : password,
      name: key === null ? null : guessedName(key),
      address,
      network,
      accounts,
    });
    switch (judged.verdict) {
      case 'right': {
        const {
          account: { id: userId },
          passwordHash,
        } = judged;
        return { outcome: 'right', proved: { userId, passwordHash, by: 'password' } };
      }
      case 'wrong':
        if (judged.isLogged)
          this.#log(LOG_MESSAGES.signInRefused, account?.id, address, { reason: judged.reason });
        signIns.inc({ door: 'dashboard', result: 'refused' });
        return { outcome: 'refused' };
      case 'not-checked':
        return this.#tryLater(address, judged.reason, judged.afterSeconds, judged.isLogged ? account : null);
      default:
        return judged satisfies never;
    }
  }

  /**
   * Begins a session. @returns null if the password was just changed, or the user was just deleted
   */
  async enter(
    { userId, passwordHash, by, withSecondFactor = by === 'passkey' }: ProvedUser,
    client: SessionClient,
  ): Promise<BegunSession | null> {
    const proof = { withSecondFactor, withOpenid: by === 'openid' };
    const session = await this.#database.transaction().execute(async (tx) => {
      // The row is locked, so that a concurrent password change waits for this transaction and then also ends the new session.
      let user = tx.selectFrom('users').select('id').where('id', '=', userId).forShare();
      if (passwordHash !== null) user = user.where('passwordHash', '=', passwordHash);
      if ((await user.executeTakeFirst()) === undefined) return null;
      // Attack: the account was cleared after the passkey was proved. This second statement sees a deletion for which the first statement
      // waited.
      if (by === 'passkey' && !(await hasPasskey(tx, userId))) return null;
      return beginSession(tx, userId, client, proof);
    });
    if (session === null) {
      this.#log(LOG_MESSAGES.signInRefused, userId, client.address, { reason: 'changed' });
      signIns.inc({ door: 'dashboard', result: 'refused' });
      return null;
    }
    const network = clientNetwork(client.address);
    const isNewNetwork = !(await userNetworks(this.#database, userId)).includes(network);
    await rememberUserNetwork(this.#database, userId, network);
    this.#log(LOG_MESSAGES.signedIn, userId, client.address, { by, isNewNetwork });
    signIns.inc({ door: 'dashboard', result: 'signed_in' });
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#judge[Symbol.asyncDispose]();
  }

  /** @param account null for a repeated attempt, which is not logged; undefined if the account was not looked up or not found */
  #tryLater(
    address: string,
    reason: 'guesses' | 'busy',
    afterSeconds: number,
    account?: Candidate | null,
  ): ProofResult {
    if (account !== null)
      this.#log(LOG_MESSAGES.signInPutOff, account?.id, address, { reason, afterSeconds });
    signIns.inc({ door: 'dashboard', result: 'try_later' });
    return { outcome: 'try-later', afterSeconds };
  }

  /** Never logs the entered address or password, because users sometimes type the password in the field for the address. */
  #log(message: string, userId: string | undefined, clientAddress: string, fields: object): void {
    const user = userId === undefined ? {} : { userId: encodeId('usr', userId) };
    this.#logger.info({ ...user, door: 'dashboard', clientAddress, ...fields }, message);
  }
}

async function hasPasskey(tx: DatabaseTransaction, userId: string): Promise<boolean> {
  const passkey = await tx
    .selectFrom('userPasskeys')
    .select('id')
    .where('userId', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return passkey !== undefined;
}

/** Forgives the wrong passwords for a user on all networks. */
export async function forgiveUser(
  database: Database | DatabaseTransaction,
  userId: string,
  emailKey: string,
): Promise<void> {
  const name = guessedName(emailKey);
  const networks = await userNetworks(database, userId);
  await forgive(database, [accountGuess(name), ...networks.map((network) => knownGuess(name, network))]);
}

const ACCOUNT_QUERIES = rowsOf<AccountQuery & { at: number }>('a', {
  at: ['int4', ({ at }) => at],
  key: ['text', ({ key }) => key],
  network: ['text', ({ network }) => network],
});

const FOUND_ACCOUNT = columnsOf({ at: 'int4', id: 'uuid', passwordHash: 'text?', isKnown: 'bool' });

async function findAccounts(database: Database, queries: readonly AccountQuery[]): Promise<Candidate[][]> {
  const { rows } = await FOUND_ACCOUNT.sql`
    select a.at, u.id, u.password_hash,
      coalesce(n.seen_at > now() - ${KNOWN_DAYS} * interval '1 day', false) as is_known
    from ${ACCOUNT_QUERIES.from(queries.map((each, at) => ({ ...each, at })))}
    join users u on u.email_key = a.key
    left join user_networks n on n.user_id = u.id and n.network = a.network`.execute(database);
  const found = new Map(rows.map(({ at, ...account }) => [at, { ...account, isPasswordEnough: true }]));
  return queries.map((_, at) => {
    const account = found.get(at);
    return account === undefined ? [] : [account];
  });
}
