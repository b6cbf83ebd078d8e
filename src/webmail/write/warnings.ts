/** Warns the author before a draft is sent. There are few warnings, because users ignore warnings that are often wrong. */
import type { Database } from '../../db/database.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { inlineUploads } from './clean-html.ts';
import { linkTokensOf, mailboxOf, recipientsOf, type DraftContent } from './draft-content.ts';
import type { StoredDraft } from './drafts.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { tooLarge } from './send-checks.ts';
import { encodeId } from '../../model/ids.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import type { MailboxAddress } from '../../rfc/address/index.ts';

/** Large mail providers. */
const LARGE =
  'gmail.com googlemail.com hotmail.com outlook.com yahoo.com icloud.com protonmail.com web.de t-online.de gmx.net freenet.de orange.fr wanadoo.fr libero.it comcast.net verizon.net'.split(
    ' ',
  );

/** Real domains that differ by one letter from a domain in `LARGE`. */
const REAL: ReadonlySet<string> = new Set(
  'mail.com email.com ymail.com gmx.de gmx.com gmx.at gmx.ch gmx.us gmx.fr hotmail.co hotmail.de hotmail.fr hotmail.it hotmail.es outlook.de outlook.fr outlook.it outlook.es yahoo.co yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.ca yahoo.in googlemail.co gail.com mailweb.de orange.pl orange.ro wb.de we.de eb.de'.split(
    ' ',
  ),
);

export interface MessageWarning {
  kind:
    | 'no-subject'
    | 'forgotten-attachment'
    | 'many-recipients'
    | 'mistyped-address'
    | 'bad-address'
    | 'too-large';
  text: string;
  /** The address that was probably meant. */
  suggestion: string | null;
}

/** A warning appears if more recipients than this see each other's addresses. */
const MANY = 20;
const MAX_WORDS = 100_000;
const MENTIONS_ATTACHMENT = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "(?:i(?:'ve| have)?|we(?:'ve| have)?) attach(?:ed)?|attached (?:is|are|you|please|find|file|document|report|invoice|pdf|to this (?:e-?mail|mail|message))|(?:is|are|find|see|please find) attached|see attach(?:ed|ment|ments)|the attach(?:ed|ment|ments)|in attachment|enclosed (?:is|are|please|find|you)",
    'im anhang|angehängt|beigefügt|in der anlage|als anlage|im attachment|anbei',
    'en pièce jointe|pièces? jointes?|ci-joint(?:e|s|es)?|je joins',
    'adjunto|adjunta|adjuntos|archivo adjunto',
    'in allegato|allegato|allegati|allego',
    'in de bijlage|bijlage|bijgevoegd|als bijlage',
    'em anexo|segue anexo|anexei',
    'w załączniku|w załączeniu|załączam|załącznik',
    'vedhæftet|vedlagt|vedlegg|bifogad|bifogar|bifogat|liitteenä|liitteen[aä]',
    'v příloze|přikládám|prílohe|prikladám|csatolom|mellékelem|în atașament',
    'во вложении|прилагаю|прикрепля[юе]|у вкладенні|додаю файл|συνημμένα|επισυνάπτω',
    'ekte|ekteki|ekli dosya',
  ].join('|')})(?![\\p{L}\\p{N}])|添付|附件|첨부`,
  'iu',
);

export async function warningsOf(
  database: Database,
  mailbox: MailboxKey,
  { row: { content }, uploads, octets }: StoredDraft,
): Promise<MessageWarning[]> {
  const warnings: MessageWarning[] = [];
  const warn = (kind: MessageWarning['kind'], text: string, suggestion: string | null = null): void => {
    warnings.push({ kind, text, suggestion });
  };
  if (octets > MAX_MESSAGE_BYTES) warn('too-large', tooLarge(octets));
  const recipients = recipientsOf(content);
  for (const person of recipients) {
    const parsed = mailboxOf(person);
    if ('error' in parsed) warn('bad-address', `${person.address} is not a valid address: ${parsed.error}.`);
  }
  for (const [address, meant] of await mistyped(database, mailbox, content))
    warn('mistyped-address', `Did you mean ${meant}? You entered ${address}.`, meant);
  const inline = inlineUploads(content.html ?? '');
  const files = uploads.filter(({ id }) => !inline.has(encodeId('upl', id)));
  if (files.length === 0 && linkTokensOf(content).length === 0 && mentionsAttachment(ownWords(content)))
    warn('forgotten-attachment', 'The text mentions an attachment, but no file is attached.');
  const seen = content.to.length + content.cc.length;
  if (seen > MANY)
    warn('many-recipients', `${seen} people will see each other’s addresses. Use Bcc to hide them.`);
  if (content.subject === '' && recipients.length > 0) warn('no-subject', 'The message has no subject.');
  return warnings;
}

function mentionsAttachment(text: string): boolean {
  return MENTIONS_ATTACHMENT.test(text.slice(0, MAX_WORDS));
}

/** Addresses whose domain differs slightly from a large provider's domain, except addresses to which the mailbox has written before. */
async function mistyped(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  content: StoredDraft['row']['content'],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const person of recipientsOf(content)) {
    const parsed = mailboxOf(person);
    const meant = 'error' in parsed ? null : suggestedAddress(parsed);
    if (!('error' in parsed) && meant !== null) found.set(parsed.address, meant);
  }
  if (found.size === 0) return found;
  const known = await database
    .selectFrom('writtenAddresses')
    .select('address')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('writtenAt', '>', new Date(0))
    .where(
      'addressKey',
      'in',
      [...found.keys()].map((address) => address.toLowerCase()),
    )
    .execute();
  for (const { address } of known) found.delete(address);
  return found;
}

/** The author's own text, without quotes. */
function ownWords({ html, text }: Pick<DraftContent, 'html' | 'text'>): string {
  const all = html === null ? text : htmlToText(html);
  return all
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('>'))
    .join('\n');
}

/** The address that was probably meant, if the domain differs by one letter from a large provider's domain. */
function suggestedAddress({
  localPart,
  domain,
}: Pick<MailboxAddress, 'localPart' | 'domain'>): string | null {
  if (LARGE.includes(domain) || REAL.has(domain)) return null;
  const meant = LARGE.find((large) => isOneOff(domain, large));
  return meant === undefined ? null : `${localPart}@${meant}`;
}

/** Whether the texts differ by one inserted, deleted or changed letter, or by two swapped letters. */
function isOneOff(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a.length > b.length) return a.slice(at + 1) === b.slice(at);
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  return isSwapped || a.slice(at + 1) === b.slice(at + 1);
}
