/**
 * Records recent sign-ins and open sessions of mailboxes, for display (docs/mailboxes.md, Sign-ins and sessions). Each process collects its
 * records and writes them every few seconds, so that sign-ins do not wait for this write. Sessions that are closed before the next write
 * are never written.
 */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { uuidArray } from '../../db/arrays.ts';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import type { MailDoor } from '../../model/mail-doors.ts';
import { within } from '../../concurrency/within.ts';
import { TIMINGS } from './timings.ts';

interface Opened {
  id: string;
  projectId: string;
  mailboxId: string;
  door: MailDoor;
  /** The client's IP address. */
  address: string;
  /** The app password of the session. Null if the session was opened with the mailbox's own password. */
  appPasswordId: string | null;
  openedAt: Date;
}

/** The number of sign-ins that are stored per mailbox. */
const MAX_SIGN_INS = 50;
/** Maximum number of rows in one statement. Further rows wait for the next write. */
const MAX_BATCH = 1_000;
/** The maximum number of unwritten sign-ins. Further sign-ins are dropped while the database is unavailable. */
const MAX_WAITING = 20_000;
/** Maximum wait for the database during shutdown. */
const GOODBYE_MS = 500;

const ROWS = rowsOf<Opened>('n', {
  id: ['uuid', ({ id }) => id],
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  door: ['text', ({ door }) => door],
  address: ['text', ({ address }) => address],
  // Write `appPasswordId` as text, with an empty text for null, because the array of uuids must not contain null.
  app_password_id: ['text', ({ appPasswordId }) => appPasswordId ?? ''],
  opened_at: ['timestamptz', ({ openedAt }) => openedAt],
});
const APP_PASSWORD = sql`nullif(n.app_password_id, '')::uuid`;

export class SignInRegister implements AsyncDisposable {
  readonly #database: Database;
  readonly #processId: string;
  readonly #timer: NodeJS.Timeout;
  /** The last sign-in that is not written yet, for each mailbox, protocol and IP address. */
  readonly #signIns = new Map<string, Opened>();
  /** Open sessions whose rows are not written yet. */
  readonly #opened = new Map<string, Opened>();
  readonly #written = new Set<string>();
  /** Closed sessions whose rows were written and must now be deleted. */
  readonly #closed = new Set<string>();
  #writing: Promise<void> = Promise.resolve();

  /** @param processId the id in the table `processes` */
  constructor(database: Database, processId: string) {
    this.#database = database;
    this.#processId = processId;
    this.#timer = setInterval(() => void this.write().catch(() => {}), TIMINGS.registerMs).unref();
  }

  /** Records a sign-in with its session. @returns a function to call when the session is closed */
  note(opening: Omit<Opened, 'id' | 'openedAt'>): () => void {
    const opened = { ...opening, id: newUuid(), openedAt: clock.now() };
    const { id, mailboxId, door, address } = opened;
    if (this.#signIns.size < MAX_WAITING) this.#signIns.set(`${mailboxId} ${door} ${address}`, opened);
    this.#opened.set(id, opened);
    return () => {
      if (!this.#opened.delete(id) && this.#written.delete(id)) this.#closed.add(id);
    };
  }

  /** Writes all records that are not written yet. A failed write is retried at the next interval. @throws database errors */
  write(): Promise<void> {
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        await this.#writeSignIns();
        await this.#writeOpened();
        await this.#writeClosed();
      });
    return this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const goodbye = this.#writing
      .catch(() => {})
      .then(async () => {
        await this.#writeSignIns();
        await sql`delete from mailbox_sessions where process_id = ${this.#processId}`.execute(this.#database);
      });
    await within(
      GOODBYE_MS,
      goodbye.catch(() => {}),
      undefined,
    );
  }

  /** Writes sign-ins. Even if a mail app connects every minute, only one sign-in per `signInsWithinMs` is written. */
  async #writeSignIns(): Promise<void> {
    const batch = [...this.#signIns].slice(0, MAX_BATCH);
    if (batch.length === 0) return;
    // Sort the rows: if all processes write them in the same order, deadlocks are impossible.
    const rows = batch.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, opened]) => opened);
    await sql`
      with noted as (
        insert into mailbox_sign_ins as s (project_id, mailbox_id, door, address, app_password_id, signed_in_at)
        select n.project_id, n.mailbox_id, n.door, n.address, ${APP_PASSWORD}, n.opened_at
        from ${ROWS.from(rows)} join mailboxes m on m.project_id = n.project_id and m.id = n.mailbox_id
        on conflict (project_id, mailbox_id, door, address) do update
        set signed_in_at = excluded.signed_in_at, app_password_id = excluded.app_password_id
        where s.signed_in_at < excluded.signed_in_at - ${TIMINGS.signInsWithinMs} * interval '1 millisecond'
          or s.app_password_id is distinct from excluded.app_password_id
        returning s.project_id, s.mailbox_id
      )
      delete from mailbox_sign_ins d using (
        select o.project_id, o.mailbox_id, o.door, o.address,
          row_number() over (partition by o.project_id, o.mailbox_id order by o.signed_in_at desc) as place
        from mailbox_sign_ins o
        where (o.project_id, o.mailbox_id) in (select project_id, mailbox_id from noted)
      ) o
      where o.place > ${MAX_SIGN_INS} and d.project_id = o.project_id and d.mailbox_id = o.mailbox_id
        and d.door = o.door and d.address = o.address`.execute(this.#database);
    for (const [key, opened] of batch) if (this.#signIns.get(key) === opened) this.#signIns.delete(key);
  }

  async #writeOpened(): Promise<void> {
    const batch = [...this.#opened.values()].slice(0, MAX_BATCH);
    if (batch.length === 0) return;
    await sql`
      insert into mailbox_sessions (process_id, id, project_id, mailbox_id, door, address, app_password_id, opened_at)
      select ${this.#processId}::uuid, n.id, n.project_id, n.mailbox_id, n.door, n.address, ${APP_PASSWORD}, n.opened_at
      from ${ROWS.from(batch)} on conflict do nothing`.execute(this.#database);
    // A session that was closed during the write is no longer in `#opened`, so its row must be deleted.
    for (const { id } of batch) (this.#opened.delete(id) ? this.#written : this.#closed).add(id);
  }

  async #writeClosed(): Promise<void> {
    const batch = [...this.#closed].slice(0, MAX_BATCH);
    if (batch.length === 0) return;
    await sql`
      delete from mailbox_sessions
      where process_id = ${this.#processId} and id = any (${uuidArray(batch)}::uuid[])`.execute(
      this.#database,
    );
    for (const id of batch) this.#closed.delete(id);
  }
}
