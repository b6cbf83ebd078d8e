import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DashboardMailboxSummary } from '../../../../src/contract/dashboard/mailboxes.ts';
import { Address } from '../../../ui/address.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { MailboxIcon, PlusIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { CreateMailbox } from './create-mailbox.tsx';
import { mailboxesQuery } from './queries.ts';
import { Storage } from './storage.tsx';
import { NotLoaded } from '../../../shell/loaded.tsx';

export default function MailboxesPage() {
  const { id: project } = useProject();
  const mayCreate = useMay('developer');
  const [q, setQ] = useSearchParam('q');
  const [creating, setCreating] = useSearchParam('create');
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...mailboxesQuery(project, q),
    placeholderData: keepPreviousData,
  });
  const mailboxes = data?.pages.flatMap((page) => page.data);
  const create = mayCreate && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setCreating('yes')}>
      Create mailbox
    </Button>
  );
  const isEmpty = mailboxes?.length === 0 && q === '';
  return (
    <>
      <PageHeader
        title="Mailboxes"
        description="Each mailbox receives mail at its own address and has its own sign-in for the web client and mail apps. The dashboard never shows its mail."
        actions={isEmpty ? undefined : create}
      />
      {!isEmpty && (
        <div className="mb-3">
          <SearchField
            label="Search mailboxes"
            placeholder="Search by address or name"
            value={q}
            onSearch={setQ}
            className="w-full max-w-md"
          />
        </div>
      )}
      {mailboxes === undefined && (
        <NotLoaded title="Could not load the mailboxes" error={error} refetch={refetch} />
      )}
      {mailboxes !== undefined && mailboxes.length > 0 && <MailboxTable mailboxes={mailboxes} />}
      {hasNextPage && (
        <div className="mt-4 text-center">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {mailboxes?.length === 0 && q !== '' && (
        <EmptyState title="No mailboxes found" action={<Button onClick={() => setQ('')}>Show all</Button>}>
          No address or name contains <q>{q}</q>.
        </EmptyState>
      )}
      {isEmpty && <NoMailboxes action={create} />}
      {creating !== '' && mayCreate && <CreateMailbox project={project} onClose={() => setCreating('')} />}
    </>
  );
}

function MailboxTable({ mailboxes }: { mailboxes: readonly DashboardMailboxSummary[] }) {
  return (
    <Table
      label="Mailboxes"
      head={
        <>
          <Th>Address</Th>
          <Th>Status</Th>
          <Th isWideOnly>Storage</Th>
          <Th isWideOnly isNumeric>
            Last sign-in
          </Th>
        </>
      }
    >
      {mailboxes.map((mailbox) => (
        <Row key={mailbox.id}>
          <Td className="w-full max-w-0">
            <Link
              to="/mailboxes/$id"
              params={{ id: mailbox.id }}
              className={`${rowLink} block md:truncate`}
              title={mailbox.address}
            >
              <Address>{mailbox.address}</Address>
            </Link>
            {mailbox.display_name !== null && mailbox.display_name !== '' && (
              <span className="block truncate text-sm text-muted">{mailbox.display_name}</span>
            )}
          </Td>
          <Td>
            <span className="flex flex-wrap gap-1">
              {mailbox.sending_locked === null ? (
                <Badge tone="good">Active</Badge>
              ) : (
                <Badge tone="bad">Sending locked</Badge>
              )}
              {mailbox.is_catch_all && <Badge>Catch-all</Badge>}
              {mailbox.is_shared && <Badge>Shared</Badge>}
            </span>
          </Td>
          <Td isWideOnly>
            <Storage {...mailbox} className="w-36" />
          </Td>
          <Td isWideOnly isNumeric>
            <Time value={mailbox.last_signed_in_at} />
          </Td>
        </Row>
      ))}
    </Table>
  );
}

function NoMailboxes({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={<MailboxIcon />} title="No mailboxes yet" action={action}>
      <p>
        A mailbox is an address at one of your domains. Its owner reads its mail in the browser, in
        Thunderbird, on a phone or in any other mail app.
      </p>
      <p className="mt-2">You need one to receive replies to your emails: support@ is a good first one.</p>
    </EmptyState>
  );
}
