/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { PUSH_OPERATIONS } from './operations.ts';
import type { PushSubscriptions } from './push-subscriptions.ts';

/** The parts of the core that the operations need. */
export interface PushParts {
  push: Pick<PushSubscriptions, 'read' | 'subscribe' | 'unsubscribe' | 'test'>;
}

// The session is that of the mailbox itself, because no operation is open to members.
export const run: Run<typeof PUSH_OPERATIONS, PushParts> = {
  getPush: ({ push }, { session }) => push.read(session),
  subscribeToPush: ({ push }, { session, body }) => push.subscribe(session, body),
  unsubscribeFromPush: ({ push }, { session }) => push.unsubscribe(session),
  testPush: ({ push }, { session }) => push.test(session),
};
