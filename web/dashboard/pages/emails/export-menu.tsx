import { Button } from '../../../ui/button.tsx';
import { ChevronDownIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuLabel } from '../../../ui/menu.tsx';
import { useProject } from '../../shell/session.ts';

const FORMATS = [
  ['csv', 'CSV, for spreadsheets'],
  ['ndjson', 'NDJSON, for programs'],
] as const;

/** All that the search finds, as a file. */
export function ExportMenu({ q }: { q: string }) {
  const { id } = useProject();
  const address = (format: string) =>
    `/dashboard/api/projects/${id}/emails/export?${new URLSearchParams({ format, ...(q !== '' && { q }) })}`;
  return (
    <Menu
      trigger={
        <Button>
          Export
          <ChevronDownIcon />
        </Button>
      }
    >
      <MenuLabel>{q === '' ? 'All emails' : 'What the search finds'}</MenuLabel>
      {FORMATS.map(([format, name]) => (
        <MenuItem key={format} render={<a href={address(format)} download />}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
