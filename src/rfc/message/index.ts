/** Messages as bytes (RFC 5322, MIME). */
export { compose } from './compose.ts';
export { changeHtml } from './html-links.ts';
export { htmlToText } from './html-to-text.ts';
