import type { Editor } from '@tiptap/core';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { insertTable, MAX_COLUMNS, MAX_ROWS } from './table.ts';

/** Asks for the size of a new table. */
export function TableDialog({ editor, onClose }: { editor: Editor; onClose(): void }) {
  const [rows, setRows] = useState('3');
  const [columns, setColumns] = useState('3');
  const [hasHeader, setHasHeader] = useState(true);
  const close = (): void => {
    onClose();
    editor.commands.focus();
  };
  return (
    <Dialog
      isOpen
      onClose={close}
      onSubmit={() => {
        onClose();
        insertTable(editor, {
          rows: within(rows, MAX_ROWS),
          columns: within(columns, MAX_COLUMNS),
          hasHeader,
        });
      }}
      title="Insert table"
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary">
            Insert table
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="grid grid-cols-2 gap-4">
          <Field label="Rows">
            <Input
              data-focus
              type="number"
              min={1}
              max={MAX_ROWS}
              value={rows}
              onChange={({ target }) => setRows(target.value)}
            />
          </Field>
          <Field label="Columns">
            <Input
              type="number"
              min={1}
              max={MAX_COLUMNS}
              value={columns}
              onChange={({ target }) => setColumns(target.value)}
            />
          </Field>
        </div>
        <Checkbox
          label="The first row is a header"
          checked={hasHeader}
          onChange={({ target }) => setHasHeader(target.checked)}
        />
      </div>
    </Dialog>
  );
}

const within = (typed: string, max: number) => Math.min(max, Math.max(1, Math.round(Number(typed)) || 1));
