import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { allTemplates } from './queries.ts';

export interface DeleteTemplateProps {
  project: string;
  template: { id: string; name: string };
  onClose(): void;
  /** Called before the lists are loaded again. */
  onDeleted?(): Promise<void>;
}

export function DeleteTemplate({ project, template, onClose, onDeleted }: DeleteTemplateProps) {
  const { id, name } = template;
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/templates/{id}', { params: { path: { project, id } } })),
    async onSuccess() {
      onClose();
      await onDeleted?.();
      await queries.invalidateQueries({ queryKey: allTemplates(project) });
      toast(`${name} deleted`);
    },
    onError: (error) => toastFailure(messageOf(error)),
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Delete the template ${name}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Its history, sample data and draft are permanently deleted. Requests with{' '}
        <code className="font-mono text-sm">{id}</code> are rejected immediately.
      </p>
      <p>Emails already accepted do not change and will still be sent.</p>
    </AlertDialog>
  );
}
