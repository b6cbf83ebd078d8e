/**
 * Delivers a received message into mailboxes. In this order:
 * 1. examine it: is it genuine, and how much does it look like spam;
 * 2. judge it for each mailbox: Inbox, Junk, or refused;
 * 3. run the filters of each mailbox that accepts it;
 * 4. store it in all mailboxes and queue what they send because of it, in one commit;
 * 5. report what was stored.
 * It is refused after 2 or 3, and only if every mailbox refuses it: there is one reply, so while anyone accepts the message, the
 * mailboxes that refuse it get it in Junk.
 */
import type { Logger } from 'pino';
import type { Blobs } from '../../blobs/blobs.ts';
import { isDatabaseAway } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { filedMessages, filedOctets, filingDuration } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { AppendResult, NewMessage } from '../../store/append.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { FolderRef } from '../../store/locked-folders.ts';
import type { Store } from '../../store/store.ts';
import type { OriginClient, TrustedRelays } from '../authenticate/trusted-relays.ts';
import type { Examination, Examiner } from '../examine/examiner.ts';
import type { RoutedRecipient } from '../route/router.ts';
import type { FilterActions } from '../rules/apply-filing.ts';
import type { Filings } from '../rules/filing.ts';
import { Copies } from './copies.ts';
import { type FiledAndSent, fileAndSend } from './file-and-send.ts';
import { type Judged, judge, type Refusal, refusalOfAll } from './judge.ts';
import { type Hops, readHops } from './loops.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import type { AutomaticMail } from './outgoing.ts';
import { TIMINGS } from './timings.ts';
import { type FilterOptions, runFilters } from './run-filters.ts';

/** A larger message is copied several times while it is filed, so only a few are filed at once. */
const LARGE_OCTETS = 1024 * 1024;
const LARGE_AT_ONCE = 2;

/** The one reply for all recipients. */
export type Filed = 'accepted' | 'mailboxFull' | Refusal;

export interface MessageFilerOptions extends FilterOptions {
  hostname: string;
  examiner: Pick<Examiner, 'examine'>;
  blobs: Pick<Blobs, 'keep'>;
  facts: Pick<FactsReader, 'read'>;
  /** Absent: nothing stands in front of this service. */
  relays?: Pick<TrustedRelays, 'clientOf'>;
  store: Pick<Store, 'append' | 'appendIn' | 'ensureFolders' | 'wishFolder'>;
  filings: Pick<Filings, 'of'>;
  /** Called after the commit of something that is to go out. */
  onQueued(): void;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** A message, and what is the same for all its mailboxes. */
interface Message {
  /** Its id in the log and in our Received field. */
  id: string;
  mail: MailFromOutside;
  /** The client that it is judged for: behind a trusted relay not the one of this connection. */
  origin: OriginClient;
  examination: Examination;
  hops: Hops;
}

/** A mailbox after its filters. */
interface Filtered extends Judged {
  /** Null: it has no filters, or they were not run. */
  actions: FilterActions | null;
  /** Null: it sends nothing. */
  outgoing: AutomaticMail | null;
}

export class MessageFiler {
  readonly #options: MessageFilerOptions;
  readonly #large = new Semaphore(LARGE_AT_ONCE);

  constructor(options: MessageFilerOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the commit: once it says `accepted`, every mailbox has the message, and no bounce is sent later.
   * @param hasOthers the message is accepted for another recipient too, so it cannot be refused
   * @throws when nothing was filed, or it is unknown whether it was: the client has to try again
   */
  async file(
    mail: MailFromOutside,
    recipients: readonly RoutedRecipient[],
    hasOthers: boolean,
  ): Promise<Filed> {
    const { logger } = this.#options;
    const startedMs = performance.now();
    try {
      return await this.#file(mail, onePerMailbox(recipients), hasOthers, startedMs + TIMINGS.patienceMs);
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.filingFailed);
      throw error;
    } finally {
      filingDuration.observe((performance.now() - startedMs) / 1_000);
    }
  }

