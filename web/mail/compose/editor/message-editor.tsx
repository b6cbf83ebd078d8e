import { Editor } from '@tiptap/core';
import type { EditorState } from '@tiptap/pm/state';
import { type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import './editor.css';
import { isPicture } from '../files/files.ts';
import type { BodyHandle } from './body.ts';
import { putFileLink } from './file-link.ts';
import { fromMail, toMail, sameAsText } from './html.ts';
import { schemaOf } from './schema.ts';
import { isTooLarge, pasteText } from './large-paste.ts';
import { toText } from './to-text.ts';
import { unstyled } from './unstyled.ts';

export interface MessageEditorProps {
  /** The initial HTML. Later values are ignored. */
  html: string;
  /** The name of the field. */
  label?: string;
  onChange(): void;
  /** Called with the editor, for the toolbar; called with null when the editor is destroyed. */
  onEditor(editor: Editor | null): void;
  /** Called when the user presses the keyboard shortcut for links. */
  onLink(): void;
  /** Called for a slash that begins a line. @returns whether the slash is not text, because the page inserts something in its place */
  onSlash?(): boolean;
  /** Called with pasted files. @param areInline whether the files are images to insert into the text */
  onFiles(files: File[], areInline: boolean): void;
  /** Whether the URL belongs to an upload of this mailbox. */
  isOwnImage(src: string): boolean;
  ref: Ref<BodyHandle>;
}

/** The editor for formatted text. */
export function MessageEditor({
  html,
  label = 'Message',
  onChange,
  onEditor,
  onLink,
  onSlash = () => false,
  onFiles,
  isOwnImage,
  ref,
}: MessageEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const events = useRef({ onChange, onEditor, onLink, onSlash, onFiles });
  const begin = useRef({ html, label, isOwnImage });
  useLayoutEffect(() => {
    events.current = { onChange, onEditor, onLink, onSlash, onFiles };
  });
  useLayoutEffect(() => {
    const made = new Editor({
      element: place.current,
      extensions: schemaOf(begin.current.isOwnImage),
      content: fromMail(unstyled(begin.current.html)),
      // The page's content security policy allows styles only from files.
      injectCSS: false,
      textDirection: 'auto',
      onUpdate: () => events.current.onChange(),
      editorProps: {
        attributes: {
          role: 'textbox',
          'aria-label': begin.current.label,
          'aria-multiline': 'true',
          class: 'compose-text',
        },
        transformPastedHTML: unstyled,
        handleDOMEvents: {
          paste(view, event) {
            const html = event.clipboardData?.getData('text/html') ?? '';
            if (!isTooLarge(html)) return false;
            event.preventDefault();
            pasteText(view, event.clipboardData?.getData('text/plain') ?? '');
            return true;
          },
        },
        handlePaste(_view, { clipboardData }) {
          const files = [...(clipboardData?.files ?? [])];
          // If the clipboard has text as well, ignore its files: word processors also copy a picture of the text.
          if (files.length === 0 || hasWords(clipboardData?.getData('text/html') ?? '')) return false;
          const areImages = files.every(({ type }) => isPicture(type));
          events.current.onFiles(files, areImages);
          return true;
        },
        handleKeyDown(view, event) {
          // Escape closes the composer. The editor must not handle the key.
          if (event.key === 'Escape') return true;
          if (event.key === '/' && isInEmptyLine(view.state) && events.current.onSlash()) {
            event.preventDefault();
            return true;
          }
          if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k')
            return false;
          // Stop the event, because outside the editor the same keys open the command palette.
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
        // Focus immediately. The editor's own command would wait for the next frame, but the next key must already
        // reach the text.
        editor?.view.focus();
      },
      insertImage(src, alt) {
        editor?.chain().focus().insertContent({ type: 'image', attrs: { src, alt } }).run();
      },
      insert(more) {
        editor
          ?.chain()
          .focus()
          .insertContent(fromMail(unstyled(more)))
          .run();
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

/** Whether the cursor is in a line without text, outside of lists, tables and code. */
function isInEmptyLine({ selection }: EditorState): boolean {
  const { $from, empty } = selection;
  return (
    empty && $from.depth === 1 && $from.parent.type.name === 'paragraph' && $from.parent.content.size === 0
  );
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
