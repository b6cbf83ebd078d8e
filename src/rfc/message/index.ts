/** Messages as bytes (RFC 5322, MIME). */
export { type ComposedMessage, compose, type MessageContent } from './compose.ts';
export { htmlToText } from './html-to-text.ts';
