import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { toast } from '../../../ui/toast.tsx';
import { SessionList } from '../../../account/session-list.tsx';
import type { MemberDialogProps } from './member-dialog.ts';
import { useOrganization } from './queries.ts';

export function SessionsDialog({ member, onClose }: MemberDialogProps) {
  const { id: organization } = useOrganization();
  const queries = useQueryClient();
  const path = { organization, id: member.user_id };
  const queryKey = ['member-sessions', organization, member.user_id];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/organizations/{organization}/users/{id}/sessions', { params: { path }, signal })),
  });
  const onSettled = () => queries.invalidateQueries({ queryKey });
  const end = useMutation({
    mutationFn: (part: string) =>
      dataOf(
        api.DELETE('/organizations/{organization}/users/{id}/sessions/{part}', {
          params: { path: { ...path, part } },
        }),
      ),
    onSuccess: () => toast('Session ended'),
    onSettled,
  });
  const endAll = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/organizations/{organization}/users/{id}/sessions', { params: { path } })),
    onSuccess: () => toast(`All sessions of ${member.name} ended`),
    onSettled,
  });
  const sessions = data?.data ?? [];
  const others = sessions.filter(({ is_current: isCurrent }) => !isCurrent);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Sessions of ${member.name}`}
      description="Sessions end within two seconds. The member must then sign in again."
      actions={
        <>
          {others.length > 0 && (
            <Button kind="danger" isBusy={endAll.isPending} onClick={() => endAll.mutate()}>
              Sign out all
            </Button>
          )}
          <Button onClick={onClose}>Done</Button>
        </>
      }
    >
      {data === undefined && error === null && <SkeletonRows count={2} />}
      {error !== null && <p className="text-bad">{messageOf(error)}</p>}
      {data !== undefined && sessions.length === 0 && <p className="text-muted">No active sessions.</p>}
      <SessionList
        sessions={sessions}
        ending={end.isPending ? end.variables : undefined}
        onEnd={(id) => end.mutate(id)}
      />
    </Dialog>
  );
}
