import { useQuery } from '@tanstack/react-query';
import { dataOf, fieldErrors } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailboxRule } from '../../../../../src/contract/mailbox-filing.ts';
import { RuleDialog, type RuleInWords } from '../../../../ui/filing/rule-dialog.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { ownFoldersQuery, rulesQuery } from '../queries.ts';
import { useChange } from '../use-change.ts';

interface EditRuleProps {
  /** Null: a new one. */
  rule: MailboxRule | null;
  /** How many there are. */
  count: number;
  onClose(): void;
}

export default function EditRule({ rule, count, onClose }: EditRuleProps) {
  const { mailbox } = useMailbox();
  const folders = useQuery(ownFoldersQuery(mailbox)).data?.data.map(({ path }) => path);
  const save = useChange<RuleInWords & { position?: number }>(
    rulesQuery(mailbox).queryKey,
    ({ position, ...words }) =>
      rule === null
        ? dataOf(
            api.POST('/mailboxes/{mailbox}/rules', {
              params: { path: { mailbox } },
              body: { ...words, ...(position !== undefined && { position }) },
            }),
          )
        : dataOf(
            api.PUT('/mailboxes/{mailbox}/rules/{id}', {
              params: { path: { mailbox, id: rule.id } },
              body: words,
            }),
          ),
    `Rule ${rule === null ? 'added' : 'changed'}: it counts for mail that comes two seconds from now`,
  );
  return (
    <RuleDialog
      title={rule === null ? 'Add rule' : `Change ${rule.name}`}
      action={rule === null ? 'Add' : 'Save'}
      {...(rule !== null && { rule })}
      {...(folders !== undefined && { folders })}
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
