import { lazy, Suspense, useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { MailboxRule } from '../../../../src/contract/mailbox-filing.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { MoreIcon, PauseIcon, PlayIcon, PlusIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { useMay } from '../../shell/session.ts';
import type { MailboxKey } from '../mailboxes/queries.ts';
import { spoken } from '../../../ui/filing/rule-words.ts';
import { useFilingChange } from './use-filing-change.ts';

const AddRule = lazy(() => import('./add-rule.tsx'));

interface RulesProps {
  of: MailboxKey;
  rules: readonly MailboxRule[];
}

interface Change {
  id: string;
  body: { enabled?: boolean; position?: number };
}

export function Rules({ of: key, rules }: RulesProps) {
  const isAdmin = useMay('admin');
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<MailboxRule | null>(null);
  const change = useFilingChange<Change>(
    key,
    ({ id, body }) =>
      dataOf(
        api.PATCH('/projects/{project}/mailboxes/{id}/rules/{part}', {
          params: { path: { ...key, part: id } },
          body,
        }),
      ),
    null,
  );
  return (
    <Card
      title="Rules"
      aside={
        isAdmin && (
          <Button icon={<PlusIcon />} onClick={() => setAdding(true)}>
            Add rule
          </Button>
        )
      }
    >
      <p className="max-w-2xl text-muted">
        Looked at in their order for each message that comes. All that match are done; the first that files or
        deletes says where it goes.
      </p>
      {rules.length === 0 && (
        <p className="mt-2">There are no rules: all mail goes to the Inbox, or to Junk.</p>
      )}
      <ol aria-label="Rules" className="divide-y divide-line">
        {rules.map((rule) => (
          <li key={rule.id} className="flex items-start gap-3 py-3">
            <span className="w-5 pt-px text-right text-muted tabular-nums">{rule.position}</span>
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
                {rule.name}
                {!rule.enabled && <Badge>Off</Badge>}
              </p>
              <p className="text-sm text-muted wrap-anywhere">
                If {rule.conditions.map(spoken).join(rule.match === 'any' ? ' or ' : ' and ')}:{' '}
                {rule.actions.map(spoken).join(', ')}
              </p>
            </div>
            {isAdmin && (
              <Menu
                trigger={
                  <IconButton label={`More about ${rule.name}`}>
                    <MoreIcon />
                  </IconButton>
                }
              >
                <MenuItem
                  isDisabled={rule.position === 1}
                  onClick={() => change.mutate({ id: rule.id, body: { position: rule.position - 1 } })}
                >
                  Move up
                </MenuItem>
                <MenuItem
                  isDisabled={rule.position === rules.length}
                  onClick={() => change.mutate({ id: rule.id, body: { position: rule.position + 1 } })}
                >
                  Move down
                </MenuItem>
                <MenuItem
                  icon={rule.enabled ? <PauseIcon /> : <PlayIcon />}
                  onClick={() => change.mutate({ id: rule.id, body: { enabled: !rule.enabled } })}
                >
                  {rule.enabled ? 'Switch off' : 'Switch on'}
                </MenuItem>
                <MenuItem icon={<TrashIcon />} isDanger onClick={() => setRemoved(rule)}>
                  Remove
                </MenuItem>
              </Menu>
            )}
          </li>
        ))}
      </ol>
      {isAdding && (
        <Suspense fallback={null}>
          <AddRule of={key} count={rules.length} onClose={() => setAdding(false)} />
        </Suspense>
      )}
      {removed !== null && <RemoveRule of={key} rule={removed} onClose={() => setRemoved(null)} />}
    </Card>
  );
}

interface RemoveRuleProps {
  of: MailboxKey;
  rule: MailboxRule;
  onClose(): void;
}

function RemoveRule({ of: key, rule, onClose }: RemoveRuleProps) {
  const remove = useFilingChange(
    key,
    () =>
      dataOf(
        api.DELETE('/projects/{project}/mailboxes/{id}/rules/{part}', {
          params: { path: { ...key, part: rule.id } },
        }),
      ),
    `${rule.name} is removed`,
  );
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Remove the rule ${rule.name}?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      <p>What it has filed stays where it is. Mail that comes two seconds from now is not looked at by it.</p>
    </AlertDialog>
  );
}
