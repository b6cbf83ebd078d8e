import { MAIL_LIST_OPERATIONS } from '../../../../webmail/list/operations.ts';
import { clientOf } from '../../browser/client-of.ts';
import { onResponseEnd } from '../../response-end.ts';
import { mailRun } from '../operation.ts';

export const watchMail = mailRun(
  MAIL_LIST_OPERATIONS.watchMail,
  async ({ services, mailbox, memberAccess, session, request, reply }) => {
    services.messages.prepare();
    const lastEventId = request.headers['last-event-id'];
    const stream = await services.live.open(
      { mailbox, session, memberAccess },
      clientOf(request).address,
      typeof lastEventId === 'string' ? lastEventId : null,
    );
    // The client may have disconnected while the stream was being opened.
    onResponseEnd(reply, () => stream.destroy());
    return reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(stream);
  },
);
