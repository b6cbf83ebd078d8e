import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input, Select } from '../../../ui/field.tsx';
import { nameOf, useFolders } from '../folders.ts';
import { fieldsOf, NO_FIELDS, type SearchFields, textOf } from './search-fields.ts';

interface SearchFormProps {
  /** The current search. */
  q: string;
  onSearch(q: string): void;
  onClose(): void;
}

/** A form that writes a search, for users who do not know the operators. */
export default function SearchForm({ q, onSearch, onClose }: SearchFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(q));
  const folders = useFolders() ?? [];
  const text = (name: Exclude<keyof SearchFields, 'hasFile'>) => ({
    value: fields[name],
    onChange: ({ target }: { target: { value: string } }) => setFields({ ...fields, [name]: target.value }),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Search options"
      width="wide"
      onSubmit={() => {
        onClose();
        onSearch(textOf(fields));
      }}
      actions={
        <>
          <Button onClick={() => setFields(NO_FIELDS)}>Clear</Button>
          <Button type="submit" kind="primary">
            Search
          </Button>
        </>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="From">
          <Input dir="auto" {...text('from')} />
        </Field>
        <Field label="To">
          <Input dir="auto" {...text('to')} />
        </Field>
        <Field label="Subject">
          <Input dir="auto" {...text('subject')} />
        </Field>
        <Field label="Words">
          <Input dir="auto" {...text('words')} />
        </Field>
        <Field label="First day">
          <Input type="date" {...text('after')} />
        </Field>
        <Field label="Last day">
          <Input type="date" {...text('until')} />
        </Field>
        <Field label="File name">
          <Input dir="auto" {...text('filename')} />
        </Field>
        <Field label="Larger than (MB)">
          <Input type="number" min={1} max={999_999} inputMode="numeric" {...text('largerMb')} />
        </Field>
        <Field label="Folder">
          <Select {...text('folder')}>
            <option value="">All except Trash and Junk</option>
            <option value="anywhere">All folders</option>
            {folders.map((folder) => (
              <option key={folder.id} value={folder.role ?? folder.path}>
                {nameOf(folder)}
              </option>
            ))}
            {fields.folder !== '' &&
              fields.folder !== 'anywhere' &&
              !folders.some(({ role, path }) => (role ?? path) === fields.folder) && (
                <option value={fields.folder}>{fields.folder}</option>
              )}
          </Select>
        </Field>
        <Checkbox
          className="self-end pb-1"
          label="Has attachments"
          checked={fields.hasFile}
          onChange={({ target }) => setFields({ ...fields, hasFile: target.checked })}
        />
      </div>
    </Dialog>
  );
}
