/**
 * Attempts, from the moment that a row counts as in flight to the record of its outcome: compose, sign, send, record.
 */
import type { Logger } from 'pino';
import { mayWorkLater } from '../../db/database.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import { type BegunJob, beginAttempts } from './begin-attempts.ts';
import { type ComposedEmail, type Composer, composerOf } from './compose-email.ts';
import { submissionComposer, type SubmissionComposing } from './compose-submission.ts';
import type { DestinationQueue, Reservation } from './destination-queue.ts';
import type { DestinationWatch, DestinationWatchOptions, Wait } from './destination-watch.ts';
import type { Job } from './job.ts';
import type { PausedMail } from './paused-mail.ts';
import { LargeMessages, maxCopies } from './large-messages.ts';
import { ObservedAttempt } from './observed-attempt.ts';
import { isSubmission, type StoredEmail } from './stored-email.ts';
import type { Outcome, OutboundMessage, Provider } from './provider.ts';

export interface AttemptsOptions
  extends Pick<DestinationWatchOptions, 'database' | 'lease' | 'queues' | 'recorder' | 'onChange'> {
  provider: Provider;
  composing: SubmissionComposing;
  logger: Logger;
  watch: DestinationWatch;
  held: PausedMail;
  /** Events were written, which others may wait for. */
  onEvents(): void;
}

/** A row whose attempt is under way. */
interface InFlight {
  job: Job;
  row: ClaimedRow;
  queue: DestinationQueue;
  reservation: Reservation;
  /** The final dot is written, or about to be in this turn: only the far side knows whether the message went. */
  committed: boolean;
}

