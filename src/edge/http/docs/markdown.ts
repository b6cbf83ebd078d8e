/**
 * The part of Markdown that our own documents use: headings, paragraphs, lists of one level, tables, fenced code; in a
 * line code, strong text and links. HTML in the source is text. Headings get the anchors that GitHub gives them, so
 * that a link into a document works in the repository and on the page.
 */
import { type Html, html } from './html.ts';

interface Heading {
  /** From 1. */
  level: number;
  id: string;
  text: string;
}

export interface MarkdownOptions {
  /** Added to the level of every heading. */
  shift?: number;
  /** Before the anchor of every heading. */
  idPrefix?: string;
  /** Targets of links to other files of the repository. A file that is not named here is shown without a link. */
  links?: Readonly<Record<string, string>>;
}

export interface Rendered {
  /** The text of the first heading of level 1, which is not part of the body. */
  title: string;
  body: Html;
  headings: readonly Heading[];
}

interface Reader {
  lines: readonly string[];
  at: number;
}

const FENCE = /^```(\w*)$/;
const HEADING = /^(#{1,4}) (.+)$/;
const ITEM = /^(-|\d{1,3}\.) (.*)$/;
const MAX_LEVEL = 6;

/** @param source our own text: deeply nested brackets would take quadratic time */
export function renderMarkdown(source: string, options: MarkdownOptions = {}): Rendered {
  const reader: Reader = { lines: source.split('\n'), at: 0 };
  const blocks: Html[] = [];
  const headings: Heading[] = [];
  const taken = new Set<string>();
  let title = '';
  while (reader.at < reader.lines.length) {
    const line = lineOf(reader);
    const heading = HEADING.exec(line);
    if (line.trim() === '') reader.at += 1;
    else if (FENCE.test(line)) blocks.push(fence(reader));
    else if (heading !== null) {
      const [, marks = '', text = ''] = heading;
      reader.at += 1;
      if (marks.length === 1 && title === '') title = plain(text);
      else {
        const level = Math.min(marks.length + (options.shift ?? 0), MAX_LEVEL);
        const found = { level, id: anchor(text, options.idPrefix ?? '', taken), text: plain(text) };
        headings.push(found);
        blocks.push(headingTag(level, found.id, inline(text, options)));
      }
    } else if (isTable(reader)) blocks.push(table(reader, options));
    else if (ITEM.test(line)) blocks.push(list(reader, options));
    else blocks.push(html`<p>${inline(paragraph(reader), options)}</p>\n`);
  }
  return { title, body: html`${blocks}`, headings };
}

/** One line, or lines that are read as one. */
export function inline(text: string, options: MarkdownOptions = {}): Html {
  const parts: (Html | string)[] = [];
  let from = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]*)\]\(([^()\s]*)\)/g)) {
    const [whole, code, strong, label, target] = match;
    parts.push(text.slice(from, match.index));
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${inline(strong, options)}</strong>`);
    else parts.push(link(inline(label ?? '', options), target ?? '', options));
    from = match.index + whole.length;
  }
  parts.push(text.slice(from));
  return html`${parts}`;
}

/** A block of code that can be scrolled with the keyboard. */
export function codeBlock(code: string, language: string): Html {
  return html`<div class="code"><pre tabindex="0"><code class="language-${language}">${code}</code></pre></div>\n`;
}

export function headingTag(level: number, id: string, content: Html | string): Html {
  const name = `h${level}`;
  return html`<${name} id="${id}"><a class="anchor" href="#${id}">${content}</a></${name}>\n`;
}

function link(label: Html, target: string, { idPrefix = '', links = {} }: MarkdownOptions): Html {
  if (target.startsWith('#')) return html`<a href="#${idPrefix}${target.slice(1)}">${label}</a>`;
  const mapped = Object.hasOwn(links, target) ? links[target] : undefined;
  const href = mapped ?? (target.startsWith('https://') ? target : undefined);
  return href === undefined ? label : html`<a href="${href}">${label}</a>`;
}

function fence(reader: Reader): Html {
  const language = FENCE.exec(lineOf(reader))?.[1] ?? '';
  const code: string[] = [];
  for (reader.at += 1; reader.at < reader.lines.length && lineOf(reader) !== '```'; reader.at += 1) {
    code.push(lineOf(reader));
  }
  reader.at += 1;
  return codeBlock(code.join('\n'), language === '' ? 'text' : language);
}

function isTable({ lines, at }: Reader): boolean {
  return (lines[at] ?? '').startsWith('|') && /^\|[-| ]+\|$/.test(lines[at + 1] ?? '');
}

function table(reader: Reader, options: MarkdownOptions): Html {
  const [head = [], , ...rows] = takeWhile(reader, (line) => line.startsWith('|')).map((line) =>
    line
      .replace(/^\|/, '')
      .replace(/\|\s*$/, '')
      .split('|')
      .map((cell) => inline(cell.trim(), options)),
  );
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>\n`;
}

function list(reader: Reader, options: MarkdownOptions): Html {
  const name = lineOf(reader).startsWith('-') ? 'ul' : 'ol';
  const items: string[] = [];
  for (const line of takeWhile(reader, (each) => ITEM.test(each) || /^ {2,}\S/.test(each))) {
    const item = ITEM.exec(line);
    if (item === null) items.push(`${items.pop() ?? ''} ${line.trim()}`);
    else items.push(item[2] ?? '');
  }
  return html`<${name}>
${items.map((item) => html`<li>${inline(item, options)}</li>\n`)}</${name}>\n`;
}

function paragraph(reader: Reader): string {
  const first = lineOf(reader);
  reader.at += 1;
  return [first, ...takeWhile(reader, (line) => !/^(?:```|#{1,4} |\||- |\d{1,3}\. |\s*$)/.test(line))].join(
    ' ',
  );
}

function takeWhile(reader: Reader, belongs: (line: string) => boolean): string[] {
  const taken: string[] = [];
  while (reader.at < reader.lines.length && belongs(lineOf(reader))) {
    taken.push(lineOf(reader));
    reader.at += 1;
  }
  return taken;
}

function lineOf({ lines, at }: Reader): string {
  return lines[at] ?? '';
}

function plain(text: string): string {
  return text.replaceAll(/[`*]/g, '');
}

function anchor(text: string, prefix: string, taken: Set<string>): string {
  const words = plain(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  let id = prefix + words;
  for (let count = 1; taken.has(id); count += 1) id = `${prefix}${words}-${count}`;
  taken.add(id);
  return id;
}
