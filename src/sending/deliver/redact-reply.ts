import type { AttemptReply } from './provider.ts';

const ADDRESS = /[^\s<>()"',;:]*@[^\s<>()"',;:]*/g;

/**
 * What a destination said to one message, for whoever else waits for it: those are other projects' recipients, and what
 * names the message's sender or recipient is not theirs to read. A return path in their hands could forge a report.
 * @param mailFromDomain of the message: a label, and the sender's domain
 */
export function redactReply(reply: AttemptReply, mailFromDomain: string): AttemptReply {
  const { replyCode, enhancedCode, remoteMta, tls } = reply;
  const senderDomain = mailFromDomain.slice(mailFromDomain.indexOf('.') + 1);
  const named = new RegExp(`[a-z0-9.-]*${senderDomain.replaceAll(/[^a-z0-9]/g, '\\$&')}`, 'gi');
  const text = reply.text.replace(ADDRESS, '***').replace(named, '***');
  return { replyCode, enhancedCode, text, remoteMta, tls, dialogue: null };
}
