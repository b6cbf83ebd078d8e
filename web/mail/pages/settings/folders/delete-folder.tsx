import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailFolder } from '../../../../../src/contract/mail/folders.ts';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { useFolderChange } from './use-folder-change.ts';

export function DeleteFolder({ folder, onClose }: { folder: MailFolder; onClose(): void }) {
  const { mailbox } = useMailbox();
  const remove = useFolderChange(
    () =>
      dataOf(
        api.DELETE('/mailboxes/{mailbox}/folders/{id}', { params: { path: { mailbox, id: folder.id } } }),
      ),
    `${folder.path} is deleted`,
  );
  const { messages } = folder;
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Delete the folder ${folder.path}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      <p>
        {messages === 0
          ? 'There is no message in it.'
          : `${messages.toLocaleString('en')} ${messages === 1 ? 'message is' : 'messages are'} deleted with it, at once and for ever: they are not put into Trash.`}{' '}
        Folders that are in it stay. A rule that files into it makes it anew.
      </p>
    </AlertDialog>
  );
}
