import type { SendEmail } from '../../../../contract/emails.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';

/** The JSON response for an accepted email. It depends only on the id, so that a replay is identical byte for byte. */
export function queuedEmail(emailId: string): string {
  return `{"id":"${encodeId('em', emailId)}","status":"queued","created_at":"${timeOf(emailId).toISOString()}"}`;
}

export function addressesIn({ to, cc = [], bcc = [] }: SendEmail): number {
  return to.length + cc.length + bcc.length;
}
