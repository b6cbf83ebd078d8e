/** Accepts emails: turns a validated request into database rows. The caller gets the response only after the commit. */
import type { SendEmail } from '../../contract/emails.ts';
import type { Database } from '../../db/database.ts';
import { timingCommit } from '../../db/timing-commit.ts';
import { validationError } from '../../model/app-error.ts';
import { decodeId, newUuid } from '../../model/ids.ts';
import { limitsAccepting, type Plan } from '../../model/plans.ts';
import { BatchAcceptor } from './accept-batch.ts';
import { checkRestrictions } from './check-restrictions.ts';
import { checkSender, type SenderRules } from './check-sender.ts';
import { CommitLanes } from './commit-lanes.ts';
import type { ExaminedEmail } from './examine-email.ts';
import { fingerprint } from './fingerprint.ts';
import { insertEmails, type NewEmail, sizeOfEmail } from './insert-emails.ts';
import type { NewMessage } from './insert-messages.ts';
import { insertWithinLimits, type InsertOutcome } from './insert-within-limits.ts';
import { checkEnvelope } from './check-envelope.ts';
import { quotaExceeded, storageExceeded, tooManyWaiting } from './refusals.ts';
import { type Idempotency, Replays } from './replays.ts';
import { TemplateFiller } from '../../templates/template-filler.ts';
import { TemplateUses } from '../../templates/template-uses.ts';
import type { Sender } from './sender.ts';
import { trackingOf } from './tracking-of.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';

const MAX_DAYS = 30;

/**
 * How far `scheduled_at` may lie in the past. Clocks differ, and clients retry requests, but an even earlier time is probably a mistake in
 * the year or the time zone.
 */
const LATE_MS = 5 * 60_000;

export interface Accepted {
  /** UUIDv7. Its time is the `created_at` of the response. */
  emailId: string;
  /** True if an earlier request with the same idempotency key created the email. */
  replayed: boolean;
}

/** Stores the bytes of a message. Null: the message is composed from the content. */
export type StoreMessage = () => Promise<NewMessage | null>;

/** No setting of a domain applies to the email. */
const UNTRACKED = { trackOpens: false, trackClicks: false };

export interface AcceptorOptions extends SenderRules {
  database: Database;
  /** The base URL of the links in tracked emails, without a trailing slash. */
  baseUrl(): string;
  /** Called after each commit that queued recipients. */
  onQueued(): void;
}

/**
 * The maximum number of emails that wait for a commit. With more, the database cannot keep up, and each email would wait longer than its
 * client does.
 */
const MAX_WAITING = 4_000;
/** The maximum total length of waiting emails, in characters. */
const MAX_WAITING_LENGTH = 192 * 1024 * 1024;

