import type { FileLinkCard } from './file-link-html.ts';

/** The composer's interface to the editor, for formatted or plain text. */
export interface BodyHandle {
  /** The text of the message. `html` is null for plain text. */
  body(): { html: string | null; text: string };
  isEmpty(): boolean;
  /** Whether switching to plain text would lose formatting. */
  hasFormatting(): boolean;
  /** Moves the focus to the beginning of the text, because replies are written above the quoted message. */
  focus(): void;
  focusEnd(): void;
  insertImage(src: string, alt: string): void;
  /** Inserts HTML of mail at the cursor. */
  insert(html: string): void;
  /** Appends HTML to the text. */
  append(html: string): void;
  /** Inserts a card at the cursor, or replaces the card with the same token. If `card` is null, removes the card. */
  putFileLink(token: string, card: FileLinkCard | null): void;
}
