/** The tasks and results of the thread that writes messages for receivers. */
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

export interface FormatTask {
  format: 'json' | 'postmark';
  message: Omit<RoutedMessage, 'raw'> & { raw: Uint8Array };
  links: MessageLinks;
  /** Whether to find the quote in HTML as mail apps mark it. This takes long for large HTML. */
  readsHtml: boolean;
}
