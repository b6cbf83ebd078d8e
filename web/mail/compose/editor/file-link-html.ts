/**
 * The card of a file link. In the editor the card is a custom element with its texts as attributes. In mail the card is a table, which mail
 * programs display most consistently. The table keeps its own colors when mail is read in dark mode. The conversions edit HTML as text and
 * never parse it, because the page's content security policy forbids styles even in HTML that is only parsed.
 */

export interface FileLinkCard {
  url: string;
  /** The name of the file, or the number of files: "3 files". */
  name: string;
  /** The size and the expiry date: "1.2 GB, until 7 Dec 2026". */
  details: string;
}

/** The name of the custom element. HTML has no element with this name, so pasted HTML never contains a card. */
export const CARD_ELEMENT = 'file-link';
const CARD = /<file-link((?: [\w-]+="[^"]*")*)><\/file-link>/g;
const TABLE = /<table(?= )[^>]* class="file-link"[^>]*>.*?<\/table>/gs;

export function cardsToMail(html: string): string {
  return html.replaceAll(CARD, (_, attributes: string) => {
    const valueOf = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    return tableOf(valueOf('url'), safe(valueOf('name')), safe(valueOf('details')));
  });
}

export function cardsFromMail(html: string): string {
  return html.replaceAll(TABLE, (table) => {
    const url = /<a [^>]*?href="([^"]*\/s\/[\w-]{22})"/.exec(table)?.[1];
    const name = /<strong[^>]*>([^<]*)</.exec(table)?.[1];
    const details = /<span[^>]*>([^<]*)</.exec(table)?.[1];
    if (url === undefined || name === undefined || details === undefined) return table;
    const quoted = (text: string) => text.replaceAll('"', '&quot;');
    return `<${CARD_ELEMENT} url="${url}" name="${quoted(name)}" details="${quoted(details)}"></${CARD_ELEMENT}>`;
  });
}

/** The card as a line of plain text. */
export function cardText({ url, name, details }: FileLinkCard): string {
  return `${name} (${details}): ${url}`;
}

/** Escapes `<` and `>` in attribute values, because not all browsers do so when they serialize HTML. */
const safe = (value: string) => value.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function tableOf(url: string, name: string, details: string): string {
  const font = 'font-family: system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif';
  const button =
    'display: inline-block; padding: 8px 16px; border-radius: 6px; background-color: #2458d3; color: #ffffff; font-size: 14px; font-weight: 600; text-decoration: none';
  return (
    '<table class="file-link" cellpadding="0" cellspacing="0" border="0" bgcolor="#f7f8fa" style="margin: 12px 0; max-width: 480px; border: 1px solid #d8dce3; border-radius: 8px; background-color: #f7f8fa">' +
    `<tr><td style="padding: 14px 16px; ${font}; font-size: 14px; line-height: 20px; color: #1b1f26; word-break: break-word">` +
    `<strong style="font-weight: 600">${name}</strong><br>` +
    `<span style="color: #59616e">${details}</span></td></tr>` +
    `<tr><td style="padding: 0 16px 14px; ${font}"><a href="${url}" style="${button}">Download</a></td></tr></table>`
  );
}
