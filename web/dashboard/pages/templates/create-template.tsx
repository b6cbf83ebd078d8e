import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { allTemplates, startersQuery, templateQuery } from './queries.ts';
import { Starters } from './starters.tsx';
import { type Starter, suggestedStarter } from './suggest-starter.ts';

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
  const [chosenKey, setChosenKey] = useState<Starter['key'] | null>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isCopy = copyOf !== undefined;
  const { data: starters, error: notLoaded } = useQuery({ ...startersQuery(project), enabled: !isCopy });
  const chosenFrom = (all: readonly Starter[]): Starter | undefined =>
    all.find(({ key }) => key === chosenKey) ?? suggestedStarter(name, all);
  const create = useMutation({
    async mutationFn() {
      const source = isCopy
        ? await queries.fetchQuery(templateQuery({ project, id: copyOf.id }))
        : chosenFrom((await queries.fetchQuery(startersQuery(project))).data);
      if (source === undefined) throw new TypeError('there are no starters');
      const { subject, html, text, sample } = source;
      // A process of an earlier version sends no layout_id.
      const layout_id = 'layout_id' in source ? (source.layout_id ?? null) : null;
      const body = { name: name.trim(), subject, html, text, layout_id, sample };
      return dataOf(api.POST('/projects/{project}/templates', { params: { path: { project } }, body }));
    },
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: allTemplates(project) });
      await navigate({ to: '/templates/$id', params: { id } });
    },
  });
  const submit = () => {
    setProblem(name.trim() === '' ? 'Enter a name, such as password reset.' : null);
    if (name.trim() !== '') create.mutate();
  };
  const refused = fieldErrors(create.error);
  const failure = create.error ?? notLoaded;
  const chosen = chosenFrom(starters?.data ?? []);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={submit}
      title={isCopy ? `Duplicate ${copyOf.name}` : 'Create template'}
      width={isCopy ? 'narrow' : 'wide'}
      description={
        isCopy
          ? 'Copies the published version, without its history and draft.'
          : 'Start with an example and change everything later.'
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            {isCopy ? 'Duplicate' : 'Create'}
          </Button>
        </>
      }
    >
      <Field
        label="Name"
        hint="Not visible to recipients."
        error={problem ?? refused['name'] ?? (failure === null ? null : messageOf(failure))}
      >
        <Input
          autoComplete="off"
          placeholder="password reset"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      {!isCopy && (
        <div className="mt-4">
          <Starters
            project={project}
            starters={starters?.data}
            chosen={chosen}
            isSuggested={chosenKey === null && chosen !== starters?.data[0]}
            onChoose={setChosenKey}
          />
        </div>
      )}
    </Dialog>
  );
}
