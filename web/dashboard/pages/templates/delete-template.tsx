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
      toast(`${name} is deleted`);
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
        Its history, its sample data and everybody’s unsaved changes of it are lost. Programs that send by{' '}
        <code className="font-mono text-sm">{id}</code> are refused at once.
      </p>
      <p>Emails that were accepted go out, and stay as they are.</p>
    </AlertDialog>
  );
}
