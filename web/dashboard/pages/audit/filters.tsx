import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useSession } from '../../shell/session.ts';
import { useOrganization } from '../people/queries.ts';
import { RESOURCES, WAYS } from './words.ts';

const NAMES = ['who', 'by', 'what', 'of', 'since'] as const;

/** The filter, as stored in the page's URL. */
export function useFilter() {
  const [who, setWho] = useSearchParam('who');
  const [by, setBy] = useSearchParam('by');
  const [what, setWhat] = useSearchParam('what');
  const [of, setOf] = useSearchParam('of');
  const [since, setSince] = useSearchParam('since');
  const navigate = useNavigate();
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(since);
  const given = { who, by, what, project: of, since: isDay ? `${since}T00:00:00.000Z` : '' };
  return {
    who,
    setWho,
    by,
    setBy,
    what,
    setWhat,
    of,
    setOf,
    since,
    setSince,
    query: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
    isSet: Object.values(given).some((value) => value !== ''),
    clear: () =>
      void navigate({
        to: '.',
        search: (before: Readonly<Record<string, string | undefined>>) =>
          Object.fromEntries(Object.entries(before).filter(([name]) => !NAMES.some((each) => each === name))),
      }),
  };
}

export function Filters({ filter }: { filter: ReturnType<typeof useFilter> }) {
  const { id: organization } = useOrganization();
  const sinceId = useId();
  const projects = useSession().projects.filter((project) => project.organization_id === organization);
  return (
    <div className="mb-4 grid grid-cols-2 items-end gap-2 lg:grid-cols-[minmax(0,1.6fr)_repeat(3,minmax(0,1fr))_auto]">
      <SearchField
        label="Who"
        placeholder="Who: ann@acme.example"
        value={filter.who}
        onSearch={filter.setWho}
        maxLength={100}
        className="col-span-2 lg:col-span-1"
      />
      <Choice
        label="What"
        any="Any resource"
        value={filter.what}
        onChange={filter.setWhat}
        options={RESOURCES}
      />
      <Choice
        label="Project"
        any="Any project"
        value={filter.of}
        onChange={filter.setOf}
        options={projects.map(({ id, name }) => [id, name] as const)}
      />
      <Choice label="Method" any="Any method" value={filter.by} onChange={filter.setBy} options={WAYS} />
      <div className="grid items-center gap-1 sm:flex sm:gap-2">
        <label htmlFor={sinceId} className="text-muted">
          Since
        </label>
        <Input
          id={sinceId}
          type="date"
          title="Since this day (UTC)"
          value={filter.since}
          onChange={(event) => filter.setSince(event.target.value)}
        />
      </div>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  /** The label of the option that shows all entries. */
  any: string;
  value: string;
  onChange(value: string, options?: { push?: boolean }): void;
  options: readonly (readonly [value: string, name: string])[];
}

function Choice({ label, any, value, onChange, options }: ChoiceProps) {
  return (
    <Field label={label} isLabelHidden>
      <Select value={value} onChange={(event) => onChange(event.target.value, { push: true })}>
        <option value="">{any}</option>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}
