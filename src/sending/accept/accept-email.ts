/**
 * Accepting: a validated request becomes rows, and the caller hears of it only after the commit.
 */
import type { SendEmail } from '../../contract/emails.ts';
import type { SendingRestrictions } from '../../accounts/restrictions/sending-restrictions.ts';
import type { Database } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { decodeId, newUuid, timeOf } from '../../model/ids.ts';
import { secondsToNextMonth } from '../../model/month.ts';
import { limitsAccepting, PLAN_LIMITS, type Plan } from '../../model/plans.ts';
import { checkRestrictions } from './check-restrictions.ts';
import { checkSender, type SenderRules } from './check-sender.ts';
import { CommitLanes } from './commit-lanes.ts';
import type { ExaminedEmail } from './examine-email.ts';
import { fingerprint } from './fingerprint.ts';
import { insertEmails, type NewEmail, sizeOfEmail } from './insert-emails.ts';
import { insertWithinLimits, type Outcome } from './insert-within-limits.ts';
import { checkEnvelope } from './check-envelope.ts';
import { type Idempotency, Replays } from './replays.ts';
import { TemplateFiller } from '../../templates/template-filler.ts';
import { type ProjectTracking, trackingOf } from './tracking-of.ts';

/** Who sends: a project as its API key was found. */
export interface Sender extends ProjectTracking {
  projectId: string;
  /** It may be some seconds old. A plan with limits is looked at again where they are checked. */
  plan: Plan;
  /** False: its webhooks hear nothing of the email. */
  emitsEvents?: boolean;
  /** Of its key. Null: it sends as the project may, to anybody. */
  restrictions: SendingRestrictions | null;
}

export interface Accepted {
  /** uuid; its time is the `created_at` of the answer. */
  emailId: string;
  /** True when an earlier request with the same idempotency key made the email. */
  replayed: boolean;
}

export interface AcceptorOptions extends SenderRules {
  database: Database;
  /** What links of tracked emails begin with, without a trailing slash. */
  baseUrl(): string;
  /** Called after each commit that left work for the queue. */
  onQueued(): void;
}

/** Beyond this an email would wait for longer than clients do: the database cannot keep up. */
const MAX_WAITING = 4_000;
/** In characters. */
const MAX_WAITING_LENGTH = 192 * 1024 * 1024;
const RETRY_SECONDS = 5;

