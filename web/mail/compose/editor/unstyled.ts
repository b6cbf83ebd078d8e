/**
 * Removes styles from pasted HTML. Styles such as bold and italic become elements: word processors use styles for
 * formatting, but the page's content security policy forbids styles.
 */
const GONE =
  'script, style, title, head, template, noscript, object, iframe, svg, math, button, select, textarea, [hidden]';
/** Pasted heading levels, and the levels that the editor uses for them. */
const HEADINGS = { h1: 'h2', h4: 'h3', h5: 'h3', h6: 'h3' } as const;

export function unstyled(html: string): string {
  // Style attributes are renamed before the browser parses the HTML, because the browser would report each one in the console.
  const renamed = html
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/([\s"'/])style(?=\s*=)/gi, '$1data-style'))
    .replaceAll(/<(\/?)style\b/gi, '<$1title');
  const { body } = new DOMParser().parseFromString(renamed, 'text/html');
  for (const element of body.querySelectorAll(GONE)) element.remove();
  // The editor has no tables, so a space separates the texts of two cells.
  for (const cell of body.querySelectorAll('td, th')) cell.append(' ');
  for (const [from, to] of Object.entries(HEADINGS))
    for (const heading of body.querySelectorAll(from)) renameTo(heading, to);
  for (const element of body.querySelectorAll<HTMLElement>('[data-style]')) {
    const style = element.dataset['style']?.toLowerCase() ?? '';
    element.removeAttribute('data-style');
    if (/display\s*:\s*none|mso-hide\s*:\s*all/.test(style)) element.remove();
    else keepMeaning(element, style);
  }
  return body.innerHTML;
}

function renameTo(element: Element, tag: string): void {
  const other = element.ownerDocument.createElement(tag);
  other.append(...element.childNodes);
  element.replaceWith(other);
}

const MEANINGS: readonly [meaning: RegExp, tag: string][] = [
  [/font-weight\s*:\s*(?:bold|[6-9]00)/, 'strong'],
  [/font-style\s*:\s*italic/, 'em'],
  [/text-decoration[^;]*underline/, 'u'],
  [/text-decoration[^;]*line-through/, 's'],
];

function keepMeaning(element: HTMLElement, style: string): void {
  // Google Docs wraps the whole content in this element.
  if (element.tagName === 'B' && /font-weight\s*:\s*normal/.test(style)) {
    element.replaceWith(...element.childNodes);
    return;
  }
  if (element.tagName !== 'SPAN') return;
  for (const [meaning, tag] of MEANINGS) {
    if (!meaning.test(style)) continue;
    const around = element.ownerDocument.createElement(tag);
    around.append(...element.childNodes);
    element.append(around);
  }
}
