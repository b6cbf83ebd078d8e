/** A message as the inbound webhook of Postmark sends it (docs/routes.md, Postmark). */
import type { NamedAddress } from '../../store/facts/message-facts.ts';
import { USUAL_JUNK_SCORE } from '../../receiving/spam/verdict.ts';
import { formatPhrase } from '../../rfc/address/index.ts';
import type { RoutedMessage } from '../routed-message.ts';
import { partOctets } from './part-octets.ts';
import type { ReadMail } from './read-mail.ts';
import { tagOf } from './tag-of.ts';

/** Fields of the header that are members of their own, and fields that only this service may write. */
const LEFT_OUT = /^(?:from|to|cc|bcc|subject|date|reply-to|x-spam-.*|received-spf)$/i;

/**
 * The JSON in pieces. Only one attachment is in memory as base64 at a time, besides the result.
 * Attack: a forged X-Spam-Status or Received-SPF. Programs read them as Postmark's, so the message's own are left out.
 */
export async function postmarkMessage(message: RoutedMessage, mail: ReadMail): Promise<Buffer> {
  const [from] = mail.from;
  const recipient = message.recipients[0] ?? '';
  const head = JSON.stringify({
    FromName: from?.name ?? '',
    MessageStream: 'inbound',
    From: from?.address ?? '',
    FromFull: fullOf(from ?? { name: '', address: '' }),
    To: listOf(mail.to),
    ToFull: mail.to.map(fullOf),
    Cc: listOf(mail.cc),
    CcFull: mail.cc.map(fullOf),
    Bcc: listOf(mail.bcc),
    BccFull: mail.bcc.map(fullOf),
    OriginalRecipient: recipient,
    Subject: mail.subject,
    MessageID: message.id,
    ReplyTo: listOf(mail.replyTo),
    MailboxHash: tagOf(recipient) ?? '',
    Date: mail.date ?? message.receivedAt.toUTCString(),
    TextBody: mail.text,
    HtmlBody: mail.html ?? '',
    StrippedTextReply: mail.reply,
    Tag: '',
    Headers: [
      ...verdictFields(message),
      ...mail.fields
        .filter(({ name }) => !LEFT_OUT.test(name))
        .map(({ name, value }) => ({ Name: name, Value: value })),
    ],
  });
  const pieces = [Buffer.from(`${head.slice(0, -1)},"Attachments":[`)];
  for (const [at, part] of mail.attachments.entries()) {
    const octets = await partOctets(message.raw, part);
    const facts = JSON.stringify({
      Name: part.name,
      ContentType: part.type,
      ContentLength: octets.length,
      ContentID: part.contentId?.toWellFormed() ?? '',
    });
    pieces.push(
      Buffer.from(`${at === 0 ? '' : ','}${facts.slice(0, -1)},"Content":"`),
      Buffer.from(octets.toString('base64'), 'latin1'),
      Buffer.from('"}'),
    );
  }
  pieces.push(Buffer.from(']}'));
  return Buffer.concat(pieces);
}

function verdictFields({ authentication: { spf }, spam, ...message }: RoutedMessage) {
  const isSpam = spam.score >= USUAL_JUNK_SCORE;
  const result = `${spf.result.charAt(0).toUpperCase()}${spf.result.slice(1)}`;
  const details = [
    ['identity', message.reversePath === '' ? 'helo' : 'mailfrom'],
    ['client-ip', message.clientAddress],
    ['helo', message.helo],
    ['envelope-from', message.reversePath],
    ['receiver', message.recipients[0] ?? ''],
  ] as const;
  // Attack: an address or a name with a semicolon, which would add a detail.
  const shown = details.filter(([, value]) => /^[^\s;"\\]+$/.test(value)).map((each) => each.join('='));
  return [
    { Name: 'X-Spam-Checker-Version', Value: 'Posthorn' },
    { Name: 'X-Spam-Status', Value: isSpam ? 'Yes' : 'No' },
    { Name: 'X-Spam-Score', Value: spam.score.toFixed(1) },
    { Name: 'X-Spam-Tests', Value: spam.reasons.map(({ rule }) => rule).join(',') },
    { Name: 'Received-SPF', Value: `${result} (${spf.domain}) ${shown.join('; ')}` },
  ];
}

function fullOf({ name, address }: NamedAddress) {
  return { Email: address, Name: name, MailboxHash: tagOf(address) ?? '' };
}

function listOf(addresses: readonly NamedAddress[]): string {
  return addresses
    .map(({ name, address }) => (name === '' ? address : `${formatPhrase(name)} <${address}>`))
    .join(', ');
}
