import { clientOf } from '../../browser/client-of.ts';
import { whenGone } from '../../when-gone.ts';
import { mailOperation } from '../operation.ts';

export const watchMail = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/events',
  summary: 'Hear at once that something has happened, for as long as the session lives',
  description:
    'For EventSource. `event: change` has a MailChangeEvent as its data, and as its id the state after it. It says no more than that something happened: ask for the changes.',
  success: { status: 200, description: 'Events.', media: 'text/event-stream' },
  errors: ['rate-limited'],
  async run({ services, session, request, reply }) {
    services.messages.prepare();
    const lastEventId = request.headers['last-event-id'];
    const stream = await services.live.open(
      session,
      clientOf(request).address,
      typeof lastEventId === 'string' ? lastEventId : null,
    );
    // It may have left while it was looked up.
    whenGone(reply, () => stream.destroy());
    return reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(stream);
  },
});
