import { useMutation } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Person } from '../../../../src/contract/directory.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';

interface RemovePersonProps {
  project: string;
  person: Person;
  onRemoved(): Promise<void>;
  onClose(): void;
}

export function RemovePerson({
  project,
  person: { id, name, email },
  onRemoved,
  onClose,
}: RemovePersonProps) {
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/directory/{id}', { params: { path: { project, id } } })),
    onSuccess: () => toast(`${name} is removed`),
    onError: (error) => toastFailure(messageOf(error)),
    async onSettled() {
      onClose();
      await onRemoved();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Remove ${name} from the directory?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {email} and what is noted of {name} are gone from this directory, and from those of projects that see
        it. Mail is not touched.
      </p>
    </AlertDialog>
  );
}
