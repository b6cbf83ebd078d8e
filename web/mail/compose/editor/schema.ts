/**
 * The elements that the editor supports. All other elements in pasted content are converted or dropped, so a copied page
 * adds no scripts, styles or remote images.
 */
import { type AnyExtension, Node } from '@tiptap/core';
import { StarterKit } from '@tiptap/starter-kit';
import { FileLink } from './file-link.ts';
import { InlineImage } from './inline-image.ts';
import { isSafeLink } from './links.ts';
import { TABLE_NODES } from './table.ts';
import { Alignment, TextStyleMark } from './text-style-mark.ts';

const BLOCKS = 'div, p, ul, ol, li, table, blockquote, pre, h1, h2, h3, h4, h5, h6, hr';

/** A line of text. Lines are `div` elements, because mail programs add no margins to `div` elements. */
const Line = Node.create({
  name: 'paragraph',
  priority: 1000,
  group: 'block',
  content: 'inline*',
  parseHTML: () => [
    { tag: 'p' },
    // A `div` around other blocks is not a line.
    { tag: 'div', getAttrs: (element) => element.querySelector(BLOCKS) === null && null },
  ],
  renderHTML: ({ HTMLAttributes }) => ['div', HTMLAttributes, 0],
  addKeyboardShortcuts() {
    return { 'Mod-Alt-0': () => this.editor.commands.setNode('paragraph') };
  },
});

/** @param isOwn whether a URL belongs to an upload of this mailbox */
export function schemaOf(isOwn: (src: string) => boolean): AnyExtension[] {
  return [
    StarterKit.configure({
      paragraph: false,
      heading: { levels: [2, 3] },
      trailingNode: false,
      dropcursor: { color: 'var(--color-accent)', width: 2 },
      link: {
        openOnClick: false,
        defaultProtocol: 'https',
        isAllowedUri: isSafeLink,
        HTMLAttributes: { target: null, rel: null },
      },
    }),
    Line,
    InlineImage.configure({ isOwn }),
    FileLink,
    ...TABLE_NODES,
    TextStyleMark,
    Alignment,
  ];
}
