/** Converts the editor's HTML to the HTML of mail and back. */
import { cardsFromMail, cardsToMail } from './file-link-html.ts';

/** Puts a line break into empty lines, because mail programs collapse lines without content. */
export function toMail(html: string): string {
  return cardsToMail(html).replaceAll(/(<div(?: dir="auto")?>)<\/div>/g, '$1<br></div>');
}

/** Removes the line breaks that `toMail` puts into empty lines. The editor would show each line break as a second line. */
export function fromMail(html: string): string {
  return cardsFromMail(html).replaceAll(
    /(<(?:div|p)(?: dir="(?:auto|ltr|rtl)")?>)<br ?\/?><\/(div|p)>/g,
    '$1</$2>',
  );
}

/** Whether the text of a link equals its target, so that plain text needs no URL after the text. */
export function sameAsText(href: string, text: string): boolean {
  const bare = (each: string) => each.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, '');
  return bare(href) === bare(text);
}

/** Converts lines of plain text to the editor's HTML. */
export function fromText(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .split(/\r?\n/)
    .map((line) => `<div>${line.replaceAll(/ (?= )|^ | $/g, '\u00A0')}</div>`)
    .join('');
}
