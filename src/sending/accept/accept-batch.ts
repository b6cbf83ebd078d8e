/** Accepts up to a hundred emails in one request: either all of the emails or none (docs/contract.md, sendBatch). */
import type { SendBatch, SendEmail } from '../../contract/emails.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { timingCommit } from '../../db/timing-commit.ts';
import { validationError } from '../../model/app-error.ts';
import { ByteBudget, type ByteReservation } from '../../concurrency/byte-budget.ts';
import { ofElement } from '../../model/element-errors.ts';
import { limitsAccepting, type Plan } from '../../model/plans.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import type { ExaminedBatch, ExaminedEmail } from './examine-email.ts';
import { fingerprint } from './fingerprint.ts';
import { type NewEmail, sizeOfEmail, claimKeys, insertRows } from './insert-emails.ts';
import { quotaExceeded, storageExceeded, tooManyWaiting } from './refusals.ts';
import type { Idempotency, Replays } from './replays.ts';
import type { TemplateUses } from '../../templates/template-uses.ts';
import type { Sender } from './sender.ts';
import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { admitEmails, type InsertOutcome } from './insert-within-limits.ts';

/** The emails of a batch, which one transaction writes before the response 202. */
interface NewBatch {
  plan: Plan;
  /** At least one email; all emails belong to one project. If the batch has an idempotency key, the first email has this key. */
  emails: readonly NewEmail[];
}

/** The outcome of a batch. If the batch is rejected, nothing is written, and `at` is the index of the email that caused the rejection. */
type BatchOutcome = { outcome: InsertOutcome; at: number };

export interface AcceptedBatch {
  /** UUIDs of the emails, in the order of the request. */
  emailIds: readonly string[];
  /** True if an earlier request with the same idempotency key created the emails. */
  replayed: boolean;
}

export interface BatchAcceptorOptions {
  database: Database;
  replays: Replays;
  /** Checks a single email before it is written. @throws AppError */
  check(
    sender: Sender,
    send: SendEmail,
    traceParent: string | null,
    envelope: ExaminedEmail['envelope'] | null,
    idempotency: Idempotency | null,
  ): Promise<NewEmail>;
  /** Called after each commit that queued recipients. */
  onQueued(): void;
  templateUses: Pick<TemplateUses, 'note'>;
}

/**
 * Few batches are written concurrently, because single emails need database connections too. A project gets one slot, so that no project
 * uses all slots.
 */
const SLOTS = { slots: 2, slotsPerOwner: 1 } as const;
/** The maximum number of waiting batches per project. A batch behind more batches would wait longer than its client does. */
const MAX_WAITING = 40;
/** The maximum size of one batch in characters. Templates can turn a short request into a long batch. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** The maximum total size in characters of all batches that are being checked or written. */
const MAX_LENGTH_IN_MEMORY = 64 * 1024 * 1024;
const MAX_LENGTH_PER_PROJECT = MAX_LENGTH_IN_MEMORY / 2;
/** Waiting batches are never cancelled, because a client that disconnects could not know whether its batch was written. */
const NEVER = new AbortController().signal;

