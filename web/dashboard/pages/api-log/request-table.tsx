import { Link } from '@tanstack/react-router';
import type { RejectedRequestSummary } from '../../../../src/contract/dashboard/api-log.ts';
import { number } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';

/** The number of columns on wide screens. */
const COLUMNS = 5;

export function RequestTable({ requests }: { requests: readonly RejectedRequestSummary[] }) {
  return (
    <Table
      label="Rejected requests"
      head={
        <>
          <Th>Status</Th>
          <Th>Request</Th>
          <Th isWideOnly>Error</Th>
          <Th isWideOnly>API key</Th>
          <Th isNumeric>When</Th>
        </>
      }
    >
      {requests.map((request) => (
        <RequestRow key={request.id} request={request} />
      ))}
    </Table>
  );
}

function RequestRow({ request }: { request: RejectedRequestSummary }) {
  const {
    id,
    status,
    method,
    path,
    problem,
    detail,
    key,
    created_at,
    invalid_fields: fields,
    omitted_before: omitted,
  } = request;
  // The field names say more than the detail, which is always the same.
  const what = fields.length > 0 ? fields.join(', ') : detail;
  return (
    <>
      <Row>
        <Td>
          <StatusCode status={status} />
        </Td>
        <Td className="max-w-44 sm:max-w-72">
          <Link
            to="."
            search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, request: id })}
            resetScroll={false}
            title={`${method} ${path}`}
            className={`${rowLink} block truncate font-mono text-sm`}
          >
            {method} {path}
          </Link>
          <span className="block truncate text-sm text-muted md:hidden">
            {problem}
            {fields.length > 0 && `: ${fields.join(', ')}`}
          </span>
        </Td>
        <Td isWideOnly className="max-w-80">
          <span className="block truncate" title={what}>
            <span className="mr-2 font-mono text-sm">{problem}</span>
            <span className="text-muted">{what}</span>
          </span>
        </Td>
        <Td isWideOnly className="max-w-40">
          <KeyName apiKey={key} />
        </Td>
        <Td isNumeric>
          <Time value={created_at} />
        </Td>
      </Row>
      {omitted > 0 && (
        <tr className="border-b border-line">
          <td colSpan={COLUMNS} className="px-2 py-1.5 text-sm text-muted">
            Before this request, at least {number(omitted)} more of the key {key.name} were rejected and not
            stored, because there were too many at once.
          </td>
        </tr>
      )}
    </>
  );
}

export function KeyName({ apiKey: { name, revoked } }: { apiKey: RejectedRequestSummary['key'] }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="truncate" title={name}>
        {name}
      </span>
      {revoked && <Badge>Revoked</Badge>}
    </span>
  );
}

/** Errors of the service are red. Errors of the request are amber. */
export function StatusCode({ status }: { status: number }) {
  return <Badge tone={status >= 500 ? 'bad' : 'warn'}>{status}</Badge>;
}
