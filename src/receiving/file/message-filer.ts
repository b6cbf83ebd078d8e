/** Takes a message into the mailboxes that it is for: what is checked, what each of them wants, and one commit for all. */
import type { Logger } from 'pino';
import type { Blobs } from '../../blobs/blobs.ts';
import { isDatabaseAway } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { Semaphore } from '../../model/semaphore.ts';
import { filedMessages, filedOctets, filingDuration } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { AppendResult, NewMessage } from '../../store/append.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import type { Store } from '../../store/store.ts';
import { withoutForgedResults } from '../authenticate/forged-results.ts';
import type { Examination, Examiner } from '../examine/examiner.ts';
import type { Delivery } from '../route/router.ts';
import { type Place, placeOf, spamStatus, type SpamVerdict } from '../spam/verdict.ts';
import { type Hops, isLoop, readHops } from './loops.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import { TIMINGS } from './timings.ts';
import { traceFields, withTrace } from './trace-fields.ts';

/** A larger message is copied several times while it is filed, so few are at a time. */
const LARGE_OCTETS = 1024 * 1024;
const LARGE_AT_ONCE = 2;

/** The one answer to all recipients. `refused`: the text of a 550, with its enhanced code. */
export type Filed = 'accepted' | 'loop' | 'mailboxFull' | { refused: string };

export interface MessageFilerOptions {
  hostname: string;
  examiner: Pick<Examiner, 'examine'>;
  blobs: Pick<Blobs, 'keep'>;
  facts: Pick<FactsReader, 'read'>;
  store: Pick<Store, 'append'>;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** A mailbox, once, with what it wants. */
interface Judged extends Delivery {
  verdict: SpamVerdict;
  folder: 'inbox' | 'junk';
  /** Null: it takes the message. */
  refusal: 'loop' | { refused: string } | null;
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
    const examination = await examiner.examine({ raw, address, helo, mailFrom, isOwn });
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
        folder: place.place === 'inbox' ? 'inbox' : 'junk',
        refusal: goesRound(hops, recipient) ? 'loop' : refusal,
      });
    }
    const [first] = judged;
    // There is one answer: what one mailbox takes cannot be refused for the others. Then those have it in Junk.
    if (first?.refusal && !hasOthers && judged.every(({ refusal }) => refusal !== null)) return first.refusal;
    for (const one of judged) if (one.refusal !== null) one.folder = 'junk';

    const id = newUuid();
    const compose = () => this.#compose(mail, judged, examination, { id, hasOthers });
    const messages = await (raw.length > LARGE_OCTETS ? this.#largeTurns.run(compose) : compose());
    // The connection ends about now, and its sender comes again: filed all the same, the message would be there as often as it comes.
    if (performance.now() > untilMs) throw new Error('its turn came too late');
    // protection: commit before the 250
    const results = await this.#options.store.append(messages);
    const answer = answerOf(results, hasOthers);
    if (answer !== 'accepted') return answer;
    for (const [at, { mailbox, folder, verdict }] of judged.entries()) {
      if (results[at]?.outcome !== 'stored') continue;
      const octets = messages[at]?.blob.size ?? 0;
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

  /** Mailboxes of a project whose copies are alike share the bytes. */
  async #compose(
    mail: MailFromOutside,
    judged: readonly Judged[],
    { authentication }: Examination,
    { id, hasOthers }: { id: string; hasOthers: boolean },
  ): Promise<NewMessage[]> {
    const { hostname, blobs, facts } = this.#options;
    const message = withoutForgedResults(mail.raw, hostname);
    const [only] = judged;
    const onlyRecipient = judged.length === 1 && only !== undefined ? only.address : null;
    const receivedAt = clock.now();
    const copies = new Map<string, Copy>();
    const messages: NewMessage[] = [];
    let known: MessageFacts | null = null;
    for (const { mailbox, folder, verdict, isReport } of judged) {
      const { projectId, mailboxId } = mailbox;
      const status = spamStatus(verdict, isReport ? 'off' : mailbox.spamLevel);
      const key = `${projectId} ${status}`;
      let copy = copies.get(key);
      if (copy === undefined) {
        const trace = { mail, hostname, id, onlyRecipient, authentication, spamStatus: status, receivedAt };
        const bytes = withTrace(traceFields(trace), message);
        // Facts are about none of our fields, so they are the same for all copies.
        known ??= await facts.read(bytes);
        copy = { blob: await blobs.keep(projectId, bytes), facts: known };
        copies.set(key, copy);
      }
      messages.push({
        projectId,
        mailboxId,
        folder: { role: folder },
        ...copy,
        flags: 0,
        keywords: [],
        internalDate: receivedAt,
        authentication,
        spam: verdict,
        mayExceedQuota: judged.length > 1 || hasOthers,
        ...(mail.objectId !== undefined && { objectId: mail.objectId }),
      });
    }
    return messages;
  }
}

/** What was in the mailbox, and comes back by an address that is its own alone, is here again too. */
function goesRound(hops: Hops, { address, mailbox, isReturnPath = false }: Delivery): boolean {
  return isLoop(hops, address) || (isReturnPath && isLoop(hops, mailbox.address));
}

/** What mailboxes of one project share of a message. */
type Copy = Pick<NewMessage, 'blob' | 'facts'>;

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
function answerOf(results: readonly AppendResult[], hasOthers: boolean): Filed {
  const outcomes = results.map(({ outcome }) => outcome);
  const fault = outcomes.find((outcome) => outcome === 'no-folder' || outcome === 'bad-keywords');
  if (fault !== undefined) throw new Error(`the store has no place for a message: ${fault}`);
  if (hasOthers || outcomes.some((outcome) => outcome === 'stored' || outcome === 'already-there'))
    return 'accepted';
  return outcomes.every((outcome) => outcome === 'no-mailbox')
    ? { refused: '5.1.1 No such recipient' }
    : 'mailboxFull';
}
