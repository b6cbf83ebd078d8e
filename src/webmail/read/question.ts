/** The tasks and results of the thread that reads messages. */
import type { Theme } from '../../rfc/html/clean-style.ts';
import type { AttachedHead } from './attached-head.ts';
import type { ReadMessage } from './read-message.ts';

/** Sanitized HTML, and data about the HTML. */
export interface CleanHtml {
  html: string;
  /** URLs of remote images, without duplicates, at most 500. */
  remote: string[];
  /** The Content-IDs of the message parts that `html` shows. */
  contentIds: string[];
  /** Warnings about misleading links (`LinkWarnings`). */
  problems: string[];
  /** How the message is shown in a dark theme: with its own styles, or with converted colors. Null if it can only be light. */
  dark: 'own' | 'converted' | null;
  /** The estimated height in pixels, for a width of 700 pixels. */
  height: number;
  /** The offset of the quote at the end, and the height of the message without the quote. Null if the message does not end with a quote. */
  quote: { at: number; foldedHeight: number } | null;
}

export type WebmailReadTask =
  | { kind: 'read'; raw: SharedArrayBuffer; isAttached: boolean }
  | { kind: 'clean'; html: string }
  | { kind: 'document'; clean: string; options: DocumentRequest };

/** A request for a document. It contains maps of URLs, because functions cannot be sent to a thread. */
export interface DocumentRequest {
  theme: Theme | 'sheet';
  convertsColors: boolean;
  /** Null if remote images are not shown. */
  remote: ReadonlyMap<string, string> | null;
  inline: ReadonlyMap<string, string>;
  /** The address of the mailbox. */
  address: string;
}

export type WebmailReadResult =
  | { kind: 'read'; message: ReadMessage; head: AttachedHead | null }
  | { kind: 'clean'; clean: CleanHtml }
  | { kind: 'document'; document: string };
