import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { ApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { useProject } from '../../shell/session.ts';

export interface RenameDialogProps {
  apiKey: ApiKey;
  onRenamed(): Promise<void>;
  onClose(): void;
}

export function RenameDialog({ apiKey: { id, name: before }, onRenamed, onClose }: RenameDialogProps) {
  const { id: project } = useProject();
  const [name, setName] = useState(before);
  const rename = useMutation({
    mutationFn: (given: string) =>
      dataOf(
        api.PATCH('/projects/{project}/api-keys/{id}', {
          params: { path: { project, id } },
          body: { name: given },
        }),
      ),
    async onSuccess() {
      await onRenamed();
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Rename API key"
      description="The token stays the same, so applications are not affected."
      onSubmit={() => rename.mutate(name.trim())}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={rename.isPending}>
            Rename
          </Button>
        </>
      }
    >
      <Field label="Name" error={fieldErrors(rename.error)['name']}>
        <Input
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
