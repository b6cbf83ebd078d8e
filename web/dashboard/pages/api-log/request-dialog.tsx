import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../../../api/client.ts';
import type { RejectedRequestDetail } from '../../../../src/contract/dashboard/api-log.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Copy, copyText } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { CopyIcon } from '../../../ui/icons.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Moment } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useProject, useSession } from '../../shell/session.ts';
import { curlOfRequest, hasReplacements, isPathCut } from './curl-of-request.ts';
import { requestQuery } from './queries.ts';
import { KeyName, StatusCode } from './request-table.tsx';

export function RequestDialog({ id, onClose }: { id: string; onClose(): void }) {
  const { id: project } = useProject();
  const { data, error } = useQuery(requestQuery(project, id));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title="Rejected request"
      actions={data === undefined || isPathCut(data) ? undefined : <CopyAsCurl request={data} />}
    >
      {data === undefined && error !== null && (
        <Failure title="Could not load the request">{messageOf(error)}</Failure>
      )}
      {data === undefined && error === null && <Skeleton className="h-72 w-full" />}
      {data !== undefined && <Request request={data} />}
    </Dialog>
  );
}

function CopyAsCurl({ request }: { request: RejectedRequestDetail }) {
  const { service } = useSession();
  const copy = useMutation({
    mutationFn: () => copyText(curlOfRequest(service.base_url, request)),
    onSuccess: () =>
      toast(
        hasReplacements(request)
          ? 'Copied. Set POSTHORN_KEY, and complete the values that were not stored.'
          : 'Copied. Set POSTHORN_KEY to an API key before you run it.',
      ),
    onError: () => toastFailure('The browser blocked copying.'),
  });
  return (
    <Button icon={<CopyIcon />} onClick={() => copy.mutate()}>
      Copy as curl
    </Button>
  );
}

function Request({ request }: { request: RejectedRequestDetail }) {
  const { status, problem, detail, errors, method, path, key, created_at, address, user_agent, request_id } =
    request;
  const invalid = Object.entries(errors ?? {});
  return (
    <div className="grid gap-4">
      <div className="rounded-md bg-bad-soft px-3.5 py-2.5 text-bad">
        <p className="font-medium wrap-anywhere">
          {invalid.length > 0 ? 'These fields are not valid:' : detail}
        </p>
        {invalid.length > 0 && (
          <dl className="mt-1.5 grid gap-x-4 gap-y-1 sm:grid-cols-[fit-content(40%)_minmax(0,1fr)]">
            {invalid.map(([field, message]) => (
              <div key={field} className="sm:contents">
                <dt className="font-mono text-sm wrap-anywhere">{field}</dt>
                <dd className="wrap-anywhere">{message}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-1.5">
        <Fact name="Status">
          <span className="flex flex-wrap items-center gap-2">
            <StatusCode status={status} />
            <a
              href={`/docs/errors#${problem}`}
              target="_blank"
              rel="noreferrer"
              className="font-mono text-sm text-accent hover:underline"
            >
              {problem}
            </a>
          </span>
        </Fact>
        <Fact name="Request">
          <span className="font-mono text-sm wrap-anywhere">
            {method} {path}
          </span>
          {isPathCut({ path }) && (
            <p className="text-sm text-muted">
              The path was too long to be stored, so a part of it was replaced by %E2%80%A6.
            </p>
          )}
        </Fact>
        <Fact name="API key">
          <KeyName apiKey={key} />
        </Fact>
        <Fact name="Time">
          <Moment value={created_at} />
        </Fact>
        <Fact name="Client">
          <span className="wrap-anywhere">
            {[address, user_agent].filter(Boolean).join(', ') || 'Unknown'}
          </span>
        </Fact>
        <Fact name="Request ID">
          <span className="flex items-center gap-1">
            <span className="truncate font-mono text-sm">{request_id}</span>
            <Copy text={request_id} what="the request ID" className="-my-1.5" />
          </span>
        </Fact>
      </dl>
      <Body request={request} />
    </div>
  );
}

function Body({ request: { body, hides_body, method } }: { request: RejectedRequestDetail }) {
  if (hides_body)
    return <p className="text-muted">Your role cannot see email contents, so the body is hidden.</p>;
  if (body === null) {
    return method === 'GET' || method === 'DELETE' ? null : (
      <p className="text-muted">
        No body is stored: the request had none, or it was rejected before its body was read.
      </p>
    );
  }
  return (
    <div className="grid gap-1.5">
      <h3 className="font-medium">Body</h3>
      <CodeBlock label="Request body" isWrapped code={body} />
      {hasReplacements({ body }) && (
        <p className="text-sm text-muted">
          Values in angle brackets were not stored, and texts that end with … were shortened.
        </p>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 tabular-nums">{children}</dd>
    </>
  );
}
