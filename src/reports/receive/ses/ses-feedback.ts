/** Receives Amazon SES's reports about mail, which Amazon SNS posts to this service. */
import { isDatabaseAway } from '../../../db/database.ts';
import { AppError } from '../../../model/app-error.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import { readSesNotification } from '../../bounces/ses-notification.ts';
import type { ReturnPaths } from '../../return-path.ts';
import { findReference } from '../find-reference.ts';
import { recordForwardReport } from '../record-forward-report.ts';
import { type RecordOptions, recordReport } from '../record-report.ts';
import { recordSubmissionReport } from '../record-submission-report.ts';
import { readSnsMessage, type SnsMessage } from './sns-message.ts';
import { SnsVerifier, type SnsVerifierOptions } from './sns-verifier.ts';

export interface SesFeedbackOptions extends RecordOptions, SnsVerifierOptions {
  returnPaths: ReturnPaths;
}

const CONFIRM_MS = 10_000;
const WARN_EVERY_MS = 60_000;
const NOTHING = Buffer.alloc(0);

export class SesFeedback {
  readonly #options: SesFeedbackOptions;
  readonly #verifier: SnsVerifier;
  #refused = 0;
  #warnsAtMs = 0;

  constructor(options: SesFeedbackOptions) {
    this.#options = options;
    this.#verifier = new SnsVerifier(options);
  }

  /**
   * Resolves when the effects of the SNS message are committed.
   * @param body the posted body
   * @throws AppError bad-request if the message is not genuine. After AppError unavailable or a database error, SNS retries
   */
  readonly receive = async (body: Buffer): Promise<void> => {
    // Attack: anyone can post here. A body that does not name the topic is not even parsed.
    const message = body.includes(this.#options.topicArn) ? readSnsMessage(body) : null;
    if (message === null || !(await this.#verifier.isGenuine(message))) {
      this.#warnOfRefusal();
      throw new AppError('bad-request', 'The notification cannot be accepted.');
    }
    if (message.type === 'Notification') await this.#record(message);
    else if (message.type === 'SubscriptionConfirmation') await this.#confirm(message.subscribeUrl ?? '');
    else this.#options.logger.warn(LOG_MESSAGES.snsEnded);
  };

  /** Logs at most one warning per `WARN_EVERY_MS`. Attack: anyone can post here but must not be able to fill the log. */
  #warnOfRefusal(): void {
    this.#refused += 1;
    const nowMs = performance.now();
    if (nowMs < this.#warnsAtMs) return;
    this.#warnsAtMs = nowMs + WARN_EVERY_MS;
    // No part of the message is logged, because all of it may be forged.
    this.#options.logger.warn({ refused: this.#refused }, LOG_MESSAGES.snsRefused);
    this.#refused = 0;
  }

  async #record({ message }: SnsMessage): Promise<void> {
    const { database, returnPaths, logger } = this.#options;
    const report = readSesNotification(message);
    if (report === null || report.kind === 'other') return;
    const returnPath = report.original?.returnPath ?? '';
    const forward = returnPaths.verifyForward(returnPath);
    const mailbox = returnPaths.verifyMailbox(returnPath);
    // A mailbox may have forwarded an email that this service itself sent, so the header contains a reference to that email. But the report
    // is about the forwarded copy, not about the email.
    const isOfMailbox = forward !== null || mailbox !== null;
    const subject = isOfMailbox ? null : findReference(report, NOTHING, returnPaths);
    try {
      await recordReport(this.#options, report, subject === null ? [] : [subject]);
      if (forward !== null) await recordForwardReport(database, report, [forward]);
      if (mailbox !== null) await recordSubmissionReport(database, mailbox, report);
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.reportFailed);
      throw error;
    }
  }

  async #confirm(url: string): Promise<void> {
    const { client, logger } = this.#options;
    if (!this.#verifier.isTrusted(url))
      throw new AppError('bad-request', 'The notification cannot be accepted.');
    const { httpStatus, error } = await client.get(url, {
      headers: {},
      timeoutMs: CONFIRM_MS,
      maxStoredBytes: 0,
    });
    if (httpStatus !== 200) {
      logger.warn({ status: httpStatus, error }, LOG_MESSAGES.snsNotConfirmed);
      throw new AppError('unavailable', 'The subscription could not be confirmed.', {
        retryAfterSeconds: 20,
      });
    }
    logger.info(LOG_MESSAGES.snsConfirmed);
  }
}
