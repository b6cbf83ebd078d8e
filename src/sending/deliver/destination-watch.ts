/** Which destinations take mail: what attempts find out, and the probes of those that failed. */
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt } from '../../model/ids.ts';
import {
  claimParked,
  closeDestination,
  findDestinations,
  forgetDestination,
  openDestination,
  parkHeld,
  passOn,
  takeDueDestinations,
  type WaitingDestination,
} from '../../queue/destinations.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import type { Lease } from '../../queue/lease.ts';
import { FIRST_TURN } from '../../queue/turns.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import type { DestinationQueue } from './destination-queue.ts';
import type { DestinationQueues } from './destination-queues.ts';
import { groupJobs, type Job } from './job.ts';
import type { AttemptOf } from './outcome-events.ts';
import type { AttemptReply, Outcome } from './provider.ts';
import { redactReply } from './redact-reply.ts';
import { nextDelayMs } from './retry-schedule.ts';
import { TIMINGS } from './timings.ts';

const LOOK_MS = 1_000;
const DUE_BACKLOGS = 100;
/** Most failing destinations let their probe wait for as long as it may: those must not take up all places. */
const MAX_PROBES = 50;
/** That a destination is closed may take so long to be written. */
const CLOSING_MS = 4_000;
const EXPIRE_ROWS = 400;

export interface DestinationWatchOptions {
  database: Database;
  lease: Lease;
  queues: DestinationQueues;
  recorder: AttemptRecorder;
  /** Runs a statement that claims rows. */
  claim<T>(statement: () => Promise<T>): Promise<T>;
  /** Attempts one job of a destination that is being probed. Resolves when that is over, however it ended. */
  probe(job: Job): Promise<void>;
  /** Queues have changed. */
  onChange(): void;
  /** Nothing more is to be claimed or begun. */
  isStopping(): boolean;
}

/** What there is to know of an attempt, beside its outcome. */
interface Attempted {
  /** On the clock of `performance.now`. */
  startedMs: number;
  mailFromDomain: string;
}

export class DestinationWatch {
  readonly #options: DestinationWatchOptions;
  #nextLookMs = 0;
  #looking: Promise<void> | null = null;
  #probes = 0;

  constructor(options: DestinationWatchOptions) {
    this.#options = options;
  }

  /** Looks around where that is due. */
  tick(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextLookMs || this.#looking !== null) return;
    const { queues, recorder } = this.#options;
    this.#nextLookMs = nowMs + LOOK_MS;
    queues.sweep(nowMs);
    this.#looking = this.#look()
      .catch(recorder.reporter('look at destinations'))
      .finally(() => {
        this.#looking = null;
      });
  }

  /** Resolves when the look around that was under way is over. */
  async stop(): Promise<void> {
    await this.#looking;
  }

  /** Learns what the database says of the destinations. */
  async load(unknown: readonly DestinationQueue[]): Promise<void> {
    const names = unknown.map(({ destination }) => destination);
    const found = await findDestinations(this.#options.database, names);
    const byName = new Map(found.map((destination) => [destination.name, destination]));
    for (const queue of unknown) {
      const destination = byName.get(queue.destination);
      if (destination === undefined || destination.failures === 0) queue.open(destination !== undefined);
      else queue.close(destination.failures, Math.max(destination.waitMs, LOOK_MS), heard(destination));
    }
  }

  /**
   * What an outcome says of the destination.
   * @returns set when the row is to wait for the destination
   */
  async afterAttempt(
    queue: DestinationQueue,
    outcome: Outcome,
    attempted: Attempted,
  ): Promise<AttemptOf['waitFor']> {
    if (outcome.outcome === 'abandoned') {
      if (queue.state.kind === 'probing') queue.forget();
      return null;
    }
    if (outcome.outcome !== 'transient' || outcome.scope === 'message') {
      if (outcome.outcome !== 'transient' || outcome.reply.replyCode !== null) queue.answered();
      // Not waited for: the sooner the outcome is written down, the better.
      if (queue.state.kind === 'probing') void this.#open(queue);
      return null;
    }
    // It took others meanwhile: then it is this message's turn to wait, and nobody else's.
    if (queue.hasAnsweredSince(attempted.startedMs)) return null;
    if (queue.state.kind !== 'closed') await this.#close(queue, outcome, attempted);
    return { destination: queue.destination, delayMs: queue.delayMs, wasTried: true };
  }

  /** The row is for a worker that has a place at the destination. */
  async leaveToOthers(queue: DestinationQueue, row: ClaimedRow): Promise<void> {
    const { database, lease, claim } = this.#options;
    const wasProbe = queue.state.kind === 'probing';
    if (wasProbe) queue.forget();
    await claim(() => parkHeld(database, lease.leaseId, [row], queue.destination));
    if (wasProbe) await passOn(database, [queue.destination]);
  }

  async #look(): Promise<void> {
    const { database, queues, onChange } = this.#options;
    const probes = MAX_PROBES - this.#probes;
    const due = await takeDueDestinations(database, { backlogs: DUE_BACKLOGS, failing: probes });
    const failing = due.filter(({ failures }) => failures > 0);
    const { mine = [], others = [] } = Object.groupBy(due, ({ name }) =>
      queues.hasPlace(name) ? 'mine' : 'others',
    );
    if (others.length > 0)
      await passOn(
        database,
        others.map(({ name }) => name),
      );
    for (const destination of mine) {
      if (destination.failures > 0) void this.#probe(destination);
      else takesMail(queues.get(destination.name));
    }
    if (due.length - failing.length === DUE_BACKLOGS || (probes > 0 && failing.length === probes)) {
      this.#nextLookMs = 0;
    }
    onChange();
  }

