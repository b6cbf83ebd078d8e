/** The mailbox sessions of this process, over all protocols. A session ends when its credential is no longer valid. */
import { hash } from 'node:crypto';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { listenTo } from '../../db/notify.ts';
import { rowsOf } from '../../db/rows.ts';
import type { MailboxAccess } from '../../model/mailbox-rights.ts';
import { type Grant, readMembers, readMemberships } from '../sharing/grants.ts';
import type { MailboxAccount } from './find-accounts.ts';
import { MAX_SESSIONS, MAX_SESSIONS_OF_NETWORK } from './limits.ts';
import { TIMINGS } from './timings.ts';
import { WEB_SESSION_LIVES } from './web-sessions.ts';

/**
 * The channel on which database triggers (`credential_changed` and others) send notifications. A notification says only that a credential
 * has changed, not which.
 */
const CHANNEL = 'posthorn_credentials';

/** A session of a mailbox. The caller disposes of the session when the client disconnects. */
export interface SignedInMailbox extends Disposable {
  readonly projectId: string;
  readonly mailboxId: string;
  /** The mailbox's stored address. */
  readonly address: string;
  readonly access: 'read' | 'everything';
  /**
   * Aborts when the credential or a used grant is no longer valid, or the mailbox was deleted. The session must then show no data and make
   * no changes.
   */
  readonly ended: AbortSignal;
  /**
   * Call before each command that shows or changes data of another mailbox: reads the grant. From the first call on, the session also ends
   * when the grant is changed or revoked.
   * @param mailboxId the other mailbox
   * @param access the access according to the grant
   * @returns false if the grant has just been changed or revoked, so that the session has ended
   * @throws database errors
   */
  useGrant(mailboxId: string, access: MailboxAccess): Promise<boolean>;
  /** The grants to other mailboxes, as they are now. @throws database errors */
  memberships(): Promise<Grant[]>;
  /** The grants of others to this mailbox, as they are now. @throws database errors */
  members(): Promise<Grant[]>;
}

/** The credential of a session. */
export type Credential =
  | { kind: 'password'; passwordHash: string; mayHaveSecondFactor: boolean }
  | { kind: 'app-password'; id: string }
  /** A persistent session of a browser. */
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
  grants: 'text[]',
});

interface OpenMailbox {
  projectId: string;
  mailboxId: string;
  network: string;
  /** Identifies the credential and its state. The session stays open as long as the mailbox has a valid credential with this proof. */
  proof: string;
  /** The grants that the session uses, each as in `PROOFS`. */
  grants: Set<string>;
  ending: AbortController;
}

