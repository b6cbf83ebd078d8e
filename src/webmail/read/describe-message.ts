import type { MailAttachment, MailMessage } from '../../contract/mail/messages.ts';
import { OWN_DOMAIN_UNPROVEN } from '../../receiving/spam/own-domains.ts';
import { encodeId } from '../../model/ids.ts';
import { isMessage } from './attached-head.ts';
import type { MessageOfMailbox } from './find-message.ts';
import type { OpenedMessage } from './message-thread.ts';
import { decodedSize } from '../../store/parts/part-bytes.ts';
import type { ReadPart } from './read-message.ts';
import { authenticationWords, isProved } from './sender/authentication-words.ts';
import { cameOverList } from './sender/came-over-list.ts';
import { findUnsubscribe } from './sender/find-unsubscribe.ts';
import { type KnownPeople, type MailWarning, senderWarnings } from './sender/sender-warnings.ts';
import { spamWords } from './sender/spam-words.ts';

interface Known {
  people: KnownPeople;
  /** Whether the reader has marked the sender's address as trusted. */
  isTrusted: boolean;
}

export function describeMessage(
  { summary, threadId, authentication, sentBy, spam, spamLevel }: MessageOfMailbox,
  { message, clean }: OpenedMessage,
  { people, isTrusted }: Known,
): MailMessage {
  const proved = isProved(authentication);
  const checked = authenticationWords(authentication);
  const list = cameOverList(message.fields, authentication);
  const links = (clean?.problems ?? message.textProblems).map(
    (text): MailWarning => ({ kind: 'link', text }),
  );
  const files = message.attached.flatMap(({ name, warning }): MailWarning[] =>
    warning === null ? [] : [{ kind: 'file', text: `${name}: ${warning}` }],
  );
  return {
    ...summary,
    part: null,
    conversation: encodeId('thr', threadId),
    sent_by: sentBy,
    text: message.text.blocks.map(({ kind, depth, spans }) => ({
      quote: depth,
      is_signature: kind === 'signature',
      runs: spans,
    })),
    text_is_cut: message.text.isCut,
    has_html: clean !== null,
    html_dark: clean !== null && clean.dark !== null,
    html_height: clean?.height ?? null,
    html_folded_height: clean?.quote?.foldedHeight ?? null,
    html_problem: message.htmlProblem,
    remote: { count: clean?.remote.length ?? 0, allowed: isTrusted && proved, may_trust: proved },
    attachments: message.attached.map((part) => attachmentOf(part, clean?.contentIds ?? [])),
    authentication: checked,
    spam: spamWords(spam, authentication, spamLevel),
    warnings: [
      ...ownDomainWarnings(spam, authentication),
      ...senderWarnings(summary, checked, people, list),
      ...links,
      ...files.slice(0, 20),
    ],
    unsubscribe: findUnsubscribe(message.fields, authentication),
    invitation: message.calendar === null ? null : { part: message.calendar.part },
  };
}

/** Attack: forged mail in the name of a colleague, at a domain that publishes no DMARC policy. */
function ownDomainWarnings(
  spam: MessageOfMailbox['spam'],
  authentication: MessageOfMailbox['authentication'],
): MailWarning[] {
  if (spam?.reasons.some(({ rule }) => rule === OWN_DOMAIN_UNPROVEN.rule) !== true) return [];
  const domain = authentication?.dmarc.domain ?? 'your domain';
  const text = `The message claims to come from ${domain}, but nothing proves that. It may be forged.`;
  return [{ kind: 'forged', text }];
}

export function attachmentOf(part: ReadPart, shown: readonly string[]): MailAttachment {
  const { name, type, contentId, warning } = part;
  return {
    part: part.part,
    name,
    type,
    warning,
    octets: decodedSize(part),
    is_inline: contentId !== null && shown.includes(contentId),
    preview: isMessage(part) ? 'message' : previewOf(type, name),
  };
}

const IMAGES = /^image\/(?:png|p?jpe?g|gif|webp|bmp|x-icon|vnd\.microsoft\.icon)$/;
const TEXTS =
  /^(?:text\/(?:plain|csv|markdown|x-[a-z-]+|calendar|vcard)|message\/delivery-status|text\/rfc822-headers|application\/json)$/;

/** Guesses the kind of preview from the declared type and the file name. The real type is determined when the part is fetched. */
function previewOf(type: string, name: string): MailAttachment['preview'] {
  if (IMAGES.test(type) || (type === 'application/octet-stream' && /\.(?:png|jpe?g|gif|webp)$/i.test(name)))
    return 'image';
  if (type === 'application/pdf' || (type === 'application/octet-stream' && /\.pdf$/i.test(name)))
    return 'pdf';
  return TEXTS.test(type) || (type === 'application/octet-stream' && /\.(?:txt|log|csv|md)$/i.test(name))
    ? 'text'
    : null;
}
