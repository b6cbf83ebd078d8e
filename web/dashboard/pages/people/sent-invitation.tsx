import { useEffect, useRef } from 'react';
import type { CreatedInvitation } from '../../../../src/contract/dashboard/organizations.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { useSession } from '../../shell/session.ts';

/** Shows the link of an invitation once, so that users can pass the link on if mail does not arrive. */
export function SentInvitation({ sent, onDone }: { sent: CreatedInvitation; onDone(): void }) {
  const { service } = useSession();
  const link = useRef<HTMLInputElement>(null);
  useEffect(() => {
    link.current?.focus();
    link.current?.select();
  }, []);
  return (
    <Card
      title={`${sent.email} invited`}
      aside={<Button onClick={onDone}>Done</Button>}
      className="mb-6"
      isNew
    >
      <div className="flex items-start gap-1">
        <Field
          label="Link"
          hint={
            !sent.is_mailed
              ? 'No email is sent, because others can read the mailbox of this address on this server. Pass on the link yourself. You won’t see it again.'
              : service.provider === 'sandbox'
                ? 'In the sandbox no mail is delivered. Pass on the link yourself. You won’t see it again.'
                : 'The link is also sent by email. You won’t see this link again: to get another one, invite the address again.'
          }
          className="min-w-0 flex-1"
        >
          <Input
            ref={link}
            readOnly
            value={sent.url}
            onFocus={(event) => event.target.select()}
            className="font-mono"
          />
        </Field>
        <Copy text={sent.url} what="the link" className="mt-7" />
      </div>
      {sent.awaits_confirmation && (
        <p className="mt-3 text-sm text-warn">
          The link does not work yet, because people of another organization, or with a lower role, can read
          this mailbox. Ask an owner to confirm the invitation below.
        </p>
      )}
    </Card>
  );
}
