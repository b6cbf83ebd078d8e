import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperatorMail } from '../../../../src/contract/dashboard/operator-mail.ts';
import { bytes, number } from '../../../ui/amounts.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { OperatorMessageDialog } from './operator-message.tsx';
import { operatorMailQuery } from './queries.ts';

type Summary = OperatorMail['data'][number];

/** Mail to postmaster and abuse addresses that belong to no mailbox. */
export default function OperatorMailPart() {
  return (
    <Loaded query={useQuery(operatorMailQuery)}>
      {(mail) => (mail.data.length === 0 ? <NoMail days={mail.days} /> : <Messages mail={mail} />)}
    </Loaded>
  );
}

function NoMail({ days }: { days: number }) {
  return (
    <EmptyState title="No mail for operators">
      Mail to postmaster and abuse appears here for {days} days, unless a mailbox, an alias or a catch-all
      receives it or POSTHORN_POSTMASTER is set to a mailbox.
    </EmptyState>
  );
}

function Messages({ mail }: { mail: OperatorMail }) {
  const [opened, setOpened] = useState<Summary | null>(null);
  return (
    <>
      <p className="mb-3 max-w-2xl text-muted">
        Mail to postmaster and abuse that no mailbox receives. It is deleted after {mail.days} days. Stored:{' '}
        {number(mail.messages)} of {number(mail.max_messages)} messages, {bytes(mail.octets)} of{' '}
        {bytes(mail.max_octets)}.
      </p>
      <Table
        label="Mail for operators"
        head={
          <>
            <Th>Message</Th>
            <Th isWideOnly>To</Th>
            <Th isNumeric isWideOnly>
              Size
            </Th>
            <Th isNumeric>Received</Th>
          </>
        }
      >
        {mail.data.map((message) => (
          <Row key={message.id}>
            <Td className="wrap-anywhere">
              <button
                type="button"
                className="text-left font-medium after:absolute after:inset-0 hover:underline"
                onClick={() => setOpened(message)}
              >
                {message.subject || 'No subject'}
              </button>
              <span className="block text-sm text-muted">{message.author || 'No author'}</span>
            </Td>
            <Td isWideOnly className="wrap-anywhere">
              {message.recipients.join(', ')}
            </Td>
            <Td isNumeric isWideOnly className="whitespace-nowrap tabular-nums">
              {bytes(message.octets)}
            </Td>
            <Td isNumeric>
              <Time value={message.received_at} />
            </Td>
          </Row>
        ))}
      </Table>
      {opened !== null && <OperatorMessageDialog summary={opened} onClose={() => setOpened(null)} />}
    </>
  );
}
