import type { FileLinkCard } from './file-link-html.ts';

/** What the composer asks of the text of a message, formatted or plain. */
export interface BodyHandle {
  /** Html null: it is plain text. */
  body(): { html: string | null; text: string };
  isEmpty(): boolean;
  /** Whether something is lost when it becomes plain text. */
  hasFormatting(): boolean;
  /** At its beginning: an answer stands above what it answers. */
  focus(): void;
  focusEnd(): void;
  insertImage(src: string, alt: string): void;
  /** Html behind what is there. */
  append(html: string): void;
  /** Puts a card where somebody writes, or in the place of the one whose address has the same token; null: that one goes. */
  putFileLink(token: string, card: FileLinkCard | null): void;
}
