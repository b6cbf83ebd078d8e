import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../../../src/contract/directory.ts';
import { Button } from '../../../ui/button.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { People } from './people.tsx';
import { PersonDialog } from './person-dialog.tsx';
import { allDirectory } from './queries.ts';
import { ShareDialog } from './share-dialog.tsx';
import { Shares } from './shares.tsx';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';

type PendingAction = 'add' | 'share' | { change: Person } | { remove: Person };

export default function DirectoryPage() {
  const { id: project } = useProject();
  const mayChange = useMay('developer');
  const mayShare = useMay('admin');
  const queries = useQueryClient();
  const [view, setView] = useSearchParam('view');
  const [pendingAction, setPendingAction] = useState<PendingAction | null>(null);
  const isShares = view === 'shares';
  const close = () => setPendingAction(null);
  const reload = () => queries.invalidateQueries({ queryKey: allDirectory(project) });
  const add = mayChange && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setPendingAction('add')}>
      Add person
    </Button>
  );
  const share = mayShare && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setPendingAction('share')}>
      Share the directory
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Directory"
        description="The address book for the mailboxes of this project."
        actions={isShares ? share : add}
      />
      <Tabs
        label="Directory"
        value={isShares ? 'shares' : 'people'}
        onChange={(next) => setView(next === 'shares' ? next : '', { push: true })}
        tabs={[
          {
            value: 'people',
            label: 'People',
            content: (
              <People
                project={project}
                mayChange={mayChange}
                action={add}
                onChange={(person) => setPendingAction({ change: person })}
                onRemove={(person) => setPendingAction({ remove: person })}
              />
            ),
          },
          {
            value: 'shares',
            label: 'Shares',
            content: <Shares project={project} mayShare={mayShare} onEnded={reload} />,
          },
        ]}
      />
      {pendingAction === 'add' && (
        <PersonDialog project={project} person={null} onSaved={reload} onClose={close} />
      )}
      {pendingAction === 'share' && <ShareDialog project={project} onShared={reload} onClose={close} />}
      {pendingAction !== null && typeof pendingAction === 'object' && 'change' in pendingAction && (
        <PersonDialog project={project} person={pendingAction.change} onSaved={reload} onClose={close} />
      )}
      {pendingAction !== null && typeof pendingAction === 'object' && 'remove' in pendingAction && (
        <RemovePerson project={project} person={pendingAction.remove} onRemoved={reload} onClose={close} />
      )}
    </>
  );
}

interface RemovePersonProps {
  project: string;
  person: Person;
  onRemoved(): Promise<void>;
  onClose(): void;
}

function RemovePerson({ project, person: { id, name, email }, onRemoved, onClose }: RemovePersonProps) {
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/directory/{id}', { params: { path: { project, id } } })),
    onSuccess: () => toast(`${name} removed`),
    onError: (error) => toastFailure(messageOf(error)),
    async onSettled() {
      onClose();
      await onRemoved();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Remove ${name} from the directory?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        This removes {email} and the notes about {name} from this directory and from projects that it is
        shared with. No mail is deleted.
      </p>
    </AlertDialog>
  );
}
