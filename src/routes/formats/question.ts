/** The tasks and results of the thread that writes messages for receivers. */
import type { ReadPart } from '../../webmail/read/read-message.ts';
import type { RoutedMessage } from '../routed-message.ts';

/** The body of a request with a message. */
export interface FormattedMessage {
  contentType: string;
  body: Uint8Array;
}

/** Where the parts of a message can be fetched: `<base>/attachments/<part><query>` and `<base>/raw<query>`. */
export interface MessageLinks {
  base: string;
  query: string;
}

/**
 * How much of a message is read. `everything` finds the quote in HTML as mail apps mark it, which takes long for large HTML; `text` does not.
 * `header` leaves out bodies and files, and says that the message is truncated.
 */
export const READS = ['everything', 'text', 'header'] as const;
type Reads = (typeof READS)[number];

export interface FormatTask {
  kind: 'format';
  format: 'json' | 'postmark';
  message: Omit<RoutedMessage, 'raw'> & { raw: Uint8Array };
  links: MessageLinks;
  reads: Reads;
}

export interface PartTask {
  kind: 'part';
  raw: Uint8Array;
  /** The part number as in IMAP, such as `1.2`. */
  part: string;
}

/** The body of a request, or the file with the part number. */
export type FormatResult = { body: Uint8Array } | { part: ReadPart | null };
