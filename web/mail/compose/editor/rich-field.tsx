import type { Editor } from '@tiptap/core';
import { type Ref, useState } from 'react';
import { messageOf } from '../../../api/client.ts';
import { toastFailure } from '../../../ui/toast.tsx';
import { isPicture } from '../files/files.ts';
import { uploadFile } from '../files/use-files.ts';
import type { BodyHandle } from './body.ts';
import { LinkDialog } from './link-dialog.tsx';
import { MessageEditor } from './message-editor.tsx';
import { Toolbar } from './toolbar.tsx';

interface RichFieldProps {
  label: string;
  /** The mailbox to which pictures are uploaded. */
  mailbox: string;
  /** The initial HTML. */
  html: string;
  onChange?(): void;
  ref: Ref<BodyHandle>;
}

/** A form field for formatted text with pictures, such as a signature. */
export function RichField({ label, mailbox, html, onChange = () => {}, ref }: RichFieldProps) {
  const [editor, setEditor] = useState<Editor | null>(null);
  const [isLinkOpen, setLinkOpen] = useState(false);
  const upload = async (files: readonly File[]): Promise<void> => {
    const never = new AbortController().signal;
    for (const file of files.filter(({ type }) => isPicture(type)))
      try {
        const { url, name } = await uploadFile(mailbox, file, { onProgress() {}, signal: never });
        editor
          ?.chain()
          .focus()
          .insertContent({ type: 'image', attrs: { src: url, alt: name } })
          .run();
      } catch (error) {
        toastFailure(messageOf(error));
      }
  };
  return (
    <div className="grid gap-1.5">
      <span className="font-medium">{label}</span>
      <div className="overflow-hidden rounded-md border border-edge bg-page focus-within:border-accent">
        <div className="max-h-80 overflow-y-auto">
          <MessageEditor
            ref={ref}
            html={html}
            label={label}
            onChange={onChange}
            onEditor={setEditor}
            onLink={() => setLinkOpen(true)}
            onFiles={(files) => void upload(files)}
            isOwnImage={(src) => src.startsWith(`/mail/api/mailboxes/${mailbox}/uploads/`)}
          />
        </div>
        {editor !== null && (
          <Toolbar
            editor={editor}
            onLink={() => setLinkOpen(true)}
            onPictures={(files) => void upload(files)}
          />
        )}
      </div>
      {isLinkOpen && editor !== null && <LinkDialog editor={editor} onClose={() => setLinkOpen(false)} />}
    </div>
  );
}
