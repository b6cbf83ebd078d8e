import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { StartProgress } from '../../../../src/contract/dashboard/overview.ts';
import { Status } from '../../../ui/badge.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { CheckIcon, KeyIcon, SendIcon } from '../../../ui/icons.tsx';
import { newKey } from '../../../ui/new-key.ts';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { NO_KEY, snippetsOf } from './snippets.ts';

const RECIPIENT = 'you@example.com';
const ARRIVED: readonly string[] = ['delivered', 'opened', 'clicked'];

/** Three steps to the first email. */
export function FirstEmail({ progress, onDone }: { progress: StartProgress; onDone(): void }) {
  const { user, service } = useSession();
  const may = useMay('developer');
  const [token, setToken] = useState<string | null>(null);
  const [way, setWay] = useSearchParam('send');
  const project = useProject();
  const queries = useQueryClient();
  const [key] = useState(newKey);
  const sendTest = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/test-email', {
          params: { path: { project: project.id } },
          body: { key },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['start', project.id] }),
  });
  const { email } = progress;
  // The first email of an application proves that there is a key. The test email needs none.
  const hasKey = token !== null || progress.has_key || (email !== null && !sendTest.isSuccess);
  const hasArrived = email !== null && ARRIVED.includes(email.status);
  return (
    <ol className="grid max-w-3xl gap-6">
      <Step number={1} title="Create an API key" isDone={hasKey}>
        <MakeKey token={token} hasKey={hasKey} onMade={setToken} />
      </Step>
      <Step number={2} title="Send an email" isDone={email !== null}>
        <p className="mb-3 text-muted">
          Every project can send from <code className="font-mono text-sm">{service.hosted_domain}</code>{' '}
          without setup.
          {service.provider === 'sandbox' &&
            ' In the sandbox, nothing leaves this server. Here you see what would be delivered.'}
        </p>
        <Tabs
          label="How to send"
          value={way === '' ? 'curl' : way}
          onChange={setWay}
          tabs={snippetsOf(service, token ?? NO_KEY, RECIPIENT).map(({ value, label, code }) => ({
            value,
            label,
            content: <CodeBlock code={code} label={`${label} example`} />,
          }))}
        />
        {may && email === null && (
          <p className="mt-3 flex flex-wrap items-center gap-3 text-muted">
            Or let Posthorn send one to {user.email}.
            <Button icon={<SendIcon />} isBusy={sendTest.isPending} onClick={() => sendTest.mutate()}>
              Send a test email
            </Button>
          </p>
        )}
        {sendTest.error !== null && (
          <p role="alert" className="mt-2 text-sm text-bad">
            {messageOf(sendTest.error)}
          </p>
        )}
      </Step>
      <Step number={3} title={hasArrived ? 'Received it' : 'See it arrive'} isDone={hasArrived}>
        <div role="status" className="flex min-h-9 flex-wrap items-center gap-3">
          {email === null ? (
            <p className="text-muted">Waiting for your first email. This page updates automatically.</p>
          ) : (
            <>
              <Status value={email.status} />
              <Link
                to="/emails/$id"
                params={{ id: email.id }}
                className="font-medium text-accent hover:underline"
              >
                View email
              </Link>
              <Button onClick={onDone}>Go to overview</Button>
            </>
          )}
        </div>
      </Step>
    </ol>
  );
}

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className="grid grid-cols-[2rem_minmax(0,1fr)] gap-x-4">
      <span
        aria-hidden="true"
        className={classes(
          'grid size-8 place-items-center rounded-full border font-medium',
          isDone ? 'border-transparent bg-good-soft text-good' : 'border-line text-muted',
        )}
      >
        {isDone ? <CheckIcon /> : number}
      </span>
      <div className="min-w-0 pt-1">
        <h2 className="mb-2 text-lg">
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}

interface MakeKeyProps {
  token: string | null;
  hasKey: boolean;
  onMade(token: string): void;
}

function MakeKey({ token, hasKey, onMade }: MakeKeyProps) {
  const project = useProject();
  const queries = useQueryClient();
  const may = useMay('developer');
  const make = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/api-keys', {
          params: { path: { project: project.id } },
          body: { name: 'First key' },
        }),
      ),
    onSuccess(key) {
      onMade(key.token);
      void queries.invalidateQueries({ queryKey: ['api-keys', project.id] });
    },
  });
  if (token !== null)
    return (
      <>
        <p className="mb-2 text-muted">
          It is shown only now, and used in the examples below. Store it where your application can read it.
        </p>
        <div className="flex items-center gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
          <output aria-label="API key" className="min-w-0 grow font-mono text-sm break-all">
            {token}
          </output>
          <Copy text={token} what="the token" />
        </div>
      </>
    );
  if (!may)
    return <p className="text-muted">Your role cannot create API keys. Ask a developer of the project.</p>;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        kind={hasKey ? 'secondary' : 'primary'}
        icon={<KeyIcon />}
        isBusy={make.isPending}
        onClick={() => make.mutate()}
      >
        {hasKey ? 'Create another key' : 'Create key'}
      </Button>
      <Link to="/api-keys" className={buttonClass('quiet')}>
        View all keys
      </Link>
      {make.error !== null && (
        <p role="alert" className="text-sm text-bad">
          {messageOf(make.error)}
        </p>
      )}
    </div>
  );
}
