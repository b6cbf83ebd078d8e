import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DashboardWebhook } from '../../../../src/contract/dashboard/webhooks.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PlusIcon, WebhookIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { ActivityBars } from './activity-bars.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { webhooksQuery } from './queries.ts';
import { EVENT_KEYS } from './webhook-fields.tsx';
import { WebhookState } from './webhook-state.tsx';
import { NotLoaded } from '../../../shell/loaded.tsx';

const REFRESH_MS = 15_000;

export default function WebhooksPage() {
  const { id: project } = useProject();
  const mayChange = useMay('developer');
  const [creating, setCreating] = useSearchParam('create');
  const { data, error, refetch } = useQuery({ ...webhooksQuery(project), refetchInterval: REFRESH_MS });
  const create = mayChange && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setCreating('yes')}>
      Create webhook
    </Button>
  );
  const isEmpty = data?.data.length === 0;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Get notified when an email from this project is delivered, bounces or is opened."
        actions={isEmpty ? undefined : create}
      />
      {data === undefined && (
        <NotLoaded title="Could not load the webhooks" error={error} refetch={refetch} rows={3} />
      )}
      {data !== undefined && !isEmpty && <WebhookTable webhooks={data.data} />}
      {isEmpty && <NoWebhooks action={create} />}
      {creating !== '' && mayChange && <CreateWebhook project={project} onClose={() => setCreating('')} />}
    </>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly DashboardWebhook[] }) {
  return (
    <Table
      label="Webhooks"
      head={
        <>
          <Th>URL</Th>
          <Th>Status</Th>
          <Th isWideOnly>Last success</Th>
          <Th isWideOnly>Last failure</Th>
          <Th isWideOnly>Last 24 hours</Th>
        </>
      }
    >
      {webhooks.map((webhook) => (
        <Row key={webhook.id}>
          <Td className="max-w-0 w-full">
            <Link to="/webhooks/$id" params={{ id: webhook.id }} className={`${rowLink} block truncate`}>
              {webhook.url}
            </Link>
            <span className="block truncate text-sm text-muted">{eventsOf(webhook)}</span>
          </Td>
          <Td>
            <WebhookState {...webhook} />
          </Td>
          <Td isWideOnly>
            <Time value={webhook.last_success_at} />
          </Td>
          <Td isWideOnly>
            <Time value={webhook.last_failure_at} />
          </Td>
          <Td isWideOnly className="min-w-36">
            <ActivityBars activity={webhook.activity} span="24 hours" className="h-8" />
          </Td>
        </Row>
      ))}
    </Table>
  );
}

function eventsOf({ events }: DashboardWebhook): string {
  if (events.length === EVENT_KEYS.length) return 'All events';
  return events.map((event) => event.replace('email.', '')).join(', ');
}

function NoWebhooks({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={<WebhookIcon />} title="No webhooks yet" action={action}>
      <p>
        A webhook sends a POST request to your URL moments after an email is delivered, bounces or is opened.
        No need to poll: Posthorn calls your endpoint.
      </p>
      <p className="mt-2">
        Each request is signed, retried for 17 hours if your endpoint is down, and logged here with the
        response.
      </p>
    </EmptyState>
  );
}
