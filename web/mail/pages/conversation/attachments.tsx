import { Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { bytes, counted } from '../../../ui/amounts.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { DownloadIcon, FileIcon, ImageIcon } from '../../../ui/icons.tsx';
import { useMailbox } from '../../shell/session.ts';
import { messageUrl } from './message-url.ts';

const PreviewDialog = lazyPart(() => import('./preview-dialog.tsx'));

type File = MailMessage['attachments'][number];

/** The files of a message, as cards. */
export function Attachments({ message: { id, attachments } }: { message: MailMessage }) {
  const { mailbox } = useMailbox();
  const [shown, setShown] = useState<File | null>(null);
  const files = attachments.filter(({ is_inline }) => !is_inline);
  if (files.length === 0) return null;
  return (
    <section aria-label="Attachments" className="border-t border-line pt-3">
      <h2 className="mb-2 text-sm font-medium text-muted">{counted(files.length, 'file')}</h2>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(15rem,100%),1fr))] gap-2">
        {files.map((file) => (
          <li
            key={file.part}
            className="relative flex items-center gap-2.5 rounded-md border border-line py-1.5 pr-1.5 pl-3 hover:bg-hover"
          >
            {file.preview === 'image' ? (
              <ImageIcon className="text-muted" />
            ) : (
              <FileIcon className="text-muted" />
            )}
            <span className="min-w-0 flex-1">
              {file.preview === null ? (
                <span className="block truncate font-medium" title={file.name}>
                  <bdi>{file.name}</bdi>
                </span>
              ) : (
                <button
                  type="button"
                  aria-haspopup="dialog"
                  title={file.name}
                  onClick={() => setShown(file)}
                  className="block max-w-full truncate font-medium after:absolute after:inset-0"
                >
                  <bdi>{file.name}</bdi>
                </button>
              )}
              <span className="block truncate text-xs text-muted">{bytes(file.octets)}</span>
              {file.warning !== null && <span className="block text-xs text-warn">{file.warning}</span>}
            </span>
            <a
              href={messageUrl(mailbox, id, `parts/${file.part}`)}
              download
              title="Download"
              className={buttonClass('quiet', 'z-1 w-9 px-0 max-sm:h-9 sm:w-8')}
            >
              <DownloadIcon />
              <span className="sr-only">Download {file.name}</span>
            </a>
          </li>
        ))}
      </ul>
      <Suspense fallback={null}>
        {shown !== null && <PreviewDialog message={id} file={shown} onClose={() => setShown(null)} />}
      </Suspense>
    </section>
  );
}
