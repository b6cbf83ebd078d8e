import type { MailCall } from '../operation.ts';

export const FROM_NOW_ON =
  'From now on mail apps need app passwords. With the first second factor, all that is open but this session ends.';

/**
 * After a second factor was added. Attack: who is in with the password alone would stay in.
 * @param recoveryCodes that came with it: it is the first
 */
export async function endBefore(
  services: MailCall['services'],
  session: MailCall['session'],
  recoveryCodes: readonly string[] | null,
): Promise<void> {
  if (recoveryCodes !== null) await services.sessions.endOthers(session);
}