  async #probe(destination: WaitingDestination): Promise<void> {
    const { queues, recorder, onChange } = this.#options;
    const queue = queues.get(destination.name);
    queue.probe(destination.failures, heard(destination));
    this.#probes += 1;
    await this.#findOut(queue).catch(recorder.reporter('probe a destination'));
    this.#probes -= 1;
    onChange();
  }

  /** Row after row tries whether the destination is back, until one has an answer. */
  async #findOut(queue: DestinationQueue): Promise<void> {
    const { database, lease, recorder, claim, probe, isStopping } = this.#options;
    let after = FIRST_TURN;
    while (queue.state.kind === 'probing' && !isStopping()) {
      const { rows, isMore, last } = await claim(() =>
        claimParked(database, lease.leaseId, queue.destination, 1, { after }),
      );
      after = last;
      const [job] = groupJobs(rows, () => queue.destination);
      // Another worker may hold the row whose turn it is.
      if (job === undefined && isMore) continue;
      if (job === undefined) {
        queue.forget();
        await forgetDestination(database, queue.destination);
      } else if (isStopping()) {
        await recorder.giveBack(rows);
      } else {
        await probe(job);
      }
    }
  }

  async #close(
    queue: DestinationQueue,
    outcome: Extract<Outcome, { outcome: 'transient' }>,
    { mailFromDomain }: Attempted,
  ): Promise<void> {
    const { database, recorder, onChange } = this.#options;
    const { state } = queue;
    const known = state.kind === 'probing' ? state.failures : 0;
    const reply = redactReply(outcome.reply, mailFromDomain);
    const delayMs = Math.round(
      Math.max(nextDelayMs(known + 1, 0, Math.random()) ?? 0, outcome.retryAfterMs ?? 0),
    );
    queue.close(known + 1, delayMs, reply);
    await closeDestination(database, queue.destination, known, delayMs, reply).catch(
      recorder.reporter('close a destination'),
    );
    if (state.kind === 'probing')
      void this.#expire(queue, reply).catch(recorder.reporter('expire a backlog'));
    onChange();
  }

  async #open(queue: DestinationQueue): Promise<void> {
    const { database, recorder, onChange } = this.#options;
    queue.open(true);
    await openDestination(database, queue.destination).catch(recorder.reporter('open a destination'));
    onChange();
  }

  /** What has waited for three days bounces. */
  async #expire(queue: DestinationQueue, reply: AttemptReply): Promise<void> {
    const { database, lease, recorder, claim, isStopping } = this.#options;
    const upTo = firstUuidAt(new Date(clock.nowMs() - TIMINGS.giveUpAfterMs));
    let after = FIRST_TURN;
    while (!isStopping()) {
      const { rows, isMore, last } = await claim(() =>
        claimParked(database, lease.leaseId, queue.destination, EXPIRE_ROWS, { upTo, after }),
      );
      await recorder.recordUntried(rows, queue, reply);
      if (!isMore) return;
      after = last;
    }
  }
}

/** The destination has a backlog and takes mail, says the database. */
function takesMail(queue: DestinationQueue): void {
  const { state } = queue;
  // Closed a moment ago, it may not be written down yet. Longer ago: it never was, or another worker has opened it since.
  if (state.kind === 'closed' && performance.now() - state.sinceMs < CLOSING_MS) return;
  queue.open(true);
}

function heard({ reply }: WaitingDestination): AttemptReply {
  // What `closeDestination` was given: nothing else is written there.
  return reply as AttemptReply;
}
