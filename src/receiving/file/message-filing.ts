import type { Logger } from 'pino';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Semaphore } from '../../concurrency/semaphore.ts';
import { isDatabaseAway } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { admitServiceMail } from '../../mailboxes/sharing/service-mail.ts';
import { encodeId } from '../../model/ids.ts';
import { filedMessages, filedOctets } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { AppendResult, NewMessage } from '../../store/append.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { FolderRef } from '../../store/locked-folders.ts';
import type { Store } from '../../store/store.ts';
import type { OriginClient } from '../authenticate/trusted-relays.ts';
import type { Examination } from '../examine/examiner.ts';
import type { RouteLimits } from '../route/route-limits.ts';
import type { RoutedRecipient } from '../route/router.ts';
import type { FilterActions } from '../rules/apply-filters.ts';
import { MailTexts } from '../rules/mail-texts.ts';
import type { MailboxFiltersCache } from '../rules/mailbox-filters.ts';
import { Copies } from './copies.ts';
import type { ExaminedMessage } from './examined-message.ts';
import { type FiledAndSent, fileAndSend } from './file-and-send.ts';
import { type Judged, judgeForMailboxes, type Refusal, refusalOfAll } from './judge.ts';
import type { AutomaticMail } from './outgoing.ts';
import { notifyRoutes, type RouteFiling } from './route-filing.ts';
import { type FilterOptions, isServiceMail, runFilters } from './run-filters.ts';
import { type ReportLimits, type SuccessReports, successReportsOf } from './success-report.ts';
import { withheldNotice } from './withheld-notice.ts';

/** A message above this size takes a lot of memory while it is prepared, because the message is copied several times. */
const LARGE_OCTETS = 1024 * 1024;

/** The reply, which is the same for all recipients. */
export type Filed = 'accepted' | 'mailboxFull' | 'tooManyForRoute' | Refusal;

export interface FilingOptions extends FilterOptions {
  hostname: string;
  blobs: Pick<Blobs, 'prepare'>;
  facts: Pick<FactsReader, 'read'>;
  store: Pick<Store, 'append' | 'appendIn' | 'ensureFolders' | 'createFolderIfMissing'>;
  filters: Pick<MailboxFiltersCache, 'of'>;
  reportLimits: ReportLimits;
  routeLimits: Pick<RouteLimits, 'take'>;
  /** Called after a commit that queued mail. */
  onQueued(): void;
  logger: Pick<Logger, 'info' | 'error'>;
}

export interface FilingTask {
  message: ExaminedMessage;
  /** One recipient for each mailbox. */
  recipients: readonly RoutedRecipient[];
  routes: RouteFiling;
  /** Whether the message is accepted for another recipient too, so that it can no longer be rejected. */
  hasOthers: boolean;
  /** The `performance.now()` at which the client times out. */
  untilMs: number;
}

/** The state of filing for one mailbox. */
interface FilingMailbox extends Judged {
  /** The actions of the filters. Null if the mailbox has no filters, or if the filters were not run. */
  actions: FilterActions | null;
  /** The automatic mail. Null if the mailbox sends nothing. */
  outgoing: AutomaticMail | null;
}

/** Files one message into its mailboxes. */
export class MessageFiling {
  readonly #task: FilingTask;
  readonly #options: FilingOptions;
  #mailboxes: FilingMailbox[] = [];
  #madeCopies: Copies | null = null;
  /** The messages to store, in the order of `#mailboxes` and `#results`. */
  readonly #batch: FiledAndSent[] = [];
  #results: readonly (AppendResult | null)[] = [];

  constructor(task: FilingTask, options: FilingOptions) {
    this.#task = task;
    this.#options = options;
  }

