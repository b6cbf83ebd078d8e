import { useMutation } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';

/** Exports or deletes the project. */
export function EndOfProject({ name }: { name: string }) {
  const { id: project } = useProject();
  const mayDelete = useMay('owner');
  const [open, setOpen] = useSearchParam('open');
  const close = () => setOpen('');
  const path = { project };
  const remove = useMutation({
    mutationFn: (typed: string) =>
      dataOf(api.DELETE('/projects/{project}', { params: { path }, body: { name: typed } })),
    meta: { showsErrors: true },
    // The page reloads, because cached data belongs to the deleted project.
    onSuccess: () => location.assign('/dashboard'),
  });
  const readContents = (signal: AbortSignal) =>
    dataOf(api.GET('/projects/{project}/contents', { params: { path }, signal }));
  return (
    <Card title="Export and delete">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-72 text-pretty text-muted">
          {mayDelete
            ? 'Export first: deleted data cannot be restored.'
            : 'Only owners of the organization can delete the project.'}
        </p>
        <Button onClick={() => setOpen('export')}>Export project</Button>
        {mayDelete && (
          <Button kind="danger" onClick={() => setOpen('delete')}>
            Delete project
          </Button>
        )}
      </div>
      {open === 'export' && (
        <ExportDialog
          name={name}
          readContents={readContents}
          id={project}
          href={`/dashboard/api/projects/${project}/export`}
          onClose={close}
        />
      )}
      {open === 'delete' && mayDelete && (
        <DeleteDialog
          name={name}
          readContents={readContents}
          kind="project"
          id={project}
          error={remove.error}
          isBusy={remove.isPending}
          onDelete={(typed) => remove.mutate(typed)}
          onClose={close}
        >
          <p>
            API keys are rejected within two seconds, mailboxes stop receiving mail, and queued mail is not
            sent. Others can use the name and the domains. Emails and messages are deleted in the background.
          </p>
        </DeleteDialog>
      )}
    </Card>
  );
}
