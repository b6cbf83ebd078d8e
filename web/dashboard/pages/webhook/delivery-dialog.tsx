import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DeliveryDetail } from '../../../../src/contract/dashboard/webhooks.ts';
import { Status } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { usePolling } from '../webhooks/poll.ts';
import { allOfWebhook, deliveryQuery, type WebhookRouteKey } from '../webhooks/queries.ts';
import { explain } from './explain.ts';
import { number } from '../../../ui/amounts.ts';

interface DeliveryDialogProps {
  of: WebhookRouteKey;
  id: string;
  isEnabled: boolean;
  onClose(): void;
}

/** A delivery, in a dialog above the webhook's page. Loaded when a delivery is opened. */
export default function DeliveryDialog({ of: key, id, isEnabled, onClose }: DeliveryDialogProps) {
  const mayReplay = useMay('developer');
  const poll = usePolling<DeliveryDetail>(() => true);
  const { data, error } = useQuery({
    ...deliveryQuery(key, id),
    refetchInterval: (query) => query.state.data?.status === 'pending' && poll(query),
  });
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/webhooks/{id}/deliveries/{part}/replay', {
          params: { path: { ...key, part: id } },
        }),
      ),
    async onSuccess(delivery) {
      queries.setQueryData(deliveryQuery(key, id).queryKey, delivery);
      toast('Replaying the delivery');
      await queries.invalidateQueries({ queryKey: allOfWebhook(key) });
    },
  });
  const canReplay = mayReplay && data?.status === 'failed' && data.type !== 'webhook.test';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={data?.type ?? 'Delivery'}
      actions={
        canReplay ? (
          <>
            {!isEnabled && (
              <p className="mr-auto self-center text-sm text-muted">Resume the webhook to replay it.</p>
            )}
            <Button
              kind="primary"
              disabled={!isEnabled}
              isBusy={replay.isPending}
              onClick={() => replay.mutate()}
            >
              Replay
            </Button>
          </>
        ) : undefined
      }
    >
      {data === undefined && error !== null && (
        <Failure title="Could not load the delivery">{messageOf(error)}</Failure>
      )}
      {data === undefined && error === null && <Skeleton className="h-72 w-full" />}
      {data !== undefined && <Delivery delivery={data} />}
    </Dialog>
  );
}

function Delivery({ delivery }: { delivery: DeliveryDetail }) {
  const [tab, setTab] = useState(
    delivery.http_status === null || delivery.status === 'delivered' ? 'request' : 'answer',
  );
  const explanation = explain(delivery);
  return (
    <div className="grid gap-4">
      <Facts delivery={delivery} />
      {explanation !== null && (
        <div className="rounded-md bg-bad-soft px-3.5 py-2.5 text-bad">
          <p className="font-medium">{explanation.what}</p>
          <p>{explanation.advice}</p>
          {delivery.error !== null && <p className="mt-1 font-mono text-sm">{delivery.error}</p>}
        </div>
      )}
      {delivery.hides_bodies ? (
        <p className="text-muted">Your role cannot see email contents, so both bodies are hidden.</p>
      ) : (
        <Tabs
          label="Bodies"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'request', label: 'Request', content: <Request delivery={delivery} /> },
            { value: 'answer', label: 'Response', content: <Answer delivery={delivery} /> },
          ]}
        />
      )}
    </div>
  );
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
  const { id, event_id, email_id, status, attempts, max_attempts, http_status, duration_ms } = delivery;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-1.5">
      <Fact name="Status">
        <Status value={status} />
      </Fact>
      <Fact name="Response">
        {http_status ?? 'None'}
        {duration_ms !== null && ` in ${number(duration_ms)} ms`}
      </Fact>
      <Fact name="Attempts">
        {attempts} of {max_attempts}
        {delivery.last_attempt_at !== null && (
          <>
            , last <Time value={delivery.last_attempt_at} />
          </>
        )}
        {delivery.next_attempt_at !== null && attempts > 0 && (
          <>
            , next <Time value={delivery.next_attempt_at} />
          </>
        )}
      </Fact>
      {email_id !== null && (
        <Fact name="Email">
          <Link
            to="/emails/$id"
            params={{ id: email_id }}
            className="font-mono text-sm text-accent hover:underline"
          >
            {email_id}
          </Link>
        </Fact>
      )}
      <Fact name="Event">
        <Id id={event_id} what="the event ID" />
      </Fact>
      <Fact name="Delivery">
        <Id id={id} what="the delivery ID" />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 tabular-nums">{children}</dd>
    </>
  );
}

function Id({ id, what }: { id: string; what: string }) {
  return (
    <span className="flex items-center gap-1">
      <span className="truncate font-mono text-sm">{id}</span>
      <Copy text={id} what={what} className="-my-1.5" />
    </span>
  );
}

function Request({ delivery }: { delivery: DeliveryDetail }) {
  const { request_body, request_headers, email_id, truncated } = delivery;
  if (request_body === '' && email_id !== null) {
    return <p className="text-muted">The email was deleted, and with it the request body.</p>;
  }
  return (
    <div className="grid gap-3">
      <CodeBlock
        label="Request headers"
        isWrapped
        code={request_headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
      />
      <CodeBlock label="Request body" isWrapped code={pretty(request_body)} />
      {truncated && <Cut />}
    </div>
  );
}

function Answer({ delivery }: { delivery: DeliveryDetail }) {
  const { http_status, response_body, truncated } = delivery;
  if (http_status === null) return <p className="text-muted">There was no response.</p>;
  return (
    <div className="grid gap-3">
      <p>
        Status <span className="font-medium">{http_status}</span>
      </p>
      {response_body === '' ? (
        <p className="text-muted">Empty body.</p>
      ) : (
        <CodeBlock label="Response body" isWrapped code={pretty(response_body)} />
      )}
      {truncated && <Cut />}
    </div>
  );
}

function Cut() {
  return (
    <p className="text-sm text-muted">At least one body is truncated: only the first 4 KB are stored.</p>
  );
}

/** Adds line breaks to JSON. Returns other text, and truncated JSON, unchanged. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
