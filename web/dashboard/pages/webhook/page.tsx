import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { ApiProblem, dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardWebhookDetail } from '../../../../src/contract/dashboard/webhooks.ts';
import { Card } from '../../../ui/card.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton, SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useProject } from '../../shell/session.ts';
import { usePolling } from '../webhooks/poll.ts';
import { allOfWebhook, type WebhookRouteKey, webhookQuery } from '../webhooks/queries.ts';
import { Activity } from './activity.tsx';
import { Deliveries } from './deliveries.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { TestResult } from './test-result.tsx';
import { BACK, WebhookHead } from './webhook-head.tsx';

const DeliveryDialog = lazyPart(() => import('./delivery-dialog.tsx'));
const Verify = lazyPart(() => import('./verify.tsx'));

export default function WebhookPage() {
  const { id: project } = useProject();
  const { id = '' } = useParams({ strict: false });
  const key = { project, id };
  const refetchInterval = usePolling<DashboardWebhookDetail>(
    ({ waiting, replay, retry }) =>
      waiting.count > 0 || replay?.ended_at === null || retry?.ended_at === null,
  );
  const { data, error, refetch } = useQuery({ ...webhookQuery(key), refetchInterval });
  if (data !== undefined) return <Webhook of={key} webhook={data} />;
  return (
    <>
      <PageHeader back={BACK} title="Webhook" />
      {error === null && <Waiting />}
      {error instanceof ApiProblem && error.status === 404 && (
        <EmptyState title="Webhook not found">It was deleted or belongs to another project.</EmptyState>
      )}
      {error !== null && !(error instanceof ApiProblem && error.status === 404) && (
        <Failure title="Could not load the webhook" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
    </>
  );
}

function Waiting() {
  return (
    <>
      <div className="mb-8 grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Skeleton className="h-56" />
        <Skeleton className="h-56" />
      </div>
      <SkeletonRows />
    </>
  );
}

function Webhook({ of: key, webhook }: { of: WebhookRouteKey; webhook: DashboardWebhookDetail }) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/projects/{project}/webhooks/{id}/test', { params: { path: { ...key } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: allOfWebhook(key) }),
  });
  const [delivery, setDelivery] = useSearchParam('delivery');
  const [dismissed, setDismissed] = useState<string | null>(null);
  const answered = test.data;
  return (
    <>
      <WebhookHead of={key} webhook={webhook} onTest={() => test.mutate()} isTesting={test.isPending} />
      {answered !== undefined && answered.delivery_id !== dismissed && (
        <TestResult
          of={key}
          webhook={webhook}
          test={answered}
          onClose={() => setDismissed(answered.delivery_id)}
        />
      )}
      <Trouble webhook={webhook} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Activity of={key} webhook={webhook} />
        <SigningSecret of={key} webhook={webhook} />
      </div>
      <Deliveries of={key} webhook={webhook} />
      <Card title="Verify the signature" className="mt-8">
        <p className="mb-3 max-w-2xl text-muted">
          Anyone can POST to your URL. Before you trust a body, verify its signature, which is computed with
          your secret over the raw bytes.{' '}
          <a
            href="/docs/webhooks#verifying-the-signature"
            className="text-accent underline underline-offset-2"
          >
            How signatures work
          </a>
        </p>
        <Suspense fallback={<Skeleton className="h-72 w-full" />}>
          <Verify />
        </Suspense>
      </Card>
      {delivery !== '' && (
        <Suspense fallback={null}>
          <DeliveryDialog
            key={delivery}
            of={key}
            id={delivery}
            isEnabled={webhook.enabled}
            onClose={() => setDelivery('')}
          />
        </Suspense>
      )}
    </>
  );
}

/** Problems with the webhook that its owner should fix. */
function Trouble({ webhook }: { webhook: DashboardWebhookDetail }) {
  const { enabled, disabled_reason, failing_since, disabled_at } = webhook;
  if (enabled ? failing_since === null : disabled_reason === null) return null;
  return (
    <p className="mb-5 flex items-start gap-2.5 rounded-lg bg-warn-soft px-4 py-3 text-warn">
      <WarningIcon className="mt-[3px]" />
      {enabled ? (
        <span>
          Deliveries started failing <Time value={failing_since} />. If this continues, the webhook will be
          disabled <Time value={disabled_at} />.
        </span>
      ) : (
        <span>
          The webhook was disabled because all deliveries failed for five days. Fix your endpoint, check it
          with Send test, then resume the webhook and replay the failed deliveries.
        </span>
      )}
    </p>
  );
}
