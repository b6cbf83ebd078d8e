import { useMutation } from '@tanstack/react-query';
import { api, dataOf, messageOf } from '../../../api/client.ts';
import type { Person } from '../../../api/schema.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';

interface DeletePersonProps {
  project: string;
  person: Person;
  onDeleted(): Promise<void>;
  onClose(): void;
}

export function DeletePerson({
  project,
  person: { id, name, email },
  onDeleted,
  onClose,
}: DeletePersonProps) {
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/directory/{id}', { params: { path: { project, id } } })),
    onSuccess: () => toast(`${name} is deleted`),
    onError: (error) => toastFailure(messageOf(error)),
    async onSettled() {
      onClose();
      await onDeleted();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete"
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
