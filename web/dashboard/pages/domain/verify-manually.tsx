import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.tsx';
import { domainKey } from './use-domain.ts';

/** Lets the project send from a domain without DNS records. For operators, outside production. */
export function VerifyManually({ project, id }: { project: string; id: string }) {
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/domains/{id}/manual-verification', {
          params: { path: { project, id } },
        }),
      ),
    onSuccess(domain) {
      queries.setQueryData(domainKey(project, id), domain);
      void queries.invalidateQueries({ queryKey: ['domains', project] });
      toast(`${domain.domain} is verified manually. You can now send from it.`);
    },
  });
  return (
    <Button isBusy={verify.isPending} onClick={() => verify.mutate()}>
      Verify manually
    </Button>
  );
}