  /**
   * Runs the steps in order, until a step returns the reply. A step that returns null is followed by the next step.
   * @param large limits the number of large messages that are prepared at once
   */
  async file(large: Pick<Semaphore, 'run'>): Promise<Filed> {
    const prepare = async (): Promise<Filed | null> =>
      (await this.#filter()) ??
      this.#refuseForAll() ??
      (await this.#copy()) ??
      (await this.#withholdServiceMail());
    const isLarge = this.#task.message.mail.raw.length > LARGE_OCTETS;
    return (
      this.#refuseLongHeader() ??
      (await this.#judge()) ??
      this.#admitToRoutes() ??
      this.#refuseForAll() ??
      (await (isLarge ? large.run(prepare) : prepare())) ??
      this.#failIfLate() ??
      (await this.#store()) ??
      this.#refuseIfUnstored() ??
      this.#report()
    );
  }

  #refuseLongHeader(): Filed | null {
    if (!this.#task.message.examination.isHeaderTooLong) return null;
    // If this message were accepted, mailboxes would get fields that were not examined, such as forged Authentication-Results.
    return { refused: '5.3.4 The header is too long' };
  }

  /** Decides for each mailbox: Inbox, Junk, or rejected. */
  async #judge(): Promise<null> {
    const judged = await judgeForMailboxes(this.#task.message, this.#task.recipients);
    this.#mailboxes = judged.map((one) => ({ ...one, actions: null, outgoing: null }));
    return null;
  }

  #admitToRoutes(): Filed | null {
    const { routes, recipients, hasOthers } = this.#task;
    return routes.admit(this.#options.routeLimits, recipients.length === 0 && !hasOthers);
  }

  /** There is only one reply, so the message is rejected only if every mailbox refuses it, and no route gets it instead of a mailbox. */
  #refuseForAll(): Filed | null {
    if (this.#task.hasOthers || this.#task.routes.hasOwn) return null;
    return refusalOfAll(this.#mailboxes);
  }

  async #filter(): Promise<null> {
    // Mailboxes are filtered one after the other, because the rules of each mailbox may search the whole text.
    for (const mailbox of this.#mailboxes) await this.#filterFor(mailbox);
    return null;
  }

  /** Runs the filters of a mailbox. If the filters fail, the message is filed without them. */
  async #filterFor(mailbox: FilingMailbox): Promise<void> {
    if (mailbox.refusal !== null) {
      // Another mailbox accepts the message, so it cannot be rejected.
      mailbox.folder = 'junk';
      return;
    }
    const { recipient, verdict, folder } = mailbox;
    if (recipient.isReport === true || recipient.mailbox.filingVersion === 0) return;
    try {
      const filters = await this.#options.filters.of(recipient.mailbox);
      if (filters === null) return;
      const { mail, examination, hops } = this.#task.message;
      const filtered = { mail, examination, hops, copies: this.#copies, recipient, verdict, folder };
      const { actions, outgoing } = await runFilters(filters, filtered, this.#options);
      mailbox.refusal = actions.refusal === null ? null : { refused: actions.refusal };
      mailbox.actions = actions;
      mailbox.outgoing = outgoing;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      this.#options.logger.error({ err: error }, LOG_MESSAGES.rulesFailed);
    }
  }

  async #copy(): Promise<null> {
    for (const mailbox of this.#mailboxes)
      this.#batch.push({ message: await this.#newMessageFor(mailbox), outgoing: mailbox.outgoing });
    const { routes } = this.#task;
    if (!routes.isEmpty) await routes.prepare(this.#copies, this.#mailboxes);
    return null;
  }

  /**
   * Replaces service mail with a notice in the mailboxes that several people can open. Stops this attack: a member of a shared mailbox,
   * which receives mail for the sign-in address of a user through an alias or as the catch-all, opens the account of the user.
   */
  async #withholdServiceMail(): Promise<Filed | null> {
    const { mail, examination } = this.#task.message;
    const { routes, hasOthers } = this.#task;
    const facts = this.#batch[0]?.message.facts ?? routes.facts;
    if (facts === undefined) return null;
    const texts = new MailTexts(facts, examination.files);
    if (!isServiceMail(mail, facts, texts, this.#options)) return null;
    routes.withdraw();
    if (this.#batch.length === 0)
      return hasOthers ? null : { refused: '5.7.1 Mail of the service is not passed to programs' };
    const withheld: number[] = [];
    for (const [at, { recipient }] of this.#mailboxes.entries())
      if (!(await admitServiceMail(this.#options.database, recipient.mailbox))) withheld.push(at);
    if (withheld.length === this.#batch.length && !hasOthers)
      return { refused: '5.7.1 Several people can open this mailbox, so it receives no mail of the service' };
    for (const at of withheld) {
      const { recipient } = this.#mailboxes[at] as FilingMailbox;
      const { message } = this.#batch[at] as FiledAndSent;
      const notice = await withheldNotice(recipient, message, this.#options);
      this.#batch[at] = { message: notice, outgoing: null };
    }
    return null;
  }

  /** @throws if the client has probably timed out: the client will retry, and the message would be stored twice */
  #failIfLate(): null {
    if (performance.now() > this.#task.untilMs) throw new Error('the message waited too long to be filed');
    return null;
  }

  /** Stores the message in all mailboxes and queues their automatic mail, in one commit. */
  async #store(): Promise<null> {
    // protection: commit before the 250
    this.#results = await this.#commit();
    return null;
  }

  async #commit(): Promise<readonly (AppendResult | null)[]> {
    const { database, store, onQueued, logger } = this.#options;
    const { routes, hasOthers } = this.#task;
    const messages = this.#batch.map(({ message }) => message);
    const reports = this.#successReports();
    if (reports === null && routes.isEmpty && this.#batch.every(({ outgoing }) => outgoing === null))
      return store.append(messages);
    const mayExceed = hasOthers || this.#batch.length > 0;
    let results: readonly (AppendResult | null)[];
    try {
      results = await fileAndSend(database, store, this.#batch, { reports, routes, mayExceed });
    } catch (error) {
      // The commit may have succeeded, and another attempt could store the message twice.
      if (isDatabaseAway(error)) throw error;
      logger.error({ err: error }, LOG_MESSAGES.rulesFailed);
      // Nothing was committed. The messages must be stored even if their automatic mail cannot be queued.
      if (routes.isEmpty) return store.append(messages);
      const alone = messages.map((message) => ({ message, outgoing: null }));
      results = await fileAndSend(database, store, alone, { reports: null, routes, mayExceed });
    }
    onQueued();
    if (routes.isStored) notifyRoutes(database, routes.stored);
    return results;
  }

  /** Messages in Junk are reported too. Otherwise a spammer could learn which messages are recognized. */
  #successReports(): SuccessReports | null {
    const facts = this.#batch[0]?.message.facts;
    if (facts === undefined) return null;
    const { mail, examination } = this.#task.message;
    const { hostname, reportLimits } = this.#options;
    const recipients = this.#mailboxes.map(({ recipient }) => recipient);
    const { authentication } = examination;
    return successReportsOf({ mail, recipients, facts, authentication, hostname }, reportLimits);
  }

  /** @throws if the store rejected the message because of a bug in this service. The client then retries. */
  #refuseIfUnstored(): Filed | null {
    const outcomes = this.#results.map((result) => result?.outcome ?? 'stored');
    if (outcomes.includes('no-folder')) throw new Error('the store rejected a message: no-folder');
    if (this.#task.hasOthers) return null;
    const { routes } = this.#task;
    if (routes.isStored || outcomes.some((outcome) => outcome === 'stored' || outcome === 'already-there'))
      return null;
    if (routes.isFull) return 'mailboxFull';
    // A mailbox that was deleted after RCPT gets no copy, but the other mailboxes still get theirs.
    return outcomes.every((outcome) => outcome === 'no-mailbox')
      ? { refused: '5.1.1 No such recipient' }
      : 'mailboxFull';
  }

  #report(): 'accepted' {
    for (const [at, { recipient, verdict }] of this.#mailboxes.entries()) {
      const stored = this.#batch[at]?.message;
      if (stored === undefined || this.#results[at]?.outcome !== 'stored') continue;
      const folder = folderLabel(stored.folder);
      const octets = stored.blob.size;
      filedMessages.inc({ folder });
      filedOctets.inc(octets);
      const projectId = encodeId('prj', recipient.mailbox.projectId);
      const mailboxId = encodeId('mbx', recipient.mailbox.mailboxId);
      this.#options.logger.info(
        { projectId, mailboxId, message: this.#task.message.id, folder, octets, score: verdict.score },
        LOG_MESSAGES.filed,
      );
    }
    for (const { projectId, routeId, id, blob } of this.#task.routes.stored) {
      const ids = { projectId: encodeId('prj', projectId), routeId: encodeId('rt', routeId) };
      const message = { message: this.#task.message.id, routedId: encodeId('rm', id), octets: blob.size };
      this.#options.logger.info({ ...ids, ...message }, LOG_MESSAGES.routed);
    }
    return 'accepted';
  }

  get #copies(): Copies {
    this.#madeCopies ??= this.#newCopies();
    return this.#madeCopies;
  }

  #newCopies(): Copies {
    const { hostname, blobs, facts } = this.#options;
    const { id, mail, origin, examination } = this.#task.message;
    // Mailboxes that were reached through one alias share its address.
    const [address = null, ...others] = new Set([
      ...this.#task.recipients.map((recipient) => recipient.address),
      ...this.#task.routes.addresses,
    ]);
    const onlyRecipient = others.length === 0 ? address : null;
    const authentication = tracedResults(examination.authentication, origin);
    const trace = { mail, hostname, id, onlyRecipient, authentication, receivedAt: clock.now() };
    return new Copies({ raw: mail.raw, trace, blobs, facts });
  }

  async #newMessageFor({ recipient, verdict, folder, actions }: FilingMailbox): Promise<NewMessage> {
    const { mail, examination } = this.#task.message;
    const { projectId, mailboxId } = recipient.mailbox;
    // The message itself has the field.
    const { header: _, ...authentication } = examination.authentication;
    return {
      projectId,
      mailboxId,
      folder: actions?.folder ?? { role: folder },
      ...(await this.#copies.of({ ...recipient, verdict })),
      flags: actions?.flags ?? 0,
      keywords: actions?.keywords ?? [],
      internalDate: this.#copies.receivedAt,
      isNewMail: true,
      authentication,
      spam: verdict,
      // Other recipients may already have the message, and no second reply can say that this mailbox is full.
      mayExceedQuota: this.#mailboxes.length > 1 || this.#task.hasOthers || this.#task.routes.hasOwn,
      ...(mail.objectId !== undefined && { objectId: mail.objectId }),
    };
  }
}

/**
 * The results for the Received field, which names the client of the connection. For mail from a relay, that client is the relay, so `iprev`
 * is left out: its result is about the relay's client.
 */
function tracedResults(
  authentication: Examination['authentication'],
  { isRelayed = false }: OriginClient,
): Examination['authentication'] {
  return isRelayed ? { ...authentication, iprev: { result: 'temperror', name: null } } : authentication;
}

/** The folder's label in the log and in metrics. Names of the user's own folders are private. */
function folderLabel(folder: FolderRef): string {
  return 'role' in folder ? folder.role : 'other';
}
