import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select, Textarea } from '../../../ui/field.tsx';
import { newKey } from '../../../ui/new-key.ts';
import { toast } from '../../../ui/toast.tsx';
import { useProject, useSession } from '../../shell/session.ts';
import { withMissing } from '../template/sample.ts';
import { templatesQuery } from '../templates/queries.ts';
import { bodyOf, type Writing } from './writing.ts';

const MORE = [
  ['cc', 'Cc', 'Visible to all recipients.'],
  ['bcc', 'Bcc', 'Hidden from other recipients.'],
  ['reply_to', 'Reply-To', 'Replies go to this address.'],
  ['tags', 'Tags', 'Comma-separated.'],
] as const;

/** Composes and sends an email, as an API call would. */
export function SendDialog({ onClose }: { onClose(): void }) {
  const { id: project } = useProject();
  const { service } = useSession();
  const navigate = useNavigate();
  const [key] = useState(newKey);
  const { data: templates } = useQuery(templatesQuery(project));
  const [writing, setWriting] = useState<Writing>(() => ({
    from: `hello@${service.hosted_domain}`,
    to: '',
    cc: '',
    bcc: '',
    reply_to: '',
    subject: '',
    text: '',
    html: '',
    template: '',
    variables: '{}',
    tags: '',
    headers: '',
    at: '',
    stream: '',
  }));
  const [fault, setFault] = useState<Readonly<Record<string, string>>>({});
  const send = useMutation({
    mutationFn: (body: NonNullable<ReturnType<typeof bodyOf>['body']>) =>
      dataOf(
        api.POST('/projects/{project}/emails', {
          params: { path: { project } },
          body: { ...body, key },
        }),
      ),
    meta: { showsErrors: true },
    async onSuccess({ id }) {
      toast(writing.at === '' ? 'Sent' : 'Scheduled');
      await navigate({ to: '/emails/$id', params: { id } });
    },
  });
  const errors: Readonly<Record<string, string>> = { ...fieldErrors(send.error), ...fault };
  const change = (changes: Partial<Writing>) => {
    setFault({});
    setWriting({ ...writing, ...changes });
  };
  const submit = () => {
    const { body, faults } = bodyOf(writing);
    setFault(faults);
    if (body !== null) send.mutate(body);
  };
  const line = (name: keyof Writing) => ({
    value: writing[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={submit}
      width="wide"
      title="Send email"
      description="Follows the same rules as the API: verified domains, suppressions, plan limits and tracking."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={send.isPending}>
            {writing.at === '' ? 'Send' : 'Schedule'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="From" error={errors['from']}>
            <Input autoComplete="off" {...line('from')} />
          </Field>
          <Field label="To" error={errors['to']} hint="Separate addresses with commas.">
            <Input autoComplete="off" placeholder="ann@acme.example" {...line('to')} />
          </Field>
        </div>
        {templates !== undefined && templates.data.length > 0 && (
          <Field label="Template" error={errors['template_id']}>
            <Select
              value={writing.template}
              onChange={({ target }) => {
                const found = templates.data.find(({ id }) => id === target.value);
                change({
                  template: target.value,
                  variables: withMissing('{}', found?.variables ?? []) ?? '{}',
                });
              }}
            >
              <option value="">None</option>
              {templates.data.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Field>
        )}
        {writing.template === '' ? (
          <>
            <Field label="Subject" error={errors['subject']}>
              <Input autoComplete="off" {...line('subject')} />
            </Field>
            <Field label="Text" error={errors['text']}>
              <Textarea rows={4} {...line('text')} />
            </Field>
            <Field label="HTML" error={errors['html']} hint="In addition to the text, or instead of it.">
              <Textarea rows={3} spellCheck={false} className="font-mono" {...line('html')} />
            </Field>
          </>
        ) : (
          <Field label="Variables" error={errors['variables']} hint="A JSON object.">
            <Textarea rows={5} spellCheck={false} className="font-mono" {...line('variables')} />
          </Field>
        )}
        <details>
          <summary className="cursor-pointer text-muted hover:text-text">More options</summary>
          <div className="mt-3 grid gap-4 sm:grid-cols-2">
            {MORE.map(([name, label, hint]) => (
              <Field key={name} label={label} hint={hint} error={errors[name]}>
                <Input autoComplete="off" {...line(name)} />
              </Field>
            ))}
            <Field
              label="Send at"
              hint="Up to 30 days ahead. Leave empty to send now."
              error={errors['scheduled_at']}
            >
              <Input type="datetime-local" {...line('at')} />
            </Field>
            <Field label="Stream" hint="Bulk mail never delays transactional mail." error={errors['stream']}>
              <Select {...line('stream')}>
                <option value="">Transactional</option>
                <option value="bulk">Bulk</option>
              </Select>
            </Field>
            <Field label="Headers" hint="One per line, such as X-Order: 4711" error={errors['headers']}>
              <Textarea rows={2} spellCheck={false} className="font-mono" {...line('headers')} />
            </Field>
          </div>
        </details>
        {send.error !== null && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(send.error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}
