import type { Logger } from 'pino';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { webhookAttemptDuration, webhookAttempts } from '../../observe/instruments.ts';
import { endSpan, startClientSpan } from '../../observe/spans.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { AttemptEnd } from './delivery-queue.ts';
import type { SettledDelivery } from './settle-deliveries.ts';

/**
 * Observes one delivery attempt for operators: a log line, metrics and a span.
 * @param traceParent identifies the request that sent the email; null if the request was not traced
 * @returns a function to call at the end of the attempt
 */
export function observePost(
  logger: Logger,
  url: string,
  traceParent: string | null,
): (settled: SettledDelivery) => void {
  const span = startClientSpan('webhook', traceParent);
  return (settled) => {
    const outcome = observeEnd(logger, settled);
    if (settled.durationMs !== null) webhookAttemptDuration.observe(settled.durationMs / 1_000);
    endSpan(span, () => {
      const { emailId, ...ids } = idsOf(settled);
      // Only the origin is logged, because the rest of the URL may contain a secret.
      const { protocol, hostname, port } = URL.parse(url) ?? { protocol: '', hostname: '', port: '' };
      return {
        attributes: {
          'posthorn.project_id': ids.projectId,
          'posthorn.email_id': emailId,
          'posthorn.webhook_id': ids.webhookId,
          'posthorn.delivery_id': ids.deliveryId,
          'posthorn.event_id': ids.eventId,
          'posthorn.event_type': settled.type,
          'posthorn.attempt': settled.attempt,
          'posthorn.outcome': outcome,
          'http.request.method': 'POST',
          'http.response.status_code': settled.httpStatus ?? undefined,
          'server.address': hostname,
          'server.port': Number(port || (protocol === 'http:' ? 80 : 443)),
        },
        errorType:
          outcome === 'delivered' ? null : settled.httpStatus === null ? outcome : String(settled.httpStatus),
      };
    });
  };
}

/** Observes the end of an attempt. Called alone for an attempt without a request. */
export function observeEnd(logger: Logger, settled: SettledDelivery): PostOutcome {
  const { type, attempt, status, httpStatus, error, durationMs, delayMs } = settled;
  const outcome = postOutcomeOf(settled);
  webhookAttempts.inc({ outcome });
  const line = {
    ...idsOf(settled),
    type,
    attempt,
    outcome,
    status: httpStatus ?? undefined,
    reason: error ?? undefined,
    durationMs: durationMs ?? undefined,
    isLast: status === 'failed' ? true : undefined,
    nextAttemptAt: delayMs === null ? undefined : new Date(clock.nowMs() + delayMs).toISOString(),
  };
  logger.info(line, LOG_MESSAGES.webhookAttempted);
  return outcome;
}

type PostOutcome = 'delivered' | 'failed_response' | 'no_answer' | 'unsent';

/** The outcome of an attempt, for metrics and the log. */
export function postOutcomeOf({
  wasRequested,
  status,
  httpStatus,
}: Pick<AttemptEnd, 'wasRequested' | 'status' | 'httpStatus'>): PostOutcome {
  if (!wasRequested) return 'unsent';
  if (status === 'delivered') return 'delivered';
  return httpStatus === null ? 'no_answer' : 'failed_response';
}

/** The ids as the API shows them, with their prefixes. */
function idsOf({ projectId, emailId, webhookId, id, eventId }: ClaimedDelivery) {
  return {
    projectId: encodeId('prj', projectId),
    emailId: emailId === null ? undefined : encodeId('em', emailId),
    webhookId: encodeId('wh', webhookId),
    deliveryId: encodeId('dlv', id),
    eventId: encodeId('evt', eventId),
  };
}
