import { useId } from 'react';
import type { ApiKeyList } from '../../../api/schema.ts';
import { Checkbox } from '../../../ui/field.tsx';

type Row = ApiKeyList['scopes'][number];
type Scope = Row['scope'];

export interface ScopeFieldsProps {
  /** The table of scopes. */
  scopes: readonly Row[];
  /** Null: full access. */
  chosen: readonly Scope[] | null;
  onChange(chosen: readonly Scope[] | null): void;
  error: string | undefined;
}

/** Full access, or scopes by what they are about. To tick one is to choose scopes. */
export function ScopeFields({ scopes, chosen, onChange, error }: ScopeFieldsProps) {
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
        hint="Everything that the project may, also what is added later."
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
            {rows.map(({ scope, allows }) => (
              <Checkbox
                key={scope}
                label={<span className="font-mono text-sm">{scope}</span>}
                hint={sentenceOf(allows)}
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

function groupsOf(scopes: readonly Row[]): [resource: string, rows: readonly Row[]][] {
  return [...Map.groupBy(scopes, ({ scope }) => scope.split(':')[0] ?? '')];
}

function titleOf(resource: string): string {
  return resource.charAt(0).toUpperCase() + resource.slice(1);
}

function sentenceOf(allows: string): string {
  return `${titleOf(allows)}.`;
}
