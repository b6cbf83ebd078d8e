import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailFolder } from '../../../../../src/contract/mail/folders.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../../ui/field.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { useFolderChange } from './use-folder-change.ts';

interface FolderDialogProps {
  /** The folder to rename or move, or null to create a folder. */
  folder: MailFolder | null;
  folders: readonly MailFolder[];
  onClose(): void;
}

export function FolderDialog({ folder, folders, onClose }: FolderDialogProps) {
  const { mailbox } = useMailbox();
  const [name, setName] = useState(folder?.name ?? '');
  const [parent, setParent] = useState(folder?.path.slice(0, -folder.name.length - 1) ?? '');
  const save = useFolderChange(() => {
    const path = parent === '' ? name.trim() : `${parent}/${name.trim()}`;
    return folder === null
      ? dataOf(api.POST('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, body: { path } }))
      : dataOf(
          api.PATCH('/mailboxes/{mailbox}/folders/{id}', {
            params: { path: { mailbox, id: folder.id } },
            body: { path },
          }),
        );
  }, null);
  // A folder cannot be moved into itself, and not into Trash or Junk, which are emptied.
  const parents = folders.filter(
    ({ path, role }) =>
      role !== 'trash' &&
      role !== 'junk' &&
      (folder === null || (path !== folder.path && !path.startsWith(`${folder.path}/`))),
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      title={folder === null ? 'Create folder' : `Rename or move ${folder.path}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isPending} disabled={name.trim() === ''}>
            {folder === null ? 'Create' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field label="Name" error={fieldErrors(save.error)['path']}>
          <Input
            required
            maxLength={255}
            autoComplete="off"
            placeholder="Invoices"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Parent folder" hint={folder !== null && 'Its contents move with it.'}>
          <Select value={parent} onChange={(event) => setParent(event.target.value)}>
            <option value="">None</option>
            {parents.map(({ id, path }) => (
              <option key={id} value={path}>
                {path}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Dialog>
  );
}
