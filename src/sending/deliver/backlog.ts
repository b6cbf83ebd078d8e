/**
 * What waits for destinations, between the destination queues of a worker and the database: loads what is known of a destination, parks
 * what a destination queue cannot take, claims it again when there is room, probes those that failed, and bounces what waited for
 * three days.
 */
import type { Database } from '../../db/database.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import {
  claimParked,
  closeDestination,
  findDestinations,
  forgetDestination,
  openDestination,
  parkDue,
  parkHeld,
  takeDueDestinations,
  type WaitingDestination,
} from '../../queue/destinations.ts';
import type { Lease } from '../../queue/lease.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { groupJobs, type Job } from './begin-attempts.ts';
import { redactReply } from './redact-reply.ts';
import type { DestinationQueue } from './destination-queue.ts';
import type { DestinationQueues } from './destination-queues.ts';
import type { AttemptOf } from './outcome-events.ts';
import type { AttemptReply, Outcome } from './provider.ts';
import { nextDelayMs } from './retry-schedule.ts';
import { TIMINGS } from './timings.ts';

const LOOK_MS = 1_000;
const DUE_BACKLOGS = 100;
/** Most failing destinations let their probe wait for as long as it may: those must not take up all places. */
const MAX_PROBES = 50;
/** Statements at once: they share the connections with all other work. */
const MAX_PULLS = 8;
/** That a destination is closed may take so long to be written. */
const CLOSING_MS = 4_000;
const PARK_ROWS = 10_000;
const EXPIRE_ROWS = 400;

export interface BacklogOptions {
  database: Database;
  lease: Lease;
  queues: DestinationQueues;
  recorder: AttemptRecorder;
  /** The answer to a claim was lost (see `AttemptRecorderOptions`). */
  onDoubt(): void;
  /** Destination queues have changed. */
  onChange(): void;
  /** Attempts one job of a destination whose destination queue is closed. Resolves when that is over, whatever became of it. */
  probe(job: Job): Promise<void>;
}

/** What there is to know of an attempt, beside its outcome. */
interface Attempted {
  /** On the clock of `performance.now`. */
  startedMs: number;
  mailFromDomain: string;
}

