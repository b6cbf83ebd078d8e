import { Link } from '@tanstack/react-router';
import type { ApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import { Badge, Status } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.tsx';
import { CopyIcon, MoreIcon, PenIcon, RequestIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { accessOf, hasExpired, restrictionsOf, whyExceeds } from './words.ts';

export interface KeyTableProps {
  keys: readonly ApiKey[];
  mayChange: boolean;
  onRename(key: ApiKey): void;
  onRevoke(key: ApiKey): void;
}

export function KeyTable({ keys, mayChange, onRename, onRevoke }: KeyTableProps) {
  return (
    <Table
      label="Keys"
      head={
        <>
          <Th>Name</Th>
          <Th isWideOnly>Access</Th>
          <Th>Last used</Th>
          <Th isWideOnly>Expires</Th>
          <Th isWideOnly>Created</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {keys.map((key) => (
        <Row key={key.id} className="align-top">
          <Td className="max-w-64 pt-2.5">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="font-medium wrap-anywhere">{key.name}</span>
              {hasExpired(key) && <Status value="expired" />}
              {key.exceeds_maker && <Badge tone="warn">Exceeds its creator’s role</Badge>}
            </div>
            {/* A process of an earlier version sends no last_four. */}
            {key.last_four != null && (
              <div className="font-mono text-sm text-muted">svc_live_…{key.last_four}</div>
            )}
            {key.exceeds_maker && <p className="text-sm text-muted">{whyExceeds(key)}</p>}
            <div className="text-sm md:hidden">
              <Access apiKey={key} />
            </div>
          </Td>
          <Td isWideOnly className="max-w-80 pt-2.5">
            <Access apiKey={key} />
          </Td>
          <Td className="pt-2.5">
            <Time value={key.last_used_at} />
          </Td>
          <Td isWideOnly className="pt-2.5">
            <Time value={key.expires_at} />
          </Td>
          <Td isWideOnly className="pt-2.5">
            <Time value={key.created_at} />
            {key.created_by !== null && <div className="text-sm text-muted">by {key.created_by}</div>}
          </Td>
          <Td isNumeric>
            <Menu
              trigger={
                <IconButton label={`More about ${key.name}`}>
                  <MoreIcon />
                </IconButton>
              }
            >
              <MenuItem icon={<CopyIcon />} onClick={() => copyId(key.id)}>
                Copy ID
              </MenuItem>
              <MenuItem icon={<RequestIcon />} render={<Link to="/api-log" search={{ key: key.id }} />}>
                Rejected requests
              </MenuItem>
              {mayChange && (
                <>
                  <MenuItem icon={<PenIcon />} onClick={() => onRename(key)}>
                    Rename
                  </MenuItem>
                  <MenuSeparator />
                  <MenuItem icon={<TrashIcon />} isDanger onClick={() => onRevoke(key)}>
                    Revoke
                  </MenuItem>
                </>
              )}
            </Menu>
          </Td>
        </Row>
      ))}
    </Table>
  );
}

function Access({ apiKey }: { apiKey: ApiKey }) {
  const restrictions = restrictionsOf(apiKey);
  return (
    <div className="grid gap-0.5">
      <span className={apiKey.scopes === null ? '' : 'font-mono text-sm wrap-anywhere'}>
        {accessOf(apiKey)}
      </span>
      {restrictions.map((restriction) => (
        <span key={restriction} title={restriction} className="line-clamp-2 text-sm text-muted wrap-anywhere">
          {restriction}
        </span>
      ))}
    </div>
  );
}

function copyId(id: string): void {
  copyText(id).then(
    () => toast('ID copied'),
    () => toastFailure(`The browser blocked copying. The ID is ${id}`),
  );
}
