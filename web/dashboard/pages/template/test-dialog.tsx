import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { useSession } from '../../shell/session.ts';
import type { TemplateKey } from '../templates/queries.ts';

interface TestDialogProps {
  of: TemplateKey;
  /** The idempotency key, so that repeated clicks send only one email. */
  sendKey: string;
  /** Resolves when the service has stored the draft. */
  flush(): Promise<void>;
  onClose(): void;
}

/** Sends the draft as an email, filled in with the sample data. */
export function TestDialog({ of: key, sendKey, flush, onClose }: TestDialogProps) {
  const { user, service } = useSession();
  const navigate = useNavigate();
  const { data: domains } = useQuery({
    queryKey: ['domains', key.project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/domains', { params: { path: { project: key.project } }, signal })),
  });
  const names = domains?.data
    .filter(({ status }) => status === 'verified' || status === 'warning')
    .map(({ domain }) => domain) ?? [service.hosted_domain];
  const [name, setName] = useState('hello');
  const [domain, setDomain] = useState<string | null>(null);
  const [to, setTo] = useState(user.email);
  const send = useMutation({
    async mutationFn() {
      await flush();
      const from = `${name.trim()}@${domain ?? names.at(-1) ?? service.hosted_domain}`;
      return dataOf(
        api.POST('/projects/{project}/templates/{id}/test', {
          params: { path: { ...key } },
          body: { from, to: to.trim(), key: sendKey },
        }),
      );
    },
  });
  const refused = fieldErrors(send.error);
  const { from: fromError, to: toError, variables, ...others } = refused;
  const other =
    send.error === null
      ? null
      : variables !== undefined
        ? `The sample data does not match the template (${variables}). Edit it under Sample data, then send again.`
        : (Object.entries(others).map(([field, error]) => `${field}: ${error}`)[0] ??
          (Object.keys(refused).length === 0 ? messageOf(send.error) : null));
  const sent = send.data;
  if (sent !== undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="Test sent"
        description={`Sent to ${to.trim()} as an email of this project with the tag template-test.`}
        actions={
          <>
            <Button onClick={onClose}>Done</Button>
            <Button
              kind="primary"
              onClick={() => void navigate({ to: '/emails/$id', params: { id: sent.id } })}
            >
              View email
            </Button>
          </>
        }
      />
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => send.mutate()}
      title="Send test"
      description="Sends the current draft, filled in with the sample data. The usual sending rules apply."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={send.isPending}>
            Send
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="From" error={fromError}>
            <Input autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Field label="At">
            <Select
              value={domain ?? names.at(-1) ?? service.hosted_domain}
              onChange={(event) => setDomain(event.target.value)}
            >
              {names.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </Select>
          </Field>
        </div>
        <Field label="To" error={toError}>
          <Input
            type="email"
            autoComplete="email"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </Field>
        {other !== null && (
          <p role="alert" className="text-sm text-bad">
            {other}
          </p>
        )}
      </div>
    </Dialog>
  );
}
