import { useId } from 'react';
import type { ApiKeyList } from '../../../../src/contract/dashboard/api-keys.ts';
import { Checkbox } from '../../../ui/field.tsx';
import { isAtLeast } from '../../shell/session.ts';

type ScopeRow = ApiKeyList['scopes'][number];
type Scope = ScopeRow['scope'];

export interface ScopeFieldsProps {
  /** The scopes that can be granted. */
  scopes: readonly ScopeRow[];
  /** The lowest role that may grant full access. */
  fullAccessBy: ScopeRow['granted_by'];
  /** The user's role in the project. Users can grant only the scopes that their role allows. */
  role: ScopeRow['granted_by'];
  /** The chosen scopes, or null for full access. */
  chosen: readonly Scope[] | null;
  onChange(chosen: readonly Scope[] | null): void;
  error: string | undefined;
}

/** A choice between full access and scopes, which are grouped by resource. Ticking a scope selects "Only these scopes". */
export function ScopeFields({ scopes, fullAccessBy, role, chosen, onChange, error }: ScopeFieldsProps) {
  const id = useId();
  const toggle = (scope: Scope) => {
    const before = chosen ?? [];
    onChange(before.includes(scope) ? before.filter((each) => each !== scope) : [...before, scope]);
  };
  const describedBy = error === undefined ? undefined : `${id}-error`;
  return (
    <fieldset className="grid gap-2.5" aria-describedby={describedBy}>
      <legend className="mb-1 font-medium">Access</legend>
      <Checkbox
        isRadio
        name={id}
        label="Full access"
        disabled={!isAtLeast(role, fullAccessBy)}
        hint={`All current and future permissions.${grantedBy(role, fullAccessBy)}`}
        checked={chosen === null}
        onChange={() => onChange(null)}
      />
      <Checkbox
        isRadio
        name={id}
        label="Only these scopes"
        checked={chosen !== null}
        onChange={() => onChange(chosen ?? [])}
      />
      {error !== undefined && (
        <p id={describedBy} className="pl-6.5 text-sm text-bad">
          {error}
        </p>
      )}
      <div className="grid gap-x-5 gap-y-4 rounded-md border border-line bg-panel p-3.5 sm:grid-cols-2">
        {groupsOf(scopes).map(([resource, rows]) => (
          <fieldset key={resource} className="grid content-start gap-2">
            <legend className="mb-1 text-sm text-muted">{titleOf(resource)}</legend>
            {rows.map(({ scope, allows, granted_by: least }) => (
              <Checkbox
                key={scope}
                label={<span className="font-mono text-sm">{scope}</span>}
                disabled={!isAtLeast(role, least)}
                hint={`${sentenceOf(allows)}${grantedBy(role, least)}`}
                checked={chosen?.includes(scope) ?? false}
                onChange={() => toggle(scope)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  );
}

/** Explains why an option is disabled; empty if the option is enabled. */
function grantedBy(role: ScopeRow['granted_by'], least: ScopeRow['granted_by']): string {
  if (isAtLeast(role, least)) return '';
  return least === 'owner' ? ' Only owners can grant it.' : ' Only admins and owners can grant it.';
}

function groupsOf(scopes: readonly ScopeRow[]): [resource: string, rows: readonly ScopeRow[]][] {
  return [...Map.groupBy(scopes, ({ scope }) => scope.split(':')[0] ?? '')];
}

function titleOf(resource: string): string {
  return resource.charAt(0).toUpperCase() + resource.slice(1);
}

function sentenceOf(allows: string): string {
  return `${titleOf(allows)}.`;
}
