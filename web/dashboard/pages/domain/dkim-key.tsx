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

/** The signing key, and its rotation without unsigned mail. */
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
      toast('The next key is made. Publish its record.');
    },
  });
  const cancel = useMutation({
    mutationFn: () => dataOf(api.DELETE('/projects/{project}/domains/{id}/dkim-rotation', call)),
    onSuccess(changed) {
      onSuccess(changed);
      const isGone = changed.records.every(({ rotation }) => rotation === undefined);
      toast(
        isGone
          ? 'The next key is forgotten. Its record need not be published.'
          : 'The new key signs already.',
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
          <Button onClick={() => setAsking(true)}>Change the key</Button>
        ) : (
          <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the change
          </Button>
        ))
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 text-pretty">
        {signing !== undefined && (
          <p>
            Mail is signed with <code className="font-mono text-sm">{selectorOf(signing)}</code>
            {next === undefined ? '.' : ', until the record of the next key is seen.'}
          </p>
        )}
        {next !== undefined && (
          <p>
            The next key is <code className="font-mono text-sm">{selectorOf(next)}</code>. Publish its record
            above, and leave the other one where it is. Once it is seen, all mail is signed with it.
          </p>
        )}
        {retiring.map((record) => (
          <p key={record.name}>
            <code className="font-mono text-sm">{selectorOf(record)}</code> signed before. Keep its record
            until <Day value={record.keep_until ?? ''} />: receivers still check mail that is on its way.
          </p>
        ))}
        {next === undefined && retiring.length === 0 && (
          <p className="text-muted">
            Change it when somebody may know it, or once a year. No mail goes unsigned meanwhile.
          </p>
        )}
        {!mayChange && <p className="text-muted">An admin may change it.</p>}
      </div>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Change the DKIM key"
        onSubmit={() => rotate.mutate()}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button kind="primary" type="submit" isBusy={rotate.isPending}>
              Make the next key
            </Button>
          </>
        }
      >
        <ol className="grid list-decimal gap-2 pl-5 text-pretty">
          <li>You publish a second DKIM record, beside the one that is there.</li>
          <li>Once it is seen, all mail is signed with the new key, also what waits to be sent.</li>
          <li>
            You keep the record from before for seven days, then remove it. Its private key is deleted here.
          </li>
        </ol>
      </Dialog>
    </Card>
  );
}
