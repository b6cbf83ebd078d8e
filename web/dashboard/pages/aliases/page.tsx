import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type { DashboardAlias } from '../../../../src/contract/dashboard/aliases.ts';
import { Address } from '../../../ui/address.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { AliasIcon, MoreIcon, PenIcon, PlusIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { allMailboxes } from '../mailboxes/queries.ts';
import { AliasDialog } from './alias-dialog.tsx';
import { aliasesQuery, allAliases } from './queries.ts';

type PendingAction = { what: 'change' | 'delete'; alias: DashboardAlias };

export default function AliasesPage() {
  const { id: project } = useProject();
  const mayChange = useMay('admin');
  const [q, setQ] = useSearchParam('q');
  const [creating, setCreating] = useSearchParam('create');
  const [pendingAction, setPendingAction] = useState<PendingAction | null>(null);
  const { data, error, refetch } = useQuery(aliasesQuery(project));
  const close = () => setPendingAction(null);
  const create = mayChange && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setCreating('yes')}>
      Create alias
    </Button>
  );
  const isEmpty = data?.data.length === 0;
  const found = data?.data.filter((alias) => isFound(alias, q.toLowerCase()));
  return (
    <>
      <PageHeader
        title="Aliases"
        description="Additional addresses that deliver to one or more mailboxes."
        actions={isEmpty ? undefined : create}
      />
      {!isEmpty && (
        <div className="mb-3">
          <SearchField
            label="Search aliases"
            placeholder="Address or mailbox"
            value={q}
            onSearch={setQ}
            className="w-full max-w-md"
          />
        </div>
      )}
      {data === undefined && <NotLoaded title="Could not load the aliases" error={error} refetch={refetch} />}
      {found !== undefined && found.length > 0 && (
        <AliasTable aliases={found} mayChange={mayChange} onAsk={setPendingAction} />
      )}
      {found?.length === 0 && !isEmpty && (
        <EmptyState title="No aliases found" action={<Button onClick={() => setQ('')}>Show all</Button>}>
          No alias contains <q>{q}</q>.
        </EmptyState>
      )}
      {isEmpty && <NoAliases action={create} />}
      {creating !== '' && mayChange && (
        <AliasDialog project={project} alias={null} onClose={() => setCreating('')} />
      )}
      {pendingAction?.what === 'change' && (
        <AliasDialog project={project} alias={pendingAction.alias} onClose={close} />
      )}
      {pendingAction?.what === 'delete' && (
        <DeleteAlias project={project} alias={pendingAction.alias} onClose={close} />
      )}
    </>
  );
}

function isFound({ address, mailboxes }: DashboardAlias, q: string): boolean {
  return [address, ...mailboxes.map((mailbox) => mailbox.address)].some((each) =>
    each.toLowerCase().includes(q),
  );
}

interface AliasTableProps {
  aliases: readonly DashboardAlias[];
  mayChange: boolean;
  onAsk(action: PendingAction): void;
}

function AliasTable({ aliases, mayChange, onAsk }: AliasTableProps) {
  return (
    <Table
      label="Aliases"
      head={
        <>
          <Th>Address</Th>
          <Th isWideOnly>Delivers to</Th>
          <Th isWideOnly isNumeric>
            Created
          </Th>
          {mayChange && (
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          )}
        </>
      }
    >
      {aliases.map((alias) => (
        <Row key={alias.id}>
          <Td>
            <span className="font-medium">
              <Address>{alias.address}</Address>
            </span>
            <Targets alias={alias} className="text-sm md:hidden" />
          </Td>
          <Td isWideOnly>
            <Targets alias={alias} />
          </Td>
          <Td isWideOnly isNumeric>
            <Time value={alias.created_at} />
          </Td>
          {mayChange && (
            <Td className="w-0">
              <Menu
                trigger={
                  <IconButton label={`More about ${alias.address}`}>
                    <MoreIcon />
                  </IconButton>
                }
              >
                <MenuItem icon={<PenIcon />} onClick={() => onAsk({ what: 'change', alias })}>
                  Change mailboxes
                </MenuItem>
                <MenuItem icon={<TrashIcon />} isDanger onClick={() => onAsk({ what: 'delete', alias })}>
                  Delete
                </MenuItem>
              </Menu>
            </Td>
          )}
        </Row>
      ))}
    </Table>
  );
}

function Targets({ alias, className }: { alias: DashboardAlias; className?: string }) {
  return (
    <ul className={className}>
      {alias.mailboxes.map(({ id, address }) => (
        <li key={id}>
          <Link
            to="/mailboxes/$id"
            params={{ id }}
            className="wrap-anywhere text-muted hover:text-accent hover:underline"
          >
            {address}
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface DeleteAliasProps {
  project: string;
  alias: DashboardAlias;
  onClose(): void;
}

function DeleteAlias({ project, alias, onClose }: DeleteAliasProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/aliases/{id}', { params: { path: { project, id: alias.id } } })),
    async onSuccess() {
      toast(`${alias.address} deleted`);
      await queries.invalidateQueries({ queryKey: allAliases(project) });
      await queries.invalidateQueries({ queryKey: allMailboxes(project) });
    },
    onSettled: onClose,
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Delete ${alias.address}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Within two seconds, mail to this address is rejected or delivered to the catch-all of its domain.{' '}
        {alias.mailboxes.length === 1 ? 'Its mailbox keeps' : 'Its mailboxes keep'} mail received through it,
        but can no longer send from it.
      </p>
    </AlertDialog>
  );
}

function NoAliases({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={<AliasIcon />} title="No aliases yet" action={action}>
      An alias is another address for existing mailboxes, such as team@ for Ann and Ben, or a former name. It
      has no login and stores no mail of its own.
    </EmptyState>
  );
}