export class Backlog {
  readonly #options: BacklogOptions;
  #nextLookMs = 0;
  #looking: Promise<void> | null = null;
  #pulls = 0;
  #probes = 0;
  #stopping = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Looks around where that is due. */
  tick(): void {
    const nowMs = performance.now();
    while (this.#pulls < MAX_PULLS && !this.#stopping) {
      const queue = this.#options.queues.nextToRefill();
      if (queue === null) break;
      void this.#pull(queue);
    }
    if (nowMs < this.#nextLookMs || this.#looking !== null || this.#stopping) return;
    this.#nextLookMs = nowMs + LOOK_MS;
    this.#options.queues.sweep(nowMs);
    this.#looking = this.#guarded('look at destinations', () => this.#look()).finally(() => {
      this.#looking = null;
    });
  }

  /** Claims nothing more. Resolves when what was under way is done. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#looking;
  }

  /** Sees to it that what waits may be begun: knows the destinations, and parks what none of them takes. */
  async sort(): Promise<void> {
    const { queues } = this.#options;
    const nowMs = performance.now();
    const unknown: DestinationQueue[] = [];
    for (const queue of queues.waiting) {
      if (queue.state.kind === 'closed' && queue.state.untilMs <= nowMs) queue.state = { kind: 'unknown' };
      if (queue.state.kind === 'unknown') unknown.push(queue);
    }
    if (unknown.length > 0) await this.#load(unknown);
    await Promise.all([...queues.waiting].map((queue) => this.#parkIfClosed(queue)));
    for (const { queue, jobs } of queues.takeOverflow()) await this.#parkHeld(queue, jobs);
  }

  /** Takes what is due next, for destination queues without room, out of the way of the others. */
  async clearTheWay(): Promise<void> {
    const saturated = this.#options.queues.saturated;
    if (saturated.length === 0) return;
    for (const queue of saturated) queue.hasBacklog = true;
    const names = saturated.map(({ destination }) => destination);
    while ((await parkDue(this.#options.database, names, PARK_ROWS)) === PARK_ROWS);
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
      if (queue.state.kind === 'probing') queue.state = { kind: 'unknown' };
      return null;
    }
    if (outcome.outcome !== 'transient' || outcome.scope === 'message') {
      if (outcome.outcome !== 'transient' || outcome.reply.replyCode !== null) {
        queue.lastAnswerMs = performance.now();
      }
      // Not waited for: the sooner the outcome is written down, the better.
      if (queue.state.kind === 'probing') void this.#open(queue);
      return null;
    }
    // It took others meanwhile: then it is this message's turn to wait, and nobody else's.
    if (queue.lastAnswerMs > attempted.startedMs) return null;
    if (queue.state.kind !== 'closed') await this.#close(queue, outcome, attempted);
    return { ...waitFor(queue), wasTried: true };
  }

  async #look(): Promise<void> {
    const probes = MAX_PROBES - this.#probes;
    const due = await takeDueDestinations(this.#options.database, {
      backlogs: DUE_BACKLOGS,
      failing: probes,
    });
    const failing = due.filter(({ failures }) => failures > 0);
    for (const destination of failing) void this.#probe(destination);
    for (const { name, failures } of due) if (failures === 0) this.#isOpen(this.#options.queues.get(name));
    if (due.length - failing.length === DUE_BACKLOGS || (probes > 0 && failing.length === probes)) {
      this.#nextLookMs = 0;
    }
    this.#options.onChange();
  }

  /** The destination has a backlog and takes mail, says the database. */
  #isOpen(queue: DestinationQueue): void {
    const { state } = queue;
    // Closed a moment ago, it may not be written down yet. Longer ago: it never was, or another worker has opened it since.
    if (state.kind === 'closed' && performance.now() - state.sinceMs < CLOSING_MS) return;
    queue.state = { kind: 'open' };
    queue.hasBacklog = true;
  }

  async #probe(destination: WaitingDestination): Promise<void> {
    const queue = this.#options.queues.get(destination.name);
    queue.state = { kind: 'probing', failures: destination.failures, reply: heard(destination) };
    this.#probes += 1;
    await this.#guarded('probe a destination', () => this.#findOut(queue));
    this.#probes -= 1;
    this.#options.onChange();
  }

  /** Row after row tries whether the destination is back, until one has an answer. */
  async #findOut(queue: DestinationQueue): Promise<void> {
    const { database, lease, recorder, probe } = this.#options;
    while (queue.state.kind === 'probing' && !this.#stopping) {
      const rows = await this.#claim(() => claimParked(database, lease.leaseId, queue.destination, 1));
      const [job] = this.#jobs(rows, queue);
      if (job === undefined) {
        queue.state = { kind: 'unknown' };
        await forgetDestination(database, queue.destination);
      } else if (this.#stopping) {
        await recorder.giveBack(rows);
      } else {
        await probe(job);
      }
    }
  }

  async #pull(queue: DestinationQueue): Promise<void> {
    const { database, lease, queues, recorder } = this.#options;
    queue.pulling = true;
    this.#pulls += 1;
    await this.#guarded('claim a backlog', async () => {
      const limit = queues.refillSize(queue);
      const rows = await this.#claim(() => claimParked(database, lease.leaseId, queue.destination, limit));
      if (this.#stopping) await recorder.giveBack(rows);
      else queues.add(this.#jobs(rows, queue));
      if (rows.length < limit) {
        queue.hasBacklog = false;
        await forgetDestination(database, queue.destination);
      }
    });
    queue.pulling = false;
    this.#pulls -= 1;
    this.#options.onChange();
  }

  async #load(unknown: readonly DestinationQueue[]): Promise<void> {
    const names = unknown.map(({ destination }) => destination);
    const found = await findDestinations(this.#options.database, names);
    const byName = new Map(found.map((destination) => [destination.name, destination]));
    for (const queue of unknown) {
      const destination = byName.get(queue.destination);
      if (destination === undefined || destination.failures === 0) {
        queue.state = { kind: 'open' };
        queue.hasBacklog ||= destination !== undefined;
      } else {
        const { failures, waitMs } = destination;
        const sinceMs = performance.now();
        const untilMs = sinceMs + Math.max(waitMs, LOOK_MS);
        queue.state = { kind: 'closed', failures, sinceMs, untilMs, reply: heard(destination) };
      }
    }
  }

  /** Says on the timeline of each that it waits, and why. */
  async #parkIfClosed(queue: DestinationQueue): Promise<void> {
    const { queues, recorder } = this.#options;
    const { state } = queue;
    if (state.kind !== 'closed' && state.kind !== 'probing') return;
    const outcome = { outcome: 'transient', scope: 'host', reply: state.reply } as const;
    const rows = queues.empty(queue).flatMap((job) => job.rows);
    await Promise.all(
      rows.map((row) => recorder.record(row, outcome, { ...waitFor(queue), wasTried: false }, null)),
    );
  }

  async #parkHeld(queue: DestinationQueue, jobs: readonly Job[]): Promise<void> {
    const { database, lease } = this.#options;
    queue.hasBacklog = true;
    const rows = jobs.flatMap((job) => job.rows);
    await this.#claim(async () => {
      await parkHeld(database, lease.leaseId, rows, queue.destination);
      return [];
    });
  }

  async #close(
    queue: DestinationQueue,
    outcome: Extract<Outcome, { outcome: 'transient' }>,
    { mailFromDomain }: Attempted,
  ): Promise<void> {
    const known = queue.state.kind === 'probing' ? queue.state.failures : 0;
    const reply = redactReply(outcome.reply, mailFromDomain);
    const delayMs = Math.round(
      Math.max(nextDelayMs(known + 1, 0, Math.random()) ?? 0, outcome.retryAfterMs ?? 0),
    );
    const wasProbe = queue.state.kind === 'probing';
    const sinceMs = performance.now();
    queue.state = { kind: 'closed', failures: known + 1, sinceMs, untilMs: sinceMs + delayMs, reply };
    queue.hasBacklog = false;
    await this.#guarded('close a destination', () =>
      closeDestination(this.#options.database, queue.destination, known, delayMs, { ...reply }),
    );
    if (wasProbe) void this.#guarded('expire a backlog', () => this.#expire(queue, reply));
    this.#options.onChange();
  }

  async #open(queue: DestinationQueue): Promise<void> {
    queue.state = { kind: 'open' };
    queue.hasBacklog = true;
    await this.#guarded('open a destination', () =>
      openDestination(this.#options.database, queue.destination),
    );
    this.#options.onChange();
  }

  /** What has waited for three days bounces. */
  async #expire(queue: DestinationQueue, reply: AttemptReply): Promise<void> {
    const { database, lease, recorder } = this.#options;
    const outcome = { outcome: 'transient', scope: 'host', reply } as const;
    const before = firstUuidAt(new Date(Date.now() - TIMINGS.giveUpAfterMs));
    while (!this.#stopping) {
      const rows = await this.#claim(() =>
        claimParked(database, lease.leaseId, queue.destination, EXPIRE_ROWS, before),
      );
      await Promise.all(
        rows.map((row) => recorder.record(row, outcome, { ...waitFor(queue), wasTried: false }, null)),
      );
      if (rows.length < EXPIRE_ROWS) return;
    }
  }

  #jobs(rows: readonly ClaimedRow[], queue: DestinationQueue): Job[] {
    return groupJobs(rows, () => queue.destination);
  }

  /** A claim whose answer is lost leaves the lease in doubt. */
  async #claim(claim: () => Promise<ClaimedRow[]>): Promise<ClaimedRow[]> {
    try {
      return await claim();
    } catch (error) {
      this.#options.onDoubt();
      throw error;
    }
  }

  /** What fails here is tried again when its time comes. */
  async #guarded(step: string, run: () => Promise<void>): Promise<void> {
    await run().catch((error: unknown) => this.#options.recorder.report(error, step));
  }
}

function waitFor(queue: DestinationQueue): { destination: string; delayMs: number } {
  const { destination, state } = queue;
  const delayMs = state.kind === 'closed' ? Math.max(state.untilMs - performance.now(), 0) : 0;
  return { destination, delayMs };
}

function heard({ reply }: WaitingDestination): AttemptReply {
  return reply as unknown as AttemptReply;
}
