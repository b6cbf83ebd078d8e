import type { DashboardMailbox } from '../../../../src/contract/dashboard/mailboxes.ts';
import { Card } from '../../../ui/card.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Table, Td, Th } from '../../../ui/table.tsx';
import { useSession } from '../../shell/session.ts';

const PROTOCOLS = { imap: 'IMAP (reading)', pop3: 'POP3 (fetching)', submission: 'SMTP (sending)' } as const;
const SECURITY = { tls: 'SSL/TLS', starttls: 'STARTTLS', none: 'None (only on the server itself)' } as const;
const LINK = 'text-accent underline underline-offset-2';

export default function MailApps({ mailbox }: { mailbox: DashboardMailbox }) {
  const { service } = useSession();
  const { address, mail_access: access } = mailbox;
  if (access.services.length === 0) return <NoPorts />;
  const isLocal = access.services.every(({ security }) => security === 'none');
  const setUp = `${service.base_url}/mail/setup`;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {isLocal && <NoCertificate />}
      <Card title="Automatic setup">
        <p className="max-w-2xl text-muted">
          Most apps need only a name, an address and a password. The page below{' '}
          {isLocal ? 'has all settings' : 'has a profile and a QR code for phones and Macs'}. You can send its
          address to the owner of the mailbox:
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
      <Card title="Manual setup">
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
          <dd className="py-1">The mailbox password, or an app password</dd>
        </dl>
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
        <p className="mt-3 text-sm text-muted">
          For each protocol, use the first row that the app supports.{' '}
          <a href="/docs/mail-apps" className={LINK}>
            More about mail apps
          </a>
        </p>
      </Card>
    </div>
  );
}

/** Warns that other machines cannot connect without a certificate, because users would otherwise suspect the values that they typed. */
function NoCertificate() {
  return (
    <Card title="Only on the server itself">
      <p className="max-w-2xl text-muted">
        There is no TLS certificate, so passwords cannot be sent over a network and these settings work only
        for an app on the server itself. Phones and other computers need{' '}
        <a href="/docs/operate/certificates" className={LINK}>
          a certificate
        </a>
        : POSTHORN_ACME=on, or POSTHORN_TLS_CERT and POSTHORN_TLS_KEY.
      </p>
    </Card>
  );
}

function NoPorts() {
  return (
    <Card title="Ports are not fixed">
      <p className="max-w-2xl text-muted">
        This server picks new ports for mail apps at each start, so they cannot be listed here. The operator
        can set POSTHORN_IMAP_PORT, POSTHORN_SUBMISSION_PORT and so on to fixed ports.{' '}
        <a href="/docs/mail-apps" className={LINK}>
          More about mail apps
        </a>
      </p>
    </Card>
  );
}
