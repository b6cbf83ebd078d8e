import type { Editor } from '@tiptap/core';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { linkOf } from './links.ts';

/** Edits the link of the selected text. Without a selection, the dialog also asks for the text of the link. */
export function LinkDialog({ editor, onClose }: { editor: Editor; onClose(): void }) {
  const [before] = useState(() => {
    if (editor.isActive('link')) editor.commands.extendMarkRange('link');
    const { from, to, empty } = editor.state.selection;
    return {
      href: String(editor.getAttributes('link')['href'] ?? ''),
      words: empty ? '' : editor.state.doc.textBetween(from, to, ' '),
    };
  });
  const [address, setAddress] = useState(before.href);
  const [words, setWords] = useState(before.words);
  const [error, setError] = useState<string | null>(null);
  const close = (): void => {
    onClose();
    editor.commands.focus();
  };
  const save = (): void => {
    const href = linkOf(address);
    if (href === null) {
      setError('Enter an address such as https://acme.example or ann@acme.example.');
      return;
    }
    onClose();
    const chain = editor.chain().focus();
    if (words === before.words && words !== '') chain.setLink({ href }).run();
    else {
      const text = words.trim() === '' ? address.trim() : words;
      chain.insertContent({ type: 'text', text, marks: [{ type: 'link', attrs: { href } }] }).run();
    }
  };
  return (
    <Dialog
      isOpen
      onClose={close}
      onSubmit={save}
      title={before.href === '' ? 'Add link' : 'Edit link'}
      actions={
        <>
          {before.href !== '' && (
            <Button
              className="mr-auto"
              onClick={() => {
                onClose();
                editor.chain().focus().unsetLink().run();
              }}
            >
              Remove link
            </Button>
          )}
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary">
            {before.href === '' ? 'Add link' : 'Edit link'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label="URL" error={error}>
          <Input
            data-focus
            value={address}
            inputMode="url"
            autoComplete="off"
            placeholder="https://acme.example"
            onChange={({ target }) => {
              setAddress(target.value);
              setError(null);
            }}
          />
        </Field>
        <Field label="Text" hint="The text that readers see.">
          <Input value={words} onChange={({ target }) => setWords(target.value)} />
        </Field>
      </div>
    </Dialog>
  );
}
