/** Mail from outside: reports on mail that was sent from here, and mail for mailboxes; one message may be for both. */
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/database.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { Addressee, ReportReceiver } from '../reports/receive/report-receiver.ts';
import type { MailFromOutside } from './file/mail-from-outside.ts';
import type { Filed, MessageFiler } from './file/message-filer.ts';
import type { Delivery, Route, Router } from './route/router.ts';

/** Somebody for whom mail is taken. */
export type MailAddressee = { report: Addressee } | { delivery: Delivery };

export interface MailReceiverOptions {
  reports: Pick<ReportReceiver, 'addresseeOf' | 'mailboxOf' | 'isReport' | 'receive'>;
  router: Pick<Router, 'route' | 'routeBack'>;
  filer: Pick<MessageFiler, 'file'>;
  logger: Pick<Logger, 'error'>;
}

export class MailReceiver {
  readonly #options: MailReceiverOptions;

  constructor(options: MailReceiverOptions) {
    this.#options = options;
  }

  /** @param paths of MAIL and RCPT @throws when nobody knows at the moment */
  async route(paths: {
    forwardPath: string;
    size: number | null;
  }): Promise<{ addressee: MailAddressee } | Extract<Route, { refusal: string }>> {
    const { reports, router, logger } = this.#options;
    const report = reports.addresseeOf(paths.forwardPath);
    if (report !== null) return { addressee: { report } };
    const sender = reports.mailboxOf(paths.forwardPath);
    try {
      const route = await (sender === null
        ? router.route(paths.forwardPath, paths.size)
        : router.routeBack(sender, paths.forwardPath, paths.size));
      return 'refusal' in route ? route : { addressee: { delivery: route } };
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.routingFailed);
      throw error;
    }
  }

  /**
   * Resolves when what the message means is committed.
   * @throws when it may not be: the same message may be received again
   */
  async receive(mail: MailFromOutside, addressees: readonly MailAddressee[]): Promise<Filed> {
    const { reports, filer } = this.#options;
    const reported = addressees.flatMap((one) => ('report' in one ? [one.report] : []));
    const deliveries = addressees.flatMap((one) => ('delivery' in one ? [one.delivery] : []));
    // What else is written there, such as answers from people on holiday, is mail like any other.
    const isReport =
      mail.reversePath === '' &&
      deliveries.some(({ isReturnPath }) => isReturnPath) &&
      (await reports.isReport(mail.raw));
    // First what may come twice without a difference: when the rest fails, the sender brings all of it again.
    if (reported.length > 0) await reports.receive(reported, mail.raw);
    if (deliveries.length === 0) return 'accepted';
    const judged = isReport
      ? deliveries.map((one) => (one.isReturnPath ? { ...one, isReport } : one))
      : deliveries;
    return filer.file(mail, judged, reported.length > 0);
  }
}
