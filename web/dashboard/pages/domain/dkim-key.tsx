import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import type { DomainRecord } from '../../../../src/contract/domains.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { Day } from './day.tsx';
import { domainKey } from './use-domain.ts';

interface DkimKeyProps {
  project: string;
  domain: DashboardDomain;
  mayChange: boolean;
}

const selectorOf = ({ host }: DomainRecord) => host.split('.', 1)[0] ?? '';

/** The signing key of a domain, and the rotation of the key. All mail stays signed during a rotation. */
export function DkimKey({ project, domain, mayChange }: DkimKeyProps) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const call = { params: { path: { project, id: domain.id } } };
  const onSuccess = (changed: DashboardDomain) => {
    queries.setQueryData(domainKey(project, domain.id), changed);
    void queries.invalidateQueries({ queryKey: ['domains', project] });
  };
  const rotate = useMutation({
    mutationFn: () => dataOf(api.POST('/projects/{project}/domains/{id}/dkim-rotation', call)),
    onSuccess(changed) {
      onSuccess(changed);
      setAsking(false);
      toast('New key created. Publish its record.');
    },
  });
  const cancel = useMutation({
    mutationFn: () => dataOf(api.DELETE('/projects/{project}/domains/{id}/dkim-rotation', call)),
    onSuccess(changed) {
      onSuccess(changed);
      const isGone = changed.records.every(({ rotation }) => rotation === undefined);
      toast(
        isGone
          ? 'Rotation cancelled. You do not need to publish the new record.'
          : 'The new key is already signing mail.',
      );
    },
  });
  const keys = domain.records.filter(({ record }) => record === 'DKIM');
  const signing = keys.find(({ rotation }) => rotation === undefined);
  const next = keys.find(({ rotation }) => rotation === 'next');
  const retiring = keys.filter(({ rotation }) => rotation === 'retiring');
  return (
    <Card
      title="DKIM key"
      aside={
        mayChange &&
        (next === undefined ? (
          <Button onClick={() => setAsking(true)}>Rotate key</Button>
        ) : (
          <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel rotation
          </Button>
        ))
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 text-pretty">
        {signing !== undefined && (
          <p>
            Mail is signed with selector <code className="font-mono text-sm">{selectorOf(signing)}</code>
            {next === undefined ? '.' : ' until Posthorn finds the record of the new key.'}
          </p>
        )}
        {next !== undefined && (
          <p>
            The new key is <code className="font-mono text-sm">{selectorOf(next)}</code>. Publish its record
            listed above, and keep the current record. Once Posthorn finds it, all mail is signed with the new
            key.
          </p>
        )}
        {retiring.map((record) => (
          <p key={record.name}>
            <code className="font-mono text-sm">{selectorOf(record)}</code> was the previous key. Keep its
            record until <Day value={record.keep_until ?? ''} />: receivers still verify mail in transit.
          </p>
        ))}
        {next === undefined && retiring.length === 0 && (
          <p className="text-muted">
            Rotate the key once a year, or if it may have leaked. Mail stays signed throughout.
          </p>
        )}
        {!mayChange && <p className="text-muted">Only admins can rotate the key.</p>}
      </div>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Rotate DKIM key"
        onSubmit={() => rotate.mutate()}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button kind="primary" type="submit" isBusy={rotate.isPending}>
              Create new key
            </Button>
          </>
        }
      >
        <ol className="grid list-decimal gap-2 pl-5 text-pretty">
          <li>Publish a second DKIM record and keep the current one.</li>
          <li>Once Posthorn finds it, all mail is signed with the new key, including queued mail.</li>
          <li>Keep the old record for seven days, then remove it. Posthorn deletes the old private key.</li>
        </ol>
      </Dialog>
    </Card>
  );
}
