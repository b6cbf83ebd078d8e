import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { ChevronDownIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { STATUSES, valueOf, withValue } from './query-text.ts';

const TIMES: readonly (readonly [value: string, name: string])[] = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
];

interface FiltersProps {
  q: string;
  /** The tags of the emails in the list. */
  tags: readonly string[];
  onChange(q: string): void;
}

/** Menus that edit the text of the search. */
export function Filters({ q, tags, onChange }: FiltersProps) {
  const status = valueOf(q, 'status');
  const since = valueOf(q, 'since');
  const tag = valueOf(q, 'tag');
  const choose = (field: string) => (value: string) => onChange(withValue(q, field, value));
  return (
    <div className="mt-2 mb-3 flex flex-wrap gap-2">
      <Filter
        name="Status"
        value={status}
        options={STATUSES.map((value) => [value, value.charAt(0).toUpperCase() + value.slice(1)])}
        onChoose={choose('status')}
      />
      <Filter name="Time" value={since} options={TIMES} onChoose={choose('since')} />
      <Filter
        name="Tag"
        value={tag}
        options={[...new Set([...(tag === '' ? [] : [tag]), ...tags])].map((value) => [
          value,
          value.replace(/^=/, ''),
        ])}
        onChoose={choose('tag')}
      />
    </div>
  );
}

interface FilterProps {
  name: string;
  /** The selected value; empty for no filter. */
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  onChoose(value: string): void;
}

function Filter({ name, value, options, onChoose }: FilterProps) {
  const shown = options.find(([each]) => each === value)?.[1] ?? value;
  return (
    <Menu
      align="start"
      trigger={
        <Button
          disabled={options.length === 0}
          className={classes('max-w-full', value !== '' && 'border-accent text-accent')}
        >
          <span className="truncate">{value === '' ? name : `${name}: ${shown}`}</span>
          <ChevronDownIcon />
        </Button>
      }
    >
      <MenuItem isCurrent={value === ''} onClick={() => onChoose('')}>
        Any {name.toLowerCase()}
      </MenuItem>
      {options.map(([each, label]) => (
        <MenuItem key={each} isCurrent={each === value} onClick={() => onChoose(each)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
