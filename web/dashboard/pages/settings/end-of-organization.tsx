import { useMutation } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Session } from '../../../../src/contract/dashboard/session.ts';
import { counted } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';

interface EndOfOrganizationProps {
  organization: Session['organizations'][number];
  projects: number;
}

/** Exports or deletes the organization. */
export function EndOfOrganization({ organization: { id, name }, projects }: EndOfOrganizationProps) {
  const [open, setOpen] = useSearchParam('open');
  const close = () => setOpen('');
  const path = { organization: id };
  const remove = useMutation({
    mutationFn: (typed: string) =>
      dataOf(api.DELETE('/organizations/{organization}', { params: { path }, body: { name: typed } })),
    meta: { showsErrors: true },
    onSuccess: () => location.assign('/dashboard'),
  });
  const readContents = (signal: AbortSignal) =>
    dataOf(api.GET('/organizations/{organization}/contents', { params: { path }, signal }));
  return (
    <Card title="Export and delete">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-72 text-pretty text-muted">
          Both include all projects of the organization. Export first: deleted data cannot be restored.
        </p>
        <Button onClick={() => setOpen('export-all')}>Export organization</Button>
        <Button kind="danger" onClick={() => setOpen('delete-all')}>
          Delete organization
        </Button>
      </div>
      {open === 'export-all' && (
        <ExportDialog
          name={name}
          id={id}
          readContents={readContents}
          href={`/dashboard/api/organizations/${id}/export`}
          onClose={close}
        />
      )}
      {open === 'delete-all' && (
        <DeleteDialog
          name={name}
          id={id}
          readContents={readContents}
          kind="organization"
          error={remove.error}
          isBusy={remove.isPending}
          onDelete={(typed) => remove.mutate(typed)}
          onClose={close}
        >
          <p>
            {counted(projects, 'project')}, the audit log, and the accounts of members who belong to no other
            organization are deleted. API keys are rejected within two seconds, mailboxes stop receiving mail,
            and queued mail is not sent.
          </p>
        </DeleteDialog>
      )}
    </Card>
  );
}
