import { Editor } from '@tiptap/core';
import { type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import './editor.css';
import { isPicture } from '../files/files.ts';
import type { BodyHandle } from './body.ts';
import { putFileLink } from './file-link.ts';
import { fromMail, toMail, sameAsText } from './html.ts';
import { schemaOf } from './schema.ts';
import { toText } from './to-text.ts';
import { unstyled } from './unstyled.ts';

export interface MessageEditorProps {
  /** The initial HTML. Later values are ignored. */
  html: string;
  onChange(): void;
  /** Passes the editor to the toolbar; null when it is destroyed. */
  onEditor(editor: Editor | null): void;
  /** The keyboard shortcut for links was pressed. */
  onLink(): void;
  /** Pasted files. Images are inserted into the text. */
  onFiles(files: File[], areInline: boolean): void;
  /** Whether the URL belongs to an upload of this mailbox. */
  isOwnImage(src: string): boolean;
  ref: Ref<BodyHandle>;
}

/** The editor for formatted text. */
export function MessageEditor({
  html,
  onChange,
  onEditor,
  onLink,
  onFiles,
  isOwnImage,
  ref,
}: MessageEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const events = useRef({ onChange, onEditor, onLink, onFiles });
  const begin = useRef({ html, isOwnImage });
  useLayoutEffect(() => {
    events.current = { onChange, onEditor, onLink, onFiles };
  });
  useLayoutEffect(() => {
    const made = new Editor({
      element: place.current,
      extensions: schemaOf(begin.current.isOwnImage),
      content: fromMail(begin.current.html),
      // The pages' policy allows only styles from files.
      injectCSS: false,
      textDirection: 'auto',
      onUpdate: () => events.current.onChange(),
      editorProps: {
        attributes: {
          role: 'textbox',
          'aria-label': 'Message',
          'aria-multiline': 'true',
          class: 'compose-text',
        },
        transformPastedHTML: unstyled,
        handlePaste(_view, { clipboardData }) {
          const files = [...(clipboardData?.files ?? [])];
          // Word processors add a picture of the text to the clipboard.
          if (files.length === 0 || hasWords(clipboardData?.getData('text/html') ?? '')) return false;
          const areImages = files.every(({ type }) => isPicture(type));
          events.current.onFiles(files, areImages);
          return true;
        },
        handleKeyDown(_view, event) {
          // Escape closes the panel, and selects nothing.
          if (event.key === 'Escape') return true;
          if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k')
            return false;
          // Outside the editor the same keys open the palette.
          event.stopPropagation();
          event.preventDefault();
          events.current.onLink();
          return true;
        },
      },
    });
    setEditor(made);
    events.current.onEditor(made);
    return () => {
      events.current.onEditor(null);
      made.destroy();
    };
  }, []);
  useImperativeHandle(
    ref,
    () => ({
      body() {
        if (editor === null) return { html: begin.current.html, text: '' };
        return { html: toMail(editor.getHTML()), text: toText(editor.getJSON()) };
      },
      focusEnd() {
        editor?.commands.focus('end');
      },
      isEmpty: () => editor?.isEmpty ?? true,
      hasFormatting: () => editor !== null && hasFormatting(editor),
      focus() {
        editor?.commands.setTextSelection(0);
        // Focus immediately: the editor's command would wait for the next frame, and the next key belongs to the
        // text.
        editor?.view.focus();
      },
      insertImage(src, alt) {
        editor?.chain().focus().insertContent({ type: 'image', attrs: { src, alt } }).run();
      },
      append(more) {
        editor
          ?.chain()
          .insertContentAt(editor.state.doc.content.size, fromMail(unstyled(more)))
          .run();
      },
      putFileLink(token, card) {
        if (editor !== null) putFileLink(editor, token, card);
      },
    }),
    [editor],
  );
  return <div ref={place} className="cursor-text px-4 py-3 text-lg sm:text-base" />;
}

function hasWords(html: string): boolean {
  return html !== '' && new DOMParser().parseFromString(html, 'text/html').body.textContent.trim() !== '';
}

/** Whether the text has formatting that plain text would lose. */
function hasFormatting(editor: Editor): boolean {
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
