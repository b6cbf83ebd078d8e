/** Takes a message into the mailboxes that it is for: what is checked, what each of them wants, and one commit for all. */
import type { Logger } from 'pino';
import type { Blobs } from '../../blobs/blobs.ts';
import { isDatabaseAway } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { Semaphore } from '../../model/semaphore.ts';
import { filedMessages, filedOctets, filingDuration } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { AppendResult } from '../../store/append.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { FolderRef } from '../../store/locked-folders.ts';
import type { Store } from '../../store/store.ts';
import type { Client, TrustedRelays } from '../authenticate/trusted-relays.ts';
import type { Examination, Examiner } from '../examine/examiner.ts';
import type { Delivery } from '../route/router.ts';
import type { Wishes } from '../rules/apply-filing.ts';
import type { Filings } from '../rules/filing.ts';
import { type Place, placeOf, type SpamVerdict } from '../spam/verdict.ts';
import { Copies } from './copies.ts';
import { type FiledAndSent, fileAndSend } from './file-and-send.ts';
import { type Hops, isLoop, readHops } from './loops.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import type { Outgoing } from './outgoing.ts';
import { TIMINGS } from './timings.ts';
import { type Arrived, type WishesOptions, wishesOf } from './wishes-of.ts';

/** A larger message is copied several times while it is filed, so few are at a time. */
const LARGE_OCTETS = 1024 * 1024;
const LARGE_AT_ONCE = 2;

/** The one answer to all recipients. `refused`: the text of a 550, with its enhanced code. */
export type Filed = 'accepted' | 'loop' | 'mailboxFull' | { refused: string };

export interface MessageFilerOptions extends WishesOptions {
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

/** A mailbox, once, with what it wants. */
interface Judged extends Delivery {
  verdict: SpamVerdict;
  place: 'inbox' | 'junk';
  /** Null: it takes the message. */
  refusal: 'loop' | { refused: string } | null;
  /** Null: nothing that is its own alone. */
  wishes: Wishes | null;
  /** Null: nothing. */
  outgoing: Outgoing | null;
}

export class MessageFiler {
  readonly #options: MessageFilerOptions;
  readonly #largeTurns = new Semaphore(LARGE_AT_ONCE);

  constructor(options: MessageFilerOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the commit: once it says `accepted`, every mailbox has the message, and nobody is told anything later.
   * @param hasOthers somebody else takes the message too: then it is not refused
   * @throws when nothing was filed, or nobody knows whether it was: the sender is to come again
   */
  async file(mail: MailFromOutside, recipients: readonly Delivery[], hasOthers: boolean): Promise<Filed> {
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
    recipients: readonly Delivery[],
    hasOthers: boolean,
    untilMs: number,
  ): Promise<Filed> {
    const { examiner, logger } = this.#options;
    const { raw, address, helo, reversePath: mailFrom, isOwn = false } = mail;
    const bringer = mail.origin ?? { address, helo, mailFrom };
    const origin = isOwn ? bringer : (this.#options.relays?.clientOf(raw, bringer) ?? bringer);
    const examination = await examiner.examine({ raw, isOwn, ...origin });
    // Whoever takes it in would take in fields that were not looked at, such as results that are not ours.
    if (examination.isHeaderTooLong) return { refused: '5.3.4 The header is too long' };
    const hops = readHops(raw);
    const judged: Judged[] = [];
    for (const recipient of recipients) {
      const verdict = await examination.verdictFor(recipient.mailbox.projectId);
      // A report gives back what its mailbox wrote, in the name of a server that signs nothing.
      const place: Place = recipient.isReport
        ? { place: 'inbox' }
        : placeOf(examination.authentication, verdict, recipient.mailbox.spamLevel);
      const refusal = place.place === 'refuse' ? { refused: place.reply } : null;
      judged.push({
        ...recipient,
        verdict,
        place: place.place === 'inbox' ? 'inbox' : 'junk',
        refusal: goesRound(hops, recipient) ? 'loop' : refusal,
        wishes: null,
        outgoing: null,
      });
    }
    // There is one answer: what one mailbox takes cannot be refused for the others. Then those have it in Junk.
    const refusedByAll = () => {
      const isRefused = !hasOthers && judged.every(({ refusal }) => refusal !== null);
      return isRefused ? (judged[0]?.refusal ?? null) : null;
    };
    const refusal = refusedByAll();
    if (refusal !== null) return refusal;

    const id = newUuid();
    const prepare = async (): Promise<FiledAndSent[] | null> => {
      const copies = this.#copies(mail, judged, tracedResults(examination.authentication, origin), id);
      for (const one of judged)
        if (one.refusal === null) await this.#askMailbox(one, { mail, hops, examination, copies });
      if (refusedByAll() !== null) return null;
      for (const one of judged) if (one.refusal !== null && one.wishes === null) one.place = 'junk';
      return this.#compose(mail, judged, examination, {
        copies,
        mayExceedQuota: judged.length > 1 || hasOthers,
      });
    };
    const messages = await (raw.length > LARGE_OCTETS ? this.#largeTurns.run(prepare) : prepare());
    if (messages === null) return refusedByAll() ?? 'accepted';
    // The connection ends about now, and its sender comes again: filed all the same, the message would be there as often as it comes.
    if (performance.now() > untilMs) throw new Error('its turn came too late');
    // protection: commit before the 250
    const results = await this.#commit(messages);
    const answer = answerOf(results, hasOthers);
    if (answer !== 'accepted') return answer;
    for (const [at, { mailbox, place, wishes, verdict }] of judged.entries()) {
      if (results[at]?.outcome !== 'stored') continue;
      const octets = messages[at]?.message.blob.size ?? 0;
      const folder = folderLabel(wishes?.folder ?? { role: place });
      filedMessages.inc({ folder });
      filedOctets.inc(octets);
      const projectId = encodeId('prj', mailbox.projectId);
      const mailboxId = encodeId('mbx', mailbox.mailboxId);
      logger.info(
        { projectId, mailboxId, message: id, folder, octets, score: verdict.score },
        LOG_MESSAGES.filed,
      );
    }
    return answer;
  }

  #copies(
    mail: MailFromOutside,
    judged: readonly Judged[],
    authentication: Examination['authentication'],
    id: string,
  ): Copies {
    const { hostname, blobs, facts } = this.#options;
    // Several mailboxes have one together where it is that of an alias.
    const [asked = null, ...others] = new Set(judged.map(({ address }) => address));
    const onlyRecipient = others.length === 0 ? asked : null;
    const trace = { mail, hostname, id, onlyRecipient, authentication, receivedAt: clock.now() };
    return new Copies({ raw: mail.raw, trace, blobs, facts });
  }

