/** The content of a draft, independent of how it is stored. */
import { linkTokensIn } from '../../file-links/tokens.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';

/** A recipient as typed. The address may not be valid yet. */
export interface TypedAddress {
  name: string | null;
  address: string;
}

export interface DraftContent {
  /** The sender address. Null for the address of the mailbox. */
  from: string | null;
  /** The uuid of the identity. Absent: the default identity of the address. */
  identity?: string;
  to: TypedAddress[];
  cc: TypedAddress[];
  bcc: TypedAddress[];
  subject: string;
  /** The sanitized HTML, with `cid:<upload>` for images. Null if the draft is plain text. */
  html: string | null;
  /** The content of a plain text draft. */
  text: string;
  /** The quoted message below the signature, sanitized. */
  quotedHtml: string | null;
  withSignature: boolean;
  /** The object id of the message that is replied to or forwarded. This id is the same in all folders. */
  inReplyTo: string | null;
  mode: 'reply' | 'forward' | null;
  /** Ids of the attached uploads, in order. */
  attachments: string[];
  /** The Message-IDs for In-Reply-To (`answers`) and References, with angle brackets. */
  answers: string | null;
  references: string[];
  /** When the draft was written, in UTC by the client's clock. Absent in drafts saved by mail apps or by older versions of the client. */
  writtenAt?: string;
}

const CONTROLS = /\p{Cc}+/gu;

/** Turns text into one line without characters that PostgreSQL rejects. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ').trim();
}

/** Parses a typed recipient for the header and the envelope. */
export function mailboxOf({ name, address }: TypedAddress): MailboxAddress | { error: string } {
  const parsed = parseMailbox(address);
  if ('error' in parsed) return parsed;
  // The address may also be a pasted `Name <local@domain>`.
  return name === null || name === '' ? parsed : { ...parsed, displayName: name };
}

export function recipientsOf({ to, cc, bcc }: Pick<DraftContent, 'to' | 'cc' | 'bcc'>): TypedAddress[] {
  return [...to, ...cc, ...bcc];
}

/** The tokens of the file links in the written text. Links in the quoted text belong to another message. */
export function linkTokensOf({ html, text }: Pick<DraftContent, 'html' | 'text'>): string[] {
  return linkTokensIn(html ?? text);
}
