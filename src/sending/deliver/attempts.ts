/** Runs attempts, from marking a row as in flight to recording its outcome: compose, sign, send, record. */
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
  pausedMail: PausedMail;
  /** Called after events were written, to wake the code that processes events. */
  onEvents(): void;
}

/** A row with a running attempt. */
interface InFlight {
  job: Job;
  row: ClaimedRow;
  queue: DestinationQueue;
  reservation: Reservation;
  /**
   * The final dot is written, or will be in this tick of the event loop. From then on only the remote server knows whether it accepted the
   * message.
   */
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

  /** The number of rows with running attempts. */
  get count(): number {
    return this.#inFlight.size;
  }

  /** Whether attempts are just beginning. `count` does not include the rows of these attempts yet. */
  get areBeginning(): boolean {
    return this.#beginning > 0;
  }

  /** The rows with running attempts. */
  get rows(): ClaimedRow[] {
    return [...this.#inFlight].map(({ row }) => row);
  }

  /** Returns a function that decides for one job after another whether the job may begin together with the jobs admitted before. */
  admission(): (job: Job) => boolean {
    return this.#largeInFlight.admission(this.#inFlight.size === 0);
  }

  /** Begins the jobs. @returns the running attempts */
  async begin(jobs: readonly Job[]): Promise<Promise<void>[]> {
    const { queues, onChange } = this.#options;
    this.#beginning += 1;
    // These reservations last until `#attemptJob` has made its own reservations for the same rows.
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
   * Aborts attempts whose message was not handed over, and releases their rows. From now on no message is handed over. Rows that wait for
   * the reply to a final dot stay claimed, because releasing them now would make a duplicate certain instead of just possible.
   * @returns whether rows stay claimed under the lease
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

  /** Marks jobs as in flight and returns the jobs that may begin. A job that cannot be marked must not block the other jobs. */
  async #markInFlight(jobs: readonly Job[]): Promise<BegunJob[]> {
    const { database, lease, recorder, onEvents } = this.#options;
    try {
      const begun = await beginAttempts(database, lease.leaseId, jobs);
      onEvents();
      return begun;
    } catch (error) {
      if (mayWorkLater(error)) {
        recorder.report(error, 'begin');
        // It is unknown whether the statement was committed. In either case the rows may be released, because no work on them has begun.
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

  /** Attempts a job. Each recipient has a separate SMTP transaction and a separate outcome. */
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
    // A large message has only a limited number of copies in memory at a time.
    const copies = composer.hasCopies ? maxCopies(job) : 1;
    const release = this.#largeInFlight.hold(job, copies);
    const notAttempted = unsent.rows.map((row) => recorder.recordUnsent(row, unsent.reason));
    const limit = new Semaphore(composer.hasCopies ? copies : begun.length);
    await Promise.all(
      begun.map((inFlight) => limit.run(() => this.#attempt(inFlight, composer, email.traceParent))),
    );
    await Promise.all(notAttempted);
    release();
    onChange();
  }

  async #attempt(
    inFlight: InFlight,
    composer: Composer<null | 'link-ended'>,
    traceParent: string | null,
  ): Promise<void> {
    const { provider, logger, watch, pausedMail, recorder, onChange } = this.#options;
    const { job, row, queue, reservation } = inFlight;
    let observed: ObservedAttempt | null = null;
    try {
      const sender = composer.senderDomain();
      if (pausedMail.holds(row)) return await this.#parkPaused(row);
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
      // The destination may have been paused or closed while the message was composed.
      if (pausedMail.holds(row)) return await this.#parkPaused(row);
      const newWait = watch.waitOf(job, queue, sender);
      if (newWait !== null) return await this.#leaveWaiting(row, newWait);
      const startedMs = performance.now();
      observed = new ObservedAttempt(logger, row, traceParent);
      const outcome = await this.#send(inFlight, composed, composer);
      observed.answered();
      if (outcome === null) {
        observed.broken();
        await recorder.recordUnsent(row, 'domain_not_verified');
        return;
      }
      // After the grace period of a stop, messages that were not handed over have been released. Messages that were handed over are retried
      // when the lease ends, unless their outcome can still be written.
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

  /** Parks a row whose destination is paused, without a timeline event. After the grace period of a stop the row is already released. */
  async #parkPaused(row: ClaimedRow): Promise<void> {
    if (this.#mayCommit) await this.#options.pausedMail.leave([row]);
  }

  /** Records that a row waits for its destination. After the grace period of a stop the row is already released. */
  async #leaveWaiting(row: ClaimedRow, wait: Wait): Promise<void> {
    if (this.#mayCommit) await this.#options.recorder.recordWaiting(row, wait, wait.reply);
  }

  /** Returns null if no key signs the message and the recipient is not a local mailbox of the project. */
  async #send(
    inFlight: InFlight,
    composed: ComposedEmail,
    composer: Composer<null | 'link-ended'>,
  ): Promise<Outcome | null> {
    const { provider } = this.#options;
    const { job, row } = inFlight;
    const message = this.#outbound(inFlight, composed);
    // Unsigned messages may only be delivered to local mailboxes of the project.
    if (composed.localOnly) return (await provider.sendLocally?.(message)) ?? null;
    const outcome = await provider.send(message);
    if (outcome.outcome !== 'permanent' || outcome.needsSevenBit !== true) return outcome;
    // The converted message is in memory beside the original.
    const release = this.#largeInFlight.hold(job, 1);
    try {
      const converted = await composer.compose(row.recipientIndex, true);
      const isConverted = converted !== null && converted !== 'link-ended';
      return isConverted ? await provider.send(this.#outbound(inFlight, converted)) : outcome;
    } finally {
      release();
    }
  }

  #outbound(inFlight: InFlight, composed: ComposedEmail): OutboundMessage {
    const { lease, composing } = this.#options;
    const { row } = inFlight;
    const dsn = composed.dsnOf?.(row.recipientIndex);
    return {
      ...composed,
      ...(dsn !== undefined && { dsn }),
      mailFrom: composed.mailFrom ?? composing.returnPaths.mint(row, composed.mailFromDomain),
      rcptTo: row.address,
      attempt: row.attempts + 1,
      mayCommit: () => {
        // protection: lease asked
        inFlight.committed = this.#mayCommit && lease.isValid();
        return inFlight.committed;
      },
    };
  }
}
