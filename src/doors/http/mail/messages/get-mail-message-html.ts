import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { FRAME_SCRIPT_SOURCE } from '../../../../webmail/read/html/frame-script.ts';
import { AppError } from '../../../../model/app-error.ts';
import { mailRun } from '../operation.ts';
import { framePolicy } from './frame-policy.ts';
import { sendHostile } from './send-hostile.ts';

/**
 * The document that the frame shows instead of the message. The surrounding page cannot read a document in the frame, but can count the
 * iframes inside it. An iframe in this document therefore tells it apart from a message (web/mail, useFrame).
 */
export const BUSY_PAGE =
  '<!doctype html><meta charset="utf-8"><title>Message</title><p>The service is too busy to show this message at the moment.</p><iframe hidden></iframe>';

export const getMailMessageHtml = mailRun(
  MAIL_READING_OPERATIONS.getMailMessageHtml,
  async ({ services, mailbox, session, id, query, request, reply, isSecure }) => {
    let html: string | null;
    try {
      html = await services.messages.html(mailbox, id, {
        theme: query.theme ?? 'light',
        remote: query.remote === '1',
        isFolded: query.quote === '0',
        address: session.address,
        part: query.part,
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      return sendHostile(reply.code(503).header('retry-after', '5'), BUSY_PAGE, {
        type: 'text/html; charset=utf-8',
        saveAs: null,
      });
    }
    if (html === null) return null;
    return sendHostile(reply, html, {
      type: 'text/html; charset=utf-8',
      policy: framePolicy(request, isSecure, mailbox, id, FRAME_SCRIPT_SOURCE),
      saveAs: null,
    });
  },
);
