import type { Logger } from 'pino';
import * as clock from '../../model/clock.ts';
import { timeOf } from '../../model/ids.ts';
import { destinationLabel } from '../../observe/destination-label.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { attemptDuration, attempts, attemptsUnderWay, timeToAccepted } from '../../observe/instruments.ts';
import { endSpan, type Span, startClientSpan } from '../../observe/spans.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import { describeEvents } from '../events/observe-events.ts';
import type { Consequence } from './outcome-events.ts';
import type { Outcome } from './provider.ts';
import { nameOf, nextAttemptAtOf } from './recipient-lines.ts';

/** Reports one attempt at one recipient to operators: a log line, metrics and a span. */
export class ObservedAttempt {
  readonly #logger: Logger;
  readonly #row: ClaimedRow;
  readonly #span: Span;
  readonly startedMs = performance.now();
  #durationMs = 0;

  /** @param traceParent W3C traceparent of the request that sent the email; null without tracing */
  constructor(logger: Logger, row: ClaimedRow, traceParent: string | null) {
    this.#logger = logger;
    this.#row = row;
    this.#span = startClientSpan('attempt', traceParent);
    attemptsUnderWay.add(this);
  }

  /** Called when the remote server has replied. */
  answered(): void {
    this.#durationMs = performance.now() - this.startedMs;
  }

  /** @param consequence null: the outcome is not recorded */
  ended(outcome: Outcome, consequence: Consequence | null): void {
    const name = nameOf(this.#row);
    const durationMs = Math.round(this.#durationMs);
    const line = {
      ...name,
      attempt: this.#row.attempts + 1,
      outcome: outcome.outcome,
      ...(outcome.outcome !== 'abandoned' && {
        replyCode: outcome.reply.replyCode ?? undefined,
        enhancedCode: outcome.reply.enhancedCode ?? undefined,
        remoteHost: outcome.reply.remoteMta ?? undefined,
        tls: outcome.reply.tls,
      }),
      durationMs,
    };
    this.#logger.info({ ...line, ...(consequence && following(consequence)) }, LOG_MESSAGES.attempted);
    this.#count(outcome, name.destination);
    this.#end(outcome.outcome, {
      'posthorn.smtp.reply_code': line.replyCode,
      'posthorn.smtp.enhanced_code': line.enhancedCode,
      'server.address': line.remoteHost,
    });
  }

  /** Called when the attempt did not finish: our own code failed, or the database was unreachable. */
  broken(): void {
    this.#end('broken', {});
  }

  #count({ outcome }: Outcome, destination: string): void {
    attempts.inc({ destination: destinationLabel(destination), outcome });
    attemptDuration.observe({ outcome }, this.#durationMs / 1_000);
    if (outcome === 'accepted')
      timeToAccepted.observe((clock.nowMs() - timeOf(this.#row.emailId).getTime()) / 1_000);
  }

  #end(outcome: Outcome['outcome'] | 'broken', said: Record<string, string | number | undefined>): void {
    attemptsUnderWay.delete(this);
    endSpan(this.#span, () => {
      const { projectId, emailId, recipientIndex, destination } = nameOf(this.#row);
      return {
        attributes: {
          'posthorn.project_id': projectId,
          'posthorn.email_id': emailId,
          'posthorn.recipient': recipientIndex,
          'posthorn.attempt': this.#row.attempts + 1,
          'posthorn.destination': destination,
          'posthorn.outcome': outcome,
          ...said,
        },
        errorType: outcome === 'accepted' ? null : outcome,
      };
    });
  }
}

/** The events of an outcome and the time of the next attempt, as log fields. */
function following({ events, settlement, suppress }: Consequence) {
  return {
    ...describeEvents(events),
    suppresses: suppress ? true : undefined,
    waits: settlement.kind === 'parked' ? true : undefined,
    nextAttemptAt: nextAttemptAtOf(events),
  };
}
