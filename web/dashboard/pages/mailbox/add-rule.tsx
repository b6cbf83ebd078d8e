import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { RuleDialog, type RuleInWords } from '../../../ui/filing/rule-dialog.tsx';
import type { MailboxKey } from '../mailboxes/queries.ts';
import { useFilingChange } from './use-filing-change.ts';

interface AddRuleProps {
  of: MailboxKey;
  /** How many rules there are. */
  count: number;
  onClose(): void;
}

export default function AddRule({ of: key, count, onClose }: AddRuleProps) {
  const add = useFilingChange<RuleInWords & { position?: number }>(
    key,
    (body) =>
      dataOf(
        api.POST('/projects/{project}/mailboxes/{id}/rules', {
          params: { path: { ...key } },
          body,
        }),
      ),
    'Rule added: it counts for mail that comes two seconds from now',
  );
  return (
    <RuleDialog
      title="Add rule"
      action="Add"
      asksPlace={count > 0}
      isBusy={add.isPending}
      errors={fieldErrors(add.error)}
      onSave={(rule, position) =>
        add.mutate({ ...rule, ...(position !== null && { position }) }, { onSuccess: onClose })
      }
      onClose={onClose}
    />
  );
}
