import { Semaphore } from '../../concurrency/semaphore.ts';
import { isDatabaseAway } from '../../db/database.ts';
import { newUuid } from '../../model/ids.ts';
import { filingDuration } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { OriginClient, TrustedRelays } from '../authenticate/trusted-relays.ts';
import type { Examiner } from '../examine/examiner.ts';
import type { RoutedRecipient, RouteRecipient } from '../route/router.ts';
import { readHops } from './loops.ts';
import { RouteFiling } from './route-filing.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import type { ExaminedMessage } from './examined-message.ts';
import { type Filed, type FilingOptions, MessageFiling } from './message-filing.ts';
import { ReportLimits } from './success-report.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of large messages that are prepared at once. */
const LARGE_AT_ONCE = 2;

export interface MessageFilerOptions extends Omit<FilingOptions, 'reportLimits'> {
  examiner: Pick<Examiner, 'examine'>;
  /** Absent if there are no trusted relays in front of this service. */
  relays?: Pick<TrustedRelays, 'clientOf'>;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/** Files received messages into mailboxes: examines each message, then runs `MessageFiling`. */
export class MessageFiler {
  readonly #options: MessageFilerOptions;
  readonly #reportLimits = new ReportLimits();
  readonly #large = new Semaphore(LARGE_AT_ONCE);

  constructor(options: MessageFilerOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the commit: `accepted` means that every mailbox has the message and no bounce will be sent later.
   * @param hasOthers whether the message is accepted for another recipient too, so that it can no longer be rejected
   * @param routes the routes that get the message
   * @throws if nothing was filed, or if the result is unknown: the client must retry
   */
  async file(
    mail: MailFromOutside,
    recipients: readonly RoutedRecipient[],
    hasOthers: boolean,
    routes: readonly RouteRecipient[] = [],
  ): Promise<Filed> {
    const { logger, timings = TIMINGS } = this.#options;
    const startedMs = performance.now();
    try {
      const message = await this.#examine(mail);
      const untilMs = startedMs + timings.patienceMs;
      const task = {
        message,
        recipients: onePerMailbox(recipients),
        routes: new RouteFiling(message, routes),
        hasOthers,
        untilMs,
      };
      const options = { ...this.#options, reportLimits: this.#reportLimits };
      return await new MessageFiling(task, options).file(this.#large);
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.filingFailed);
      throw error;
    } finally {
      filingDuration.observe((performance.now() - startedMs) / 1_000);
    }
  }

  async #examine(mail: MailFromOutside): Promise<ExaminedMessage> {
    const { examiner, relays } = this.#options;
    const { raw, address, helo, reversePath: mailFrom, isOwn = false } = mail;
    const client: OriginClient = mail.origin ?? { address, helo, mailFrom };
    const origin = isOwn ? client : (relays?.clientOf(raw, client) ?? client);
    const examination = await examiner.examine({ raw, isOwn, ...origin });
    return { id: newUuid(), mail, origin, examination, hops: readHops(raw) };
  }
}

/**
 * A mailbox gets one copy, even if several of its addresses are recipients. The copy names the first of these addresses. Reports name all
 * of them.
 */
function onePerMailbox(recipients: readonly RoutedRecipient[]): RoutedRecipient[] {
  const byMailbox = new Map<string, RoutedRecipient>();
  for (const recipient of recipients) {
    const { mailboxId } = recipient.mailbox;
    const first = byMailbox.get(mailboxId);
    if (first === undefined) byMailbox.set(mailboxId, recipient);
    else if (recipient.reported !== undefined)
      byMailbox.set(mailboxId, { ...first, reported: [...(first.reported ?? []), ...recipient.reported] });
  }
  return [...byMailbox.values()];
}
