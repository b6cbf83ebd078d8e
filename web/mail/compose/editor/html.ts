/** Converts the editor's HTML to the HTML of mail and back. */
import { cardsFromMail, cardsToMail } from './file-link-html.ts';

/** A line in a cell that contains nothing else. */
const ONLY_LINE =
  /(<t[dh](?: [^<>]*)?>)<div((?: [\w-]+="[^"]*")*)>((?:(?!<\/?(?:div|p|ul|ol|table|h[1-6]|pre|blockquote|hr)\b)[^])*)<\/div>(?=<\/t[dh]>)/g;

/**
 * Writes the styles for mail in place of those for the editor, and puts a line break into empty lines, because mail programs collapse lines
 * without content. The text of a cell with a single line is not in a line of its own, so that the plain text of a row is one line.
 */
export function toMail(html: string): string {
  return cardsToMail(html)
    .replaceAll(/<[a-z][^<>]*>/g, (tag) =>
      tag.replace(/ data-style="([^"]*)"((?: (?:class|style)="[^"]*")*)/, ' style="$1"'),
    )
    .replaceAll(ONLY_LINE, (_, cell: string, attributes: string, text: string) => {
      const style = / style="([^"]*)"/.exec(attributes)?.[1];
      const whole = text === '' ? '<br>' : text;
      return (style === undefined ? cell : cell.replace(/ style="([^"]*)"/, ` style="$1; ${style}"`)) + whole;
    })
    .replaceAll(/(<div(?: [\w-]+="[^"]*")*>)<\/div>/g, '$1<br></div>');
}

/** Removes the line breaks that `toMail` puts into empty lines. The editor would show each line break as a second line. */
export function fromMail(html: string): string {
  return cardsFromMail(html)
    .replaceAll(
      /(<(?:div|p)(?: dir="(?:auto|ltr|rtl)"| (?:data-)?style="[^"]*")*>)<br ?\/?><\/(div|p)>/g,
      '$1</$2>',
    )
    .replaceAll(/(<t[dh](?: [^<>]*)?>)<br ?\/?>(?=<\/t[dh]>)/g, '$1');
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