  async #file(
    mail: MailFromOutside,
    recipients: readonly RoutedRecipient[],
    hasOthers: boolean,
    untilMs: number,
  ): Promise<Filed> {
    const message = await this.#examine(mail);
    // A mailbox would get fields that were not examined, such as forged Authentication-Results.
    if (message.examination.isHeaderTooLong) return { refused: '5.3.4 The header is too long' };
    const judged = await judge(message, recipients);
    const refusal = hasOthers ? null : refusalOfAll(judged);
    if (refusal !== null) return refusal;

    const prepare = () => this.#prepare(message, judged, hasOthers);
    const prepared = await (mail.raw.length > LARGE_OCTETS ? this.#large.run(prepare) : prepare());
    if ('refusal' in prepared) return prepared.refusal;
    const { filtered, batch } = prepared;
    // By now the client has closed the connection and will retry: storing the message now would store it twice.
    if (performance.now() > untilMs) throw new Error('its turn came too late');
    // protection: commit before the 250
    const results = await this.#commit(batch);
    const answer = answerOf(results, hasOthers);
    if (answer === 'accepted') this.#report(message, filtered, batch, results);
    return answer;
  }

  async #examine(mail: MailFromOutside): Promise<Message> {
    const { examiner, relays } = this.#options;
    const { raw, address, helo, reversePath: mailFrom, isOwn = false } = mail;
    const client: OriginClient = mail.origin ?? { address, helo, mailFrom };
    const origin = isOwn ? client : (relays?.clientOf(raw, client) ?? client);
    const examination = await examiner.examine({ raw, isOwn, ...origin });
    return { id: newUuid(), mail, origin, examination, hops: readHops(raw) };
  }

  /** What is to be stored and sent, or why every mailbox refuses the message after all. */
  async #prepare(
    message: Message,
    judged: readonly Judged[],
    hasOthers: boolean,
  ): Promise<{ filtered: readonly Filtered[]; batch: readonly FiledAndSent[] } | { refusal: Refusal }> {
    const copies = this.#copies(message, judged);
    const filtered: Filtered[] = [];
    // One after the other: each may search all of the text.
    for (const one of judged) filtered.push(await this.#filter(message, one, copies));
    const refusal = hasOthers ? null : refusalOfAll(filtered);
    if (refusal !== null) return { refusal };
    const batch: FiledAndSent[] = [];
    for (const one of filtered)
      batch.push({
        message: await newMessageFor(one, message, copies, judged.length > 1 || hasOthers),
        outgoing: one.outgoing,
      });
    return { filtered, batch };
  }

  #copies({ id, mail, origin, examination }: Message, judged: readonly Judged[]): Copies {
    const { hostname, blobs, facts } = this.#options;
    // Mailboxes that were reached by one alias share its address.
    const [address = null, ...others] = new Set(judged.map(({ recipient }) => recipient.address));
    const onlyRecipient = others.length === 0 ? address : null;
    const authentication = tracedResults(examination.authentication, origin);
    const trace = { mail, hostname, id, onlyRecipient, authentication, receivedAt: clock.now() };
    return new Copies({ raw: mail.raw, trace, blobs, facts });
  }

  /** Runs the filters of a mailbox that accepts the message. A fault in them does not keep the message out. */
  async #filter(message: Message, one: Judged, copies: Copies): Promise<Filtered> {
    const { logger, filings } = this.#options;
    const { recipient, verdict, refusal } = one;
    const unfiltered: Filtered = {
      ...one,
      // If it refuses the message that another mailbox accepts, it gets it in Junk.
      place: refusal === null ? one.place : 'junk',
      actions: null,
      outgoing: null,
    };
    if (refusal !== null || recipient.isReport || recipient.mailbox.filingVersion === 0) return unfiltered;
    try {
      const filing = await filings.of(recipient.mailbox);
      if (filing === null) return unfiltered;
      const { mail, examination, hops } = message;
      const { actions, outgoing } = await runFilters(
        filing,
        { mail, examination, hops, copies, recipient, verdict, place: one.place },
        this.#options,
      );
      const refused = actions.refusal === null ? null : { refused: actions.refusal };
      return { ...one, refusal: refused, actions, outgoing };
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      logger.error({ err: error }, LOG_MESSAGES.rulesFailed);
      return unfiltered;
    }
  }

  /** A fault in what the mailboxes send loses no message: then they keep it and send nothing. */
  async #commit(batch: readonly FiledAndSent[]): Promise<(AppendResult | null)[]> {
    const { database, store, onQueued, logger } = this.#options;
    const messages = batch.map(({ message }) => message);
    if (batch.every(({ outgoing }) => outgoing === null)) return store.append(messages);
    try {
      const results = await fileAndSend(database, store, batch);
      onQueued();
      return results;
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      logger.error({ err: error }, LOG_MESSAGES.rulesFailed);
      return store.append(messages);
    }
  }

  #report(
    { id }: Message,
    filtered: readonly Filtered[],
    batch: readonly FiledAndSent[],
    results: readonly (AppendResult | null)[],
  ): void {
    for (const [at, { recipient, verdict }] of filtered.entries()) {
      const stored = batch[at]?.message;
      if (stored === undefined || results[at]?.outcome !== 'stored') continue;
      const folder = folderLabel(stored.folder);
      const octets = stored.blob.size;
      filedMessages.inc({ folder });
      filedOctets.inc(octets);
      const projectId = encodeId('prj', recipient.mailbox.projectId);
      const mailboxId = encodeId('mbx', recipient.mailbox.mailboxId);
      this.#options.logger.info(
        { projectId, mailboxId, message: id, folder, octets, score: verdict.score },
        LOG_MESSAGES.filed,
      );
    }
  }
}

