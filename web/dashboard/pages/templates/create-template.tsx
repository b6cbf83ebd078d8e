import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { SaveTemplate } from '../../../../src/contract/dashboard/templates.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { allTemplates, templateQuery } from './queries.ts';

/** The text of a new template, as a starting point. */
const FIRST: Omit<SaveTemplate, 'name'> = {
  subject: 'Your order {{ order.id }} has shipped',
  html: `<div style="max-width:560px;margin:0 auto;padding:24px;font:16px/1.5 sans-serif;color:#14181f">
  <h1 style="font-size:22px">It's on its way</h1>
  <p>Hello {{ name | default: "there" }},</p>
  <p>Your order <strong>{{ order.id }}</strong> has left our warehouse.</p>
  <p><a href="{{ order.url }}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#1d5bd6;color:#fff;text-decoration:none">Track your order</a></p>
</div>
`,
  text: `Hello {{ name | default: "there" }},

Your order {{ order.id }} has left our warehouse.
Track it: {{ order.url }}
`,
  sample: `{
  "name": "Ada",
  "order": {
    "id": "4711",
    "url": "https://acme.example/orders/4711"
  }
}`,
};

/** @param copyOf the id and name of the template to duplicate */
export function CreateTemplate({
  project,
  copyOf,
  onClose,
}: {
  project: string;
  copyOf?: { id: string; name: string } | undefined;
  onClose(): void;
}) {
  const [name, setName] = useState(copyOf === undefined ? '' : `${copyOf.name} copy`);
  const [problem, setProblem] = useState<string | null>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    async mutationFn() {
      const { subject, html, text, sample } =
        copyOf === undefined ? FIRST : await queries.fetchQuery(templateQuery({ project, id: copyOf.id }));
      const body = { name: name.trim(), subject, html, text, ...(sample !== undefined && { sample }) };
      return dataOf(api.POST('/projects/{project}/templates', { params: { path: { project } }, body }));
    },
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: allTemplates(project) });
      await navigate({ to: '/templates/$id', params: { id } });
    },
  });
  const submit = () => {
    setProblem(name.trim() === '' ? 'Enter a name, such as order shipped.' : null);
    if (name.trim() !== '') create.mutate();
  };
  const refused = fieldErrors(create.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={submit}
      title={copyOf === undefined ? 'Create template' : `Duplicate ${copyOf.name}`}
      description={
        copyOf === undefined
          ? 'Starts with an example that you can change.'
          : 'Copies the saved version, without its history.'
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            {copyOf === undefined ? 'Create' : 'Duplicate'}
          </Button>
        </>
      }
    >
      <Field
        label="Name"
        hint="Not visible to recipients."
        error={problem ?? refused['name'] ?? (create.error === null ? null : messageOf(create.error))}
      >
        <Input
          autoComplete="off"
          placeholder="order shipped"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
