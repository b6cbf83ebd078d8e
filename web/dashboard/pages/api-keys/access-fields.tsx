import { useId } from 'react';
import type { ApiKeyList } from '../../../../src/contract/dashboard/api-keys.ts';
import { Checkbox } from '../../../ui/field.tsx';
import { isAtLeast } from '../../shell/session.ts';

type ScopeRow = ApiKeyList['scopes'][number];
type Scope = ScopeRow['scope'];
type Role = ScopeRow['granted_by'];

const CHOICES = [
  { value: 'sending', label: 'Sending only', hint: 'Send and cancel emails.' },
  { value: 'full', label: 'Full access', hint: 'All current and future permissions.' },
  { value: 'read', label: 'Read only', hint: 'See all data but incoming mail, change and send nothing.' },
  { value: 'custom', label: 'Custom', hint: 'Choose the scopes.' },
] as const;

export interface Access {
  choice: (typeof CHOICES)[number]['value'];
  /** The scopes selected under Custom. They are kept while another choice is selected. */
  custom: readonly Scope[];
}

/** The scopes of a choice, in the order of the table. Null for full access. */
export function scopesOf({ choice, custom }: Access, scopes: readonly ScopeRow[]): Scope[] | null {
  if (choice === 'full') return null;
  return scopes.flatMap(({ scope }) => {
    if (choice === 'custom') return custom.includes(scope) ? [scope] : [];
    return (choice === 'sending' ? scope === 'emails:send' : isReadOnly(scope)) ? [scope] : [];
  });
}

/** Incoming mail, such as password resets of other services, is only read by keys for which it is chosen. */
function isReadOnly(scope: Scope): boolean {
  return scope.endsWith(':read') && scope !== 'routes:read';
}

export interface AccessFieldsProps {
  /** The scopes that can be granted. */
  scopes: readonly ScopeRow[];
  /** The lowest role that may grant full access. */
  fullAccessBy: Role;
  /** The user's role in the project. Users can grant only the scopes that their role allows. */
  role: Role;
  access: Access;
  onChange(access: Access): void;
  error: string | undefined;
}

/** The access of a new key: common choices, or single scopes, which are grouped by resource. */
export function AccessFields({ scopes, fullAccessBy, role, access, onChange, error }: AccessFieldsProps) {
  const id = useId();
  const { choice, custom } = access;
  const toggle = (scope: Scope) =>
    onChange({
      ...access,
      custom: custom.includes(scope) ? custom.filter((each) => each !== scope) : [...custom, scope],
    });
  const describedBy = error === undefined ? undefined : `${id}-error`;
  return (
    <fieldset className="grid gap-2.5" aria-describedby={describedBy}>
      <legend className="mb-1 font-medium">Access</legend>
      <div className="grid gap-x-5 gap-y-2.5 sm:grid-cols-2">
        {CHOICES.map(({ value, label, hint }) => (
          <Checkbox
            key={value}
            isRadio
            name={id}
            label={label}
            disabled={value === 'full' && !isAtLeast(role, fullAccessBy)}
            hint={value === 'full' ? `${hint}${grantedBy(role, fullAccessBy)}` : hint}
            checked={choice === value}
            onChange={() => onChange({ ...access, choice: value })}
          />
        ))}
      </div>
      {error !== undefined && (
        <p id={describedBy} className="text-sm text-bad">
          {error}
        </p>
      )}
      {choice === 'custom' && (
        <div className="grid gap-x-5 gap-y-4 rounded-md border border-line bg-panel p-3.5 sm:grid-cols-2">
          {groupsOf(scopes).map(([resource, rows]) => (
            <fieldset key={resource} className="grid content-start gap-2">
              <legend className="mb-1 font-medium">{titleOf(resource)}</legend>
              {rows.map(({ scope, allows, granted_by: least }) => (
                <Checkbox
                  key={scope}
                  label={<span className="font-mono text-sm">{scope}</span>}
                  disabled={!isAtLeast(role, least)}
                  hint={`${titleOf(allows)}.${grantedBy(role, least)}`}
                  checked={custom.includes(scope)}
                  onChange={() => toggle(scope)}
                />
              ))}
            </fieldset>
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** Explains why an option is disabled; empty if the option is enabled. */
function grantedBy(role: Role, least: Role): string {
  if (isAtLeast(role, least)) return '';
  return least === 'owner' ? ' Only owners can grant it.' : ' Only admins and owners can grant it.';
}

function groupsOf(scopes: readonly ScopeRow[]): [resource: string, rows: readonly ScopeRow[]][] {
  return [...Map.groupBy(scopes, ({ scope }) => scope.split(':')[0] ?? '')];
}

function titleOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
