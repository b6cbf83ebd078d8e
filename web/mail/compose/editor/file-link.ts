import { type Editor, Node } from '@tiptap/core';
import { CARD_ELEMENT, type FileLinkCard } from './file-link-html.ts';

const NAME = 'fileLink';

/** The card of a file link: an atomic node that is moved and deleted as a whole. The card looks as in the sent message. */
export const FileLink = Node.create({
  name: NAME,
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({ url: { default: '' }, name: { default: '' }, details: { default: '' } }),
  parseHTML: () => [{ tag: CARD_ELEMENT }],
  renderHTML: ({ HTMLAttributes }) => [CARD_ELEMENT, HTMLAttributes],
  addNodeView:
    () =>
    ({ node }) => {
      const card = part('div', 'file-link-card');
      const { name, details } = node.attrs as FileLinkCard;
      card.append(
        part('div', 'file-link-name', name),
        part('div', 'file-link-details', details),
        part('span', 'file-link-button', 'Download'),
      );
      card.setAttribute('role', 'group');
      card.setAttribute('aria-label', `Link to ${name}, ${details}`);
      return { dom: card };
    },
});

function part(tag: 'div' | 'span', className: string, text = ''): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.dir = 'auto';
  element.textContent = text;
  return element;
}

/** Inserts or replaces the card with a token. @param card null to remove the card */
export function putFileLink(editor: Editor, token: string, card: FileLinkCard | null): void {
  const { doc, schema, tr } = editor.state;
  let found: { at: number; size: number } | null = null;
  doc.descendants((node, at) => {
    if (node.type.name === NAME && String(node.attrs['url']).includes(`/s/${token}`))
      found ??= { at, size: node.nodeSize };
    return found === null;
  });
  const type = schema.nodes[NAME];
  const made = card === null || type === undefined ? null : type.create(card);
  const place = found as { at: number; size: number } | null;
  if (place === null) {
    if (made !== null) insert(editor, card as FileLinkCard);
    return;
  }
  if (made === null) tr.delete(place.at, place.at + place.size);
  else tr.replaceWith(place.at, place.at + place.size, made);
  // The change cannot be undone, because undo would restore a closed link or a wrong expiry date.
  editor.view.dispatch(tr.setMeta('addToHistory', false));
}

/** Inserts the card below the current line, followed by an empty line. */
function insert(editor: Editor, card: FileLinkCard): void {
  const { $to } = editor.state.selection;
  const parent = $to.depth === 0 ? null : $to.node(1);
  const isEmpty = parent !== null && parent.type.name === 'paragraph' && parent.content.size === 0;
  const at = $to.depth === 0 ? $to.pos : isEmpty ? $to.before(1) : $to.after(1);
  const isLast = isEmpty ? false : at >= editor.state.doc.content.size;
  const content = [{ type: NAME, attrs: { ...card } }, ...(isLast ? [{ type: 'paragraph' }] : [])];
  editor.chain().insertContentAt(at, content, { updateSelection: false }).run();
}