export class BatchAcceptor {
  readonly #options: BatchAcceptorOptions;
  /** Slots are shared fairly between projects, however many batches each project sends. */
  readonly #slots = new FairSlots({ ...SLOTS, maxWaitingPerOwner: MAX_WAITING, makeError: tooManyWaiting });
  /**
   * Separate from `#slots`, because a batch under a limited plan waits for the lock of its project, and batches under unlimited plans must
   * not wait behind such a batch.
   */
  readonly #limitedSlots = new FairSlots({
    ...SLOTS,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: tooManyWaiting,
  });
  /** Stops this attack: many short batches at once that templates expand to the maximum size. */
  readonly #memory = new ByteBudget({ maxBytes: MAX_LENGTH_IN_MEMORY, makeError: tooManyWaiting });

  constructor(options: BatchAcceptorOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the commit.
   * @param traceParent W3C traceparent of the request; null without tracing
   * @param examined the result of examining a large batch in another thread; null if the batch was not examined
   * @throws AppError as `Acceptor.accept`; an error in one email is reported for the field `emails` and names the email
   */
  async accept(
    sender: Sender,
    batch: SendBatch,
    idempotencyKey: string | null,
    traceParent: string | null,
    examined: ExaminedBatch | null,
  ): Promise<AcceptedBatch> {
    const { projectId, plan } = sender;
    const idempotency =
      idempotencyKey === null
        ? null
        : { key: idempotencyKey, fingerprint: examined?.fingerprint ?? fingerprint(batch) };
    const hold = this.#memory.open([
      { holder: projectId, maxBytes: MAX_LENGTH_PER_PROJECT, makeError: tooManyWaiting },
    ]);
    let emails: readonly NewEmail[] = [];
    const check = async () =>
      (emails = await this.#check(hold, sender, batch.emails, traceParent, examined, idempotency));
    const write = (checked: readonly NewEmail[]) => this.#write(projectId, checked, plan);
    try {
      const first =
        idempotency === null
          ? await check()
              .then(write)
              .then(() => null)
          : await this.#options.replays.acceptOnce(projectId, idempotency, check, write);
      if (first !== null) return { emailIds: first.emailIds ?? [first.emailId], replayed: true };
    } finally {
      hold.resize(0);
    }
    this.#options.onQueued();
    // The newest first: of the emails with the same template, only the newest is noted.
    for (const [at, send] of [...batch.emails.entries()].reverse())
      this.#options.templateUses.note(projectId, (emails[at] as NewEmail).emailId, send);
    return { emailIds: emails.map(({ emailId }) => emailId), replayed: false };
  }

  async #check(
    hold: ByteReservation,
    sender: Sender,
    sends: readonly SendEmail[],
    traceParent: string | null,
    examined: ExaminedBatch | null,
    idempotency: Idempotency | null,
  ): Promise<NewEmail[]> {
    const emails: NewEmail[] = [];
    let length = 0;
    for (const [at, send] of sends.entries()) {
      const key = at === 0 ? idempotency : null;
      try {
        emails.push(
          await this.#options.check(sender, send, traceParent, examined?.envelopes[at] ?? null, key),
        );
      } catch (error) {
        throw ofElement('emails', at, error);
      }
      length += sizeOfEmail(emails[at] as NewEmail);
      if (length > MAX_LENGTH)
        throw validationError({
          emails: `emails[${at}]: the rendered emails are too large in total; send fewer emails`,
        });
      hold.resize(length);
    }
    return emails;
  }

  /** @returns false if the idempotency key belongs to an earlier request */
  async #write(projectId: string, emails: readonly NewEmail[], plan: Plan): Promise<boolean> {
    const slots = limitsAccepting(plan) ? this.#limitedSlots : this.#slots;
    const { outcome, at } = await slots.run(projectId, NEVER, () =>
      retryingConflicts(() => timingCommit(() => insertBatch(this.#options.database, { emails, plan }))),
    );
    const email = emails[at] as NewEmail;
    // The emails before this one would have been within the limit.
    if (outcome === 'over-quota') throw quotaExceeded(email, plan, { size: emails.length, left: at });
    if (outcome === 'over-storage') throw ofElement('emails', at, storageExceeded(email));
    return outcome === 'accepted';
  }
}

async function insertBatch(database: Database, { plan, emails }: NewBatch): Promise<BatchOutcome> {
  return database.transaction().execute(async (tx) => {
    const outcomes = limitsAccepting(plan) ? await admitEmails(tx, emails) : [];
    const at = outcomes.findIndex((outcome) => outcome !== 'accepted');
    if (at >= 0) return { outcome: outcomes[at] as InsertOutcome, at };
    if ((await claimKeys(tx, emails)).size > 0) return { outcome: 'key-taken', at: 0 };
    await rememberAll(tx, emails);
    await insertRows(tx, emails);
    return { outcome: 'accepted', at: 0 };
  });
}

/**
 * Stores the ids of all emails in the row of the idempotency key, which was just claimed for the first email, so that a repeated request
 * gets the same response.
 */
async function rememberAll(tx: DatabaseTransaction, emails: readonly NewEmail[]): Promise<void> {
  const [first] = emails;
  if (first === undefined || first.idempotency === null) return;
  await sql`
    update idempotency_keys set email_ids = ${uuidArray(emails.map(({ emailId }) => emailId))}::uuid[]
    where project_id = ${first.projectId} and key = ${first.idempotency.key}`.execute(tx);
}
