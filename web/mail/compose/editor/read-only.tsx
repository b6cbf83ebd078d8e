import { Editor } from '@tiptap/core';
import { useLayoutEffect, useRef } from 'react';
import './editor.css';
import { fromMail } from './html.ts';
import { schemaOf } from './schema.ts';
import { unstyled } from './unstyled.ts';

/** HTML of mail as the editor understands it: no scripts, no styles, nothing that is fetched. */
export function ReadOnly({ html, label }: { html: string; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const editor = new Editor({
      element: place.current,
      extensions: schemaOf(() => false),
      content: fromMail(unstyled(html)),
      editable: false,
      injectCSS: false,
      textDirection: 'auto',
      editorProps: { attributes: { role: 'group', 'aria-label': label, class: 'compose-text' } },
    });
    return () => editor.destroy();
  }, [html, label]);
  // Whoever writes does not mean to leave.
  return <div ref={place} onClickCapture={(event) => event.preventDefault()} />;
}
