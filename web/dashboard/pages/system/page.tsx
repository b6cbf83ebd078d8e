import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { NoSuchPage } from '../../../shell/failures.tsx';
import { HOME } from '../../shell/pages.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useSession } from '../../shell/session.ts';

const Checks = lazyPart(() => import('./checks.tsx'));
const Queue = lazyPart(() => import('./queue.tsx'));
const Processes = lazyPart(() => import('./processes.tsx'));
const Storage = lazyPart(() => import('./storage.tsx'));
const Certificates = lazyPart(() => import('./certificates.tsx'));
const TlsResults = lazyPart(() => import('./tls-results.tsx'));
const OperatorMail = lazyPart(() => import('./operator-mail.tsx'));
const Versions = lazyPart(() => import('./versions.tsx'));
const SignIn = lazyPart(() => import('./sign-in.tsx'));
const Log = lazyPart(() => import('./log.tsx'));

const part = (value: string, label: string, content: ReactNode) => ({
  value,
  label,
  content: <Suspense fallback={<SkeletonRows />}>{content}</Suspense>,
});

const PARTS = [
  part('checks', 'Checks', <Checks />),
  part('queue', 'Queue', <Queue />),
  part('processes', 'Processes', <Processes />),
  part('storage', 'Storage', <Storage />),
  part('certificates', 'Certificates', <Certificates />),
  part('tls', 'TLS results', <TlsResults />),
  part('mail', 'Mail for operators', <OperatorMail />),
  part('versions', 'Versions', <Versions />),
  part('sign-in', 'Sign-in', <SignIn />),
  part('log', 'Log', <Log />),
];

export default function SystemPage() {
  const { user } = useSession();
  const [shown] = useSearchParam('part');
  const navigate = useNavigate();
  if (!user.is_operator) return <NoSuchPage home={HOME} />;
  // The search parameters of one part do not apply to the other parts.
  const show = (value: string) =>
    void navigate({ to: '.', search: value === 'checks' ? {} : { part: value }, replace: true });
  return (
    <>
      <PageHeader title="System" description="Operate this installation." />
      <Tabs label="System" value={shown || 'checks'} onChange={show} tabs={PARTS} />
    </>
  );
}