export class Acceptor {
  readonly #options: AcceptorOptions;
  readonly #commit: CommitLanes<boolean>;
  /** Apart from the other: a batch waits here for the locks of its projects, and other plans must not wait with it. */
  readonly #limitedCommit: CommitLanes<Outcome>;
  readonly #replays: Replays;
  readonly #templates: TemplateFiller;

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#replays = new Replays(options.database);
    this.#templates = new TemplateFiller(options.database);
    this.#commit = new CommitLanes((batch) => insertEmails(options.database, batch));
    this.#limitedCommit = new CommitLanes((batch) => insertWithinLimits(options.database, batch));
  }

  /**
   * Resolves after the commit (docs/contract.md, sendEmail).
   * @param traceParent W3C traceparent of the request; null where nobody traces
   * @param examined what is known of a large email already
   * @throws AppError validation-failed, domain-not-verified, idempotency-key-reused, quota-exceeded,
   * plan-limit-exceeded, unavailable
   */
  async accept(
    sender: Sender,
    send: SendEmail,
    idempotencyKey: string | null,
    traceParent: string | null,
    examined: ExaminedEmail | null = null,
  ): Promise<Accepted> {
    if (idempotencyKey === null)
      return this.#insert(await this.#check(sender, send, traceParent, examined, null), sender.plan);
    const idempotency = { key: idempotencyKey, fingerprint: examined?.fingerprint ?? fingerprint(send) };
    try {
      const email = await this.#check(sender, send, traceParent, examined, idempotency);
      return await this.#acceptOnce(email, sender.plan, idempotency);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'idempotency-key-reused') throw error;
      // What was accepted once is answered again, whatever is refused today. When nothing is refused, nobody has to look.
      const first = await this.#replays.find(sender.projectId, idempotency);
      if (first === null) throw error;
      return { emailId: first, replayed: true };
    }
  }

  /** @throws AppError validation-failed, domain-not-verified */
  async #check(
    sender: Sender,
    send: SendEmail,
    traceParent: string | null,
    examined: ExaminedEmail | null,
    idempotency: Idempotency | null,
  ): Promise<NewEmail> {
    const { projectId } = sender;
    const envelope = examined === null ? checkEnvelope(send) : examined.envelope;
    if ('errors' in envelope) throw validationError(envelope.errors);
    checkRestrictions(sender.restrictions, envelope);
    const { from, recipients } = envelope;
    const checked = checkSender(this.#options, projectId, from);
    const domain = checked instanceof Promise ? await checked : checked;
    const { template_id: templateId, variables = {} } = send;
    const content =
      templateId === undefined
        ? send
        : { ...send, ...(await this.#templates.fill(projectId, templateId, variables)) };
    return {
      projectId,
      emailId: newUuid(),
      sender: send.from,
      senderAddress: from.address,
      to: send.to,
      cc: send.cc ?? [],
      bcc: send.bcc ?? [],
      replyTo: send.reply_to ?? null,
      subject: content.subject ?? '',
      html: content.html || null,
      text: content.text || null,
      templateId: templateId === undefined ? null : decodeId('tpl', templateId),
      headers: send.headers ?? null,
      tags: send.tags ?? [],
      stream: send.stream ?? 'transactional',
      recipients,
      tracking: trackingOf(sender, domain, content, this.#options.baseUrl),
      traceParent,
      idempotency,
      emitsEvents: sender.emitsEvents ?? true,
    };
  }

  /**
   * @returns false when the idempotency key belongs to an earlier email
   * @throws AppError quota-exceeded, plan-limit-exceeded, unavailable
   */
  #write(email: NewEmail, plan: Plan): Promise<boolean> {
    const [one, other] = [this.#commit, this.#limitedCommit];
    const length = one.pendingLength + other.pendingLength + sizeOfEmail(email);
    if (one.pending + other.pending >= MAX_WAITING || length > MAX_WAITING_LENGTH)
      return Promise.reject(unavailable());
    return limitsAccepting(plan) ? this.#writeWithinLimits(email, plan) : this.#commit.add(email);
  }

  async #writeWithinLimits(email: NewEmail, plan: Plan): Promise<boolean> {
    const outcome = await this.#limitedCommit.add(email);
    if (outcome === 'over-quota') throw quotaExceeded(email, plan);
    if (outcome === 'over-storage') throw storageExceeded(email);
    return outcome === 'accepted';
  }

  async #insert(email: NewEmail, plan: Plan): Promise<Accepted> {
    // protection: commit before the 202
    await this.#write(email, plan);
    this.#options.onQueued();
    return { emailId: email.emailId, replayed: false };
  }

  /** The first request with a key writes; the others wait for its commit and compare (docs/contract.md, Idempotency). */
  async #acceptOnce(email: NewEmail, plan: Plan, idempotency: Idempotency): Promise<Accepted> {
    const { projectId } = email;
    const { key } = idempotency;
    for (;;) {
      if (
        this.#replays.pendingTwin(projectId, key) === undefined &&
        (await this.#replays.whilePending(projectId, key, this.#write(email, plan)))
      ) {
        this.#options.onQueued();
        return { emailId: email.emailId, replayed: false };
      }
      const first = await this.#replays.find(projectId, idempotency);
      if (first !== null) return { emailId: first, replayed: true };
    }
  }
}

function unavailable(): AppError {
  return new AppError('unavailable', 'Too many emails are waiting to be stored at the moment.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
}

function quotaExceeded(email: NewEmail, plan: Plan): AppError {
  const limit = PLAN_LIMITS[plan].apiEmailsPerMonth;
  return new AppError(
    'quota-exceeded',
    `The project has sent the ${limit} emails that its plan allows in a month (UTC). Wait for the next month or change the plan.`,
    { retryAfterSeconds: secondsToNextMonth(timeOf(email.emailId)) },
  );
}

function storageExceeded({ html, text }: NewEmail): AppError {
  const error = 'does not fit into the storage of the plan';
  return new AppError(
    'plan-limit-exceeded',
    'This email would need more storage than the plan of the project allows. Change the plan.',
    { errors: { ...(html !== null && { html: error }), ...(text !== null && { text: error }) } },
  );
}
