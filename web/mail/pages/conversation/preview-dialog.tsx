import { Suspense } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { bytes } from '../../../ui/amounts.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { DownloadIcon } from '../../../ui/icons.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useMailbox } from '../../shell/session.ts';
import { messageUrl } from './message-url.ts';

const PdfPreview = lazyPart(() => import('./pdf/pdf-preview.tsx'));

interface PreviewDialogProps {
  message: string;
  file: MailMessage['attachments'][number];
  onClose(): void;
}

/** Previews a file. Scripts in the file do not run, because the service sends a policy that allows only drawing. */
export default function PreviewDialog({ message, file, onClose }: PreviewDialogProps) {
  const { mailbox } = useMailbox();
  const whole = messageUrl(mailbox, message, `parts/${file.part}`);
  return (
    <Dialog
      isOpen
      width="wide"
      onClose={onClose}
      title={file.name}
      description={bytes(file.octets)}
      actions={
        <a href={whole} download className={buttonClass('primary')}>
          <DownloadIcon />
          Download
        </a>
      }
    >
      {file.preview === 'image' ? (
        <img
          src={`${whole}/preview`}
          alt={file.name}
          className="mx-auto max-h-[60vh] max-w-full object-contain"
        />
      ) : file.preview === 'pdf' ? (
        <Suspense fallback={<Skeleton className="h-[60vh]" />}>
          <PdfPreview url={whole} name={file.name} />
        </Suspense>
      ) : (
        <iframe
          title="File"
          sandbox=""
          referrerPolicy="no-referrer"
          src={`${whole}/preview`}
          className="block h-[60vh] w-full rounded-md border border-line bg-page"
        />
      )}
    </Dialog>
  );
}
