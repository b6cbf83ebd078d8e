import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { sessionQuery } from '../../shell/session.ts';
import { CreateProjectDialog } from './create-dialog.tsx';

/**
 * Lets operators create an organization. The next step creates its first project, because users open an organization only through one of
 * its projects.
 */
export function CreateOrganization() {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => dataOf(api.POST('/organizations', { body: { name: name.trim() } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return (
    <Card title="New organization">
      <form
        noValidate
        className="flex flex-wrap items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field
          label="Name of the new organization"
          hint="Has its own projects and members. You become its first owner and create its first project."
          error={fieldErrors(create.error)['name']}
          className="min-w-0 flex-1 basis-60"
        >
          <Input
            autoComplete="off"
            maxLength={100}
            placeholder="acme"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Button type="submit" className="sm:mt-7" isBusy={create.isPending} disabled={name.trim() === ''}>
          New organization
        </Button>
      </form>
      {create.data !== undefined && (
        <CreateProjectDialog organization={create.data.id} isOperator onClose={() => create.reset()} />
      )}
    </Card>
  );
}
