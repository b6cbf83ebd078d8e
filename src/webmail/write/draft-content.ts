/** What a draft says, whatever it is kept in. */
import { linkTokensIn } from '../../file-links/tokens.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';

/** As it was typed: it may not be an address yet. */
export interface TypedAddress {
  name: string | null;
  address: string;
}

export interface DraftContent {
  /** Null: the address of the mailbox. */
  from: string | null;
  to: TypedAddress[];
  cc: TypedAddress[];
  bcc: TypedAddress[];
  subject: string;
  /** Clean, with `cid:<upload>` for its pictures. Null: plain text. */
  html: string | null;
  /** Of plain text. */
  text: string;
  /** Clean, below the signature. */
  quotedHtml: string | null;
  withSignature: boolean;
  /** The message that it answers or hands on, by the id that it has in all folders. */
  inReplyTo: string | null;
  mode: 'reply' | 'forward' | null;
  /** Ids of uploads, in order. */
  attachments: string[];
  /** The ids of messages for In-Reply-To and References, with their brackets. */
  answers: string | null;
  references: string[];
  /** By the clock of the composer that saved it, in UTC. Without it: nobody said, as mail apps and versions before this. */
  writtenAt?: string;
}

const CONTROLS = /\p{Cc}+/gu;

/** On one line, and as PostgreSQL takes it. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ').trim();
}

/** The person as header and envelope have them, or what is wrong with the address. */
export function mailboxOf({ name, address }: TypedAddress): MailboxAddress | { error: string } {
  const parsed = parseMailbox(address);
  if ('error' in parsed) return parsed;
  // Also `Name <local@domain>`, as it was pasted.
  return name === null || name === '' ? parsed : { ...parsed, displayName: name };
}

export function recipientsOf({ to, cc, bcc }: Pick<DraftContent, 'to' | 'cc' | 'bcc'>): TypedAddress[] {
  return [...to, ...cc, ...bcc];
}

/** Of the file links whose cards stand in what is written; those in what is quoted are another message's. */
export function linkTokensOf({ html, text }: Pick<DraftContent, 'html' | 'text'>): string[] {
  return linkTokensIn(html ?? text);
}
