import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { encodeId } from '../../../../model/ids.ts';
import { LOG_MESSAGES } from '../../../../observe/log-messages.ts';
import { acceptedEmails } from '../../../../observe/instruments.ts';
import { endSpan, type Span, startServerSpan } from '../../../../observe/spans.ts';
import { traceParentOf } from '../../../../observe/trace-parent.ts';
import { toAppError } from '../../errors.ts';
import { PROBLEMS } from '../../problem.ts';

/** Records a request to send an email for operators: in the log, in a metric and in a span. */
export class ObservedAccept {
  readonly #logger: Logger;
  readonly #requestId: string;
  readonly #projectId: string;
  readonly #route: string;
  readonly #span: Span;

  /** @param route the route of the request */
  constructor(logger: Logger, { id, headers }: FastifyRequest, projectId: string, route = '/v1/emails') {
    this.#route = route;
    this.#logger = logger;
    this.#requestId = id;
    this.#projectId = projectId;
    this.#span = startServerSpan('accept', headers);
  }

  /** The W3C traceparent with which delivery attempts refer to this request. Null if tracing is off. */
  get traceParent(): string | null {
    return traceParentOf(this.#span.spanContext());
  }

  /** @param emailId the public id @param recipients null if an earlier request with the same idempotency key created the email */
  accepted(emailId: string, recipients: number | null): void {
    this.acceptedAll([{ emailId, recipients: recipients ?? 0 }], recipients === null);
  }

  /** Records all emails of the request as accepted. */
  acceptedAll(emails: readonly { emailId: string; recipients: number }[], replayed: boolean): void {
    for (const { emailId, recipients } of emails) {
      const line = { requestId: this.#requestId, projectId: encodeId('prj', this.#projectId), emailId };
      if (replayed) this.#logger.info(line, LOG_MESSAGES.acceptedBefore);
      else {
        acceptedEmails.inc();
        this.#logger.info({ ...line, recipients }, LOG_MESSAGES.accepted);
      }
    }
    const [{ emailId } = { emailId: '' }] = emails;
    this.#end(202, null, { 'posthorn.email_id': emailId, 'posthorn.replayed': replayed });
  }

  failed(error: unknown): void {
    const { code } = toAppError(error);
    const { status } = PROBLEMS[code];
    this.#end(status, status < 500 ? null : code, {});
  }

  #end(status: number, errorType: string | null, attributes: Record<string, string | boolean>): void {
    endSpan(this.#span, () => ({
      attributes: {
        ...attributes,
        'http.request.method': 'POST',
        'http.route': this.#route,
        'http.response.status_code': status,
        'posthorn.request_id': this.#requestId,
        'posthorn.project_id': encodeId('prj', this.#projectId),
      },
      errorType,
    }));
  }
}
