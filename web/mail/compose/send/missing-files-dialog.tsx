import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FileProgress } from '../../file-links/file-progress.tsx';
import { useMailbox } from '../../shell/session.ts';
import { type DraftLink, underWay } from '../links/use-file-links.ts';

interface MissingFilesDialogProps {
  links: readonly DraftLink[];
  /** Called with the user's choice; null cancels sending. */
  onAnswer(how: 'wait' | 'now' | null): void;
}

/** Asks whether to wait before sending a message whose linked files are still uploading. */
export function MissingFilesDialog({ links, onAnswer }: MissingFilesDialogProps) {
  const { own: mailbox } = useMailbox();
  const canWait = links.every((each) => underWay(each).length > 0);
  const only = links.length === 1 ? links[0]?.name : undefined;
  return (
    <Dialog
      isOpen
      onClose={() => onAnswer(null)}
      title={only === undefined ? 'Files are still uploading' : `${only} is still uploading`}
      description={
        canWait
          ? 'Keep this tab open until the upload is done. Until then the link says that the file is not available yet.'
          : 'Until the upload is done, the link says that the file is not available yet.'
      }
      actions={
        <>
          <Button onClick={() => onAnswer('now')}>Send now</Button>
          {canWait ? (
            <Button kind="primary" data-focus onClick={() => onAnswer('wait')}>
              Send when uploaded
            </Button>
          ) : (
            <Button kind="primary" data-focus onClick={() => onAnswer(null)}>
              Keep editing
            </Button>
          )}
        </>
      }
    >
      <ul className="grid gap-3">
        {links.flatMap(({ link, key }) =>
          (link?.files ?? []).map((file) => (
            <li key={`${key} ${file.id}`} className="grid gap-1">
              <span dir="auto" className="truncate font-medium">
                {file.name}
              </span>
              <FileProgress mailbox={mailbox} file={file} />
            </li>
          )),
        )}
      </ul>
    </Dialog>
  );
}
