import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { domainKey } from './use-domain.ts';

interface RemoveDomainProps {
  project: string;
  domain: DashboardDomain;
  isOpen: boolean;
  onClose(): void;
}

export function RemoveDomain({ project, domain, isOpen, onClose }: RemoveDomainProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/projects/{project}/domains/{id}', { params: { path: { project, id: domain.id } } }),
      ),
    async onSuccess() {
      toast(`${domain.domain} is removed.`);
      await navigate({ to: '/domains', search: { project } });
      queries.removeQueries({ queryKey: domainKey(project, domain.id) });
      await queries.invalidateQueries({ queryKey: ['domains', project] });
    },
    onSettled: onClose,
  });
  return (
    <AlertDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Remove ${domain.domain}?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>Mail from {domain.domain} is refused from now on, and what waits to be sent fails.</p>
      <p>
        Its DKIM key is deleted. Added again, the domain has another key and has to be verified anew. Its DNS
        records stay until you remove them.
      </p>
      {domain.has_mailboxes && (
        <p className="text-bad">
          There are mailboxes or aliases on it. It can be removed once they are deleted.
        </p>
      )}
    </AlertDialog>
  );
}
