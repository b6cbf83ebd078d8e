/**
 * Whether a message gets a vacation reply: only mail that a person sent to the mailbox directly (RFC 3834, sections 2 and 5; RFC
 * 5230, sections 4.5 and 4.6). Pure.
 */
import { mailboxKey } from '../../mailboxes/local-part.ts';
import { headerEnd } from '../../rfc/mime/header.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import type { Facts, MailTexts } from '../rules/mail-texts.ts';

export interface VacationReplyQuery {
  reversePath: string;
  raw: Buffer;
  facts: Pick<Facts, 'from' | 'to' | 'cc'> & { bcc: Facts['cc'] };
  texts: MailTexts;
  /** All addresses of the mailbox: the main address, the addresses of its aliases, and the recipient address. */
  own: readonly string[];
  authentication: Pick<Authentication, 'spf' | 'dmarc'>;
}

export interface ReplyRecipient {
  /** The return path, in normal form. */
  address: MailboxAddress;
  /** The address in the To field of the reply. */
  shown: MailboxAddress;
}

/** Names of automatic senders (RFC 3834, section 2, and others). */
const PROGRAM =
  /^(?:mailer-daemon|postmaster|listserv|majordomo|mailman|root|nobody|owner-.*|.*-(?:owner|request|bounces?|errors)|bounces?(?:[+=-].*)?|.*no[-_.]?reply.*|.*do[-_.]?not[-_.]?reply.*)$/;
const BULK: ReadonlySet<string> = new Set(['bulk', 'list', 'junk']);
const AUTOMATIC = [
  'auto-submitted',
  'x-auto-response-suppress',
  'x-autoreply',
  'x-autorespond',
  'feedback-id',
];

/** The maximum size of a header, in octets. A message with a longer header gets no reply, because not all its fields are read. */
const MAX_HEADER_OCTETS = 64 * 1_024;
const MAX_HEADER_LINES = 1_000;

/** @returns null if no reply may be sent */
export function maySendVacationReply({
  reversePath,
  raw,
  facts,
  texts,
  own,
  authentication,
}: VacationReplyQuery): ReplyRecipient | null {
  if (reversePath === '') return null;
  const address = parseMailbox(reversePath);
  if ('error' in address || address.displayName !== null || address.domain.startsWith('[')) return null;
  if (isForged(authentication, address) || PROGRAM.test(address.localPart.toLowerCase())) return null;
  // Attack: the field that marks automatic mail is placed beyond the part of the header that is read.
  if (!isFullyParsed(raw) || isAutomatic(texts)) return null;
  const ownKeys = new Set(own.flatMap(keysOf));
  const isOwn = ({ address }: { address: string }) => keysOf(address).some((key) => ownKeys.has(key));
  if (isOwn({ address: reversePath }) || facts.from.some(isOwn)) return null;
  if (![...facts.to, ...facts.cc, ...facts.bcc].some(isOwn)) return null;
  const [author, ...others] = facts.from;
  const parsed = author === undefined || others.length > 0 ? address : parseMailbox(author.address);
  const shown = 'error' in parsed ? address : { ...parsed, displayName: null };
  if (PROGRAM.test(shown.localPart.toLowerCase())) return null;
  return { address, shown };
}

/**
 * Whether the return path may be forged. Attack: replies to forged mail flood the victim. The author may be genuine while the return path
 * is forged.
 */
function isForged({ spf, dmarc }: VacationReplyQuery['authentication'], { domain }: MailboxAddress): boolean {
  if (dmarc.result === 'fail') return true;
  const isForged = spf.result === 'fail' || spf.result === 'softfail';
  return isForged && !(dmarc.result === 'pass' && dmarc.domain === domain);
}

function isFullyParsed(raw: Buffer): boolean {
  const end = headerEnd(raw);
  if (end > MAX_HEADER_OCTETS) return false;
  let lines = 0;
  for (let at = raw.indexOf('\n'); at !== -1 && at < end; at = raw.indexOf('\n', at + 1)) lines++;
  return lines <= MAX_HEADER_LINES;
}

function isAutomatic(texts: MailTexts): boolean {
  if (texts.hasListField) return true;
  if (texts.header('precedence').some((value) => BULK.has(value))) return true;
  if (texts.header('content-type').some((value) => value.startsWith('multipart/report'))) return true;
  return AUTOMATIC.some((name) =>
    texts.header(name).some((value) => name !== 'auto-submitted' || !/^no\b/.test(value)),
  );
}

/** A key that all spellings of an address share, with and without a tag. Empty for an invalid address. */
function keysOf(address: string): string[] {
  const parsed = parseMailbox(address);
  return 'error' in parsed ? [] : [`${mailboxKey(parsed.localPart)}@${parsed.domain}`];
}
