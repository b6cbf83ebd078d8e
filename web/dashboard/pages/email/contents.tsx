import { useQuery } from '@tanstack/react-query';
import { messageOf } from '../../../api/client.ts';
import type { EmailContent, InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { bytes } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Time } from '../../../ui/time.tsx';
import { useProject } from '../../shell/session.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Checks } from './checks.tsx';
import { clicksOf } from './event-words.ts';
import { Headers } from './headers.tsx';
import { Links } from './links.tsx';
import { PreviewFrame } from './preview-frame.tsx';
import { contentQuery } from './queries.ts';
import { Source, TextView } from './source.tsx';

/** What an email says, and what is to be said of that. */
export function Contents({ email }: { email: InspectedEmail }) {
  if (email.content === 'hidden')
    return (
      <EmptyState title="You may not see what this email says">
        As a viewer you see what happened to it. An admin can allow you to see contents, too.
      </EmptyState>
    );
  if (email.content === 'deleted')
    return (
      <EmptyState title="The content was deleted">
        Its time was over <Time value={email.bodies_deleted_at} />, or somebody in it was erased. What
        happened to it is kept.
      </EmptyState>
    );
  return <KeptContents email={email} />;
}

function KeptContents({ email }: { email: InspectedEmail }) {
  const project = useProject();
  const [view, setView] = useSearchParam('view');
  const { data, error, refetch } = useQuery(contentQuery(project.id, email.id, clicksOf(email)));
  const found = data?.checks.filter(({ result }) => result === 'problem' || result === 'warning').length ?? 0;
  const chosen = VIEWS.find(({ value }) => value === view)?.value ?? 'preview';
  const content =
    chosen === 'preview' ? (
      <PreviewFrame id={email.id} content={data} />
    ) : data !== undefined ? (
      <View view={chosen} email={email} content={data} />
    ) : error === null ? (
      <Skeleton className="h-80" />
    ) : (
      <Failure title="The content cannot be shown" onRetry={() => void refetch()}>
        {messageOf(error)}
      </Failure>
    );
  return (
    <div className="min-w-0">
      <Tabs
        label="Content"
        value={chosen}
        onChange={(value) => setView(value === 'preview' ? '' : value)}
        tabs={VIEWS.map(({ value, label }) => ({
          value,
          label: (
            <>
              {label}
              {value === 'checks' && found > 0 && <Badge tone="warn">{found}</Badge>}
            </>
          ),
          content: value === chosen ? content : null,
        }))}
      />
    </div>
  );
}

const VIEWS = [
  { value: 'preview', label: 'Preview' },
  { value: 'text', label: 'Text' },
  { value: 'html', label: 'HTML' },
  { value: 'source', label: 'Source' },
  { value: 'headers', label: 'Headers' },
  { value: 'links', label: 'Links' },
  { value: 'checks', label: 'Checks' },
] as const;

interface ViewProps {
  view: Exclude<(typeof VIEWS)[number]['value'], 'preview'>;
  email: InspectedEmail;
  content: EmailContent;
}

function View({ view, email, content }: ViewProps) {
  switch (view) {
    case 'text':
      return <TextView content={content} />;
    case 'html':
      return content.html === null ? (
        <EmptyState title="There is no HTML">The email is text alone.</EmptyState>
      ) : (
        <Source label="the HTML" text={content.html} />
      );
    case 'source':
      return <RawSource content={content} />;
    case 'headers':
      return <Headers content={content} />;
    case 'links':
      return <Links links={content.links} isCounted={email.tracking.clicks} />;
    case 'checks':
      return <Checks content={content} />;
  }
}

function RawSource({ content: { source } }: { content: EmailContent }) {
  if (source === null)
    return (
      <EmptyState title="There is no message any more">
        No copy was kept, and it cannot be composed again: the project may not send from its domain now.
      </EmptyState>
    );
  return (
    <>
      <p className="mb-3 text-sm text-muted">
        {source.is_rebuilt
          ? 'No copy is kept: this is composed as each attempt composes it, with the keys of today.'
          : 'These are the bytes that the sandbox was handed.'}{' '}
        {source.is_cut && 'It goes on: download it to see all. '}
        {bytes(source.octets)} in all.
      </p>
      <Source label="the source" text={source.text} />
    </>
  );
}
