import { Suspense, useState } from 'react';
import { lazyPart } from '../shell/code.ts';
import { fieldErrors } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import type { ChangeMailboxRule, MailboxRule } from '../../src/contract/mailbox-filing.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Button } from '../ui/button.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PlusIcon } from '../ui/icons.tsx';
import type { PartProps, RuleCalls } from './part.ts';
import type { RuleInWords } from './rule-dialog.tsx';
import { RuleList } from './rule-list.tsx';

const RuleDialog = lazyPart(() => import('./rule-dialog.tsx'));

export interface RulesProps extends PartProps<MailboxRule[], RuleCalls> {
  /** The folders that mail can be moved to. */
  folders?: readonly string[];
}

export function Rules({ frame: PartFrame, query, calls, folders = [] }: RulesProps) {
  /** `new`, or the rule that is being edited. */
  const [edited, setEdited] = useState<MailboxRule | 'new' | null>(null);
  const [removed, setRemoved] = useState<MailboxRule | null>(null);
  const { data: rules = [] } = query;
  const add = calls !== null && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setEdited('new')}>
      Add rule
    </Button>
  );
  return (
    <PartFrame
      title="Rules"
      description="Rules are checked in order for each message received, and every matching rule applies. If more than one would move or delete the message, only the first of those decides where it goes."
      actions={rules.length > 0 && add}
    >
      <Loaded query={query}>
        {(data) =>
          data.length === 0 ? (
            <EmptyState title="No rules yet" action={add}>
              Use rules to sort incoming mail automatically. For example, move invoices to a folder or mark
              newsletters as read. Without rules, all mail goes to the Inbox or to Junk.
            </EmptyState>
          ) : calls === null ? (
            <RuleList rules={data} editing={null} />
          ) : (
            <EditedList rules={data} calls={calls} onEdit={setEdited} onRemove={setRemoved} />
          )
        }
      </Loaded>
      {edited !== null && calls !== null && (
        <Suspense fallback={null}>
          <EditRule
            rule={edited === 'new' ? null : edited}
            calls={calls}
            folders={folders}
            count={rules.length}
            onClose={() => setEdited(null)}
          />
        </Suspense>
      )}
      {removed !== null && calls !== null && (
        <RemoveRule rule={removed} calls={calls} onClose={() => setRemoved(null)} />
      )}
    </PartFrame>
  );
}

interface EditedListProps {
  rules: readonly MailboxRule[];
  calls: RuleCalls;
  onEdit(rule: MailboxRule): void;
  onRemove(rule: MailboxRule): void;
}

function EditedList({ rules, calls, onEdit, onRemove }: EditedListProps) {
  const change = useChange<{ id: string; body: ChangeMailboxRule }>(
    calls.queryKey,
    ({ id, body }) => calls.change(id, body),
    null,
  );
  return (
    <RuleList
      rules={rules}
      editing={{
        // The new order is shown immediately, so that a key pressed twice moves the rule by two positions.
        onMove(id, position) {
          calls.show(placed(rules, id, position));
          change.mutate({ id, body: { position } });
        },
        onSwitch: ({ id, enabled }) => change.mutate({ id, body: { enabled: !enabled } }),
        onEdit: calls.replace === null ? null : onEdit,
        onRemove,
      }}
    />
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

interface EditRuleProps {
  /** Null to add a rule. */
  rule: MailboxRule | null;
  calls: RuleCalls;
  folders: readonly string[];
  /** The number of rules. */
  count: number;
  onClose(): void;
}

function EditRule({ rule, calls, folders, count, onClose }: EditRuleProps) {
  const save = useChange<RuleInWords & { position?: number }>(
    calls.queryKey,
    async ({ position, ...words }) => {
      if (rule === null) await calls.add({ ...words, ...(position !== undefined && { position }) });
      else await calls.replace?.(rule.id, words);
    },
    `Rule ${rule === null ? 'added' : 'changed'}. It takes effect within two seconds`,
  );
  return (
    <RuleDialog
      title={rule === null ? 'Add rule' : `Edit ${rule.name}`}
      action={rule === null ? 'Add' : 'Save'}
      {...(rule !== null && { rule })}
      folders={folders}
      asksPlace={rule === null && count > 0}
      isBusy={save.isPending}
      errors={fieldErrors(save.error)}
      onSave={(words, position) =>
        save.mutate({ ...words, ...(position !== null && { position }) }, { onSuccess: onClose })
      }
      onClose={onClose}
    />
  );
}

interface RemoveRuleProps {
  rule: MailboxRule;
  calls: RuleCalls;
  onClose(): void;
}

function RemoveRule({ rule: { id, name }, calls, onClose }: RemoveRuleProps) {
  const remove = useChange(calls.queryKey, () => calls.remove(id), `Rule ${name} removed`);
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Remove rule ${name}?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      <p>
        Mail that the rule already moved stays in place. The rule stops applying to new mail within two
        seconds.
      </p>
    </AlertDialog>
  );
}