/** @param mayExceedQuota others may have it already, and there is no second reply to say that this mailbox is full */
async function newMessageFor(
  { recipient, verdict, place, actions }: Filtered,
  { mail, examination }: Message,
  copies: Copies,
  mayExceedQuota: boolean,
): Promise<NewMessage> {
  const { projectId, mailboxId } = recipient.mailbox;
  return {
    projectId,
    mailboxId,
    folder: actions?.folder ?? { role: place },
    ...(await copies.of({ ...recipient, verdict })),
    flags: actions?.flags ?? 0,
    keywords: actions?.keywords ?? [],
    mayLoseKeywords: true,
    internalDate: copies.receivedAt,
    authentication: examination.authentication,
    spam: verdict,
    mayExceedQuota,
    ...(mail.objectId !== undefined && { objectId: mail.objectId }),
  };
}

/** The Received field names the client of the connection, and `iprev` behind a relay is about another one. */
function tracedResults(
  authentication: Examination['authentication'],
  { isRelayed = false }: OriginClient,
): Examination['authentication'] {
  return isRelayed ? { ...authentication, iprev: { result: 'temperror', name: null } } : authentication;
}

/** For the log and metrics: names of folders are the owner's. */
function folderLabel(folder: FolderRef): string {
  return 'role' in folder ? folder.role : 'other';
}

/** A mailbox gets one copy, even if several of its addresses are recipients: the first one counts. */
function onePerMailbox(recipients: readonly RoutedRecipient[]): RoutedRecipient[] {
  const byMailbox = new Map<string, RoutedRecipient>();
  for (const recipient of recipients) {
    const { mailboxId } = recipient.mailbox;
    if (!byMailbox.has(mailboxId)) byMailbox.set(mailboxId, recipient);
  }
  return [...byMailbox.values()];
}

/** A mailbox that was deleted since RCPT gets no copy, which is no reason to refuse the others theirs. */
function answerOf(results: readonly (AppendResult | null)[], hasOthers: boolean): Filed {
  const outcomes = results.map((result) => result?.outcome ?? 'stored');
  const fault = outcomes.find((outcome) => outcome === 'no-folder' || outcome === 'bad-keywords');
  if (fault !== undefined) throw new Error(`the store has no place for a message: ${fault}`);
  if (hasOthers || outcomes.some((outcome) => outcome === 'stored' || outcome === 'already-there'))
    return 'accepted';
  return outcomes.every((outcome) => outcome === 'no-mailbox')
    ? { refused: '5.1.1 No such recipient' }
    : 'mailboxFull';
}
