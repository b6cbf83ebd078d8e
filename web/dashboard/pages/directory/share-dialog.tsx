import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useProject, useSession } from '../../shell/session.ts';
import { sharesQuery } from './queries.ts';

interface ShareDialogProps {
  project: string;
  onShared(): Promise<void>;
  onClose(): void;
}

export function ShareDialog({ project, onShared, onClose }: ShareDialogProps) {
  const { projects } = useSession();
  const { organization_id, name } = useProject();
  const { data } = useQuery(sharesQuery(project));
  const seen = new Set(data?.outbound.map(({ project_id }) => project_id));
  const others = projects.filter(
    (each) => each.organization_id === organization_id && each.id !== project && !seen.has(each.id),
  );
  const [chosen, setChosen] = useState('');
  const to = chosen === '' ? others[0]?.id : chosen;
  const share = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/shares', {
          params: { path: { project } },
          body: { to: to ?? '' },
        }),
      ),
    async onSuccess() {
      toast('Directory shared');
      onClose();
      await onShared();
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) toastFailure(messageOf(error));
    },
  });
  const hasOthers = others.length > 0;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Share the directory of ${name}`}
      description="The other project sees everyone in this directory, with addresses and notes. It does not share its own directory in return, and cannot share yours with other projects."
      onSubmit={() => hasOthers && share.mutate()}
      actions={
        <>
          <Button onClick={onClose}>{hasOthers ? 'Cancel' : 'Close'}</Button>
          {hasOthers && (
            <Button type="submit" kind="primary" isBusy={share.isPending}>
              Share
            </Button>
          )}
        </>
      }
    >
      {hasOthers ? (
        <Field label="With" hint="Projects of the same organization." error={fieldErrors(share.error)['to']}>
          <Select value={to} onChange={(event) => setChosen(event.target.value)}>
            {others.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </Select>
        </Field>
      ) : (
        <p>All other projects of your organization can already see it.</p>
      )}
    </Dialog>
  );
}
