/**
 * Accepts mail that mail apps send for mailboxes: checks, prepares and writes the mail. The reply is sent only after the commit
 * (docs/mail-apps.md, Sending).
 */
import { hash } from 'node:crypto';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { timingCommit } from '../../db/timing-commit.ts';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import type { SendingDomains } from '../../domains/sending-domains.ts';
import { mayWrite, mayWriteFrom } from '../../mailboxes/own-addresses.ts';
import { addressesOf, type Senders } from '../../mailboxes/sharing/shared-senders.ts';
import { unavailable } from '../../model/app-error.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { submissions } from '../../observe/instruments.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import { FLAG } from '../../store/flags.ts';
import type { NewMessage } from '../../store/append.ts';
import type { Store } from '../../store/store.ts';
import {
  type Accepting,
  acceptSubmissions,
  type Admission,
  type SubmissionHandOver,
  judgeLimits,
} from './accept-submissions.ts';
import type { RedirectedAuthor } from './check-identities.ts';
import { PriorityBoosts } from './priority-boosts.ts';
import {
  findByKeys,
  freeFailedKeys,
  insertSubmissions,
  nameOf,
  type NewSubmission,
  type NewSubmissionRecipient,
} from './insert-submissions.ts';
import { bothNotify, DEFAULT_NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';
import { Preparer } from './preparer.ts';
import type { PreparedMessage } from './prepare-message.ts';
import { type SenderProfile, SenderProfiles } from './sender-profiles.ts';
import {
  type RejectedMail,
  rejectedMail,
  type SubmitRefusal,
  type SubmitResult,
  type SubmittedMail,
  type SubmittingMailbox,
} from './submitted-mail.ts';

export interface SubmitterOptions {
  database: Database;
  blobs: Pick<Blobs, 'prepare'>;
  domains: Pick<SendingDomains, 'find'>;
  store: Pick<Store, 'appendIn' | 'ensureFolders' | 'noteSent'>;
  facts: Pick<FactsReader, 'read'>;
  /** Whether mail of the project to the address is delivered locally, to a mailbox of the same project. */
  isOfProject(projectId: string, address: string): MaybePromise<boolean>;
  /** Whether the address does not exist, although its domain receives its mail here. */
  isUnknown(address: string): MaybePromise<boolean>;
  /**
   * Checks whether a message may be redirected, although its author is not the mailbox.
   * @returns the Authentication-Results field with all results, with CRLF; or the rejection
   * @throws AppError unavailable
   */
  checkRedirected(
    projectId: string,
    message: Buffer,
    author: RedirectedAuthor,
  ): Promise<string | RejectedMail>;
  /** The host name of this server, for Received fields. */
  hostname: string;
  /** Called after each commit that queued recipients. */
  onQueued(): void;
}

/** The maximum number of recipients per message. Every server must accept at least this number (RFC 5321, section 4.5.3.1.8). */
const MAX_RECIPIENTS = 100;
const MAX_BATCH = 200;
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
/**
 * The maximum number of messages that wait for a commit. With more, the database cannot keep up, and each message would wait longer than
 * mail apps do.
 */
const MAX_WAITING = 2_000;
const MINUTE_MS = 60_000;

export class Submitter implements AsyncDisposable {
  readonly #options: SubmitterOptions;
  readonly #profiles: SenderProfiles;
  readonly #preparer = new Preparer();
  readonly #priorityBoosts = new PriorityBoosts();
  readonly #commit: GroupCommit<NewSubmission, boolean>;
  /**
   * Separate from `#commit`, because messages with limits wait for the locks of their mailboxes, and other mail must not wait behind such
   * messages.
   */
  readonly #limitedCommit: GroupCommit<Accepting, Admission>;

  constructor(options: SubmitterOptions) {
    const { database, store } = options;
    this.#options = options;
    this.#profiles = new SenderProfiles(database);
    this.#commit = new GroupCommit({
      flights: 2,
      maxItems: MAX_BATCH,
      maxBytes: MAX_BATCH_BYTES,
      sizeOf,
      flush: (batch) => timingCommit(() => insertSubmissions(database, batch)),
    });
    this.#limitedCommit = new GroupCommit({
      flights: 2,
      maxItems: MAX_BATCH,
      maxBytes: MAX_BATCH_BYTES,
      sizeOf: ({ submission, copy }) => sizeOf(submission) + (copy?.facts.text.length ?? 0),
      flush: async (batch) => {
        const { admissions, committed } = await timingCommit(() => acceptSubmissions(database, store, batch));
        committed();
        return admissions;
      },
    });
  }

  /**
   * Checks the sender at MAIL.
   * @param reversePath the path without brackets; empty: no reports, as for a read receipt (RFC 8098, section 3)
   */
  async checkSender(mailbox: SubmittingMailbox, reversePath: string): Promise<RejectedMail | null> {
    const profile = await this.#find(mailbox);
    const fault = 'outcome' in profile ? profile : checkReversePath(profile, reversePath);
    if (fault !== null) count(fault);
    return fault;
  }

  /**
   * Checks a recipient at RCPT: the syntax of the address, whether a local address exists, and whether the mailbox may write to the address
   * at all. The owner of the mailbox then learns of a wrong address at once, and not from a delivery report.
   * @param fromDomain the domain of From, if known; otherwise the check passes if any domain of the mailbox may write to the address
   */
  async checkRecipient(
    mailbox: SubmittingMailbox,
    forwardPath: string,
    fromDomain?: string,
  ): Promise<RejectedMail | null> {
    const profile = await this.#find(mailbox);
    if ('outcome' in profile) return profile;
    const parsed = readPath(forwardPath);
    if ('error' in parsed) return badAddress(parsed.error);
    if (await this.#options.isUnknown(parsed.address)) {
      const text = `${parsed.address} does not exist on this server. Check the spelling.`;
      return rejectedMail('unknownRecipient', text);
    }
    const domains =
      fromDomain === undefined ? addressesOf(profile).map(({ domain }) => domain) : [fromDomain];
    for (const domain of domains)
      if ((await this.#options.domains.find(mailbox.projectId, domain)).allowed) return null;
    return this.#checkInside(mailbox.projectId, domains[0] ?? '', [parsed.address]);
  }

  /**
   * Accepts a complete message. Resolves after the commit.
   * @throws AppError unavailable
   */
  async submit(mailbox: SubmittingMailbox, mail: SubmittedMail): Promise<SubmitResult> {
    const result = await this.#submit(mailbox, mail, null);
    if (result === null) throw new TypeError('only a message with a hand-over can be withdrawn');
    count(result);
    return result;
  }

  /**
   * Like `submit`, with further work in the same transaction.
   * @returns null if the message was withdrawn, so that nothing is sent
   */
  async submitWith(
    mailbox: SubmittingMailbox,
    mail: SubmittedMail,
    handOver: SubmissionHandOver,
  ): Promise<SubmitResult | null> {
    const result = await this.#submit(mailbox, mail, handOver);
    if (result !== null) count(result);
    return result;
  }

  /** Checks, before a message is written, whether a limit would reject a message to these recipients now. */
  async checkLimits(mailbox: SubmittingMailbox, addresses: readonly string[]): Promise<RejectedMail | null> {
    const { projectId, mailboxId } = mailbox;
    const recipients = readRecipients({
      recipients: addresses.map((forwardPath) => ({ forwardPath, notify: null, originalRecipient: null })),
    });
    if ('outcome' in recipients) return recipients;
    const admission = await judgeLimits(this.#options.database, {
      ...NOTHING_WRITTEN,
      projectId,
      mailboxId,
      submissionId: newUuid(),
      recipients,
    });
    return admission.outcome === 'accepted' ||
      admission.outcome === 'replay' ||
      admission.outcome === 'withdrawn'
      ? null
      : REFUSALS[admission.outcome](admission as never);
  }

  async #submit(
    mailbox: SubmittingMailbox,
    mail: SubmittedMail,
    handOver: SubmissionHandOver | null,
  ): Promise<SubmitResult | null> {
    const found = await this.#find(mailbox);
    if ('outcome' in found) return found;
    const profile = mail.keepsCopy === true ? { ...found, saveSent: true } : found;
    const recipients = readRecipients(mail);
    if ('outcome' in recipients) return recipients;
    const fault = checkReversePath(profile, mail.reversePath);
    if (fault !== null) return fault;
    const submissionId = newUuid();
    const given = await this.#prepare(mailbox, profile, mail, submissionId);
    if (given.outcome === 'refused') return given;
    const prepared = await this.#checkRedirected(mailbox.projectId, given);
    if (prepared.outcome === 'refused') return prepared;
    const { sharedBy } = prepared;
    // Only now is it known for which mailbox the message is sent. Its right is read again when the message is written.
    const misused = checkReversePath(sendersFor(profile, sharedBy), mail.reversePath);
    if (misused !== null) return misused;
    const { domain } = prepared.from;
    if (!(await this.#options.domains.find(mailbox.projectId, domain)).allowed) {
      const outside = await this.#checkInside(
        mailbox.projectId,
        domain,
        recipients.map(({ address }) => address),
      );
      if (outside !== null) return outside;
    }
    if (this.#commit.pending + this.#limitedCommit.pending >= MAX_WAITING)
      throw unavailable('Too many messages are waiting to be stored. Try again in a few seconds.');
    const { projectId, mailboxId } = mailbox;
    const blob = await this.#options.blobs.prepare(projectId, prepared.data, prepared.digest);
    const submission: NewSubmission = {
      projectId,
      mailboxId,
      submissionId,
      kind: 'submitted',
      reversePath: mail.reversePath === '' ? '' : null,
      fromAddress: prepared.from.address,
      fromDomain: domain,
      messageId: prepared.messageId,
      blob,
      bodyHash: prepared.bodyHash,
      isUtf8: needsUtf8(mail, prepared, recipients),
      envelopeId: mail.envelopeId,
      returns: mail.returns,
      recipients,
      hasPriorityBoost: this.#priorityBoosts.take(mailbox, recipients.length),
      key:
        prepared.fingerprint === null
          ? null
          : { login: mailboxId, fingerprint: fingerprintOf(prepared.fingerprint, mail, recipients) },
    };
    const copy = profile.saveSent || sharedBy !== null ? await this.#copyOf(submission, prepared) : null;
    for (;;) {
      const admission = await this.#write({ submission, copy, handOver, sharedBy }, profile);
      if (admission.outcome === 'accepted') {
        this.#options.onQueued();
        if (copy === null)
          this.#options.store.noteSent(
            { projectId, mailboxId },
            recipients.map(({ address }) => address),
          );
        return { outcome: 'accepted', id: submissionId, isReplay: false };
      }
      if (admission.outcome === 'withdrawn') return null;
      if (admission.outcome !== 'replay') return REFUSALS[admission.outcome](admission as never);
      const first = await this.#findFirst(submission);
      if (first !== null) return { outcome: 'accepted', id: first, isReplay: true };
      // Try again: the earlier message failed for every recipient, or its key has just expired.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#preparer[Symbol.asyncDispose]();
  }

  async #find(mailbox: SubmittingMailbox): Promise<SenderProfile | RejectedMail> {
    const profile = await this.#profiles.find(mailbox);
    if (profile === null) return MAILBOX_DELETED;
    return profile.isLocked ? LOCKED : profile;
  }

  #prepare(
    { projectId }: SubmittingMailbox,
    profile: SenderProfile,
    { raw, isUtf8, isTls, isFromPage = false }: SubmittedMail,
    submissionId: string,
  ) {
    const { own, shared, displayName, replyTo, saveSent: storesCopy, limits } = profile;
    // The client's address and name are left out, because they reveal a person's location. So the from clause (RFC 5321, section 4.4) is
    // left out.
    const smtp = `${isUtf8 ? 'UTF8SMTP' : 'ESMTP'}${isTls ? 'S' : ''}A`;
    const received = `by ${this.#options.hostname} (Posthorn) with ${isFromPage ? 'HTTP' : smtp} id ${encodeId('sub', submissionId)}`;
    return this.#preparer.prepare(projectId, raw, {
      submissionId,
      senders: { own, shared },
      displayName,
      replyTo,
      fileBytes: limits.fileBytes,
      received,
      storesCopy,
    });
  }

  /** Puts the authentication results in front of a redirected message, for its ARC seal. Other messages are returned unchanged. */
  async #checkRedirected(
    projectId: string,
    prepared: PreparedMessage,
  ): Promise<PreparedMessage | RejectedMail> {
    const { data, redirected } = prepared;
    if (redirected === null) return prepared;
    const results = await this.#options.checkRedirected(projectId, data, redirected);
    if (typeof results === 'object') return results;
    const bytes = Buffer.concat([Buffer.from(results), data]);
    return { ...prepared, data: bytes, digest: hash('sha256', bytes, 'buffer'), copy: prepared.copy ?? data };
  }

  async #write(accepting: Accepting, { isLimited }: SenderProfile): Promise<Admission> {
    if (isLimited || accepting.copy !== null || accepting.handOver !== null)
      return this.#limitedCommit.add(accepting);
    // protection: commit before the 250
    return { outcome: (await this.#commit.add(accepting.submission)) ? 'accepted' : 'replay' };
  }

  /** The id of the earlier message with the same key. Null: the key is unused. */
  async #findFirst({ projectId, key }: NewSubmission): Promise<string | null> {
    if (key === null) return null;
    const { database } = this.#options;
    const keys = [{ projectId, ...key }];
    if ((await freeFailedKeys(database, keys)).length > 0) return null;
    const found = await findByKeys(database, keys);
    return found.get(nameOf({ projectId, ...key })) ?? null;
  }

  /** The copy for Sent, of the mailbox in whose name the message is sent. The copy shares the blob of the message if their bytes are equal. */
  async #copyOf(
    { projectId, mailboxId: ownId, blob }: NewSubmission,
    { data, copy, sharedBy, sentBy }: PreparedMessage,
  ): Promise<NewMessage> {
    const mailboxId = sharedBy?.mailboxId ?? ownId;
    const { blobs, facts, store } = this.#options;
    await store.ensureFolders([{ projectId, mailboxId }]);
    return {
      projectId,
      mailboxId,
      folder: { role: 'sent' },
      blob: copy === null ? blob : await blobs.prepare(projectId, copy),
      facts: await facts.read(copy ?? data),
      flags: FLAG.seen,
      keywords: [],
      internalDate: null,
      authentication: null,
      spam: null,
      sentBy,
    };
  }

  async #checkInside(
    projectId: string,
    domain: string,
    addresses: readonly string[],
  ): Promise<RejectedMail | null> {
    for (const address of addresses)
      if (!(await this.#options.isOfProject(projectId, address)))
        return rejectedMail(
          'domainNotVerified',
          `${domain} is not a verified domain of the project, so it can only send to the project's mailboxes, and ${address} is not one. Publish MX and TXT at ${MAIL_FROM_LABEL}.${domain} (MAIL FROM, SPF) and TXT under _domainkey.${domain} (DKIM); "posthorn domain show" and GET /v1/domains list their values.`,
        );
    return null;
  }
}

function count(result: SubmitResult): void {
  const { outcome } = result;
  submissions.inc({
    result: outcome === 'refused' ? RESULTS[result.refusal] : result.isReplay ? 'replayed' : 'accepted',
  });
}

/** The values of the metric's label `result`. Reasons to which an operator reacts in the same way share a value. */
const RESULTS = {
  senderNotAllowed: 'refused',
  badAddress: 'refused',
  unknownRecipient: 'refused',
  domainNotVerified: 'refused',
  dailyLimit: 'over_limit',
  overDailyLimit: 'over_limit',
  planLimit: 'over_limit',
  mailboxFull: 'over_limit',
  locked: 'locked',
  fileTooLarge: 'refused',
  badMessage: 'refused',
  loop: 'refused',
  tooManyRecipients: 'refused',
} as const satisfies Readonly<Record<SubmitRefusal, string>>;

const MAILBOX_DELETED = rejectedMail('locked', 'The mailbox is deleted.');
const LOCKED = rejectedMail(
  'locked',
  'The mailbox is locked for sending, because much of its mail was rejected or reported as spam: see the message in its Inbox. An operator can unlock it with "posthorn mailbox unlock".',
);

const REFUSALS: {
  [O in Exclude<Admission['outcome'], 'accepted' | 'replay' | 'withdrawn'>]: (
    admission: Extract<Admission, { outcome: O }>,
  ) => RejectedMail;
} = {
  gone: () => MAILBOX_DELETED,
  revoked: () =>
    rejectedMail(
      'senderNotAllowed',
      'The right to send from this address was revoked. Send from another address.',
    ),
  mailboxFull: () =>
    rejectedMail(
      'mailboxFull',
      'The mailbox of the sender address is full, so there is no space for the copy in Sent. Delete some mail there, then send the message again.',
    ),
  dailyLimit: ({ limit, freeAt }) =>
    rejectedMail(
      'dailyLimit',
      `The mailbox can send to ${limit} recipients in 24 hours, and has reached that limit. Send this message after ${when(freeAt)}.`,
    ),
  overDailyLimit: ({ limit }) =>
    rejectedMail(
      'overDailyLimit',
      `The mailbox can send to ${limit} recipients in 24 hours, and this message alone has more. Send it to fewer recipients.`,
    ),
  planLimit: ({ limit, freeAt }) =>
    rejectedMail(
      'planLimit',
      `The mailboxes of the project have sent the ${limit} messages that its plan allows in a month. Send more after ${when(freeAt)}, or change the plan.`,
    ),
};

/** Rounded up to the next minute, so that a retry at this minute is not rejected again. */
function when(time: Date): string {
  const minute = new Date(Math.ceil(time.getTime() / MINUTE_MS) * MINUTE_MS);
  return `${minute.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The fields of a submission that the limit check does not need. The check counts only messages and recipients. */
const NOTHING_WRITTEN: Omit<NewSubmission, 'projectId' | 'mailboxId' | 'submissionId' | 'recipients'> = {
  kind: 'submitted',
  reversePath: null,
  fromAddress: '',
  fromDomain: '',
  messageId: '',
  blob: { projectId: '', digest: Buffer.alloc(0), size: 0, bytes: null, object: null },
  isUtf8: false,
  envelopeId: null,
  returns: null,
  key: null,
};

function sizeOf({ blob }: NewSubmission): number {
  return blob.bytes?.length ?? 0;
}

function badAddress(error: string): RejectedMail {
  return rejectedMail('badAddress', `The recipient is ${error}.`);
}

/** Parses a path: the content of angle brackets, which itself may contain neither brackets nor a name. */
function readPath(path: string): MailboxAddress | { error: string } {
  return path.endsWith('>') ? { error: 'not an address: write only local@domain' } : parseMailbox(path);
}

/** The senders of one message: an address of another mailbox can be used only if the message is sent for that mailbox. */
function sendersFor({ own, shared }: Senders, sharedBy: Accepting['sharedBy']): Senders {
  return { own, shared: shared.filter(({ mailboxId }) => mailboxId === sharedBy?.mailboxId) };
}

function checkReversePath(senders: Senders, reversePath: string): RejectedMail | null {
  const may = addressesOf(senders);
  if (reversePath === '') return null;
  const sender = readPath(reversePath);
  if (!('error' in sender) && mayWriteFrom(sender, may)) return null;
  return rejectedMail(
    'senderNotAllowed',
    `MAIL FROM is not an address that this mailbox can send from. The mailbox ${mayWrite(may)}.`,
  );
}

/** The recipients without duplicates. The NOTIFY bits of repeated recipients are combined. */
function readRecipients({
  recipients,
}: Pick<SubmittedMail, 'recipients'>): NewSubmissionRecipient[] | RejectedMail {
  const byAddress = new Map<string, NewSubmissionRecipient>();
  for (const { forwardPath, notify, originalRecipient } of recipients) {
    const parsed = readPath(forwardPath);
    if ('error' in parsed) return badAddress(parsed.error);
    const { address } = parsed;
    const requested = notify ?? DEFAULT_NOTIFY;
    const known = byAddress.get(address);
    if (known === undefined) byAddress.set(address, { address, notify: requested, originalRecipient });
    else known.notify = bothNotify(known.notify, requested);
  }
  if (byAddress.size === 0) return rejectedMail('badAddress', 'The message has no recipient.');
  if (byAddress.size > MAX_RECIPIENTS)
    return rejectedMail('tooManyRecipients', `A message can have at most ${MAX_RECIPIENTS} recipients.`);
  return [...byAddress.values()];
}

/** Whether the message needs SMTPUTF8. A client may request SMTPUTF8 for a message that servers without the extension can accept too. */
function needsUtf8(
  mail: SubmittedMail,
  prepared: PreparedMessage,
  recipients: readonly NewSubmissionRecipient[],
): boolean {
  return (
    prepared.from.unicode ||
    (mail.isUtf8 && prepared.isHeaderUtf8) ||
    recipients.some(({ address }) => Buffer.byteLength(address) !== address.length)
  );
}

/** Covers the message and its envelope, so that the same message to other recipients is not a repetition. */
function fingerprintOf(
  message: Buffer,
  mail: SubmittedMail,
  recipients: readonly NewSubmissionRecipient[],
): Buffer {
  const envelope = [mail.reversePath === '', ...recipients.map(({ address }) => address).sort()];
  return hash('sha256', message.toString('hex') + JSON.stringify(envelope), 'buffer');
}
