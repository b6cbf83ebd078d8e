import type { EventDetail } from '../contract/events.ts';
import { type Deferral, isOfReply } from '../model/deferral.ts';
import { classifyReply } from '../sending/replies/classify-reply.ts';
import { greylisted } from '../sending/replies/greylisted.ts';

/** Why the attempt was deferred, as far as its reply says. */
export function deferralOf(detail: EventDetail<'deferred'>): Deferral {
  const { smtp_code: replyCode, enhanced_code: enhancedCode, response } = detail;
  // Without a code, Posthorn wrote the text itself, about DNS, a connection, TLS or a response of Amazon SES.
  if (replyCode === null) return 'no_answer';
  const reply = { replyCode, enhancedCode, text: response ?? '' };
  if (greylisted(reply) !== null) return 'greylisting';
  const { category } = classifyReply(reply);
  // Words such as "try again later" look like a network failure, but the server was reached.
  return isOfReply(category) ? category : 'other';
}
