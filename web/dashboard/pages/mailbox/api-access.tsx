import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { apiAccessQuery } from '../mailboxes/queries.ts';
import type { MailboxPartProps } from './part-props.ts';

/** Whether routes may pass mail of the mailbox to programs. */
export function ApiAccess({ of: key, mailbox }: MailboxPartProps) {
  const mayChange = useMay('admin');
  const [isAsking, setAsking] = useState(false);
  const { data } = useQuery(apiAccessQuery(key));
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (isAllowed: boolean) =>
      dataOf(
        api.PUT('/projects/{project}/mailboxes/{id}/api-access', {
          params: { path: { ...key } },
          body: { api_access: isAllowed },
        }),
      ),
    onSuccess(saved) {
      queries.setQueryData(apiAccessQuery(key).queryKey, saved);
      setAsking(false);
      toast(saved.api_access ? 'API access allowed' : 'API access turned off');
    },
  });
  const isAllowed = data?.api_access;
  return (
    <Card title="API access">
      {isAllowed === undefined && <Skeleton className="h-11 w-full" />}
      {isAllowed !== undefined && (
        <p className="text-muted">
          {isAllowed
            ? 'On: routes may pass mail of this mailbox to programs. Its owner sees this in the web client.'
            : 'Off: no route passes mail of this mailbox to programs.'}
        </p>
      )}
      {isAllowed !== undefined && mayChange && (
        <Button
          className="mt-3"
          isBusy={isAllowed && set.isPending}
          onClick={() => (isAllowed ? set.mutate(false) : setAsking(true))}
        >
          {isAllowed ? 'Turn off' : 'Allow API access'}
        </Button>
      )}
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Allow API access to ${mailbox.address}?`}
        action="Allow access"
        isBusy={set.isPending}
        onConfirm={() => set.mutate(true)}
      >
        <p>
          Admins can then create routes that pass the mail of this mailbox to programs, and API keys with the
          scope routes:read can read it. The owner of the mailbox sees that access is allowed.
        </p>
      </AlertDialog>
    </Card>
  );
}
