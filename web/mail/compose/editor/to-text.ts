/** Converts the editor's document to plain text: lists with "-" or numbers, quotes with ">", links with their URLs. */
import { cardText, type FileLinkCard } from './file-link-html.ts';
import { sameAsText } from './html.ts';

/** A node of the editor's document. */
export interface DocumentNode {
  type?: string | undefined;
  text?: string | undefined;
  attrs?: Readonly<Record<string, unknown>> | undefined;
  marks?: readonly { type: string; attrs?: Readonly<Record<string, unknown>> | undefined }[] | undefined;
  content?: readonly DocumentNode[] | undefined;
}

export function toText(document: DocumentNode): string {
  return linesOf(document).join('\n').replaceAll('\u00A0', ' ').trimEnd();
}

function linesOf(node: DocumentNode): string[] {
  const children = node.content ?? [];
  switch (node.type) {
    case 'paragraph':
    case 'heading':
    case 'codeBlock':
      return inline(children).split('\n');
    case 'blockquote':
      return below(children).map((line) => (line === '' ? '>' : `> ${line}`));
    case 'bulletList':
      return children.flatMap((item) => marked(below(item.content ?? []), '- '));
    case 'orderedList': {
      const start = Number(node.attrs?.['start'] ?? 1);
      return children.flatMap((item, at) => marked(below(item.content ?? []), `${start + at}. `));
    }
    case 'tableRow':
      // A cell stays on the line of its row, with a tab before the next cell, as programs for spreadsheets copy their cells.
      return [children.map((cell) => below(cell.content ?? []).join(' ')).join('\t')];
    case 'horizontalRule':
      return ['----'];
    case 'fileLink':
      return [cardText(node.attrs as unknown as FileLinkCard)];
    default:
      return below(children);
  }
}

const below = (nodes: readonly DocumentNode[]): string[] => nodes.flatMap(linesOf);

/** Puts a marker before the first line and indents the other lines. */
function marked(lines: readonly string[], mark: string): string[] {
  return lines.map((line, at) => (at === 0 ? mark : ' '.repeat(mark.length)) + line);
}

function inline(nodes: readonly DocumentNode[]): string {
  return nodes
    .map(({ type, text = '', attrs, marks = [] }) => {
      if (type === 'hardBreak') return '\n';
      if (type === 'image') return attrs?.['alt'] ? `[${String(attrs['alt'])}]` : '';
      const href = String(marks.find((mark) => mark.type === 'link')?.attrs?.['href'] ?? '');
      return href === '' || sameAsText(href, text) ? text : `${text} <${href}>`;
    })
    .join('');
}
