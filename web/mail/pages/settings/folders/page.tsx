import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MailFolder } from '../../../../../src/contract/mail/folders.ts';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { classes } from '../../../../ui/classes.ts';
import { FolderIcon, PenIcon, PlusIcon, TrashIcon } from '../../../../ui/icons.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { Loaded } from '../../../../shell/loaded.tsx';
import { ownFoldersQuery } from '../queries.ts';
import { FolderDialog } from './folder-dialog.tsx';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { useFolderChange } from './use-folder-change.ts';
import { number, counted } from '../../../../ui/amounts.ts';

export default function FoldersPage() {
  const { mailbox } = useMailbox();
  const found = useQuery(ownFoldersQuery(mailbox));
  /** `new`, or the folder that is being renamed or moved. */
  const [edited, setEdited] = useState<MailFolder | 'new' | null>(null);
  const [deleted, setDeleted] = useState<MailFolder | null>(null);
  /** Whether some rows have buttons, with which the counts of the other rows are aligned. */
  const hasOwn = found.data?.data.some(({ role }) => role === null) === true;
  return (
    <>
      <PageHeader
        title="Folders"
        description="Mail apps show the same folders. Standard folders cannot be renamed or deleted."
        actions={
          <Button kind="primary" icon={<PlusIcon />} onClick={() => setEdited('new')}>
            Create folder
          </Button>
        }
      />
      <Loaded query={found}>
        {({ data }) => (
          <>
            <ul aria-label="Folders" className="divide-y divide-line rounded-lg border border-line">
              {data.map((folder) => (
                <li
                  key={folder.id}
                  className={classes('flex min-h-11 items-center gap-2 pl-4', hasOwn ? 'pr-2' : 'pr-4')}
                >
                  <FolderIcon className="shrink-0 text-muted" />
                  <span className="min-w-0 flex-1 wrap-anywhere">
                    <Path path={folder.role === 'inbox' ? 'Inbox' : folder.path} />
                  </span>
                  <span className="text-sm whitespace-nowrap text-muted tabular-nums">
                    {counted(folder.messages, 'message')}
                  </span>
                  {folder.role === null ? (
                    <span className="flex">
                      <IconButton label={`Rename or move ${folder.path}`} onClick={() => setEdited(folder)}>
                        <PenIcon />
                      </IconButton>
                      <IconButton label={`Delete ${folder.path}`} onClick={() => setDeleted(folder)}>
                        <TrashIcon />
                      </IconButton>
                    </span>
                  ) : (
                    hasOwn && <span className="w-16 max-sm:w-20" />
                  )}
                </li>
              ))}
            </ul>
            {edited !== null && (
              <FolderDialog
                folder={edited === 'new' ? null : edited}
                folders={data}
                onClose={() => setEdited(null)}
              />
            )}
            {deleted !== null && <DeleteFolder folder={deleted} onClose={() => setDeleted(null)} />}
          </>
        )}
      </Loaded>
    </>
  );
}

/** The path of a folder. The parent path is less prominent than the folder's name. */
function Path({ path }: { path: string }) {
  const at = path.lastIndexOf('/') + 1;
  return (
    <>
      <span className="text-muted">{path.slice(0, at)}</span>
      {path.slice(at)}
    </>
  );
}

function DeleteFolder({ folder, onClose }: { folder: MailFolder; onClose(): void }) {
  const { mailbox } = useMailbox();
  const remove = useFolderChange(
    () =>
      dataOf(
        api.DELETE('/mailboxes/{mailbox}/folders/{id}', { params: { path: { mailbox, id: folder.id } } }),
      ),
    `${folder.path} deleted`,
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
          ? 'It has no messages.'
          : `Its ${number(messages)} ${messages === 1 ? 'message is' : 'messages are'} deleted immediately and permanently, without going to Trash.`}{' '}
        Folders inside it stay. A rule that moves mail into it creates it again.
      </p>
    </AlertDialog>
  );
}
