import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../../shell/code.ts';
import type { MailMessage } from '../../../../../src/contract/mail/messages.ts';
import { bytes, counted } from '../../../../ui/amounts.ts';
import { Button, buttonClass } from '../../../../ui/button.tsx';
import { DownloadIcon } from '../../../../ui/icons.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { invitationQuery } from '../invitation-query.ts';
import { messageUrl } from '../message-url.ts';
import { FileCard, ImageTile } from './file-card.tsx';

const Gallery = lazyPart(() => import('./gallery.tsx'));
const TextPreview = lazyPart(() => import('./text-preview.tsx'));
const AttachedMessage = lazyPart(() => import('./attached-message.tsx'));

type File = MailMessage['attachments'][number];

/** How many files are shown until the user asks for more. */
const SHOWN = 24;

/** The files of a message: images as tiles, other files as cards. */
export default function Attachments({ message }: { message: MailMessage }) {
  const { mailbox } = useMailbox();
  const [opened, setOpened] = useState<File | null>(null);
  const [showsAll, setShowsAll] = useState(false);
  const files = useFiles(message);
  if (files.length === 0) return null;
  const shown = showsAll ? files : files.slice(0, SHOWN);
  const images = shown.filter(({ preview }) => preview === 'image');
  const others = shown.filter(({ preview }) => preview !== 'image');
  const total = files.reduce((sum, { octets }) => sum + octets, 0);
  const { id, part } = message;
  const close = () => setOpened(null);
  return (
    // A group, not a landmark: a conversation may have several messages with files.
    <div role="group" aria-label="Attachments" className="border-t border-line pt-3">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 className="text-sm font-medium text-muted">
          {counted(files.length, 'file')}, {bytes(total)}
        </h2>
        {files.length > 1 && (
          <a
            href={messageUrl(mailbox, id, part == null ? 'files' : `files?part=${part}`)}
            download
            className={buttonClass('quiet')}
          >
            <DownloadIcon />
            Download all
          </a>
        )}
      </div>
      {images.length > 0 && (
        <ul className="mb-2 grid grid-cols-[repeat(auto-fill,minmax(min(9rem,45%),1fr))] gap-2">
          {images.map((file) => (
            <ImageTile key={file.part} message={id} file={file} onOpen={() => setOpened(file)} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(15rem,100%),1fr))] gap-2">
          {others.map((file) => (
            <FileCard key={file.part} message={id} file={file} onOpen={() => setOpened(file)} />
          ))}
        </ul>
      )}
      {shown.length < files.length && (
        <Button kind="quiet" className="mt-2" onClick={() => setShowsAll(true)}>
          Show all {files.length} files
        </Button>
      )}
      <Suspense fallback={null}>
        {opened?.preview === 'text' && <TextPreview message={id} file={opened} onClose={close} />}
        {opened?.preview === 'message' && <AttachedMessage message={id} file={opened} onClose={close} />}
        {(opened?.preview === 'image' || opened?.preview === 'pdf') && (
          <Gallery message={message} start={opened.part} onClose={close} />
        )}
      </Suspense>
    </div>
  );
}

/** The files, without the images in the HTML and without the calendar file that the invitation card shows. */
function useFiles(message: MailMessage): File[] {
  const { mailbox, access } = useMailbox();
  const { data: invitation } = useQuery({
    ...invitationQuery(mailbox, message.id),
    enabled: message.invitation !== null && access === 'owner',
  });
  return message.attachments.filter(
    ({ is_inline, part }) => !is_inline && invitation?.copies.includes(part) !== true,
  );
}
