import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type { ApiKey, CreateApiKey, CreatedApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { KeyIcon, PlusIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { CreateDialog } from './create-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { CreatedKey } from './made-key.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { isMatch } from './words.ts';

type PendingAction = { what: 'rename' | 'revoke'; key: ApiKey };

export default function ApiKeysPage() {
  const { id: project, role } = useProject();
  const mayChange = useMay('developer');
  const [create, setCreate] = useSearchParam('create');
  // Not in the URL, because users paste leaked keys, and servers and browsers record URLs.
  const [search, setSearch] = useState('');
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const [pendingAction, setPendingAction] = useState<PendingAction | null>(null);
  const queryClient = useQueryClient();
  const queryKey = ['api-keys', project];
  const reload = () => queryClient.invalidateQueries({ queryKey });
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/api-keys', { params: { path: { project } }, signal })),
  });
  // This mutation belongs to the page, because the dialog may close while the user confirms their identity.
  const making = useMutation({
    mutationFn: (body: CreateApiKey) =>
      dataOf(api.POST('/projects/{project}/api-keys', { params: { path: { project } }, body })),
    onSuccess: (key) => {
      setMade(key);
      setCreate('');
      return reload();
    },
  });
  const openCreate = () => {
    making.reset();
    setCreate('yes');
  };
  const button = (
    <Button kind="primary" icon={<PlusIcon />} onClick={openCreate}>
      Create API key
    </Button>
  );
  const isEmpty = data?.data.length === 0;
  const shown = data?.data.filter((key) => isMatch(key, search)) ?? [];

  return (
    <>
      <PageHeader
        title="API keys"
        description="Applications authenticate with API keys. Create one per application so that you can revoke it separately."
        actions={mayChange && !isEmpty ? button : undefined}
      />
      {/* The new key is rendered after the dialog has closed, because a closing dialog moves the focus. */}
      {made !== null && create === '' && (
        <CreatedKey key={made.id} made={made} onDone={() => setMade(null)} />
      )}
      {data === undefined && (
        <NotLoaded title="Could not load the API keys" error={error} refetch={refetch} />
      )}
      {isEmpty && (
        <EmptyState icon={<KeyIcon />} title="No API keys yet" action={mayChange ? button : undefined}>
          An API key identifies the project of an application. It can have full access or only the scopes you
          choose, and can be restricted to one sending domain or to your own recipients.
        </EmptyState>
      )}
      {data !== undefined && (data.data.length > 1 || search !== '') && (
        <SearchField
          label="Search API keys"
          placeholder="Search by name or last characters"
          value={search}
          onSearch={setSearch}
          className="mb-4 max-w-sm"
        />
      )}
      {!isEmpty && search !== '' && shown.length === 0 && (
        <EmptyState icon={<KeyIcon />} title="No matching API keys">
          Search matches names and the last characters of keys. Keys from earlier versions are found only by
          name.
        </EmptyState>
      )}
      {shown.length > 0 && (
        <KeyTable
          keys={shown}
          mayChange={mayChange}
          onRename={(key) => setPendingAction({ what: 'rename', key })}
          onRevoke={(key) => setPendingAction({ what: 'revoke', key })}
        />
      )}
      {create !== '' && mayChange && data !== undefined && (
        <CreateDialog
          scopes={data.scopes}
          fullAccessBy={data.full_access_granted_by}
          role={role}
          error={making.error}
          isBusy={making.isPending}
          onCreate={(body) => making.mutate(body)}
          onClose={() => setCreate('')}
        />
      )}
      {pendingAction?.what === 'rename' && (
        <RenameDialog apiKey={pendingAction.key} onRenamed={reload} onClose={() => setPendingAction(null)} />
      )}
      {pendingAction?.what === 'revoke' && (
        <RevokeDialog apiKey={pendingAction.key} onRevoked={reload} onClose={() => setPendingAction(null)} />
      )}
    </>
  );
}
