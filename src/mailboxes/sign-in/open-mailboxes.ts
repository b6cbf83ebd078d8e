/** Mailboxes whose owners are here, through any door of this process. They end when what opened them is not true any more. */
import { hash } from 'node:crypto';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { listenTo } from '../../db/notify.ts';
import { rowsOf } from '../../db/rows.ts';
import type { MailboxAccount } from './find-accounts.ts';
import { MAX_SESSIONS, MAX_SESSIONS_OF_NETWORK } from './limits.ts';
import { TIMINGS } from './timings.ts';
import { WEB_SESSION_LIVES } from './web-sessions.ts';

/** Triggers say it (`credential_changed` and others of the schema). It has no news in it. */
const CHANNEL = 'posthorn_credentials';

/** A mailbox whose owner is here. Whoever was given it disposes of it when the owner leaves. */
export interface SignedInMailbox extends Disposable {
  readonly projectId: string;
  readonly mailboxId: string;
  /** Of the mailbox, as it has it. */
  readonly address: string;
  readonly access: 'read' | 'everything';
  /** The password was changed, or the mailbox is gone: nothing more may be shown or done. */
  readonly ended: AbortSignal;
}

/** What opened a mailbox. */
export type Credential =
  | { kind: 'password'; passwordHash: string; mayHaveSecondFactor: boolean }
  | { kind: 'app-password'; id: string }
  /** Something that a browser keeps open. */
  | { kind: 'web-session'; id: string };

type OpenedAccount = Pick<MailboxAccount, 'projectId' | 'mailboxId' | 'address' | 'sessionsVersion'>;

const CHANGED = columnsOf({ seenBefore: 'text', seenMs: 'float8', changed: 'text[]' });
const PROOFS = columnsOf({
  mailboxId: 'uuid',
  passwordHash: 'text?',
  hasSecondFactor: 'bool',
  sessionsVersion: 'int4',
  appPasswords: 'text[]',
  webSessions: 'text[]',
});

interface OpenMailbox {
  projectId: string;
  mailboxId: string;
  network: string;
  /** What must still be there for it to stay open. */
  proof: string;
  ending: AbortController;
}

export type OpenMailboxesTimings = Pick<typeof TIMINGS, 'lookMs' | 'changesKeptMs'>;

type MailboxId = Pick<OpenMailbox, 'projectId' | 'mailboxId'>;

const MAILBOXES = rowsOf<MailboxId>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
});

export class OpenMailboxes implements AsyncDisposable {
  readonly #database: Database;
  readonly #timings: OpenMailboxesTimings;
  readonly #listening: AsyncDisposable;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Map<string, Set<OpenMailbox>>();
  /** Transactions before this one have ended, and what they changed was seen. Null: nobody is here, so nobody looks. */
  #seenBefore: string | null = null;
  /** When that was, by the clock of the database. */
  #seenMs = 0;
  #looking: Promise<void> | null = null;
  #isNoticed = false;

  /** @param url of the database, where a connection is a session */
  constructor(database: Database, url: string, timings: OpenMailboxesTimings = TIMINGS) {
    this.#database = database;
    this.#timings = timings;
    const look = (): void => void this.#look().catch(() => {});
    this.#listening = listenTo(url, CHANNEL, { onNotice: look, onListening: look });
    // protection: lost notices
    this.#timer = setInterval(look, timings.lookMs).unref();
  }

