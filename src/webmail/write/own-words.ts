import { htmlToText } from '../../rfc/message/html-to-text.ts';
import type { DraftContent } from './draft-content.ts';

/** What its author wrote, without what it quotes. */
export function ownWords({ html, text }: Pick<DraftContent, 'html' | 'text'>): string {
  const all = html === null ? text : htmlToText(html);
  return all
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('>'))
    .join('\n');
}
