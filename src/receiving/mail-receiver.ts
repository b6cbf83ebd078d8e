/** Receives mail from outside: reports on mail that was sent from here, and mail for mailboxes. One message may be both. */
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/database.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { NOTIFY } from '../rfc/smtp/dsn-parameters.ts';
import type { RcptParameters } from '../rfc/smtp/parse-command.ts';
import type { Addressee, ReturnedMail, ReportReceiver } from '../reports/receive/report-receiver.ts';
import type { MailFromOutside } from './file/mail-from-outside.ts';
import type { MessageFiler } from './file/message-filer.ts';
import type { Filed } from './file/message-filing.ts';
import type { OperatorInbox } from './operators/operator-mail.ts';
import type { RoutedRecipient, RecipientRoute, Router, RouteRecipient } from './route/router.ts';

/** An accepted recipient. */
export type MailAddressee =
  | { report: Addressee }
  | { deliveries: readonly RoutedRecipient[]; routes?: readonly RouteRecipient[] }
  /** A postmaster or abuse address that no mailbox has. */
  | { operators: string };

/**
 * The maximum number of mailboxes that one message can reach. Attack: a message to aliases with thousands of mailboxes would block the
 * event loop for a third of a second.
 */
const MAX_MAILBOXES = 500;

const TOO_MANY = { refusal: 'tooManyRecipients' } as const;
const OPERATORS_FULL = { refusal: 'operatorsFull' } as const;
const NOTHING_BACK: ReturnedMail = { isReport: false, notified: new Set() };

export interface MailReceiverOptions {
  reports: Pick<ReportReceiver, 'addresseeOf' | 'mailboxOf' | 'receiveFor' | 'receive'>;
  router: Pick<Router, 'route' | 'routeBack'>;
  filer: Pick<MessageFiler, 'file'>;
  operatorMail: Pick<OperatorInbox, 'hasSpace' | 'keep'>;
  logger: Pick<Logger, 'error'>;
}

export class MailReceiver {
  readonly #options: MailReceiverOptions;

  constructor(options: MailReceiverOptions) {
    this.#options = options;
  }

  /**
   * @param paths the addresses of MAIL and RCPT
   * @param accepted the recipients that the message already has
   * @throws if the route cannot be determined at the moment
   */
  async route(
    paths: { forwardPath: string; size: number | null },
    accepted: readonly MailAddressee[] = [],
  ): Promise<
    | { addressee: MailAddressee }
    | Extract<RecipientRoute, { refusal: string }>
    | { refusal: 'tooManyRecipients' | 'operatorsFull' }
  > {
    const { reports, router, operatorMail, logger } = this.#options;
    const report = reports.addresseeOf(paths.forwardPath);
    if (report !== null) return isTooMany(accepted, { report }) ? TOO_MANY : { addressee: { report } };
    const sender = reports.mailboxOf(paths.forwardPath);
    try {
      const route = await (sender === null
        ? router.route(paths.forwardPath, paths.size)
        : router.routeBack(sender, paths.forwardPath));
      if ('refusal' in route) return route;
      if (isTooMany(accepted, route)) return TOO_MANY;
      if ('operators' in route && !(await operatorMail.hasSpace(paths.size))) return OPERATORS_FULL;
      return { addressee: route };
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.routingFailed);
      throw error;
    }
  }

  /**
   * Resolves when the effects of the message are committed.
   * @throws if the commit failed or its result is unknown: the sender retries, so the same message may be received again
   */
  async receive(
    mail: MailFromOutside,
    addressees: readonly MailAddressee[],
  ): Promise<Filed | 'operatorsFull'> {
    const { reports, filer, operatorMail } = this.#options;
    const reported = addressees.flatMap((one) => ('report' in one ? [one.report] : []));
    const operators = addressees.flatMap((one) => ('operators' in one ? [one.operators] : []));
    const deliveries = deliveriesOf(addressees);
    const routes = addressees.flatMap((one) => ('deliveries' in one ? (one.routes ?? []) : []));
    // A message to a return path, such as a vacation reply, is treated like any other mail, unless it is a delivery report.
    const senders = deliveries.flatMap(({ isReturnPath, mailbox }) => (isReturnPath ? [mailbox] : []));
    const { isReport, notified } =
      senders.length === 0
        ? NOTHING_BACK
        : await reports.receiveFor(senders, mail.raw, mail.reversePath === '');
    const filed = deliveries.filter(
      ({ isReturnPath, mailbox }) => isReturnPath !== true || !notified.has(mailbox.mailboxId),
    );
    if (operators.length > 0 && (await operatorMail.keep(mail, operators)) === 'full') return 'operatorsFull';
    // Reports are recorded first, because recording a report twice is harmless. If a later step fails, the sender sends the whole message
    // again.
    if (reported.length > 0) await reports.receive(reported, mail.raw);
    if (filed.length + routes.length === 0) return 'accepted';
    const judged = isReport ? filed.map((one) => (one.isReturnPath ? { ...one, isReport } : one)) : filed;
    const hasOthers = reported.length > 0 || operators.length > 0 || filed.length < deliveries.length;
    return filer.file(mail, judged, hasOthers, routes);
  }
}

/**
 * Whether the sender must send to this recipient separately. Attack: a message that one recipient accepts cannot be refused for
 * another, so a full mailbox could keep growing if the same message had a second recipient. Likewise, a message for a route may be deferred
 * after it was examined, and operators or a return path would then get it again.
 */
function isTooMany(taken: readonly MailAddressee[], next: MailAddressee): boolean {
  const all = [...taken, next];
  const deliveries = deliveriesOf(all);
  if (taken.length > 0 && deliveries.some(({ isFull }) => isFull === true)) return true;
  if (all.some(isOfRoute) && all.some(isAcceptedFirst)) return true;
  return new Set(deliveries.map(({ mailbox }) => mailbox.mailboxId)).size > MAX_MAILBOXES;
}

/** Whether a route gets the mail, and no mailbox. */
function isOfRoute(addressee: MailAddressee): boolean {
  return 'deliveries' in addressee && (addressee.routes ?? []).some(({ mailboxId }) => mailboxId === null);
}

/** Whether the message is recorded for the addressee before it is filed. */
function isAcceptedFirst(addressee: MailAddressee): boolean {
  return (
    !('deliveries' in addressee) || addressee.deliveries.some(({ isReturnPath }) => isReturnPath === true)
  );
}

function deliveriesOf(addressees: readonly MailAddressee[]): RoutedRecipient[] {
  return addressees.flatMap((one) => ('deliveries' in one ? one.deliveries : []));
}

/**
 * The addressee of a recipient, with the report of success that the sender requested for it. Mail to a return path or to the operator is
 * not reported.
 */
export function reportedAddressee({
  addressee,
  notify,
  forwardPath,
  originalRecipient,
}: { addressee: MailAddressee; forwardPath: string } & RcptParameters): MailAddressee {
  if (!('deliveries' in addressee) || notify === null || (notify & NOTIFY.success) === 0) return addressee;
  const { address } = addressee.deliveries[0] ?? {};
  if (address === undefined) return addressee;
  // Shared by all mailboxes of an alias, which gets one report.
  const reported = [{ forwardPath, address, originalRecipient }];
  return {
    ...addressee,
    deliveries: addressee.deliveries.map((one) =>
      one.isReturnPath || one.isFallback ? one : { ...one, reported },
    ),
  };
}
