import { Editor } from '@tiptap/core';
import { useLayoutEffect, useRef } from 'react';
import './editor.css';
import { fromMail } from './html.ts';
import { schemaOf } from './schema.ts';
import { unstyled } from './unstyled.ts';

interface ReadOnlyProps {
  html: string;
  label: string;
  /** Whether an image may be shown. By default images are hidden. */
  isOwnImage?: (src: string) => boolean;
}

/** Shows HTML of mail as the editor would: without scripts and styles, and without fetching remote content. */
export function ReadOnly({ html, label, isOwnImage = () => false }: ReadOnlyProps) {
  const isShown = useRef(isOwnImage);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const editor = new Editor({
      element: place.current,
      extensions: schemaOf((src) => isShown.current(src)),
      content: fromMail(unstyled(html)),
      editable: false,
      injectCSS: false,
      textDirection: 'auto',
      editorProps: { attributes: { role: 'group', 'aria-label': label, class: 'compose-text' } },
    });
    return () => editor.destroy();
  }, [html, label]);
  // A click on a link must not leave the composer.
  return <div ref={place} onClickCapture={(event) => event.preventDefault()} />;
}
