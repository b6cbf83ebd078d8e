import { type Ref, useImperativeHandle, useRef } from 'react';
import type { BodyHandle } from './body.ts';

export interface PlainTextProps {
  text: string;
  onChange(): void;
  onFiles(files: File[], areInline: boolean): void;
  ref: Ref<BodyHandle>;
}

/** The text of a message without formatting, letter by letter as it goes out. */
export function PlainText({ text, onChange, onFiles, ref }: PlainTextProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(
    ref,
    () => ({
      body: () => ({ html: null, text: field.current?.value ?? text }),
      isEmpty: () => field.current?.value.trim() === '',
      hasFormatting: () => false,
      focus() {
        field.current?.focus();
        field.current?.setSelectionRange(0, 0);
      },
      focusEnd: () => field.current?.focus(),
      insertImage() {},
      append() {},
    }),
    [text],
  );
  return (
    <textarea
      ref={field}
      aria-label="Message"
      dir="auto"
      defaultValue={text}
      onChange={onChange}
      onPaste={({ clipboardData, preventDefault }) => {
        if (clipboardData.files.length === 0 || clipboardData.getData('text/plain') !== '') return;
        preventDefault();
        onFiles([...clipboardData.files], false);
      }}
      className="field-sizing-content min-h-40 w-full resize-none bg-transparent px-4 py-3 font-mono text-lg outline-none sm:text-sm"
    />
  );
}