  /** What the owner of a mailbox wants done with the message. An error in it does not keep the message out. */
  async #askMailbox(one: Judged, arrived: Omit<Arrived, 'recipient' | 'verdict' | 'place'>): Promise<void> {
    const { logger, filings } = this.#options;
    if (one.isReport || one.mailbox.filingVersion === 0) return;
    try {
      const filing = await filings.of(one.mailbox);
      if (filing === null) return;
      const { place, verdict } = one;
      Object.assign(
        one,
        await wishesOf(filing, { ...arrived, recipient: one, place, verdict }, this.#options),
      );
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      logger.error({ err: error }, LOG_MESSAGES.rulesFailed);
      return;
    }
    const refused = one.wishes?.refusal ?? null;
    if (refused !== null) one.refusal = { refused };
  }

  /** What nobody foresaw in what mailboxes send loses no message: then they keep it, and send nothing. */
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

  async #compose(
    mail: MailFromOutside,
    judged: readonly Judged[],
    { authentication }: Examination,
    { copies, mayExceedQuota }: { copies: Copies; mayExceedQuota: boolean },
  ): Promise<FiledAndSent[]> {
    const messages: FiledAndSent[] = [];
    for (const one of judged) {
      const { mailbox, place, verdict, wishes, outgoing } = one;
      const { projectId, mailboxId } = mailbox;
      const message = {
        projectId,
        mailboxId,
        folder: wishes?.folder ?? { role: place },
        ...(await copies.of(one)),
        flags: wishes?.flags ?? 0,
        keywords: wishes?.keywords ?? [],
        mayLoseKeywords: true,
        internalDate: copies.receivedAt,
        authentication,
        spam: verdict,
        mayExceedQuota,
        ...(mail.objectId !== undefined && { objectId: mail.objectId }),
      };
      messages.push({ message, outgoing });
    }
    return messages;
  }
}

/** The Received field names the client of the connection, and `iprev` behind a relay is about another one. */
function tracedResults(
  authentication: Examination['authentication'],
  { isRelayed = false }: Client,
): Examination['authentication'] {
  return isRelayed ? { ...authentication, iprev: { result: 'temperror', name: null } } : authentication;
}

/** For the log and metrics: names of folders are the owner's. */
function folderLabel(folder: FolderRef): string {
  return 'role' in folder ? folder.role : 'other';
}

/** What was in the mailbox, and comes back by an address that is its own alone, is here again too. */
function goesRound(hops: Hops, { address, mailbox, isReturnPath = false }: Delivery): boolean {
  return isLoop(hops, address) || (isReturnPath && isLoop(hops, mailbox.address));
}

/** One copy each, though several of its addresses were named: the first one counts. */
function onePerMailbox(recipients: readonly Delivery[]): Delivery[] {
  const byMailbox = new Map<string, Delivery>();
  for (const recipient of recipients) {
    const { mailboxId } = recipient.mailbox;
    if (!byMailbox.has(mailboxId)) byMailbox.set(mailboxId, recipient);
  }
  return [...byMailbox.values()];
}

/** A mailbox that was deleted since RCPT gets nothing, and nobody misses it there. */
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
