import { Link } from '@tanstack/react-router';
import type { Suppression } from '../../../../src/contract/suppressions.ts';
import { Address } from '../../../ui/address.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.tsx';
import { CopyIcon, MoreIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { diagnosticOf, REASONS } from './words.ts';

interface SuppressionTableProps {
  rows: readonly Suppression[];
  selected: ReadonlySet<string>;
  /** Called with the selected addresses. Null if rows cannot be selected. */
  onSelect: ((selected: ReadonlySet<string>) => void) | null;
  onRemove(addresses: readonly string[]): void;
}

export function SuppressionTable({ rows, selected, onSelect, onRemove }: SuppressionTableProps) {
  const isAll = rows.every(({ address }) => selected.has(address));
  return (
    <Table
      label="Suppressions"
      head={
        <>
          {onSelect !== null && (
            <Th className="w-8 pr-2">
              <input
                type="checkbox"
                aria-label="Select all shown"
                className="block size-4 accent-fill"
                checked={isAll}
                ref={(box) => {
                  if (box !== null) box.indeterminate = !isAll && selected.size > 0;
                }}
                onChange={() => onSelect(new Set(isAll ? [] : rows.map(({ address }) => address)))}
              />
            </Th>
          )}
          <Th>Address</Th>
          <Th isWideOnly>Reason</Th>
          <Th isWideOnly>Email</Th>
          <Th isWideOnly>Expires</Th>
          <Th isNumeric isWideOnly>
            Added
          </Th>
          {onSelect !== null && (
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          )}
        </>
      }
    >
      {rows.map((entry) => (
        <SuppressionRow
          key={entry.address}
          entry={entry}
          isSelected={selected.has(entry.address)}
          onToggle={onSelect === null ? null : () => onSelect(toggled(selected, entry.address))}
          onRemove={() => onRemove([entry.address])}
        />
      ))}
    </Table>
  );
}

function toggled(selected: ReadonlySet<string>, address: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(address)) next.add(address);
  return next;
}

interface SuppressionRowProps {
  entry: Suppression;
  isSelected: boolean;
  onToggle: (() => void) | null;
  onRemove(): void;
}

function SuppressionRow({ entry, isSelected, onToggle, onRemove }: SuppressionRowProps) {
  const { address, reason, email_id, created_at, expires_at } = entry;
  const { name, tone } = REASONS[reason];
  return (
    <Row className={isSelected ? 'bg-selected' : ''}>
      {onToggle !== null && (
        <Td className="relative z-1 pr-2">
          <input
            type="checkbox"
            aria-label={`Select ${address}`}
            className="block size-4 accent-fill"
            checked={isSelected}
            onChange={onToggle}
          />
        </Td>
      )}
      <Td className="w-full max-w-0">
        <Link
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, address })}
          className={`${rowLink} block md:truncate`}
        >
          <Address>{address}</Address>
        </Link>
        <span className="block truncate text-sm text-muted">{diagnosticOf(entry)}</span>
        <span className="mt-0.5 flex items-center gap-2 text-sm text-muted md:hidden">
          <Badge tone={tone}>{name}</Badge>
          <Time value={created_at} />
        </span>
      </Td>
      <Td isWideOnly>
        <Badge tone={tone}>{name}</Badge>
      </Td>
      <Td isWideOnly className="relative whitespace-nowrap">
        {email_id === null ? (
          <span className="text-muted">–</span>
        ) : (
          <Link
            to="/emails/$id"
            params={{ id: email_id }}
            aria-label={`The email that suppressed ${address}`}
            className="relative z-1 font-mono text-sm text-muted hover:text-accent hover:underline"
          >
            …{email_id.slice(-8)}
          </Link>
        )}
      </Td>
      <Td isWideOnly className="whitespace-nowrap">
        {expires_at === null ? <span className="text-muted">Never</span> : <Time value={expires_at} />}
      </Td>
      <Td isNumeric isWideOnly className="whitespace-nowrap">
        <Time value={created_at} />
      </Td>
      {onToggle !== null && (
        <Td isNumeric className="relative z-1">
          <Menu
            trigger={
              <IconButton label={`More about ${address}`}>
                <MoreIcon />
              </IconButton>
            }
          >
            <MenuItem icon={<CopyIcon />} onClick={() => copyAddress(address)}>
              Copy address
            </MenuItem>
            <MenuSeparator />
            <MenuItem icon={<TrashIcon />} isDanger onClick={onRemove}>
              Remove
            </MenuItem>
          </Menu>
        </Td>
      )}
    </Row>
  );
}

function copyAddress(address: string): void {
  copyText(address).then(
    () => toast('Address copied'),
    () => toastFailure(`The browser blocked copying. The address is ${address}`),
  );
}
