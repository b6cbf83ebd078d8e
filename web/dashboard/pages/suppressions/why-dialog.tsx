import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExplainedSuppression } from '../../../../src/contract/dashboard/suppressions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { whyQuery } from './queries.ts';
import { diagnosticOf, REASONS } from './words.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';

interface WhyDialogProps {
  project: string;
  address: string;
  /** Null if the user cannot remove addresses. */
  onRemove: (() => void) | null;
  onClose(): void;
}

/** Explains why an address is suppressed. */
export function WhyDialog({ project, address, onRemove, onClose }: WhyDialogProps) {
  const { data, error, refetch } = useQuery(whyQuery(project, address));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={address}
      width="wide"
      actions={
        <>
          {onRemove !== null && data !== undefined && <Button onClick={onRemove}>Remove from list</Button>}
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {data !== undefined && <Why {...data} />}
      {data === undefined && (
        <NotLoaded title="Could not load the details" error={error} refetch={refetch} rows={3} />
      )}
    </Dialog>
  );
}

function Why({ suppression, email, event }: ExplainedSuppression) {
  const { reason, detail, email_id, created_at, expires_at } = suppression;
  const { name, tone, why } = REASONS[reason];
  const said = diagnosticOf(suppression) ?? (detail === null ? null : JSON.stringify(detail, null, 2));
  return (
    <dl className="grid grid-cols-2 gap-4">
      <Fact name="Reason">
        <Badge tone={tone}>{name}</Badge>
        <p className="mt-1">{why}</p>
      </Fact>
      {said !== null && (
        <Fact name="Server response">
          <CodeBlock code={said} label="the server response" />
        </Fact>
      )}
      {email_id !== null && (
        <Fact name="Caused by email">
          {email === null ? (
            <span className="text-muted">
              <span className="font-mono text-sm wrap-anywhere">{email_id}</span> was deleted.
            </span>
          ) : (
            <>
              <Link
                to="/emails/$id"
                params={{ id: email_id }}
                className="font-medium text-accent wrap-anywhere hover:underline"
              >
                {email.subject === '' ? 'No subject' : email.subject}
              </Link>
              <p className="text-sm text-muted">
                Accepted <Time value={email.created_at} />
                {event !== null && (
                  <>
                    , {event.type} <Time value={event.created_at} />
                  </>
                )}
              </p>
            </>
          )}
        </Fact>
      )}
      <Fact name="Added" isShort>
        <Time value={created_at} />
      </Fact>
      <Fact name="Expires" isShort>
        {expires_at === null ? 'Never' : <Time value={expires_at} />}
      </Fact>
    </dl>
  );
}

function Fact({ name, isShort = false, children }: { name: string; isShort?: boolean; children: ReactNode }) {
  return (
    <div className={isShort ? '' : 'col-span-2'}>
      <dt className="mb-1 text-sm text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
