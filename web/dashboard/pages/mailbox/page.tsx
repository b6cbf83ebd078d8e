import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { ApiProblem, messageOf } from '../../../api/client.ts';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton, SkeletonRows } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { mailboxQuery } from '../mailboxes/queries.ts';
import { LockNotice } from './lock-notice.tsx';
import { BACK, MailboxHead } from './mailbox-head.tsx';
import type { MailboxPartProps } from './part-props.ts';
import { Settings } from './settings.tsx';

const Access = lazyPart(() => import('./access.tsx'));
const Filing = lazyPart(() => import('./filing.tsx'));
const MailApps = lazyPart(() => import('./mail-apps.tsx'));
const Sharing = lazyPart(() => import('./sharing.tsx'));

/** The parts that a viewer can read. */
const OF_VIEWER = new Set(['settings', 'members', 'apps']);
/** The parts that a shared mailbox does not have, because no one signs in to it. */
const OF_LOGIN = new Set(['access', 'apps']);

export default function MailboxPage() {
  const { id: project } = useProject();
  const { id = '' } = useParams({ strict: false });
  const key = { project, id };
  const { data, error, refetch } = useQuery(mailboxQuery(key));
  if (data !== undefined) return <Shown key={id} of={key} mailbox={data} />;
  const isUnknown = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <PageHeader back={BACK} title="Mailbox" />
      {error === null && <Waiting />}
      {isUnknown && (
        <EmptyState title="Mailbox not found">It was deleted or belongs to another project.</EmptyState>
      )}
      {error !== null && !isUnknown && (
        <Failure title="Could not load the mailbox" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
    </>
  );
}

function Waiting() {
  return (
    <>
      <Skeleton className="mb-6 h-9 w-80" />
      <Skeleton className="h-96 w-full max-w-2xl" />
    </>
  );
}

function Shown({ of: key, mailbox }: MailboxPartProps) {
  const [tab, setTab] = useSearchParam('tab');
  const isDeveloper = useMay('developer');
  const waiting = <SkeletonRows count={4} />;
  const parts = [
    { value: 'settings', label: 'Settings', content: <Settings of={key} mailbox={mailbox} /> },
    {
      value: 'access',
      label: 'Sign-in',
      content: (
        <Suspense fallback={waiting}>
          <Access of={key} mailbox={mailbox} />
        </Suspense>
      ),
    },
    {
      value: 'members',
      label: 'Members',
      content: (
        <Suspense fallback={waiting}>
          <Sharing of={key} mailbox={mailbox} />
        </Suspense>
      ),
    },
    {
      value: 'rules',
      label: 'Incoming mail',
      content: (
        <Suspense fallback={waiting}>
          <Filing of={key} mailbox={mailbox} />
        </Suspense>
      ),
    },
    {
      value: 'apps',
      label: 'Mail apps',
      content: (
        <Suspense fallback={waiting}>
          <MailApps mailbox={mailbox} />
        </Suspense>
      ),
    },
  ];
  return (
    <>
      <MailboxHead of={key} mailbox={mailbox} />
      <LockNotice of={key} mailbox={mailbox} />
      <Tabs
        label="About this mailbox"
        value={tab}
        onChange={setTab}
        tabs={parts.filter(
          ({ value }) =>
            (mailbox.is_shared ? !OF_LOGIN.has(value) : true) && (isDeveloper || OF_VIEWER.has(value)),
        )}
      />
    </>
  );
}