export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #inFlight = new Set<InFlight>();
  readonly #largeInFlight = new LargeMessages();
  #beginning = 0;
  #mayCommit = true;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Rows whose attempts are under way. */
  get count(): number {
    return this.#inFlight.size;
  }

  /** Whether some just begin: their rows do not count yet. */
  get areBeginning(): boolean {
    return this.#beginning > 0;
  }

  /** The rows whose attempts are under way. */
  get rows(): ClaimedRow[] {
    return [...this.#inFlight].map(({ row }) => row);
  }

  /** What may begin together, asked of one job after the other. */
  admission(): (job: Job) => boolean {
    return this.#largeInFlight.admission(this.#inFlight.size === 0);
  }

  /** Resolves with the attempts that are on their way. */
  async begin(jobs: readonly Job[]): Promise<Promise<void>[]> {
    const { queues, onChange } = this.#options;
    this.#beginning += 1;
    // Until the attempts have reservations of their own.
    const reservations = jobs.map(({ destination, projectId, rows }) =>
      queues.get(destination).reserve(projectId, rows.length),
    );
    const begun = await this.#markInFlight(jobs);
    this.#beginning -= 1;
    const attempts = begun.map((job) => this.#attemptJob(job));
    for (const reservation of reservations) reservation.release();
    onChange();
    return attempts;
  }

  /**
   * Breaks off what was not handed over, and gives it back: from here on nothing is handed over. A wait for the reply to a final
   * dot is left to the lease: giving the row back at once would make a duplicate certain where it is now merely possible.
   * @returns whether anything is left to the lease
   */
  async breakOff(): Promise<boolean> {
    const { recorder } = this.#options;
    this.#mayCommit = false;
    recorder.close();
    const { committed = [], free = [] } = Object.groupBy(this.#inFlight, (attempt) =>
      attempt.committed ? 'committed' : 'free',
    );
    await recorder.release(free.map(({ row }) => row));
    await recorder.leave(committed.map(({ row }) => row));
    return committed.length > 0;
  }

  /** The emails that may be worked on now. One that cannot be marked in flight must not keep the others from it. */
  async #markInFlight(jobs: readonly Job[]): Promise<BegunJob[]> {
    const { database, lease, recorder, onEvents } = this.#options;
    try {
      const begun = await beginAttempts(database, lease.leaseId, jobs);
      onEvents();
      return begun;
    } catch (error) {
      if (mayWorkLater(error)) {
        recorder.report(error, 'begin');
        // Whether the commit happened is unknown. Giving back is right in both cases: no work was begun.
        await recorder.release(jobs.flatMap((job) => job.rows));
        return [];
      }
      const [only, ...others] = jobs;
      if (only !== undefined && others.length === 0) {
        await recorder.recordCrash(only.rows, error);
        return [];
      }
      const begun: BegunJob[] = [];
      for (const job of jobs) begun.push(...(await this.#markInFlight([job])));
      return begun;
    }
  }

  /** Composes, then each recipient has a transaction, and an outcome, of its own. */
  async #attemptJob({ job, email, unsent }: BegunJob): Promise<void> {
    const { queues, recorder, composing, onChange } = this.#options;
    const queue = queues.get(job.destination);
    const begun = job.rows.map(
      (row): InFlight => ({
        job,
        row,
        queue,
        reservation: queue.reserve(row.projectId, 1),
        committed: false,
      }),
    );
    for (const inFlight of begun) this.#inFlight.add(inFlight);
    const composer = isSubmission(email)
      ? submissionComposer(email, composing)
      : composerOf(email as StoredEmail, composing);
    // Only some of the copies of a large message are there at a time.
    const copies = composer.hasCopies ? maxCopies(job) : 1;
    const release = this.#largeInFlight.hold(job, copies);
    const unasked = unsent.rows.map((row) => recorder.recordUnsent(row, unsent.reason));
    const limit = new Semaphore(composer.hasCopies ? copies : begun.length);
    await Promise.all(
      begun.map((inFlight) => limit.run(() => this.#attempt(inFlight, composer, email.traceParent))),
    );
    await Promise.all(unasked);
    release();
    onChange();
  }

  async #attempt(
    inFlight: InFlight,
    composer: Composer<null | 'link-ended'>,
    traceParent: string | null,
  ): Promise<void> {
    const { provider, logger, watch, held, recorder, onChange } = this.#options;
    const { job, row, queue, reservation } = inFlight;
    let observed: ObservedAttempt | null = null;
    try {
      const sender = composer.senderDomain();
      if (held.holds(row)) return await this.#leaveHeld(row);
      const wait = watch.waitOf(job, queue, sender);
      if (wait !== null) return await this.#leaveWaiting(row, wait);
      const composed = await composer.compose(row.recipientIndex).finally(() => reservation.handOver());
      if (composed === null) {
        await recorder.recordUnsent(row, 'domain_not_verified');
        return;
      }
      if (composed === 'link-ended') {
        await recorder.recordUnsent(row, 'link_ended');
        return;
      }
      // A destination that was held or closed meanwhile is not asked.
      if (held.holds(row)) return await this.#leaveHeld(row);
      const newWait = watch.waitOf(job, queue, sender);
      if (newWait !== null) return await this.#leaveWaiting(row, newWait);
      const startedMs = performance.now();
      observed = new ObservedAttempt(logger, row, traceParent);
      const outcome = await this.#send(inFlight, composed);
      observed.answered();
      if (outcome === null) {
        observed.broken();
        await recorder.recordUnsent(row, 'domain_not_verified');
        return;
      }
      // After the grace of a stop what was not handed over is given back. What was, is tried again after the lease,
      // unless the answer can still be written down.
      if (!this.#mayCommit && !inFlight.committed) {
        observed.ended(outcome, null);
        return;
      }
      if (outcome.outcome === 'abandoned' && outcome.isElsewhere === true) {
        observed.ended(outcome, null);
        await watch.leaveToOthers(job, queue, row);
        return;
      }
      const waitFor =
        provider.destinations === null
          ? null
          : await watch.afterAttempt(queue, outcome, {
              startedMs,
              mailFromDomain: composed.mailFromDomain,
              probes: job.probes,
            });
      await recorder.record(row, outcome, waitFor, observed);
    } catch (error) {
      observed?.broken();
      if (mayWorkLater(error)) await recorder.release([row]);
      else await recorder.recordCrash([row], error);
    } finally {
      this.#inFlight.delete(inFlight);
      reservation.release();
      onChange();
    }
  }

  /** The same for one that its destination is not to be asked for, and nobody is told. */
  async #leaveHeld(row: ClaimedRow): Promise<void> {
    if (this.#mayCommit) await this.#options.held.leave([row]);
  }

  /** After the grace of a stop it is given back with the others. */
  async #leaveWaiting(row: ClaimedRow, wait: Wait): Promise<void> {
    if (this.#mayCommit) await this.#options.recorder.recordWaiting(row, wait, wait.reply);
  }

  /** Null: nobody signs it, and the recipient is not within the project. */
  async #send(inFlight: InFlight, composed: ComposedEmail): Promise<Outcome | null> {
    const { lease, provider, composing } = this.#options;
    const { row } = inFlight;
    const dsn = composed.dsnOf?.(row.recipientIndex);
    const message: OutboundMessage = {
      ...composed,
      ...(dsn !== undefined && { dsn }),
      mailFrom: composed.mailFrom ?? composing.returnPaths.mint(row, composed.mailFromDomain),
      rcptTo: row.address,
      attempt: row.attempts + 1,
      mayCommit: () => {
        // protection: lease asked
        inFlight.committed = this.#mayCommit && lease.holds();
        return inFlight.committed;
      },
    };
    // What no key signed leaves for nobody outside.
    if (composed.staysWithin) return (await provider.sendWithin?.(message)) ?? null;
    return provider.send(message);
  }
}
