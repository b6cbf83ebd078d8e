import type { DashboardMailbox } from '../../../api/schema.ts';
import { Card } from '../../../ui/card.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Table, Td, Th } from '../../../ui/table.tsx';
import { useSession } from '../../shell/session.ts';

const PROTOCOLS = { imap: 'IMAP (reading)', pop3: 'POP3 (fetching)', submission: 'SMTP (sending)' } as const;
const SECURITY = { tls: 'SSL/TLS', starttls: 'STARTTLS', none: 'None: from this machine alone' } as const;

/** What is typed into a mail app. */
export default function MailApps({ mailbox }: { mailbox: DashboardMailbox }) {
  const { service } = useSession();
  const { address, mail_access: access } = mailbox;
  const setUp = `${service.base_url}/mail/setup`;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Card title="By itself">
        <p className="max-w-2xl text-muted">
          Most apps ask for name, address and password, and find the rest. Phones and Macs take a profile or a
          code from the page that you can send to the owner of the mailbox:
        </p>
        <p className="mt-2 flex items-center gap-1">
          <a
            href={`/mail/setup?address=${encodeURIComponent(address)}`}
            target="_blank"
            rel="noreferrer"
            className="min-w-0 truncate text-accent hover:underline"
          >
            {setUp}
          </a>
          <Copy text={setUp} what="the address of the page" />
        </p>
      </Card>
      <Card title="By hand">
        <dl className="mb-4 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1">
          <dt className="text-muted">User name</dt>
          <dd className="flex items-center gap-1">
            <span className="min-w-0 font-mono text-sm wrap-anywhere">{address}</span>
            <Copy text={address} what="the user name" />
          </dd>
          <dt className="text-muted">Server</dt>
          <dd className="flex items-center gap-1">
            <span className="min-w-0 font-mono text-sm wrap-anywhere">{access.hostname}</span>
            <Copy text={access.hostname} what="the server" />
          </dd>
          <dt className="text-muted">Password</dt>
          <dd className="py-1">That of the mailbox, or an app password</dd>
        </dl>
        {access.services.length === 0 ? (
          <p>The ports of this installation are picked anew at each start, so they cannot be told.</p>
        ) : (
          <Table
            label="Ports"
            head={
              <>
                <Th>Protocol</Th>
                <Th>Security</Th>
                <Th isNumeric>Port</Th>
              </>
            }
          >
            {access.services.map(({ protocol, security, port }) => (
              <tr key={`${protocol} ${port}`} className="border-b border-line">
                <Td>{PROTOCOLS[protocol]}</Td>
                <Td>{SECURITY[security]}</Td>
                <Td isNumeric>{port}</Td>
              </tr>
            ))}
          </Table>
        )}
        <p className="mt-3 text-sm text-muted">
          Take the first of each kind that the app knows.{' '}
          <a href="/docs/mail-apps" className="text-accent underline underline-offset-2">
            More about mail apps
          </a>
        </p>
      </Card>
    </div>
  );
}
