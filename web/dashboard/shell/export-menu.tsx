import { Button } from '../../ui/button.tsx';
import { ChevronDownIcon } from '../../ui/icons.tsx';
import { Menu, MenuItem, MenuLabel } from '../../ui/menu.tsx';
import { useProject } from './session.ts';

const FORMATS = [
  ['csv', 'CSV (for spreadsheets)'],
  ['ndjson', 'NDJSON (for programs)'],
] as const;

export interface ExportMenuProps {
  /** The name of the data in the file. */
  label: string;
  /** The name of the resource in the API path, such as `emails`. */
  resource: string;
  /** The parameters of the search; empty parameters are left out. */
  search: Readonly<Record<string, string>>;
}

/** Downloads all results of a search as a file. */
export function ExportMenu({ label, resource, search }: ExportMenuProps) {
  const { id } = useProject();
  const given = Object.entries(search).filter(([, value]) => value !== '');
  const address = (format: string) =>
    `/dashboard/api/projects/${id}/${resource}/export?${new URLSearchParams([['format', format], ...given])}`;
  return (
    <Menu
      trigger={
        <Button>
          Export
          <ChevronDownIcon />
        </Button>
      }
    >
      <MenuLabel>{label}</MenuLabel>
      {FORMATS.map(([format, name]) => (
        <MenuItem key={format} render={<a href={address(format)} download />}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
