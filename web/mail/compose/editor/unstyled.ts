/**
 * Prepares HTML for the editor. The page's content security policy forbids styles, so that style attributes are renamed to `data-style`,
 * from which the editor reads the few styles that it supports. Styles such as bold and italic become elements, because word processors use
 * styles for formatting.
 */
import { readWordLists } from './word-lists.ts';

const GONE =
  'script, style, title, head, template, noscript, object, iframe, svg, math, button, select, textarea, [hidden]';
/** Pasted heading levels, and the levels that the editor uses for them. */
const HEADINGS = { h1: 'h2', h4: 'h3', h5: 'h3', h6: 'h3' } as const;
const BLOCKS = 'div, p, ul, ol, table, blockquote, pre, h1, h2, h3, h4, h5, h6';
/** The maximum length of the style sheet of a spreadsheet that is read, in characters. */
const MAX_SHEET = 200_000;

export function unstyled(html: string): string {
  const classStyles = classStylesOf(html);
  // Style attributes are renamed before the browser parses the HTML, because the browser would report each one in the console.
  const renamed = html
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/([\s"'/])style(?=\s*=)/gi, '$1data-style'))
    .replaceAll(/<(\/?)style\b/gi, '<$1title');
  const { body } = new DOMParser().parseFromString(renamed, 'text/html');
  for (const element of body.querySelectorAll(GONE)) element.remove();
  for (const element of body.querySelectorAll<HTMLElement>(
    'td[class], th[class], td[align], th[align], font',
  )) {
    const given = `${classStyles.get(element.className) ?? ''};${attributeStyleOf(element)}`;
    if (given !== ';') element.dataset['style'] = `${given};${element.dataset['style'] ?? ''}`;
  }
  readWordLists(body);
  unwrapLayout(body);
  for (const [from, to] of Object.entries(HEADINGS))
    for (const heading of body.querySelectorAll(from)) renameTo(heading, to);
  for (const element of body.querySelectorAll<HTMLElement>('[data-style]')) {
    const style = element.dataset['style']?.toLowerCase() ?? '';
    if (/display\s*:\s*none|mso-hide\s*:\s*all/.test(style)) element.remove();
    else keepMeaning(element, style);
  }
  return body.innerHTML;
}

/** The styles of classes in the style sheet that Excel copies with its cells: `.xl65 { color: red; }`. */
function classStylesOf(html: string): Map<string, string> {
  const [, sheet = ''] = /<style\b[^>]*>([^]*?)<\/style>/i.exec(html) ?? [];
  return new Map(
    Array.from(
      sheet.slice(0, MAX_SHEET).matchAll(/\.([\w-]+)\s*\{([^{}]*)\}/g),
      ([, name = '', style = '']) => [name, style.replaceAll('"', '')],
    ),
  );
}

/** The style that old attributes stand for: the alignment of a cell, the color of a font. */
function attributeStyleOf(element: HTMLElement): string {
  const [property, name] = element.tagName === 'FONT' ? ['color', 'color'] : ['text-align', 'align'];
  const value = element.getAttribute(name);
  return value === null ? '' : `${property}: ${value}`;
}

/**
 * Replaces the tables that arrange a page, in contrast to tables of data, with their content: tables around other tables, and tables with a
 * single cell. Cards of file links are tables as well and are recognized later.
 */
function unwrapLayout(body: HTMLElement): void {
  for (const table of body.querySelectorAll('table')) {
    const cells = table.querySelectorAll('td, th');
    const isLayout =
      table.querySelector('table') !== null ||
      cells.length < 2 ||
      table.getAttribute('role') === 'presentation';
    if (!isLayout || table.className === 'file-link') continue;
    const lines = [...cells]
      .filter((cell) => cell.closest('table') === table)
      .map((cell) => {
        const line = cell.ownerDocument.createElement('div');
        line.append(...cell.childNodes);
        return line;
      });
    table.replaceWith(...lines);
  }
}

function renameTo(element: Element, tag: string): void {
  const other = element.ownerDocument.createElement(tag);
  const style = element.getAttribute('data-style');
  if (style !== null) other.setAttribute('data-style', style);
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
  const isCell = element.tagName === 'TD' || element.tagName === 'TH';
  if (element.tagName === 'FONT') renameTo(element, 'span');
  const text = isCell ? wrapCell(element, style) : element.tagName === 'SPAN' ? element : null;
  if (text === null) return;
  for (const [meaning, tag] of MEANINGS) {
    // Header cells are bold anyway.
    if (!meaning.test(style) || (tag === 'strong' && element.tagName === 'TH')) continue;
    const around = text.ownerDocument.createElement(tag);
    around.append(...text.childNodes);
    text.append(around);
  }
}

/**
 * Moves the alignment and the color of a cell to its text, because in the editor only text has them.
 * @returns the element around the text; null if the cell has several lines
 */
function wrapCell(cell: HTMLElement, style: string): HTMLElement | null {
  if (cell.querySelector(BLOCKS) !== null) return null;
  const align = /text-align\s*:\s*(\w+)/.exec(style)?.[1];
  const color = /(?:^|[;\s])color\s*:\s*([^;]+)/.exec(style)?.[1];
  const text = cell.ownerDocument.createElement('span');
  text.append(...cell.childNodes);
  if (color !== undefined) text.dataset['style'] = `color: ${color}`;
  const line = cell.ownerDocument.createElement('div');
  line.append(text);
  if (align !== undefined) line.dataset['style'] = `text-align: ${align}`;
  cell.append(line);
  return text;
}
