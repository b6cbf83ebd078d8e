import type { Editor } from '@tiptap/core';
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  deleteTable,
  toggleHeaderRow,
} from '@tiptap/pm/tables';
import type { ReactNode } from 'react';
import {
  AlignIcon,
  ColorIcon,
  HighlightIcon,
  ImageIcon,
  SizeIcon,
  TableIcon,
} from '../../../ui/compose-icons.tsx';
import { MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx';
import { setImageWidth } from './inline-image.ts';
import { runTable } from './table.ts';
import { setAlign, setTextStyle } from './text-style-mark.ts';

/** A button of the toolbar that opens a menu. */
export interface ToolMenu {
  label: string;
  icon: ReactNode;
  items(editor: Editor, open: ToolMenuDialogs): ReactNode;
}

interface ToolMenuDialogs {
  insertTable(): void;
  choosePicture(): void;
}

const COLORS = [
  [null, 'Default color'],
  ['#c62828', 'Red'],
  ['#b35900', 'Orange'],
  ['#2e7d32', 'Green'],
  ['#00796b', 'Teal'],
  ['#1565c0', 'Blue'],
  ['#6a1b9a', 'Purple'],
  ['#5f6368', 'Gray'],
] as const;

const HIGHLIGHTS = [
  [null, 'No highlight'],
  ['#fff3a3', 'Yellow highlight'],
  ['#c8f0cf', 'Green highlight'],
  ['#cfe4ff', 'Blue highlight'],
  ['#ffd6e7', 'Pink highlight'],
  ['#ffe0b8', 'Orange highlight'],
] as const;

const SIZES = [
  ['small', 'Small text'],
  [null, 'Normal text'],
  ['large', 'Large text'],
] as const;

const ALIGNMENTS = [
  [null, 'Align to the start'],
  ['center', 'Center'],
  ['right', 'Align right'],
  ['left', 'Align left'],
] as const;

const WIDTHS = [
  [160, 'Small picture'],
  [320, 'Medium picture'],
  [640, 'Large picture'],
  [null, 'Original size'],
] as const;

export const TOOL_MENUS: readonly ToolMenu[] = [
  {
    label: 'Text color',
    icon: <ColorIcon />,
    items: (editor) =>
      COLORS.map(([color, name]) => (
        <MenuItem
          key={name}
          icon={<Swatch color={color} />}
          isCurrent={(editor.getAttributes('textStyle')['color'] ?? null) === color}
          onClick={() => setTextStyle(editor, { color })}
        >
          {name}
        </MenuItem>
      )),
  },
  {
    label: 'Highlight',
    icon: <HighlightIcon />,
    items: (editor) =>
      HIGHLIGHTS.map(([background, name]) => (
        <MenuItem
          key={name}
          icon={<Swatch color={background} />}
          isCurrent={(editor.getAttributes('textStyle')['background'] ?? null) === background}
          onClick={() => setTextStyle(editor, { background })}
        >
          {name}
        </MenuItem>
      )),
  },
  {
    label: 'Text size',
    icon: <SizeIcon />,
    items: (editor) =>
      SIZES.map(([size, name]) => (
        <MenuItem
          key={name}
          isCurrent={(editor.getAttributes('textStyle')['size'] ?? null) === size}
          onClick={() => setTextStyle(editor, { size })}
        >
          {name}
        </MenuItem>
      )),
  },
  {
    label: 'Alignment',
    icon: <AlignIcon />,
    items: (editor) =>
      ALIGNMENTS.map(([align, name]) => (
        <MenuItem
          key={name}
          isCurrent={(editor.state.selection.$from.parent.attrs['align'] ?? null) === align}
          onClick={() => setAlign(editor, align)}
        >
          {name}
        </MenuItem>
      )),
  },
  {
    label: 'Picture',
    icon: <ImageIcon />,
    items: (editor, { choosePicture }) => (
      <>
        <MenuItem onClick={choosePicture}>Insert picture…</MenuItem>
        {editor.isActive('image') && (
          <>
            <MenuSeparator />
            {WIDTHS.map(([width, name]) => (
              <MenuItem
                key={name}
                isCurrent={(editor.getAttributes('image')['width'] ?? null) === width}
                onClick={() => setImageWidth(editor, width)}
              >
                {name}
              </MenuItem>
            ))}
          </>
        )}
      </>
    ),
  },
  {
    label: 'Table',
    icon: <TableIcon />,
    items: (editor, { insertTable }) =>
      editor.isActive('table') ? (
        <>
          <MenuLabel>Rows</MenuLabel>
          <MenuItem onClick={() => runTable(editor, addRowBefore)}>Add row above</MenuItem>
          <MenuItem onClick={() => runTable(editor, addRowAfter)}>Add row below</MenuItem>
          <MenuItem onClick={() => runTable(editor, toggleHeaderRow)}>Header row on or off</MenuItem>
          <MenuItem onClick={() => runTable(editor, deleteRow)}>Delete row</MenuItem>
          <MenuLabel>Columns</MenuLabel>
          <MenuItem onClick={() => runTable(editor, addColumnBefore)}>Add column before</MenuItem>
          <MenuItem onClick={() => runTable(editor, addColumnAfter)}>Add column after</MenuItem>
          <MenuItem onClick={() => runTable(editor, deleteColumn)}>Delete column</MenuItem>
          <MenuSeparator />
          <MenuItem isDanger onClick={() => runTable(editor, deleteTable)}>
            Delete table
          </MenuItem>
        </>
      ) : (
        <MenuItem onClick={insertTable}>Insert table…</MenuItem>
      ),
  },
];

/** A sample of a color. The color is set by script, because the page's content security policy forbids style attributes. */
function Swatch({ color }: { color: string | null }) {
  return (
    <span
      className="block size-4 rounded-full border border-edge"
      ref={(element) => {
        if (element !== null) element.style.backgroundColor = color ?? 'transparent';
      }}
    />
  );
}
