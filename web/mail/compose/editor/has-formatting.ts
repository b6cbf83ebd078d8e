import type { Editor } from '@tiptap/core';
import { sameAsText } from './html.ts';

/** Whether anything but lines of text stands in it: as plain text that would be lost. */
export function hasFormatting(editor: Editor): boolean {
  let found = false;
  editor.state.doc.descendants((node) => {
    const isPlain = ['paragraph', 'text', 'hardBreak'].includes(node.type.name);
    const isBareLink = node.marks.every(
      (mark) => mark.type.name === 'link' && sameAsText(String(mark.attrs['href']), node.text ?? ''),
    );
    if (!isPlain || !isBareLink) found = true;
    return !found;
  });
  return found;
}
