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
      toast(`${domain.domain} removed`);
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
      <p>Mail from {domain.domain} will be rejected from now on, and queued mail will fail.</p>
      <p>
        Its DKIM key will be deleted. If you add the domain again, it gets a new key and must be verified
        again. Its DNS records stay until you remove them.
      </p>
      {domain.has_mailboxes && (
        <p className="text-bad">
          The domain has mailboxes or aliases. Delete them before you remove the domain.
        </p>
      )}
    </AlertDialog>
  );
}
