import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { useProject } from '../../shell/session.ts';
import { FILTERS, filterOf, type FilterName, type MetricsFilter } from './filter.ts';
import { metricsQuery, type MetricsQuery } from './queries.ts';
import { nameOf } from './words.ts';

interface FilterDialogProps {
  filter: MetricsFilter;
  range: NonNullable<MetricsQuery['range']>;
  onClose(): void;
  onApply(filter: Readonly<Record<FilterName, string>>): void;
}

const NAMES = Object.keys(FILTERS) as FilterName[];

/** Selects the emails that the page counts, from the largest groups of each dimension. */
export function FilterDialog({ filter, range, onClose, onApply }: FilterDialogProps) {
  const [chosen, setChosen] = useState({ domain: '', provider: '', stream: '', tag: '', ...filter });
  return (
    <Dialog
      isOpen
      width="narrow"
      title="Filter metrics"
      description="Only emails that match all filters are counted."
      onClose={onClose}
      onSubmit={() => onApply(chosen)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Apply filters
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        {NAMES.map((name) => (
          <Choice
            key={name}
            name={name}
            range={range}
            value={chosen[name]}
            onChange={(value) => setChosen({ ...chosen, [name]: value })}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  name: FilterName;
  range: NonNullable<MetricsQuery['range']>;
  value: string;
  onChange(value: string): void;
}

function Choice({ name, range, value, onChange }: ChoiceProps) {
  const project = useProject();
  const { data } = useQuery(metricsQuery(project.id, { range, by: name }));
  const found = (data?.parts ?? []).flatMap((part) => {
    const filter = filterOf(name, part);
    return filter === null ? [] : [{ value: filter.value, label: nameOf(part, name) }];
  });
  const isListed = value === '' || found.some((each) => each.value === value);
  const options = isListed ? found : [{ value, label: value }, ...found];
  return (
    <Field label={FILTERS[name]}>
      <Select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Any {FILTERS[name].toLowerCase()}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
    </Field>
  );
}
