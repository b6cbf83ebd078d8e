/** A queue full of recipients that are not due, and the statements that claim rows of this queue. */
import { sql } from 'kysely';
import { textArray } from '../../src/db/arrays.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { newUuid } from '../../src/model/ids.ts';
import { type ClaimedRow, claimDue } from '../../src/queue/claim.ts';
import {
  claimParked,
  closeDestination,
  forgetDestination,
  parkUnstarted,
  claimDueDestinations,
} from '../../src/queue/destinations.ts';
import { Lease } from '../../src/queue/lease.ts';
import { type SettledRow, settling } from '../../src/queue/settle.ts';
import { newEmail } from '../../test/support/emails.ts';
import { madeEmails } from './made-emails.ts';
import type { Product } from './product.ts';

const DESTINATIONS = 1_000;
const DUE_ROWS = 400;
const PARKED_ROWS = 100;
const PROBED_DESTINATIONS = 100;
const HOUR_MS = 3_600_000;
/** The age of the oldest email: two days, however many emails there are. */
const AGE_SECONDS = 2 * 24 * 3_600;
const REPLY = {
  replyCode: null,
  enhancedCode: null,
  text: 'mx.test cannot be connected to: ETIMEDOUT',
  remoteMta: null,
  tls: false,
  dialogue: null,
};

/**
 * Half of the recipients are deferred, and each recipient of the other half is parked for one of 1,000 failing destinations. None of them
 * will be due for hours. Emails, contents, recipients and events are omitted, because they are not read before a row is due.
 */
export async function fillDeferred(product: Product, recipients: number): Promise<void> {
  await product.query(`
    insert into destinations (name, failures, failing_since, reply, next_attempt_at)
    select 'd' || lpad(n::text, 3, '0') || '.test', 3, now() - interval '1 hour', '${JSON.stringify(REPLY)}',
      now() + interval '4 hours' + random() * interval '1 hour'
    from generate_series(0, ${DESTINATIONS - 1}) n`);
  await product.query(`
    insert into queue (project_id, email_id, recipient_index, stream, address, octets, attempts, next_attempt_at, destination)
    select project_id, id, 0, 'transactional', 'b' || n || '@' || name, 2048, 3,
      case when is_parked then 'infinity' else now() + interval '4 hours' + random() * interval '1 day' end,
      case when is_parked then name end
    from (${madeEmails(recipients, AGE_SECONDS / recipients)}) made,
      lateral (select n % 2 = 0 as is_parked, 'd' || lpad((n / 2 % ${DESTINATIONS})::text, 3, '0') || '.test' as name) place`);
  for (const table of ['queue', 'destinations']) await product.query(`vacuum (analyze) ${table}`);
  // Run a checkpoint, because dirty pages would be written back during a measurement.
  await product.query('checkpoint');
}

/** Each `claim…` inserts, claims and completes rows. It resolves with the milliseconds that only the claim took. */
export class DeferredQueue implements AsyncDisposable {
  readonly #database: Database;
  readonly #lease: Lease;
  /** The number of the failing destination at which the next probes begin. */
  #probedFrom = 0;

  private constructor(database: Database, lease: Lease) {
    this.#database = database;
    this.#lease = lease;
  }

  static async open(product: Product): Promise<DeferredQueue> {
    const database = openDatabase(product.databaseUrl);
    return new DeferredQueue(database, await Lease.begin(database, newUuid(), 'bench'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lease.stop();
    await this.#database.destroy();
  }

  async claimDue(): Promise<number> {
    await this.#insert(DUE_ROWS);
    const { rows, ms } = await this.#time(DUE_ROWS, () => this.#claim(DUE_ROWS));
    await this.#settle(rows.map((row) => ({ ...row, settlement: { kind: 'done' } })));
    return ms;
  }

  /** Claims rows that are parked for a destination with a backlog. */
  async claimParked(): Promise<number> {
    const destination = 'backlog.test';
    const { leaseId } = this.#lease;
    await this.#insert(PARKED_ROWS);
    await parkUnstarted(this.#database, leaseId, await this.#claim(PARKED_ROWS), destination);
    const { rows, ms } = await this.#time(
      PARKED_ROWS,
      async () => (await claimParked(this.#database, leaseId, destination, PARKED_ROWS)).rows,
    );
    await this.#settle(rows.map((row) => ({ ...row, settlement: { kind: 'done' } })));
    await forgetDestination(this.#database, destination);
    return ms;
  }

  /** Claims failing destinations that are due, with one row of each destination as a probe. The probes fail. */
  async probe(): Promise<number> {
    const names = Array.from(
      { length: PROBED_DESTINATIONS },
      (_, at) => `d${String((this.#probedFrom + at) % DESTINATIONS).padStart(3, '0')}.test`,
    );
    this.#probedFrom += PROBED_DESTINATIONS;
    await sql`
      update destinations set next_attempt_at = now() - interval '1 second'
      where name = any(${textArray(names)}::text[])`.execute(this.#database);
    const probes: { row: ClaimedRow; destination: string; failures: number }[] = [];
    const { ms } = await this.#time(PROBED_DESTINATIONS, async () => {
      for (const { name, failures } of await claimDueDestinations(this.#database, {
        backlogs: 0,
        failing: PROBED_DESTINATIONS,
      })) {
        const { rows } = await claimParked(this.#database, this.#lease.leaseId, name, 1);
        const [row] = rows;
        if (row !== undefined) probes.push({ row, destination: name, failures });
      }
      return probes.map(({ row }) => row);
    });
    await this.#settle(
      probes.map(({ row, destination }) => ({
        ...row,
        settlement: { kind: 'parked', destination, wasAttempted: true },
      })),
    );
    for (const { destination, failures } of probes) {
      await closeDestination(this.#database, destination, failures, 4 * HOUR_MS, REPLY);
    }
    return ms;
  }

  async #insert(count: number): Promise<void> {
    await insertEmails(
      this.#database,
      Array.from({ length: count }, () => newEmail()),
    );
  }

  async #claim(rows: number): Promise<ClaimedRow[]> {
    return (await claimDue(this.#database, this.#lease.leaseId, rows)).rows;
  }

  async #time(
    expected: number,
    take: () => Promise<ClaimedRow[]>,
  ): Promise<{ rows: ClaimedRow[]; ms: number }> {
    const from = performance.now();
    const rows = await take();
    const ms = performance.now() - from;
    if (rows.length !== expected) throw new Error(`${rows.length} rows were claimed instead of ${expected}`);
    return { rows, ms };
  }

  async #settle(rows: readonly SettledRow[]): Promise<void> {
    const settled = settling(this.#lease.leaseId, rows);
    await sql`with ${settled.sql} select from ${settled.name}`.execute(this.#database);
  }
}