  /**
   * @param access what the credential gives
   * @returns `full`: so many are open already; `changed`: the credential is not true any more
   * @throws what the database says
   */
  async open(
    account: OpenedAccount,
    credential: Credential,
    access: SignedInMailbox['access'],
    network: string,
  ): Promise<SignedInMailbox | 'full' | 'changed'> {
    const { projectId, mailboxId, address, sessionsVersion } = account;
    const ending = new AbortController();
    const opened: OpenMailbox = {
      projectId,
      mailboxId,
      network,
      proof: proofOf(credential, sessionsVersion),
      ending,
    };
    const others = this.#open.get(mailboxId) ?? new Set();
    const ofNetwork = [...others].filter((other) => other.network === network);
    if (others.size >= MAX_SESSIONS || ofNetwork.length >= MAX_SESSIONS_OF_NETWORK) return 'full';
    this.#open.set(mailboxId, others.add(opened));
    const close = (): void => this.#close(opened);
    try {
      // Whatever changes from now on is looked for; what changed since the password was compared is seen here.
      if (this.#seenBefore === null) await this.#look();
      await this.#check([opened]);
    } catch (error) {
      close();
      throw error;
    }
    if (ending.signal.aborted) return 'changed';
    return { projectId, mailboxId, address, access, ended: ending.signal, [Symbol.dispose]: close };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#listening[Symbol.asyncDispose]();
  }

  #close(opened: OpenMailbox): void {
    const others = this.#open.get(opened.mailboxId);
    others?.delete(opened);
    if (others?.size === 0) this.#open.delete(opened.mailboxId);
    if (this.#open.size === 0) this.#seenBefore = null;
  }

  /** One look at a time; a notice that comes meanwhile is about what it may have missed. */
  async #look(): Promise<void> {
    if (this.#open.size === 0) return;
    if (this.#looking !== null) {
      this.#isNoticed = true;
      return this.#looking;
    }
    this.#looking = this.#lookOnce();
    try {
      await this.#looking;
    } finally {
      this.#looking = null;
    }
    if (this.#isNoticed) {
      this.#isNoticed = false;
      await this.#look();
    }
  }

  async #lookOnce(): Promise<void> {
    const { rows } = await CHANGED.sql`
      select pg_snapshot_xmin(pg_current_snapshot())::text as seen_before, extract(epoch from now())::float8 * 1000 as seen_ms,
        array(select distinct mailbox_id::text from credential_changes
          where transaction_id >= ${this.#seenBefore}::text::xid8) as changed`.execute(this.#database);
    const [found] = rows;
    if (found === undefined) return;
    // Cut off for long: notes of what was changed meanwhile may be forgotten already.
    const { changesKeptMs } = this.#timings;
    const isLate = this.#seenBefore !== null && found.seenMs - this.#seenMs > changesKeptMs / 2;
    const changed = isLate ? [...this.#open.keys()] : found.changed;
    await this.#check(changed.flatMap((mailboxId) => [...(this.#open.get(mailboxId) ?? [])]));
    if (this.#open.size === 0) return;
    this.#seenBefore = found.seenBefore;
    this.#seenMs = found.seenMs;
  }

  /** Ends those whose proof is gone. */
  async #check(open: readonly OpenMailbox[]): Promise<void> {
    if (open.length === 0) return;
    const mailboxes = [...new Map(open.map((each) => [each.mailboxId, each])).values()];
    const { rows } = await PROOFS.sql`
      select m.id as mailbox_id, m.password_hash, m.second_factor_since is not null as has_second_factor, m.sessions_version,
        array(select p.id::text from app_passwords p where p.project_id = m.project_id and p.mailbox_id = m.id) as app_passwords,
        array(select w.id::text from web_sessions w
          where w.project_id = m.project_id and w.mailbox_id = m.id and ${WEB_SESSION_LIVES}) as web_sessions
      from ${MAILBOXES.from(mailboxes)} join mailboxes m on m.project_id = k.project_id and m.id = k.mailbox_id`.execute(
      this.#database,
    );
    const proofs = new Map(
      rows.map(({ mailboxId, passwordHash, hasSecondFactor, sessionsVersion, appPasswords, webSessions }) => {
        const credentials: Credential[] = [
          ...appPasswords.map((id) => ({ kind: 'app-password', id }) as const),
          ...webSessions.map((id) => ({ kind: 'web-session', id }) as const),
        ];
        if (passwordHash !== null) {
          credentials.push({ kind: 'password', passwordHash, mayHaveSecondFactor: true });
          if (!hasSecondFactor)
            credentials.push({ kind: 'password', passwordHash, mayHaveSecondFactor: false });
        }
        return [mailboxId, new Set(credentials.map((each) => proofOf(each, sessionsVersion)))] as const;
      }),
    );
    for (const { mailboxId, proof, ending } of open)
      if (proofs.get(mailboxId)?.has(proof) !== true)
        ending.abort(new Error('what opened the mailbox is not true any more'));
  }
}

/** The hash of a password is in memory for no longer than it takes to sign in. */
function proofOf(credential: Credential, sessionsVersion: number): string {
  const what =
    credential.kind !== 'password'
      ? credential.id
      : `${credential.mayHaveSecondFactor} ${hash('sha256', credential.passwordHash)}`;
  return `${sessionsVersion} ${what}`;
}