export class Acceptor implements AsyncDisposable {
  /** Accepts requests with several emails. */
  readonly batches: BatchAcceptor;
  readonly #options: AcceptorOptions;
  readonly #commit: CommitLanes<boolean>;
  /**
   * Separate from `#commit`, because emails under limited plans wait for the locks of their projects, and emails under unlimited plans must
   * not wait behind such emails.
   */
  readonly #limitedCommit: CommitLanes<InsertOutcome>;
  readonly #replays: Replays;
  readonly #templates: TemplateFiller;
  readonly #templateUses: TemplateUses;

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#replays = new Replays(options.database);
    this.#templates = new TemplateFiller(options.database);
    this.#templateUses = new TemplateUses(options.database);
    this.batches = new BatchAcceptor({
      database: options.database,
      replays: this.#replays,
      onQueued: options.onQueued,
      templateUses: this.#templateUses,
      check: (...email) => this.#check(...email),
    });
    this.#commit = new CommitLanes((batch) => timingCommit(() => insertEmails(options.database, batch)));
    this.#limitedCommit = new CommitLanes((batch) =>
      timingCommit(() => insertWithinLimits(options.database, batch)),
    );
  }

  /**
   * Resolves after the commit (docs/contract.md, sendEmail).
   * @param traceParent W3C traceparent of the request; null without tracing
   * @param examined the result of examining a large email in another thread; null if the email was not examined
   * @param storeMessage stores the message if it is sent as it is, once the sender is checked
   * @throws AppError validation-failed, domain-not-verified, idempotency-key-reused, quota-exceeded, plan-limit-exceeded, unavailable
   */
  async accept(
    sender: Sender,
    send: SendEmail,
    idempotencyKey: string | null,
    traceParent: string | null,
    examined: ExaminedEmail | null = null,
    storeMessage: StoreMessage | null = null,
  ): Promise<Accepted> {
    const check = (idempotency: Idempotency | null) =>
      this.#check(sender, send, traceParent, examined?.envelope ?? null, idempotency, storeMessage);
    if (idempotencyKey === null) return this.#insert(await check(null), sender.plan, send);
    const idempotency = { key: idempotencyKey, fingerprint: examined?.fingerprint ?? fingerprint(send) };
    let email: NewEmail | null = null;
    const first = await this.#replays.acceptOnce(
      sender.projectId,
      idempotency,
      async () => (email = await check(idempotency)),
      (checked) => this.#write(checked, sender.plan),
    );
    if (first !== null) return { emailId: first.emailId, replayed: true };
    return this.#accepted(email as unknown as NewEmail, send);
  }

  /** Ends the thread that fills in templates, and stores the last uses of templates. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#templates[Symbol.asyncDispose]();
    await this.#templateUses[Symbol.asyncDispose]();
  }

  /** @throws AppError validation-failed, domain-not-verified */
  async #check(
    sender: Sender,
    send: SendEmail,
    traceParent: string | null,
    examined: ExaminedEmail['envelope'] | null,
    idempotency: Idempotency | null,
    storeMessage: StoreMessage | null = null,
  ): Promise<NewEmail> {
    const { projectId } = sender;
    const envelope = examined ?? checkEnvelope(send);
    if ('errors' in envelope) throw validationError(envelope.errors);
    checkRestrictions(sender.restrictions, envelope);
    const scheduledAt = scheduleOf(send.scheduled_at);
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
      tracking: trackingOf(
        sender,
        sender.tracks === false ? UNTRACKED : domain,
        content,
        this.#options.baseUrl,
      ),
      traceParent,
      idempotency,
      emitsEvents: sender.emitsEvents ?? true,
      scheduledAt,
      message: storeMessage === null ? null : await storeMessage(),
    };
  }

  /**
   * @returns false if the idempotency key belongs to an earlier email
   * @throws AppError quota-exceeded, plan-limit-exceeded, unavailable
   */
  #write(email: NewEmail, plan: Plan): Promise<boolean> {
    const [one, other] = [this.#commit, this.#limitedCommit];
    const length = one.pendingLength + other.pendingLength + sizeOfEmail(email);
    if (one.pending + other.pending >= MAX_WAITING || length > MAX_WAITING_LENGTH)
      return Promise.reject(tooManyWaiting());
    return limitsAccepting(plan) ? this.#writeWithinLimits(email, plan) : this.#commit.add(email);
  }

  async #writeWithinLimits(email: NewEmail, plan: Plan): Promise<boolean> {
    const outcome = await this.#limitedCommit.add(email);
    if (outcome === 'over-quota') throw quotaExceeded(email, plan);
    if (outcome === 'over-storage') throw storageExceeded(email);
    return outcome === 'accepted';
  }

  async #insert(email: NewEmail, plan: Plan, send: SendEmail): Promise<Accepted> {
    // protection: commit before the 202
    await this.#write(email, plan);
    return this.#accepted(email, send);
  }

  /** Called after the commit. */
  #accepted({ projectId, emailId }: NewEmail, send: SendEmail): Accepted {
    this.#options.onQueued();
    this.#templateUses.note(projectId, emailId, send);
    return { emailId, replayed: false };
  }
}

/**
 * @param text a date-time; undefined: send at once
 * @returns the send time (docs/contract.md, sendEmail); null: send at once
 * @throws AppError validation-failed
 */
function scheduleOf(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  const aheadMs = time.getTime() - clock.nowMs();
  if (aheadMs < -LATE_MS)
    throw validationError({ scheduled_at: 'is in the past; omit it to send immediately' });
  if (aheadMs > MAX_DAYS * DAY_MS)
    throw validationError({ scheduled_at: `must be at most ${MAX_DAYS} days ahead` });
  return time;
}
