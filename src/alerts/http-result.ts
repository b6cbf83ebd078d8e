import type { PostResult } from '../net/http-exchange.ts';
import { isSuccess } from '../webhooks/deliver/attempt-outcome.ts';
import type { ChannelResult } from './channel.ts';

/** Any 2xx status is a success, as for webhooks. The URL may accept messages again later, so no response is permanent. */
export function resultOf({ httpStatus, error }: Pick<PostResult, 'httpStatus' | 'error'>): ChannelResult {
  if (isSuccess({ httpStatus })) return { isDelivered: true, httpStatus };
  const reason = httpStatus === null ? (error ?? 'no response') : `the response had the status ${httpStatus}`;
  return { isDelivered: false, error: reason, httpStatus, isPermanent: false };
}
