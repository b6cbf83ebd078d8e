/**
 * Converts the HTML of a page to Markdown, for the page's `.md` version. Only this service's own pages are converted, so only the elements
 * that these pages contain are handled.
 */
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;
/** Maps the target of a link on the page to the target in the Markdown. */
type LinkTarget = (href: string) => string;

/** Elements that are part of a line of text. All other elements are blocks. */
const INLINE = new Set(['a', 'code', 'em', 'img', 'kbd', 'span', 'strong']);

export function toMarkdown(page: string, target: LinkTarget): string {
  return `${blocks(parseFragment(page).childNodes, target).join('\n\n')}\n`;
}

/** The blocks in the content of an element. Text beside blocks becomes a paragraph. */
function blocks(nodes: readonly Node[], target: LinkTarget): string[] {
  const found: string[] = [];
  let line: Node[] = [];
  const endLine = (): void => {
    const text = inline(line, target).trim();
    if (text !== '') found.push(withoutMarker(text));
    line = [];
  };
  for (const node of nodes) {
    if (!isElement(node) || INLINE.has(node.tagName)) {
      line.push(node);
      continue;
    }
    endLine();
    found.push(...block(node, target));
  }
  endLine();
  return found;
}

function block(element: Element, target: LinkTarget): string[] {
  const { tagName, childNodes } = element;
  // Hidden elements, and the tabs for choosing a language, need scripts.
  if (attribute(element, 'hidden') !== null || attribute(element, 'role') === 'tablist') return [];
  const level = /^h([1-6])$/.exec(tagName)?.[1];
  if (level !== undefined) return [`${'#'.repeat(Number(level))} ${inline(childNodes, target).trim()}`];
  switch (tagName) {
    case 'pre':
      return [fence(element)];
    case 'ul':
    case 'ol':
      return [
        elementsIn(element)
          .map((item, at) => listItem(tagName === 'ol' ? `${at + 1}.` : '-', blocks(item.childNodes, target)))
          .join('\n'),
      ];
    case 'dl':
      return [
        elementsIn(element)
          .map((entry) => listItem('-', [definition(entry, target)]))
          .join('\n'),
      ];
    case 'table':
      return [table(element, target)];
    default:
      return blocks(childNodes, target);
  }
}

/** @param content the blocks of the item; lists in the item follow its text without a blank line */
function listItem(marker: string, content: readonly string[]): string {
  const indent = ' '.repeat(marker.length + 1);
  const text = content.map((each, at) => (at === 0 ? '' : /^(?:-|\d+\.) /.test(each) ? '\n' : '\n\n') + each);
  return `${marker} ${text.join('').replaceAll(/\n(?!\n|$)/g, `\n${indent}`)}`;
}

/** An entry of a list of definitions on one line: the term, facts about it in parentheses, and its description. */
function definition(entry: Element, target: LinkTarget): string {
  const [term, ...descriptions] = elementsIn(entry);
  const [name = '', ...facts] = (term === undefined ? [] : elementsIn(term)).map((part) =>
    inline([part], target).trim(),
  );
  const head = facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
  const text = descriptions.flatMap((each) => blocks(each.childNodes, target)).join(' ');
  return text === '' ? head : `${head}: ${text}`;
}

function table(element: Element, target: LinkTarget): string {
  const rows = elementsIn(element)
    .flatMap(elementsIn)
    .map((row) =>
      elementsIn(row).map((cell) => inline(cell.childNodes, target).trim().replaceAll('|', String.raw`\|`)),
    );
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A block of code. The fence is longer than any fence in the code. */
function fence(element: Element): string {
  const [code] = elementsIn(element);
  const language = /^language-(\w+)$/.exec((code && attribute(code, 'class')) ?? '')?.[1] ?? '';
  const text = textOf(element);
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${language === 'text' ? '' : language}\n${text}\n${marks}`;
}

function inline(nodes: readonly Node[], target: LinkTarget): string {
  return nodes.map((node) => inlineNode(node, target)).join('');
}

function inlineNode(node: Node, target: LinkTarget): string {
  if (!isElement(node)) return 'value' in node ? escaped(node.value.replaceAll(/\s+/g, ' ')) : '';
  const content = () => inline(node.childNodes, target);
  switch (node.tagName) {
    case 'code':
      return codeSpan(textOf(node));
    case 'strong':
      return `**${content()}**`;
    case 'em':
      return `*${content()}*`;
    case 'img':
      return `![${escaped(attribute(node, 'alt') ?? '')}](${target(attribute(node, 'src') ?? '')})`;
    case 'a':
      return attribute(node, 'class') === 'anchor'
        ? content()
        : `[${content()}](${target(attribute(node, 'href') ?? '')})`;
    default:
      return content();
  }
}

function codeSpan(text: string): string {
  const marks = '`'.repeat(longestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${marks}${space}${text}${space}${marks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Escapes the characters that Markdown would read as markup. An underscore inside a word is not markup. */
function escaped(text: string): string {
  return text
    .replaceAll(/\\(?=[!-/:-@[-`{-~])|[`*[\]<]|~~/g, String.raw`\$&`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`);
}

/** Escapes the start of a paragraph that Markdown would read as a heading, a list or a quotation. */
function withoutMarker(text: string): string {
  return text.replace(/^(?=#{1,6} |[-+] |>)/, '\\').replace(/^(\d+)(?=[.)] )/, '$1\\');
}

function textOf(node: Node): string {
  if (isElement(node)) return node.childNodes.map(textOf).join('');
  return 'value' in node ? node.value : '';
}

function elementsIn({ childNodes }: Element): Element[] {
  return childNodes.filter(isElement);
}

function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

function attribute({ attrs }: Element, name: string): string | null {
  return attrs.find((each) => each.name === name)?.value ?? null;
}
