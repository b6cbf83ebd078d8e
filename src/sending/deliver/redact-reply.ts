import type { AttemptReply } from './provider.ts';

const ADDRESS = /[^\s<>()"',;:]*@[^\s<>()"',;:]*/g;

/**
 * Redacts a destination's reply to one message, so that the reply can be shown for all waiting mail, which may belong to other projects.
 * Other projects must not see names of this message's sender or recipient. With the return path, another project could forge a bounce
 * report.
 * @param mailFromDomain the return path domain of the message: a label, followed by the sender's domain
 */
export function redactReply(reply: AttemptReply, mailFromDomain: string): AttemptReply {
  const { replyCode, enhancedCode, remoteMta, tls } = reply;
  const senderDomain = mailFromDomain.slice(mailFromDomain.indexOf('.') + 1);
  const named = new RegExp(`[a-z0-9.-]*${senderDomain.replaceAll(/[^a-z0-9]/g, '\\$&')}`, 'gi');
  const text = reply.text.replace(ADDRESS, '***').replace(named, '***');
  return { replyCode, enhancedCode, text, remoteMta, tls, dialogue: null };
}
