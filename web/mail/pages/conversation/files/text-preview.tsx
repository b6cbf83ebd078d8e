import type { MailMessage } from '../../../../../src/contract/mail/messages.ts';
import { bytes } from '../../../../ui/amounts.ts';
import { buttonClass } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { DownloadIcon } from '../../../../ui/icons.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { messageUrl } from '../message-url.ts';

interface TextPreviewProps {
  message: string;
  file: MailMessage['attachments'][number];
  onClose(): void;
}

/** Previews a text file. Scripts in the file do not run, because the service sends a policy that allows only drawing. */
export default function TextPreview({ message, file, onClose }: TextPreviewProps) {
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
      <iframe
        title="File"
        sandbox=""
        referrerPolicy="no-referrer"
        src={`${whole}/preview`}
        className="block h-[60vh] w-full rounded-md border border-line bg-page"
      />
    </Dialog>
  );
}
