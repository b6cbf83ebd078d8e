/** What the thread that reads messages for people is asked, and what it answers. */
import type { Theme } from '../../rfc/html/clean-style.ts';
import type { ReadMessage } from './read-message.ts';

/** HTML that was sanitised, and what is known of it. */
export interface CleanHtml {
  html: string;
  /** Images of other hosts: each address once, at most 500. */
  remote: string[];
  /** Of parts of the message that it shows. */
  contentIds: string[];
  /** Warnings about misleading links (`LinkWarnings`). */
  problems: string[];
  /** A guess, in pixels, at a width of 700. */
  height: number;
  /** What it quotes at its end: where that begins, and the height without it. Null: nothing. */
  quote: { at: number; foldedHeight: number } | null;
}

export type WebmailReadTask =
  | { kind: 'read'; raw: SharedArrayBuffer }
  | { kind: 'clean'; html: string }
  | { kind: 'document'; clean: string; options: DocumentRequest };

/** Functions do not go into a thread: addresses by what they stand for. */
export interface DocumentRequest {
  theme: Theme;
  /** Null: images of elsewhere are not shown. */
  remote: ReadonlyMap<string, string> | null;
  inline: ReadonlyMap<string, string>;
  /** Of the mailbox. */
  address: string;
}

export type WebmailReadResult =
  | { kind: 'read'; message: ReadMessage }
  | { kind: 'clean'; clean: CleanHtml }
  | { kind: 'document'; document: string };
