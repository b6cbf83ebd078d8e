/** Operations for notifications of new mail in the browser of a session. `run.ts` implements them. */
import { PushSettings, PushSubscribe, PushTest } from '../../contract/mail/push.ts';
import { declare } from '../../contract/operation.ts';

export const PUSH_OPERATIONS = {
  getPush: declare({
    summary: 'Get the notification settings of this session',
    success: { status: 200, description: 'The settings.', body: PushSettings },
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/push' } },
  }),
  subscribeToPush: declare({
    summary: 'Notify this browser of new mail in the Inbox',
    description: 'Replaces an earlier subscription of the session. It ends with the session.',
    body: PushSubscribe,
    success: { status: 204, description: 'Subscribed.' },
    errors: ['validation-failed'],
    doors: { mail: { route: 'PUT /mailboxes/{mailbox}/push' } },
  }),
  unsubscribeFromPush: declare({
    summary: 'No longer notify this browser',
    success: { status: 204, description: 'Unsubscribed.' },
    doors: { mail: { route: 'DELETE /mailboxes/{mailbox}/push' } },
  }),
  testPush: declare({
    summary: 'Send a test notification to this browser',
    description: 'At most one test in five seconds.',
    success: { status: 200, description: 'Whether the push service accepted it.', body: PushTest },
    errors: ['rate-limited', 'not-found'],
    doors: { mail: { route: 'POST /mailboxes/{mailbox}/push/test' } },
  }),
};
