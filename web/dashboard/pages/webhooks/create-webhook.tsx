import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { allWebhooks } from './queries.ts';
import { CreatedDialog } from './secret-shown.tsx';
import { problemsOf, WebhookFields, type WebhookValues } from './webhook-fields.tsx';

const FIRST: WebhookValues = {
  url: '',
  events: ['email.delivered', 'email.bounced', 'email.complained', 'email.failed'],
};

/** Creates a webhook, then shows its secret before the webhook. */
export function CreateWebhook({ project, onClose }: { project: string; onClose(): void }) {
  const [values, setValues] = useState(FIRST);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/webhooks', {
          params: { path: { project } },
          body: { url: values.url.trim(), events: [...values.events] },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: allWebhooks(project) }),
  });
  const submit = () => {
    const found = problemsOf(values);
    setProblems(found);
    if (Object.keys(found).length === 0) create.mutate();
  };
  const created = create.data;
  if (created !== undefined) {
    return (
      <CreatedDialog
        what="webhook"
        description="Each delivery is signed with this secret, so that your endpoint can detect forgeries."
        secret={created.secret}
        label="Signing secret"
        onOpen={() => void navigate({ to: '/webhooks/$id', params: { id: created.id } })}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      isOpen
      isBusy={create.isPending}
      onClose={onClose}
      onSubmit={submit}
      title="Create webhook"
      description="Get notified at your URL when an email is delivered, bounces or is opened."
      actions={
        <>
          <Button disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <WebhookFields
        values={values}
        onChange={setValues}
        errors={{ ...fieldErrors(create.error), ...problems }}
      />
    </Dialog>
  );
}
