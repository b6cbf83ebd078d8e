import type { AttemptReply } from './provider.ts';

const ADDRESS = /[^\s<>()"',;:]*@[^\s<>()"',;:]*/g;

/**
 * What a destination said to one message, fit for all who wait for it: they are recipients of other projects, who must
 * not read what names the sender or the recipient of this message. With its return path they could forge a report.
 * @param mailFromDomain of the message: a label, and the sender's domain
 */
export function redactReply(reply: AttemptReply, mailFromDomain: string): AttemptReply {
  const { replyCode, enhancedCode, remoteMta, tls } = reply;
  const senderDomain = mailFromDomain.slice(mailFromDomain.indexOf('.') + 1);
  const named = new RegExp(`[a-z0-9.-]*${senderDomain.replaceAll(/[^a-z0-9]/g, '\\$&')}`, 'gi');
  const text = reply.text.replace(ADDRESS, '***').replace(named, '***');
  return { replyCode, enhancedCode, text, remoteMta, tls, dialogue: null };
}
