import { type Editor, Extension, Mark } from '@tiptap/core';
import { alignOf, styleOf, type TextStyle, textStyleOf } from './text-style.ts';

/**
 * Color, highlight and size of text. `data-style` has the style for mail. The editor shows the colors through variables, so that its style
 * sheet can keep them readable in light and dark mode.
 */
export const TextStyleMark = Mark.create({
  name: 'textStyle',
  addAttributes: () => ({ color: { default: null }, background: { default: null }, size: { default: null } }),
  parseHTML: () => [
    {
      tag: 'span[data-style]',
      // A nested element adds to the style of its parent.
      consuming: false,
      getAttrs: (element) => {
        const style = textStyleOf(element.dataset['style'] ?? '');
        return styleOf(style) === '' ? false : { ...style };
      },
    },
  ],
  renderHTML({ mark }) {
    const style = mark.attrs as TextStyle;
    const { color, background, size } = style;
    return [
      'span',
      {
        'data-style': styleOf(style),
        class: [color && 'ink', background && 'paper', size && `size-${size}`].filter(Boolean).join(' '),
        style:
          [color && `--ink: ${color}`, background && `--paper: ${background}`].filter(Boolean).join('; ') ||
          null,
      },
      0,
    ];
  },
});

/** Changes the style of the selected text. */
export function setTextStyle(editor: Editor, change: Partial<TextStyle>): void {
  const style = {
    color: null,
    background: null,
    size: null,
    ...editor.getAttributes('textStyle'),
    ...change,
  };
  const chain = editor.chain().focus();
  (styleOf(style) === '' ? chain.unsetMark('textStyle') : chain.setMark('textStyle', style)).run();
}

const ALIGNED = ['paragraph', 'heading'];

/** The alignment of lines and headings. */
export const Alignment = Extension.create({
  name: 'alignment',
  addGlobalAttributes: () => [
    {
      types: ALIGNED,
      attributes: {
        align: {
          default: null,
          parseHTML: (element) =>
            alignOf(element.dataset['style'] ?? `text-align: ${element.getAttribute('align') ?? ''}`),
          renderHTML: ({ align }) =>
            align === null
              ? {}
              : { 'data-style': `text-align: ${String(align)}`, style: `text-align: ${String(align)}` },
        },
      },
    },
  ],
});

/** Aligns the selected lines. @param align null for the start of the line */
export function setAlign(editor: Editor, align: string | null): void {
  const chain = editor.chain().focus();
  for (const type of ALIGNED) chain.updateAttributes(type, { align });
  chain.run();
}
