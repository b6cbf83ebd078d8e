import type { Logger } from 'pino';
import { isDatabaseAway } from '../../../db/database.ts';
import { AppError } from '../../../model/app-error.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import type { PolicyReply } from '../policy.ts';
import { REPLIES as SESSION_REPLIES } from '../replies.ts';
import { replyToError } from './replies.ts';
import type { SubmissionResult } from './writer.ts';

/** The reply for an error. Logs unexpected errors. */
export function replyToFailure(error: unknown, logger: Pick<Logger, 'error'>): PolicyReply {
  if (error instanceof AppError) return replyToError(error);
  if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.submissionFailed);
  return SESSION_REPLIES.tryAgain;
}

/** The outcome of a rejected message. */
export function rejectedWith(reply: PolicyReply): SubmissionResult {
  if (!reply.startsWith('4')) return { outcome: 'refused', reply };
  return { outcome: reply.startsWith('451') ? 'try_again' : 'put_off', reply };
}
