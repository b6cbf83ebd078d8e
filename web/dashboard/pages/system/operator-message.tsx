import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { OperatorMail } from '../../../../src/contract/dashboard/operator-mail.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { AlertDialog, Dialog } from '../../../ui/dialog.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { OPERATOR_MAIL, operatorMessageQuery } from './queries.ts';

type Summary = OperatorMail['data'][number];

const PRE =
  'rounded-md border border-line bg-quiet-soft p-3 font-mono text-sm wrap-anywhere whitespace-pre-wrap';

/** A message as plain text, so that no script runs and no remote content is loaded. */
export function OperatorMessageDialog({ summary, onClose }: { summary: Summary; onClose(): void }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/system/operator-mail/{id}', { params: { path: { id: summary.id } } })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: OPERATOR_MAIL });
      onClose();
    },
  });
  return (
    <>
      <Dialog
        isOpen
        width="wide"
        onClose={onClose}
        title={summary.subject || 'No subject'}
        description="Shown as plain text. Anyone can write to these addresses under any name."
        actions={
          <>
            <Button kind="danger" className="mr-auto" onClick={() => setAsking(true)}>
              Delete
            </Button>
            <a
              href={`/dashboard/api/system/operator-mail/${summary.id}/raw`}
              download
              className={buttonClass()}
            >
              Download
            </a>
            <Button kind="primary" onClick={onClose}>
              Close
            </Button>
          </>
        }
      >
        <Loaded query={useQuery(operatorMessageQuery(summary.id))}>
          {(message) => (
            <div className="grid gap-4">
              <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_1fr]">
                <Fact name="Author">{message.author || 'None'}</Fact>
                <Fact name="Envelope sender">{message.reverse_path || 'None: a report'}</Fact>
                <Fact name="Sent to">{message.recipients.join(', ')}</Fact>
                <Fact name="Received from">
                  {message.helo} [{message.client_address}]
                </Fact>
              </dl>
              <section aria-label="Text">
                <h3 className="mb-1">Text</h3>
                <pre tabIndex={0} className={PRE}>
                  {message.text || 'The message has no text.'}
                </pre>
              </section>
              <section aria-label="Headers">
                <h3 className="mb-1">Headers</h3>
                <pre tabIndex={0} className={PRE}>
                  {message.header}
                </pre>
              </section>
            </div>
          )}
        </Loaded>
      </Dialog>
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Delete this message?"
        action="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>This deletes it for all operators.</p>
      </AlertDialog>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </>
  );
}
