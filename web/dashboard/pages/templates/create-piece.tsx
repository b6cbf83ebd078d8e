import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { allPieces, type PieceKind } from './queries.ts';

/** The text of a new layout or partial, as a starting point. */
const FIRST = {
  layout: {
    example: 'main',
    html: `<div style="max-width:560px;margin:0 auto;padding:24px;font:16px/1.5 sans-serif;color:#14181f">
  {% content %}
  <p style="margin-top:32px;font-size:13px;color:#5c6474">Acme Ltd, 1 Example Street, London</p>
</div>
`,
    text: `{% content %}

-- 
Acme Ltd, 1 Example Street, London
`,
  },
  partial: {
    example: 'signature',
    html: '<p>Kind regards,<br>The Acme team</p>\n',
    text: 'Kind regards,\nThe Acme team\n',
  },
} as const;

export function CreatePiece({
  project,
  kind,
  onClose,
}: {
  project: string;
  kind: PieceKind;
  onClose(): void;
}) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { example, html, text } = FIRST[kind];
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/template-pieces', {
          params: { path: { project } },
          body: { kind, name: name.trim(), html, text },
        }),
      ),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: allPieces(project) });
      await navigate({ to: '/templates/pieces/$id', params: { id } });
    },
  });
  const submit = () => {
    setProblem(name.trim() === '' ? `Enter a name, such as ${example}.` : null);
    if (name.trim() !== '') create.mutate();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={submit}
      title={`Create ${kind}`}
      description="Starts with an example that you can change."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <Field
        label="Name"
        hint={
          kind === 'partial'
            ? `Templates include it by this name: {% include "${example}" %}`
            : 'Templates choose it by this name.'
        }
        error={
          problem ??
          fieldErrors(create.error)['name'] ??
          (create.error === null ? null : messageOf(create.error))
        }
      >
        <Input
          autoComplete="off"
          placeholder={example}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
