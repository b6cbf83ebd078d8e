import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailboxRule } from '../../../../../src/contract/mailbox-filing.ts';
import { Button } from '../../../../ui/button.tsx';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { EmptyState } from '../../../../ui/empty-state.tsx';
import { PlusIcon } from '../../../../ui/icons.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { Loaded } from '../loaded.tsx';
import { rulesQuery } from '../queries.ts';
import { useChange } from '../use-change.ts';
import { type RuleChange, RuleList } from './rule-list.tsx';

const EditRule = lazy(() => import('./edit-rule.tsx'));

export default function RulesPage() {
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const query = rulesQuery(mailbox);
  const rules = useQuery(query);
  /** `new`, or the one that is changed. */
  const [edited, setEdited] = useState<MailboxRule | 'new' | null>(null);
  const [removed, setRemoved] = useState<MailboxRule | null>(null);
  const change = useChange<RuleChange>(
    query.queryKey,
    ({ id, body }) =>
      dataOf(api.PATCH('/mailboxes/{mailbox}/rules/{id}', { params: { path: { mailbox, id } }, body })),
    null,
  );
  const remove = useChange<string>(
    query.queryKey,
    (id) => dataOf(api.DELETE('/mailboxes/{mailbox}/rules/{id}', { params: { path: { mailbox, id } } })),
    'The rule is removed',
  );
  /** Shown at once: whoever presses a key twice moves it two places. */
  const move = (id: string, position: number) => {
    queries.setQueryData(query.queryKey, (before) => before && { data: placed(before.data, id, position) });
    change.mutate({ id, body: { position } });
  };
  const add = (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setEdited('new')}>
      Add rule
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Rules"
        description="Looked at in their order for each message that comes. All that match are done; the first that files or deletes says where it goes."
        actions={rules.data !== undefined && rules.data.data.length > 0 && add}
      />
      <Loaded query={rules}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No rules yet" action={add}>
              A rule files, marks, forwards or refuses mail by itself: invoices into a folder, newsletters
              marked as read. Without one all mail goes to the Inbox, or to Junk.
            </EmptyState>
          ) : (
            <RuleList
              rules={data}
              onMove={move}
              onChange={change.mutate}
              onEdit={setEdited}
              onRemove={setRemoved}
            />
          )
        }
      </Loaded>
      {edited !== null && (
        <Suspense fallback={null}>
          <EditRule
            rule={edited === 'new' ? null : edited}
            count={rules.data?.data.length ?? 0}
            onClose={() => setEdited(null)}
          />
        </Suspense>
      )}
      {removed !== null && (
        <AlertDialog
          isOpen
          onClose={() => setRemoved(null)}
          title={`Remove the rule ${removed.name}?`}
          action="Remove"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(removed.id, { onSettled: () => setRemoved(null) })}
        >
          <p>
            What it has filed stays where it is. Mail that comes two seconds from now is not looked at by it.
          </p>
        </AlertDialog>
      )}
    </>
  );
}

function placed(rules: readonly MailboxRule[], id: string, position: number): MailboxRule[] {
  const moved = rules.find((rule) => rule.id === id);
  if (moved === undefined) return [...rules];
  return rules
    .filter((rule) => rule !== moved)
    .toSpliced(position - 1, 0, moved)
    .map((rule, at) => ({ ...rule, position: at + 1 }));
}
