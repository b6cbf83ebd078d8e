import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { AttemptResult, DeliveryDetail } from '../../../../src/contract/dashboard/webhooks.ts';
import { Status } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { classes } from '../../../ui/classes.ts';
import { Moment, Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { usePolling } from '../webhooks/poll.ts';
import { allOfWebhook, deliveryQuery, type WebhookRouteKey } from '../webhooks/queries.ts';
import { aboutText } from './deliveries.tsx';
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
  const mayChange = useMay('developer');
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
  const retry = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/webhooks/{id}/deliveries/{part}/retry', {
          params: { path: { ...key, part: id } },
        }),
      ),
    async onSuccess(delivery) {
      queries.setQueryData(deliveryQuery(key, id).queryKey, delivery);
      await queries.invalidateQueries({ queryKey: allOfWebhook(key) });
    },
  });
  const canRetry = mayChange && isEnabled && data?.status === 'pending';
  const canReplay = mayChange && data?.status === 'failed' && data.type !== 'webhook.test';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={data?.type ?? 'Delivery'}
      actions={
        canRetry ? (
          <>
            <p className="mr-auto self-center text-sm text-muted">
              {data.is_sending
                ? `Attempt ${data.attempts} of ${data.max_attempts} is in progress.`
                : `This uses attempt ${data.attempts + 1} of ${data.max_attempts}.`}
            </p>
            <Button
              kind="primary"
              disabled={data.is_sending}
              isBusy={retry.isPending}
              onClick={() => retry.mutate()}
            >
              Try now
            </Button>
          </>
        ) : canReplay ? (
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
        <>
          <p className="text-muted">Your role cannot see email contents, so all bodies are hidden.</p>
          <Attempts delivery={delivery} />
        </>
      ) : (
        <Tabs
          label="Details"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'request', label: 'Request', content: <Request delivery={delivery} /> },
            { value: 'answer', label: 'Response', content: <Answer delivery={delivery} /> },
            { value: 'attempts', label: 'Attempts', content: <Attempts delivery={delivery} /> },
          ]}
        />
      )}
    </div>
  );
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
  const { id, event_id, email_id, about, status, attempts, max_attempts, http_status, duration_ms } =
    delivery;
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
        <span>
          {attempts} of {max_attempts}
          {delivery.last_attempt_at !== null && (
            <>
              , last <Time value={delivery.last_attempt_at} />
            </>
          )}
          {delivery.is_sending && ', one in progress'}
          {delivery.next_attempt_at !== null && attempts > 0 && !delivery.is_sending && (
            <>
              , next <Time value={delivery.next_attempt_at} />
            </>
          )}
        </span>
      </Fact>
      {email_id !== null && (
        <Fact name="Email">
          <Link
            to="/emails/$id"
            params={{ id: email_id }}
            title={email_id}
            className={classes(
              'text-accent wrap-anywhere hover:underline',
              about === null && 'font-mono text-sm',
            )}
          >
            {about === null ? email_id : aboutText(about)}
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
      <p className="text-muted">All attempts send this body. Each attempt has a new signature.</p>
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

/** The results of all attempts, newest first. */
function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts, attempt_results: results, is_sending } = delivery;
  const missing = attempts - (is_sending ? 1 : 0) - results.length;
  return (
    <div className="grid gap-3">
      {results.length === 0 && missing <= 0 && <p className="text-muted">No attempt has ended yet.</p>}
      {results.length > attempts && (
        <p className="text-muted">The list includes attempts from before the delivery was replayed.</p>
      )}
      <ol className="grid gap-3">
        {results.toReversed().map((result) => (
          <li key={result.at} className="grid gap-1.5 border-b border-line pb-3 last:border-0 last:pb-0">
            <AttemptRow result={result} />
          </li>
        ))}
      </ol>
      {missing > 0 && (
        <p className="text-sm text-muted">
          {missing === 1
            ? 'The result of one more attempt was not stored.'
            : `The results of ${missing} more attempts were not stored.`}
        </p>
      )}
    </div>
  );
}

function AttemptRow({ result }: { result: AttemptResult }) {
  const { at, http_status, error, duration_ms, response_body, truncated } = result;
  const isGood = http_status !== null && http_status >= 200 && http_status < 300;
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className={classes('font-medium tabular-nums', isGood ? 'text-good' : 'text-bad')}>
          {http_status ?? 'No response'}
          {duration_ms !== null && (
            <span className="font-normal text-muted"> in {number(duration_ms)} ms</span>
          )}
        </span>
        <span className="text-sm text-muted tabular-nums">
          <Moment value={at} />
        </span>
      </div>
      {error !== null && <p className="font-mono text-sm wrap-anywhere">{error}</p>}
      {response_body !== '' && (
        <CodeBlock label={`Response at ${at}`} isWrapped code={response_body + (truncated ? ' …' : '')} />
      )}
    </>
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
