import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { CreateProject } from '../../../../src/contract/dashboard/organizations.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';

interface CreateProjectDialogProps {
  organization: string;
  isOperator: boolean;
  onClose(): void;
}

/** Creates a project and opens it. Works without a current project, because a new organization has no project. */
export function CreateProjectDialog({ organization, isOperator, onClose }: CreateProjectDialogProps) {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('');
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/organizations/{organization}/projects', {
          params: { path: { organization } },
          body: {
            name: name.trim(),
            ...(plan !== '' && { plan: plan as NonNullable<CreateProject['plan']> }),
          },
        }),
      ),
    onSuccess: ({ id }) => location.assign(`/dashboard?project=${id}`),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Create project"
      description="API keys, domains, mailboxes and emails belong to a single project."
      onSubmit={() => create.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isPending || create.isSuccess}>
            Create
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field
          label="Name"
          hint="Also used in commands with --project. Must be unique in this installation."
          error={fieldErrors(create.error)['name']}
        >
          <Input
            autoComplete="off"
            maxLength={100}
            placeholder="shop"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        {isOperator && (
          <Field label="Plan">
            <Select value={plan} onChange={(event) => setPlan(event.target.value)}>
              <option value="">Default plan</option>
              <option value="free">Free</option>
              <option value="paid">Paid</option>
            </Select>
          </Field>
        )}
      </div>
    </Dialog>
  );
}
