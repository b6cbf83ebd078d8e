import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SystemCertificates } from '../../../../src/contract/dashboard/system.ts';
import { Badge } from '../../../ui/badge.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { certificatesQuery } from './queries.ts';

type Certificate = SystemCertificates['data'][number];

const DAY_MS = 86_400_000;
/** A certificate that expires in fewer days causes a warning, as in `posthorn doctor`. */
const WARN_DAYS = 14;

/** The certificates of the ports with TLS. */
export default function Certificates() {
  return (
    <Loaded query={useQuery(certificatesQuery)}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No certificates">
            Without a certificate, mail arrives unencrypted and mail apps cannot sign in. Set POSTHORN_ACME=on
            to obtain and renew certificates automatically, or set POSTHORN_TLS_CERT and POSTHORN_TLS_KEY to
            your certificate and key files.
          </EmptyState>
        ) : (
          <Table
            label="Certificates"
            head={
              <>
                <Th>Names</Th>
                <Th>State</Th>
                <Th>Expires</Th>
                <Th isWideOnly>Issuer</Th>
                <Th isWideOnly>Next attempt</Th>
              </>
            }
          >
            {data.map((certificate, at) => (
              <CertificateRow key={at} certificate={certificate} />
            ))}
          </Table>
        )
      }
    </Loaded>
  );
}

function CertificateRow({ certificate }: { certificate: Certificate }) {
  const { names, issuer, expires_at, next_attempt_at, last_error, source } = certificate;
  return (
    <Row>
      <Td className="w-full max-w-0">
        <span className="block font-medium wrap-anywhere">{names.join(', ') || 'Unknown'}</span>
        {last_error !== null && <span className="block text-sm text-bad wrap-anywhere">{last_error}</span>}
      </Td>
      <Td>
        <State certificate={certificate} />
      </Td>
      <Td>
        <Time value={expires_at} never="None yet" />
      </Td>
      <Td isWideOnly className="whitespace-nowrap">
        {issuer ?? ''}
      </Td>
      <Td isWideOnly>
        {source === 'files' ? (
          <span className="text-muted">Not renewed automatically</span>
        ) : (
          <Time value={next_attempt_at} never="" />
        )}
      </Td>
    </Row>
  );
}

function State({ certificate: { expires_at, last_error, is_wanted } }: { certificate: Certificate }) {
  const [nowMs] = useState(Date.now);
  const leftMs = expires_at === null ? null : Date.parse(expires_at) - nowMs;
  if (!is_wanted) return <Badge>No longer used</Badge>;
  if (leftMs === null) return <Badge tone="bad">None yet</Badge>;
  if (leftMs < 0) return <Badge tone="bad">Expired</Badge>;
  if (last_error !== null) return <Badge tone="warn">Not renewed</Badge>;
  return leftMs < WARN_DAYS * DAY_MS ? (
    <Badge tone="warn">Expires soon</Badge>
  ) : (
    <Badge tone="good">Valid</Badge>
  );
}
