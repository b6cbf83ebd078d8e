import { useQuery } from '@tanstack/react-query';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { queryClient } from '../../../../api/query-client.ts';
import { useChange } from '../../../../api/use-change.ts';
import type { MailSettings } from '../../../../../src/contract/mail/settings.ts';
import { Card } from '../../../../ui/card.tsx';
import { Field, Select } from '../../../../ui/field.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { Loaded } from '../../../../shell/loaded.tsx';
import { identitiesQuery } from '../../../compose/queries.ts';
import { mailSettingsQuery } from '../../../shell/mail-settings.ts';
import { useMailbox } from '../../../shell/session.ts';
import { IdentityList } from './identity-list.tsx';
import { ResponseList } from './response-list.tsx';

export default function WritingPage() {
  const { mailbox } = useMailbox();
  const identities = useQuery(identitiesQuery(mailbox));
  return (
    <>
      <PageHeader title="Writing" />
      <div className="grid gap-4">
        <Loaded query={identities}>{(found) => <IdentityList identities={found} />}</Loaded>
        <ResponseList />
        <UndoTime />
      </div>
    </>
  );
}

type UndoSeconds = MailSettings['undo_seconds'];

const CHOICES: readonly UndoSeconds[] = [5, 10, 20, 30];

/** The time for which sending can be undone. */
function UndoTime() {
  const { mailbox } = useMailbox();
  const query = mailSettingsQuery(mailbox);
  const { data } = useQuery(query);
  const change = useChange<UndoSeconds>(
    query.queryKey,
    async (seconds) => {
      await dataOf(
        api.PATCH('/mailboxes/{mailbox}/settings', {
          params: { path: { mailbox } },
          body: { undo_seconds: seconds },
        }),
      );
      await queryClient.invalidateQueries(identitiesQuery(mailbox));
    },
    'Saved',
  );
  return (
    <Card title="Undo send">
      <Field
        label="Time to undo"
        hint="Messages are sent after this time. Until then, you can undo sending, and you can close the browser."
        className="max-w-sm"
      >
        <Select
          disabled={data === undefined}
          value={change.isPending ? change.variables : data?.undo_seconds}
          onChange={({ target }) => change.mutate(Number(target.value) as UndoSeconds)}
        >
          {CHOICES.map((seconds) => (
            <option key={seconds} value={seconds}>
              {`${seconds} seconds`}
            </option>
          ))}
        </Select>
      </Field>
    </Card>
  );
}
