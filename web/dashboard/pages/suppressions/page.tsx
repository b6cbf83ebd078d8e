import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PlusIcon, StopIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { ExportMenu } from '../../shell/export-menu.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { allSuppressions, type SuppressionFilter, suppressionsQuery } from './queries.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { SuppressionTable } from './suppression-table.tsx';
import { WhyDialog } from './why-dialog.tsx';
import { isReason, REASONS } from './words.ts';
import { Select } from '../../../ui/field.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { counted } from '../../../ui/amounts.ts';

interface SelectedProps {
  count: number;
  onRemove(): void;
  onClear(): void;
}

const AddDialog = lazyPart(async () => ({ default: (await import('./add-dialog.tsx')).AddDialog }));
const ImportDialog = lazyPart(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));

type PendingAction = 'add' | 'import' | { remove: readonly string[] };

export default function SuppressionsPage() {
  const { id: project } = useProject();
  const mayChange = useMay('developer');
  const queries = useQueryClient();
  const [q] = useSearchParam('q');
  const [word] = useSearchParam('reason');
  const [address, setAddress] = useSearchParam('address');
  const [pendingAction, setPendingAction] = useState<PendingAction | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const filter: SuppressionFilter = { q, reason: isReason(word) ? word : '' };
  const reload = async () => {
    setSelected(new Set());
    await queries.invalidateQueries({ queryKey: allSuppressions(project) });
  };
  const buttons = mayChange && (
    <>
      <Button onClick={() => setPendingAction('import')}>Import</Button>
      <Button kind="primary" icon={<PlusIcon />} onClick={() => setPendingAction('add')}>
        Add addresses
      </Button>
    </>
  );
  return (
    <>
      <PageHeader
        title="Suppressions"
        description="Addresses that this project does not send mail to."
        actions={
          <>
            <ExportMenu
              label={q === '' && filter.reason === '' ? 'All suppressions' : 'Search results'}
              resource="suppressions"
              search={{ ...filter }}
            />
            {buttons}
          </>
        }
      />
      <Filters />
      <List
        project={project}
        filter={filter}
        selected={selected}
        onSelect={mayChange ? setSelected : null}
        onRemove={(addresses) => setPendingAction({ remove: addresses })}
        buttons={buttons}
      />
      {address !== '' && (
        <WhyDialog
          project={project}
          address={address}
          onRemove={mayChange ? () => setPendingAction({ remove: [address] }) : null}
          onClose={() => setAddress('')}
        />
      )}
      <Suspense>
        {pendingAction === 'add' && (
          <AddDialog project={project} onAdded={reload} onClose={() => setPendingAction(null)} />
        )}
        {pendingAction === 'import' && (
          <ImportDialog project={project} onImported={reload} onClose={() => setPendingAction(null)} />
        )}
      </Suspense>
      {pendingAction !== null && typeof pendingAction === 'object' && (
        <RemoveDialog
          project={project}
          addresses={pendingAction.remove}
          onRemoved={async () => {
            setAddress('');
            await reload();
          }}
          onClose={() => setPendingAction(null)}
        />
      )}
    </>
  );
}

interface ListProps {
  project: string;
  filter: SuppressionFilter;
  selected: ReadonlySet<string>;
  /** Null if the user cannot change the list. */
  onSelect: ((selected: ReadonlySet<string>) => void) | null;
  onRemove(addresses: readonly string[]): void;
  buttons: ReactNode;
}

function List({ project, filter, selected, onSelect, onRemove, buttons }: ListProps) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...suppressionsQuery(project, filter),
    placeholderData: (before) => before,
  });
  if (data === undefined)
    return <NotLoaded title="Could not load the suppressions" error={error} refetch={refetch} />;
  const rows = data.pages.flatMap((page) => page.data);
  if (rows.length === 0)
    return filter.q === '' && filter.reason === '' ? (
      <EmptyState icon={<StopIcon />} title="No suppressed addresses" action={buttons || undefined}>
        <p>
          An address is added automatically when its mailbox does not exist, or when the recipient
          unsubscribes or reports a message as spam. This project then sends no more mail to that address,
          which protects the reputation of your domain.
        </p>
        <p className="mt-2">Moving from another service? Import its suppression list.</p>
      </EmptyState>
    ) : (
      <EmptyState title="No matching addresses">
        Mail is sent to every address that is not suppressed.
      </EmptyState>
    );
  // After another search, the action removes only the selected addresses that are visible.
  const inSight = new Set(rows.flatMap(({ address }) => (selected.has(address) ? address : [])));
  return (
    <>
      <SuppressionTable rows={rows} selected={inSight} onSelect={onSelect} onRemove={onRemove} />
      {hasNextPage && (
        <Button className="mt-3" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      {onSelect !== null && inSight.size > 0 && (
        <Selected
          count={inSight.size}
          onRemove={() => onRemove([...inSight])}
          onClear={() => onSelect(new Set())}
        />
      )}
    </>
  );
}

function Filters() {
  const [q, setQ] = useSearchParam('q');
  const [reason, setReason] = useSearchParam('reason');
  return (
    <div className="mb-3 grid gap-2 sm:grid-cols-[minmax(0,1fr)_12rem]">
      <SearchField
        label="Search suppressions"
        placeholder="Search, such as ann@ or acme.example"
        value={q}
        onSearch={setQ}
      />
      <Select
        aria-label="Reason"
        value={reason}
        onChange={(event) => setReason(event.target.value, { push: true })}
      >
        <option value="">Any reason</option>
        {Object.entries(REASONS).map(([value, { name }]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  );
}

/** Actions for the selected rows, below the table so that no row moves. */
function Selected({ count, onRemove, onClear }: SelectedProps) {
  return (
    <div
      role="toolbar"
      aria-label="Selected addresses"
      className="sticky bottom-4 z-10 mt-2 flex flex-wrap items-center gap-2 rounded-md border border-line bg-selected px-3 shadow-low py-1.5"
    >
      <span role="status" className="mr-auto font-medium">
        {counted(count, 'address', 'addresses')} selected
      </span>
      <Button kind="quiet" onClick={onClear}>
        Clear
      </Button>
      <Button onClick={onRemove}>Remove</Button>
    </div>
  );
}
