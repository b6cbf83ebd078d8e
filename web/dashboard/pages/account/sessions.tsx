import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { toast } from '../../../ui/toast.tsx';
import { SessionList } from '../../../account/session-list.tsx';

const KEY = ['sessions'];

export function Sessions() {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => dataOf(api.GET('/sessions', { signal })),
  });
  const onSettled = () => queries.invalidateQueries({ queryKey: KEY });
  const end = useMutation({
    mutationFn: (id: string) => dataOf(api.DELETE('/sessions/{id}', { params: { path: { id } } })),
    onSuccess: () => toast('Session ended'),
    onSettled,
  });
  const endOthers = useMutation({
    mutationFn: () => dataOf(api.DELETE('/sessions')),
    onSuccess: () => toast('Signed out of all other sessions'),
    onSettled,
  });
  const sessions = data?.data ?? [];
  return (
    <Card
      title="Sessions"
      aside={
        sessions.length > 1 && (
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out of all other sessions
          </Button>
        )
      }
    >
      {data === undefined && error === null && <SkeletonRows />}
      {error !== null && <p className="text-bad">{messageOf(error)}</p>}
      <SessionList
        sessions={sessions}
        ending={end.isPending ? end.variables : undefined}
        onEnd={(id) => end.mutate(id)}
      />
    </Card>
  );
}
