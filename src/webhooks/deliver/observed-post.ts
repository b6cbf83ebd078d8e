import type { Logger } from 'pino';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { webhookAttemptDuration, webhookAttempts } from '../../observe/instruments.ts';
import { endSpan, type Span, startClientSpan } from '../../observe/spans.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { SettledDelivery } from './settle-deliveries.ts';

/** One attempt to deliver an event, as operators see it: a line of the log, figures and a span. */
export class ObservedPost {
  readonly #logger: Logger;
  readonly #delivery: ClaimedDelivery;
  readonly #url: string;
  readonly #span: Span;

  /** @param traceParent names the request that sent the email, if it was traced */
  constructor(logger: Logger, delivery: ClaimedDelivery, url: string, traceParent: string | null) {
    this.#logger = logger;
    this.#delivery = delivery;
    this.#url = url;
    this.#span = startClientSpan('webhook', traceParent);
  }

  ended(finished: SettledDelivery): void {
    const outcome = outcomeOf(finished);
    logAttempt(this.#logger, this.#delivery, finished, outcome);
    webhookAttempts.inc({ outcome });
    if (finished.durationMs !== null) webhookAttemptDuration.observe(finished.durationMs / 1_000);
    endSpan(this.#span, () => {
      const { emailId, ...ids } = idsOf(this.#delivery);
      // The rest of the URL may hold a secret.
      const { protocol, hostname, port } = URL.parse(this.#url) ?? { protocol: '', hostname: '', port: '' };
      return {
        attributes: {
          'posthorn.project_id': ids.projectId,
          'posthorn.email_id': emailId,
          'posthorn.webhook_id': ids.webhookId,
          'posthorn.delivery_id': ids.deliveryId,
          'posthorn.event_id': ids.eventId,
          'posthorn.event_type': this.#delivery.type,
          'posthorn.attempt': this.#delivery.attempt,
          'posthorn.outcome': outcome,
          'http.request.method': 'POST',
          'http.response.status_code': finished.httpStatus ?? undefined,
          'server.address': hostname,
          'server.port': Number(port || (protocol === 'http:' ? 80 : 443)),
        },
        errorType:
          outcome === 'delivered'
            ? null
            : finished.httpStatus === null
              ? outcome
              : String(finished.httpStatus),
      };
    });
  }
}

/** An attempt for which no request was made. */
export function observeUnsent(logger: Logger, delivery: ClaimedDelivery, finished: SettledDelivery): void {
  const outcome = outcomeOf(finished);
  logAttempt(logger, delivery, finished, outcome);
  webhookAttempts.inc({ outcome });
}

type PostOutcome = 'delivered' | 'failed_response' | 'no_answer' | 'unsent';

function outcomeOf({ asked, status, httpStatus }: SettledDelivery): PostOutcome {
  if (!asked) return 'unsent';
  if (status === 'delivered') return 'delivered';
  return httpStatus === null ? 'no_answer' : 'failed_response';
}

function logAttempt(
  logger: Logger,
  delivery: ClaimedDelivery,
  { status, httpStatus, error, durationMs, delayMs }: SettledDelivery,
  outcome: PostOutcome,
): void {
  const line = {
    ...idsOf(delivery),
    type: delivery.type,
    attempt: delivery.attempt,
    outcome,
    status: httpStatus ?? undefined,
    reason: error ?? undefined,
    durationMs: durationMs ?? undefined,
    isLast: status === 'failed' ? true : undefined,
    nextAttemptAt: delayMs === null ? undefined : new Date(Date.now() + delayMs).toISOString(),
  };
  logger.info(line, LOG_MESSAGES.webhookAttempted);
}

/** The ids as users see them. */
function idsOf({ projectId, emailId, webhookId, id, eventId }: ClaimedDelivery) {
  return {
    projectId: encodeId('prj', projectId),
    emailId: emailId === null ? undefined : encodeId('em', emailId),
    webhookId: encodeId('wh', webhookId),
    deliveryId: encodeId('dlv', id),
    eventId: encodeId('evt', eventId),
  };
}
