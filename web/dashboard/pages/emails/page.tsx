import { Suspense, useEffect, useState } from 'react';
import { lazyPart, loadable } from '../../../shell/code.ts';
import { messageOf } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { classes } from '../../../ui/classes.ts';
import { ExportMenu } from '../../shell/export-menu.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay } from '../../shell/session.ts';
import { previousList } from '../../shell/state.ts';
import { Filters } from './filters.tsx';
import { RowSkeletons } from './row-skeletons.tsx';
import { SearchBox } from './search-box.tsx';
import { useLog } from './use-log.ts';

// Start loading the chunk now, in parallel with the emails.
const list = loadable(() => import('./email-list.tsx'))();
const EmailList = lazyPart(async () => ({ default: (await list).EmailList }));
// These chunks are loaded on demand, because projects usually have emails.
const NoEmails = lazyPart(async () => ({ default: (await import('./nothing.tsx')).NoEmails }));
const ViewsMenu = lazyPart(async () => ({ default: (await import('./views.tsx')).ViewsMenu }));
const SendDialog = lazyPart(async () => ({ default: (await import('./send-dialog.tsx')).SendDialog }));
const NoResult = lazyPart(async () => ({ default: (await import('./nothing.tsx')).NoResult }));

export default function EmailsPage() {
  const [q, setQ] = useSearchParam('q');
  const [sending, setSending] = useSearchParam('send');
  const maySend = useMay('developer');
  const [isLive, setIsLive] = useState(true);
  const log = useLog(q, isLive);
  useEffect(() => previousList.set({ neighborsOf: log.neighborsOf, search: q === '' ? {} : { q } }));
  const search = (next: string) => setQ(next, { push: true });
  const tags = [...new Set(log.fresh.flatMap((row) => row.tags))].slice(0, 12);
  return (
    <>
      <PageHeader
        title="Emails"
        actions={
          <>
            <Button aria-pressed={isLive} onClick={() => setIsLive(!isLive)}>
              <span
                aria-hidden="true"
                className={classes(
                  'size-2 rounded-full',
                  isLive && log.updates.areComing ? 'animate-pulse bg-good' : 'bg-edge',
                )}
              />
              {isLive && !log.updates.areComing ? log.updates.status : 'Live'}
            </Button>
            <ExportMenu label={q === '' ? 'All emails' : 'Search results'} resource="emails" search={{ q }} />
            {maySend && (
              <Button kind="primary" icon={<PlusIcon />} onClick={() => setSending('1')}>
                Send email
              </Button>
            )}
          </>
        }
      />
      <SearchBox q={q} error={log.fault} onSearch={setQ} />
      <div className="flex flex-wrap items-start justify-between gap-x-2">
        <Filters q={q} tags={tags} onChange={search} />
        <div className="mt-2 mb-3 min-w-0">
          <Suspense fallback={null}>
            <ViewsMenu q={q} onChange={search} />
          </Suspense>
        </div>
      </div>
      {sending !== '' && maySend && (
        <Suspense fallback={null}>
          <SendDialog onClose={() => setSending('')} />
        </Suspense>
      )}
      <Content q={q} log={log} onSearch={search} />
    </>
  );
}

interface ContentProps {
  q: string;
  log: ReturnType<typeof useLog>;
  onSearch(q: string): void;
}

function Content({ q, log, onSearch }: ContentProps) {
  if (log.error !== null && log.count === 0)
    return (
      <Failure title="Could not load the emails" onRetry={log.retry}>
        {messageOf(log.error)}
      </Failure>
    );
  if (log.isPending) return <RowSkeletons />;
  if (log.count === 0 && log.waiting === 0) {
    // The search box shows the error for an invalid search.
    if (log.fault !== undefined) return null;
    return (
      <Suspense fallback={<RowSkeletons />}>
        {q === '' ? <NoEmails /> : <NoResult q={q} unmatched={log.unmatched} onClear={() => onSearch('')} />}
      </Suspense>
    );
  }
  return (
    <Suspense fallback={<RowSkeletons />}>
      <EmailList q={q} log={log} />
    </Suspense>
  );
}