export type OpenMailboxesTimings = Pick<typeof TIMINGS, 'pollMs' | 'changesRetainedMs'>;

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
  /**
   * The ID of a transaction. The last check saw the changes of all transactions before it. Null while no session is open, because no checks
   * run then.
   */
  #seenBefore: string | null = null;
  /** The time of the last check, by the database's clock. */
  #seenMs = 0;
  #polling: Promise<void> | null = null;
  #isNoticed = false;

  /** @param url the database's URL, for a separate connection that is not pooled */
  constructor(database: Database, url: string, timings: OpenMailboxesTimings = TIMINGS) {
    this.#database = database;
    this.#timings = timings;
    const poll = (): void => void this.#poll().catch(() => {});
    this.#listening = listenTo(url, CHANNEL, { onNotice: poll, onListening: poll });
    // protection: lost notices
    this.#timer = setInterval(poll, timings.pollMs).unref();
  }

  /**
   * @param access the access that the credential gives
   * @returns `full` if there are too many sessions; `changed` if the credential is no longer valid
   * @throws database errors
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
      grants: new Set(),
      ending,
    };
    const others = this.#open.get(mailboxId) ?? new Set();
    const ofNetwork = [...others].filter((other) => other.network === network);
    if (others.size >= MAX_SESSIONS || ofNetwork.length >= MAX_SESSIONS_OF_NETWORK) return 'full';
    this.#open.set(mailboxId, others.add(opened));
    const close = (): void => this.#close(opened);
    try {
      // If no check has run yet, record the current transaction ID first. The check of this session below then finds changes since the
      // password was compared, and the periodic checks will find later changes.
      if (this.#seenBefore === null) await this.#poll();
      await this.#check([opened]);
    } catch (error) {
      close();
      throw error;
    }
    if (ending.signal.aborted) return 'changed';
    const useGrant = async (sharedId: string, granted: MailboxAccess): Promise<boolean> => {
      const grant = `${sharedId} ${granted}`;
      // Added before the check, so that either this check or the check after a later change finds a revoked grant.
      opened.grants.add(grant);
      await this.#check([opened]);
      return !ending.signal.aborted;
    };
    return {
      projectId,
      mailboxId,
      address,
      access,
      ended: ending.signal,
      useGrant,
      memberships: () => readMemberships(this.#database, account),
      members: () => readMembers(this.#database, account),
      [Symbol.dispose]: close,
    };
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

  /** Runs one check at a time. A notification during a check causes another check, because the current check may have missed the change. */
  async #poll(): Promise<void> {
    if (this.#open.size === 0) return;
    if (this.#polling !== null) {
      this.#isNoticed = true;
      return this.#polling;
    }
    this.#polling = this.#pollOnce();
    try {
      await this.#polling;
    } finally {
      this.#polling = null;
    }
    if (this.#isNoticed) {
      this.#isNoticed = false;
      await this.#poll();
    }
  }

  async #pollOnce(): Promise<void> {
    const { rows } = await CHANGED.sql`
      select pg_snapshot_xmin(pg_current_snapshot())::text as seen_before, extract(epoch from now())::float8 * 1000 as seen_ms,
        array(select distinct mailbox_id::text from credential_changes
          where transaction_id >= ${this.#seenBefore}::text::xid8) as changed`.execute(this.#database);
    const [found] = rows;
    if (found === undefined) return;
    // If the last check was long ago, records of changes may already be deleted, so every session is checked.
    const { changesRetainedMs } = this.#timings;
    const isLate = this.#seenBefore !== null && found.seenMs - this.#seenMs > changesRetainedMs / 2;
    const changed = isLate ? [...this.#open.keys()] : found.changed;
    await this.#check(changed.flatMap((mailboxId) => [...(this.#open.get(mailboxId) ?? [])]));
    if (this.#open.size === 0) return;
    this.#seenBefore = found.seenBefore;
    this.#seenMs = found.seenMs;
  }

  /** Ends the sessions whose credential, or a grant that they use, is no longer valid. */
  async #check(open: readonly OpenMailbox[]): Promise<void> {
    if (open.length === 0) return;
    const mailboxes = [...new Map(open.map((each) => [each.mailboxId, each])).values()];
    const { rows } = await PROOFS.sql`
      select m.id as mailbox_id, m.password_hash, m.second_factor_since is not null as has_second_factor, m.sessions_version,
        array(select p.id::text from app_passwords p where p.project_id = m.project_id and p.mailbox_id = m.id) as app_passwords,
        array(select w.id::text from web_sessions w
          where w.project_id = m.project_id and w.mailbox_id = m.id and ${WEB_SESSION_LIVES}) as web_sessions,
        array(select g.mailbox_id::text || ' ' || g.access from mailbox_grants g
          where g.project_id = m.project_id and g.member_id = m.id) as grants
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
    const granted = new Map(rows.map(({ mailboxId, grants: all }) => [mailboxId, new Set(all)]));
    for (const { mailboxId, proof, grants, ending } of open)
      if (proofs.get(mailboxId)?.has(proof) !== true)
        ending.abort(new Error('the credential of the session is no longer valid'));
      else if ([...grants].some((grant) => granted.get(mailboxId)?.has(grant) !== true))
        ending.abort(new Error('a grant that the session uses is no longer valid'));
  }
}

/** The proof of a credential. A password hash is hashed again, so that the stored hash does not stay in memory. */
function proofOf(credential: Credential, sessionsVersion: number): string {
  const what =
    credential.kind !== 'password'
      ? credential.id
      : `${credential.mayHaveSecondFactor} ${hash('sha256', credential.passwordHash)}`;
  return `${sessionsVersion} ${what}`;
}
