import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { BodyHandle } from './body.ts';
import { cardText } from './file-link-html.ts';
import { plainOf } from './plain-of.ts';

export interface PlainTextProps {
  text: string;
  onChange(): void;
  onFiles(files: File[], areInline: boolean): void;
  ref: Ref<BodyHandle>;
}

/** The editor for plain text. Every character is sent as written. */
export function PlainText({ text, onChange, onFiles, ref }: PlainTextProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const events = useRef({ onChange });
  useEffect(() => {
    events.current = { onChange };
  });
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
      insert(html) {
        const { current } = field;
        if (current === null) return;
        current.focus();
        current.setRangeText(plainOf(html), current.selectionStart, current.selectionEnd, 'end');
        events.current.onChange();
      },
      append() {},
      putFileLink(token, card) {
        const { current } = field;
        if (current === null) return;
        const lines = current.value.split('\n');
        const at = lines.findIndex((line) => line.includes(`/s/${token}`));
        // Remove the whole line, because otherwise a part of the URL could remain.
        if (at !== -1) lines.splice(at, 1, ...(card === null ? [] : [cardText(card)]));
        else if (card !== null) lines.splice(lineOf(current), 0, cardText(card));
        current.value = lines.join('\n');
        events.current.onChange();
      },
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
      onPaste={(event) => {
        const { clipboardData } = event;
        if (clipboardData.files.length === 0 || clipboardData.getData('text/plain') !== '') return;
        event.preventDefault();
        onFiles([...clipboardData.files], false);
      }}
      className="field-sizing-content min-h-40 w-full resize-none bg-transparent px-4 py-3 font-mono text-lg outline-none sm:text-sm"
    />
  );
}

/** The index of the line after the line with the cursor. */
function lineOf({ value, selectionEnd }: HTMLTextAreaElement): number {
  return value.slice(0, selectionEnd).split('\n').length;
}
