/**
 * What the editor knows. All else that is pasted becomes this or goes: so a page somebody copied from brings no scripts, no styles and
 * no images that would be fetched.
 */
import { type AnyExtension, mergeAttributes, Node } from '@tiptap/core';
import { StarterKit } from '@tiptap/starter-kit';
import { FileLink } from './file-link.ts';
import { isSafeLink } from './links.ts';

const BLOCKS = 'div, p, ul, ol, li, table, blockquote, pre, h1, h2, h3, h4, h5, h6, hr';

/** A line is a `div`: mail programs leave no room around it, so it looks there as it does here. */
const Line = Node.create({
  name: 'paragraph',
  priority: 1000,
  group: 'block',
  content: 'inline*',
  parseHTML: () => [
    { tag: 'p' },
    // Around other blocks it means nothing.
    { tag: 'div', getAttrs: (element) => element.querySelector(BLOCKS) === null && null },
  ],
  renderHTML: ({ HTMLAttributes }) => ['div', HTMLAttributes, 0],
  addKeyboardShortcuts() {
    return { 'Mod-Alt-0': () => this.editor.commands.setNode('paragraph') };
  },
});

/** An image of an upload of this mailbox. Any other is left out: nothing is fetched from elsewhere. */
const InlineImage = Node.create<{ isOwn(src: string): boolean }>({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  addOptions: () => ({ isOwn: () => false }),
  addAttributes: () => ({ src: { default: '' }, alt: { default: '' }, width: { default: null } }),
  parseHTML() {
    return [
      {
        tag: 'img[src]',
        getAttrs: (element) => this.options.isOwn(element.getAttribute('src') ?? '') && null,
      },
    ];
  },
  renderHTML: ({ HTMLAttributes }) => ['img', mergeAttributes(HTMLAttributes)],
});

/** @param isOwn whether an address is that of an upload of this mailbox */
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
  ];
}
