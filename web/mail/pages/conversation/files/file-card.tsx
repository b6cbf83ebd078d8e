import { useState } from 'react';
import type { MailMessage } from '../../../../../src/contract/mail/messages.ts';
import { bytes } from '../../../../ui/amounts.ts';
import { buttonClass } from '../../../../ui/button.tsx';
import { DownloadIcon, EmailsIcon, FileIcon, ImageIcon } from '../../../../ui/icons.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { messageUrl } from '../message-url.ts';

interface FileProps {
  /** The id of the message. */
  message: string;
  file: MailMessage['attachments'][number];
  onOpen(): void;
}

/** An image with its name. If the service cannot shrink the image, an icon is shown instead. */
export function ImageTile({ message, file, onOpen }: FileProps) {
  const { mailbox } = useMailbox();
  const [isMissing, setMissing] = useState(false);
  return (
    <li className="relative overflow-hidden rounded-md border border-line hover:bg-hover">
      <div className="flex h-28 items-center justify-center bg-sunken">
        {isMissing ? (
          <ImageIcon className="size-8 text-muted" />
        ) : (
          <img
            src={messageUrl(mailbox, message, `parts/${file.part}/thumbnail`)}
            alt=""
            loading="lazy"
            decoding="async"
            onError={() => setMissing(true)}
            className="size-full object-cover"
          />
        )}
      </div>
      <div className="flex items-center gap-1 py-1 ps-2.5 pe-1">
        <span className="min-w-0 flex-1">
          <Name file={file} onOpen={onOpen} />
        </span>
        <Download message={message} file={file} />
      </div>
    </li>
  );
}

export function FileCard({ message, file, onOpen }: FileProps) {
  return (
    <li className="relative flex items-center gap-2.5 rounded-md border border-line py-1.5 ps-3 pe-1.5 hover:bg-hover">
      {file.preview === 'message' ? (
        <EmailsIcon className="text-muted" />
      ) : (
        <FileIcon className="text-muted" />
      )}
      <span className="min-w-0 flex-1">
        <Name file={file} onOpen={onOpen} />
      </span>
      <Download message={message} file={file} />
    </li>
  );
}

function Name({ file, onOpen }: Pick<FileProps, 'file' | 'onOpen'>) {
  const { name, preview, octets, warning } = file;
  return (
    <>
      {preview === null ? (
        <span className="block truncate font-medium" title={name}>
          <bdi>{name}</bdi>
        </span>
      ) : (
        <button
          type="button"
          aria-haspopup="dialog"
          title={name}
          onClick={onOpen}
          className="block max-w-full truncate font-medium after:absolute after:inset-0"
        >
          <bdi>{name}</bdi>
        </button>
      )}
      <span className="block truncate text-xs text-muted">{bytes(octets)}</span>
      {warning !== null && <span className="block text-xs text-warn">{warning}</span>}
    </>
  );
}

function Download({ message, file }: Pick<FileProps, 'message' | 'file'>) {
  const { mailbox } = useMailbox();
  return (
    <a
      href={messageUrl(mailbox, message, `parts/${file.part}`)}
      download
      title="Download"
      className={buttonClass('quiet', 'z-1 w-9 px-0 max-sm:h-9 sm:w-8')}
    >
      <DownloadIcon />
      <span className="sr-only">
        Download <bdi>{file.name}</bdi>
      </span>
    </a>
  );
}
