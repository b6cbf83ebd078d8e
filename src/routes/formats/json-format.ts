import type { RouteMessage } from '../../contract/route-messages.ts';
import { USUAL_JUNK_SCORE } from '../../receiving/spam/verdict.ts';
import type { RoutedMessage } from '../routed-message.ts';
import { conversationId } from './conversation-id.ts';
import { partOctets } from './part-octets.ts';
import type { MessageLinks } from './question.ts';
import type { ReadMail } from './read-mail.ts';
import { tagOf } from './tag-of.ts';

/** The message as our own JSON (docs/routes.md, JSON). */
export async function jsonMessage(
  message: RoutedMessage,
  mail: ReadMail,
  { base, query }: MessageLinks,
): Promise<RouteMessage> {
  const { id, routeId, receivedAt, raw, authentication, spam } = message;
  const { spf, dkim, dmarc } = authentication;
  const attachments: RouteMessage['data']['attachments'] = [];
  for (const part of mail.attachments)
    attachments.push({
      filename: part.name,
      content_type: part.type,
      size: (await partOctets(raw, part)).length,
      content_id: part.contentId?.toWellFormed() ?? null,
      url: `${base}/attachments/${part.part}${query}`,
    });
  return {
    id,
    type: 'message.received',
    created_at: receivedAt.toISOString(),
    data: {
      route_id: routeId,
      envelope: {
        from: message.reversePath,
        to: [...message.recipients],
        client_address: message.clientAddress,
        helo: message.helo,
      },
      tag: tagOf(message.recipients[0] ?? ''),
      conversation_id: conversationId(routeId, mail),
      message_id: mail.messageId,
      in_reply_to: mail.inReplyTo,
      references: mail.references,
      date: mail.date,
      subject: mail.subject,
      from: mail.from[0] ?? null,
      to: mail.to,
      cc: mail.cc,
      reply_to: mail.replyTo,
      headers: mail.fields.map(({ name, value }) => ({ name, value })),
      text: mail.text,
      html: mail.html,
      reply: mail.reply,
      truncated: mail.isTruncated,
      attachments,
      raw: { url: `${base}/raw${query}`, size: raw.length },
      verdicts: {
        spf: { result: spf.result, domain: spf.domain },
        dkim: dkim.map(({ result, domain, selector }) => ({ result, domain, selector })),
        dmarc: { result: dmarc.result, domain: dmarc.domain, policy: dmarc.published },
        spam: {
          score: spam.score,
          is_spam: spam.score >= USUAL_JUNK_SCORE,
          rules: spam.reasons.map(({ rule, weight }) => ({ name: rule, weight })),
        },
      },
    },
  };
}
