/** Opens a mailbox for one session: signs in, locks the mailbox across all machines, and lists its messages. */
import type { LockedName, NameLocks } from '../../db/name-locks.ts';
import { isDatabaseAway } from '../../db/database.ts';
import type { SignedInMailbox, SignIn } from '../../mailboxes/sign-in/sign-in.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { Maildrop } from '../../store/read-maildrop.ts';
import type { Store } from '../../store/store.ts';
import type { Logger } from 'pino';
import { REPLIES, tryLater } from './replies.ts';

export interface MaildropOptions {
  signIn: Pick<SignIn, 'signIn'>;
  names: NameLocks;
  store: Store;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** The messages of a mailbox that is locked for one session. Disposal releases the mailbox, and can be repeated without harm. */
export interface OpenMaildrop extends AsyncDisposable {
  owner: SignedInMailbox;
  lock: LockedName;
  drop: Maildrop;
}

/** Opens a mailbox. @returns the maildrop, or the error reply for the client */
export async function openMaildrop(
  { signIn, names, store, logger }: MaildropOptions,
  attempt: { user: string; password: string; address: string },
): Promise<OpenMaildrop | string> {
  await using stack = new AsyncDisposableStack();
  try {
    const result = await signIn.signIn({ ...attempt, door: 'pop3', access: 'read' });
    if (result.outcome === 'refused') return REPLIES.refused;
    if (result.outcome === 'try-later') return tryLater(result.afterSeconds);
    const owner = stack.use(result.mailbox);
    const lock = await names.take(`pop3/${owner.mailboxId}`);
    if (lock === null) return REPLIES.inUse;
    stack.use(lock);
    const drop = await store.maildrop(owner);
    if (drop === null) return REPLIES.noMailbox;
    const all = stack.move();
    return { owner, lock, drop, [Symbol.asyncDispose]: () => all.disposeAsync() };
  } catch (error) {
    if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.pop3Failed);
    return REPLIES.unavailable;
  }
}
