/** Converts the editor's HTML to mail and back. */
import { cardsFromMail, cardsToMail } from './file-link-html.ts';

/** Mail programs collapse an empty line unless it contains something. */
export function toMail(html: string): string {
  return cardsToMail(html).replaceAll(/(<div(?: dir="auto")?>)<\/div>/g, '$1<br></div>');
}

/** Removes the line breaks that `toMail` puts into empty lines: the editor would show each of them as a second line. */
export function fromMail(html: string): string {
  return cardsFromMail(html).replaceAll(
    /(<(?:div|p)(?: dir="(?:auto|ltr|rtl)")?>)<br ?\/?><\/(div|p)>/g,
    '$1</$2>',
  );
}

/** Whether a link's text already shows its target, so that plain text loses nothing. */
export function sameAsText(href: string, text: string): boolean {
  const bare = (each: string) => each.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, '');
  return bare(href) === bare(text);
}

/** Lines of plain text as the editor's HTML. */
export function fromText(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .split(/\r?\n/)
    .map((line) => `<div>${line.replaceAll(/ (?= )|^ | $/g, '\u00A0')}</div>`)
    .join('');
}
