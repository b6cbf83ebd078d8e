import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { RouteMessageAttempts } from '../../../../src/contract/dashboard/route-messages.ts';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { bytes, number } from '../../../ui/amounts.ts';
import { Status } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Moment, Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { usePolling } from '../webhooks/poll.ts';
import { allOfRoute, messageQuery, type RouteKey } from '../routes/queries.ts';

interface MessageDialogProps {
  of: RouteKey;
  id: string;
  hasUrl: boolean;
  onClose(): void;
}

/** The delivery of a message, in a dialog above the route's page. Loaded when a message is opened. */
export default function MessageDialog({ of: key, id, hasUrl, onClose }: MessageDialogProps) {
  const poll = usePolling<RouteMessageAttempts>(() => true);
  const { data, error } = useQuery({
    ...messageQuery(key, id),
    refetchInterval: (query) => query.state.data?.status === 'pending' && poll(query),
  });
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/routes/{id}/messages/{part}/replay', {
          params: { path: { ...key, part: id } },
        }),
      ),
    async onSuccess() {
      toast('Sending the message');
      await queries.invalidateQueries({ queryKey: allOfRoute(key) });
    },
  });
  const action = data?.status === 'pending' ? 'Try now' : data?.status === 'stored' ? 'Send' : 'Replay';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={data?.subject || 'Message'}
      actions={
        data !== undefined && hasUrl ? (
          <Button
            kind="primary"
            disabled={data.is_sending}
            isBusy={replay.isPending}
            onClick={() => replay.mutate()}
          >
            {action}
          </Button>
        ) : undefined
      }
    >
      {data === undefined && error !== null && (
        <Failure title="Could not load the message">{messageOf(error)}</Failure>
      )}
      {data === undefined && error === null && <Skeleton className="h-72 w-full" />}
      {data !== undefined && <Message message={data} />}
    </Dialog>
  );
}

function Message({ message }: { message: RouteMessageAttempts }) {
  const { id, status, author, recipients, octets, attempts, max_attempts, http_status, duration_ms } =
    message;
  return (
    <div className="grid gap-5">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-1.5">
        <Fact name="Status">
          <Status value={status} {...(status === 'stored' && { tone: 'info' as const })} />
        </Fact>
        {author !== null && <Fact name="From">{author}</Fact>}
        <Fact name="To">{recipients.join(', ')}</Fact>
        <Fact name="Received">
          <Moment value={message.created_at} />, {bytes(octets)}
        </Fact>
        {status !== 'stored' && (
          <>
            <Fact name="Response">
              {http_status ?? 'None'}
              {duration_ms !== null && ` in ${number(duration_ms)} ms`}
            </Fact>
            <Fact name="Attempts">
              {attempts} of {max_attempts}
              {message.is_sending && ', one in progress'}
              {message.next_attempt_at !== null && !message.is_sending && (
                <>
                  , next <Time value={message.next_attempt_at} />
                </>
              )}
            </Fact>
          </>
        )}
        <Fact name="Deleted">
          <Time value={message.expires_at} />
        </Fact>
        <Fact name="ID">
          <span className="flex items-center gap-1">
            <span className="truncate font-mono text-sm">{id}</span>
            <Copy text={id} what="the ID" className="-my-1.5" />
          </span>
        </Fact>
      </dl>
      {message.error !== null && (
        <p className="rounded-md bg-bad-soft px-3.5 py-2.5 font-mono text-sm wrap-anywhere text-bad">
          {message.error}
        </p>
      )}
      {http_status !== null && message.response_body !== '' && (
        <CodeBlock
          label="Response body"
          isWrapped
          code={message.response_body + (message.truncated ? ' …' : '')}
        />
      )}
      {message.past_attempts.length > 1 && <Attempts results={message.past_attempts} />}
    </div>
  );
}

/** The results of all attempts, newest first. */
function Attempts({ results }: { results: RouteMessageAttempts['past_attempts'] }) {
  return (
    <section aria-label="Attempts">
      <h3 className="mb-2 font-medium">Attempts</h3>
      <ol className="grid gap-2">
        {results.toReversed().map(({ at, http_status, error, duration_ms }) => (
          <li key={at} className="border-b border-line pb-2 last:border-0">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 tabular-nums">
              <span>
                {http_status ?? 'No response'}
                {duration_ms !== null && <span className="text-muted"> in {number(duration_ms)} ms</span>}
              </span>
              <span className="text-sm text-muted">
                <Moment value={at} />
              </span>
            </div>
            {error !== null && <p className="font-mono text-sm wrap-anywhere">{error}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere tabular-nums">{children}</dd>
    </>
  );
}
