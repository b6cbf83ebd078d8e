import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, messageOf } from '../../../api/client.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { browserOf } from './browser-of.ts';

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
    onSuccess: () => toast('All other sessions ended'),
    onSettled,
  });
  const sessions = data?.data ?? [];
  return (
    <Card
      title="Sessions"
      aside={
        sessions.length > 1 && (
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            End all others
          </Button>
        )
      }
    >
      {data === undefined && error === null && <SkeletonRows />}
      {error !== null && <p className="text-bad">{messageOf(error)}</p>}
      <ul className="divide-y divide-line" aria-label="Sessions">
        {sessions.map(({ id, is_current: isCurrent, address, user_agent: agent, last_used_at: usedAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
            <div className="min-w-0 flex-1 basis-52">
              <p className="flex flex-wrap items-center gap-2 font-medium" title={agent}>
                {browserOf(agent)} {isCurrent && <Badge tone="info">This one</Badge>}
              </p>
              <p className="text-sm text-muted">
                {address}, <Time value={usedAt} />
              </p>
            </div>
            {!isCurrent && (
              <Button
                kind="quiet"
                aria-label={`End the session of ${browserOf(agent)} at ${address}`}
                isBusy={end.isPending && end.variables === id}
                onClick={() => end.mutate(id)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
