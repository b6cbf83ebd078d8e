/** Who signs in to a mailbox, by whatever door: the one place that looks at a password. */
import type { Database } from '../../db/database.ts';
import { verifyPassword } from '../password.ts';
import { type Account, findAccounts, readUserName } from './find-accounts.ts';

type Access = 'read' | 'everything';

export interface Attempt {
  /** The address of the mailbox, in any spelling. */
  user: string;
  password: string;
  /** The client's IP address. */
  address: string;
  door: 'imap' | 'pop3' | 'submission' | 'web';
  /** The least that the door is of use with: an app password for reading does not open one that wants everything. */
  wants: Access;
}

/** A mailbox whose owner is here. Whoever was given it disposes of it when the owner leaves. */
export interface SignedIn extends Disposable {
  readonly projectId: string;
  readonly mailboxId: string;
  /** Of the mailbox, as it has it. */
  readonly address: string;
  readonly access: Access;
  /** The password was changed, or the mailbox is gone: nothing more may be shown or done. */
  readonly ended: AbortSignal;
}

export type SignInResult =
  | { outcome: 'signed-in'; mailbox: SignedIn }
  /** Whatever the reason, in the same time. */
  | { outcome: 'refused' }
  /** The password was not looked at. */
  | { outcome: 'try-later'; afterSeconds: number };

export interface SignInOptions {
  database: Database;
}

export class SignIn implements AsyncDisposable {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** @throws AppError unavailable; what the database says */
  async signIn({ user, password }: Attempt): Promise<SignInResult> {
    const name = readUserName(user);
    const accounts = name === null ? [] : await findAccounts(this.#options.database, name);
    for (const account of accounts.length === 0 ? [null] : accounts) {
      const isRight = await verifyPassword(password, account?.passwordHash ?? null);
      if (isRight && account !== null) return { outcome: 'signed-in', mailbox: open(account) };
    }
    return { outcome: 'refused' };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function open({ projectId, mailboxId, address }: Account): SignedIn {
  return {
    projectId,
    mailboxId,
    address,
    access: 'everything',
    ended: new AbortController().signal,
    [Symbol.dispose]() {},
  };
}
