/**
 * Renders the repository's own Markdown documents as HTML, using the parser `marked`. Tokens that this module does not handle, such as
 * HTML, become text. Headings get the same anchors as on GitHub, so that a link into a document works both in the repository and on the
 * page.
 */
import { Lexer, lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { type Html, html } from '../html.ts';
import { highlight } from './highlight.ts';

export interface MarkdownOptions {
  /** A number to add to the level of every heading. */
  shift?: number;
  /** The prefix of every heading's anchor. */
  idPrefix?: string;
  /**
   * Returns the target of a link or image that names a file of the repository. If null, the page shows only the text of the link or image.
   */
  resolve?: (href: string) => string | null;
}

const MAX_LEVEL = 6;

/**
 * Renders a document. `title` is the text of the first level-1 heading, which is not part of the body. `lead` is the Markdown of the first
 * paragraph.
 */
export function renderMarkdown(source: string, options: MarkdownOptions = {}) {
  const tokens = lexer(source) as MarkedToken[];
  const title = tokens.find((token) => token.type === 'heading' && token.depth === 1);
  const lead = tokens.find(({ type }) => type === 'paragraph')?.raw ?? '';
  const headings: { level: number; id: string; text: string }[] = [];
  const used = new Set<string>();
  const body = tokens.map((token) => {
    if (token === title) return null;
    if (token.type !== 'heading') return block(token, options);
    const level = Math.min(token.depth + (options.shift ?? 0), MAX_LEVEL);
    const found = {
      level,
      id: anchor(token.text, options.idPrefix ?? '', used),
      text: plainText(token.text),
    };
    headings.push(found);
    return headingTag(level, found.id, inlineTokens(token.tokens, null));
  });
  return {
    title: title?.type === 'heading' ? plainText(title.text) : '',
    lead,
    body: html`${body}`,
    headings,
  };
}

/** Renders Markdown that contains no blocks, such as one line of text. */
export function inline(text: string, options: MarkdownOptions = {}): Html {
  return inlineTokens(Lexer.lexInline(text), options);
}

/** A block of code that scrolls with the keyboard. A script of the page adds a copy button beside the code. */
export function codeBlock(code: string, language: string): Html {
  return html`<div class="code"><pre tabindex="0"><code class="language-${language}">${highlight(code, language)}</code></pre></div>\n`;
}

export function headingTag(level: number, id: string, content: Html | string): Html {
  const name = `h${level}`;
  return html`<${name} id="${id}"><a class="anchor" href="#${id}">${content}</a></${name}>\n`;
}

function block(token: MarkedToken, options: MarkdownOptions): Html | null {
  switch (token.type) {
    case 'space':
      return null;
    case 'code':
      return codeBlock(token.text, /^\w+/.exec(token.lang ?? '')?.[0] ?? 'text');
    case 'list': {
      const name = token.ordered ? 'ol' : 'ul';
      return html`<${name}>\n${token.items.map((item) => html`<li>${listItem(item, options)}</li>\n`)}</${name}>\n`;
    }
    case 'table':
      return table(token, options);
    case 'paragraph':
      return html`<p>${inlineTokens(token.tokens, options)}</p>\n`;
    default:
      return html`<p>${token.raw}</p>\n`;
  }
}

/** The content of a list item, without a paragraph around it. */
function listItem({ tokens }: Tokens.ListItem, options: MarkdownOptions): (Html | null)[] {
  return (tokens as MarkedToken[]).map((token) =>
    token.type === 'text' ? inlineTokens(token.tokens, options) : block(token, options),
  );
}

function table({ header, rows }: Tokens.Table, options: MarkdownOptions): Html {
  const cell = ({ tokens }: Tokens.TableCell) => inlineTokens(tokens, options);
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr>${header.map((each) => (each.text === '' ? html`<td></td>` : html`<th scope="col">${cell(each)}</th>`))}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((each) => html`<td>${cell(each)}</td>`)}</tr>\n`)}</tbody>
</table></div>\n`;
}

/** @param options null inside a link, because links cannot be nested */
function inlineTokens(tokens: readonly Token[] = [], options: MarkdownOptions | null): Html {
  return html`${(tokens as MarkedToken[]).map((token) => {
    switch (token.type) {
      case 'codespan':
        return html`<code>${token.text}</code>`;
      case 'strong':
        return html`<strong>${inlineTokens(token.tokens, options)}</strong>`;
      case 'em':
        return html`<em>${inlineTokens(token.tokens, options)}</em>`;
      case 'image':
        return image(token, options);
      case 'escape':
        return token.text;
      case 'link':
        // A bare URL in the text does not become a link.
        if (token.raw.startsWith('[')) return link(token, options);
    }
    return token.raw.replaceAll('\n', ' ');
  })}`;
}

/** The text of a link that is only a file name. Pages show a title instead. */
const FILE_NAME = /^(?:[\w-]+\/)*([\w-]+)\.md$/;

function link({ tokens, href, text }: Tokens.Link, options: MarkdownOptions | null): Html {
  const [, name] = FILE_NAME.exec(text) ?? [];
  const label = name === undefined ? inlineTokens(tokens, null) : html`${name.replaceAll('-', ' ')}`;
  if (options === null) return label;
  const { idPrefix = '', resolve = () => null } = options;
  if (href.startsWith('#')) return html`<a href="#${idPrefix}${href.slice(1)}">${label}</a>`;
  const target = href.startsWith('https://') ? href : resolve(href);
  return target === null ? label : html`<a href="${target}">${label}</a>`;
}

function image({ href, text }: Tokens.Image, options: MarkdownOptions | null): Html | string {
  const source = options?.resolve?.(href) ?? null;
  return source === null ? text : html`<img src="${source}" alt="${text}" loading="lazy">`;
}

export function plainText(text: string): string {
  return text.replaceAll(/[`*]/g, '');
}

function anchor(text: string, prefix: string, used: Set<string>): string {
  const words = plainText(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  let id = prefix + words;
  for (let count = 1; used.has(id); count += 1) id = `${prefix}${words}-${count}`;
  used.add(id);
  return id;
}
