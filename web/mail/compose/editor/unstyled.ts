/**
 * Removes styles from pasted HTML and keeps bold, italic and similar styles as elements: the page's policy allows no
 * styles, and word processors use them for formatting.
 */
const GONE =
  'script, style, title, head, template, noscript, object, iframe, svg, math, button, select, textarea, [hidden]';
/** The heading levels of the editor. */
const HEADINGS = { h1: 'h2', h4: 'h3', h5: 'h3', h6: 'h3' } as const;

export function unstyled(html: string): string {
  // Renamed before the browser parses the HTML, because the browser would report each style in the console.
  const renamed = html
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/([\s"'/])style(?=\s*=)/gi, '$1data-style'))
    .replaceAll(/<(\/?)style\b/gi, '<$1title');
  const { body } = new DOMParser().parseFromString(renamed, 'text/html');
  for (const element of body.querySelectorAll(GONE)) element.remove();
  // The editor has no tables: keep the words of their cells apart.
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
  // Google Docs wraps everything in this element.
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
