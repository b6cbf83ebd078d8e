import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { sessionQuery, useSession } from '../../shell/session.ts';

export function NameCard() {
  const { user } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState(user.name);
  const rename = useMutation({
    mutationFn: () => dataOf(api.PATCH('/user', { body: { name } })),
    async onSuccess() {
      toast('Name changed');
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  return (
    <Card title="Name">
      <form
        noValidate
        className="flex flex-wrap items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Field
          label="Name"
          isLabelHidden
          hint="Shown to others in your organization."
          error={fieldErrors(rename.error)['name']}
          className="min-w-0 flex-1 basis-60"
        >
          <Input
            autoComplete="name"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Button type="submit" isBusy={rename.isPending} disabled={name === user.name}>
          Save
        </Button>
      </form>
    </Card>
  );
}
