/** Tables. `data-style` has the fixed styles for mail, because mail programs show tables without borders otherwise. */
import { type Editor, Node } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { addRowAfter, goToNextCell, tableEditing } from '@tiptap/pm/tables';
import { backgroundOf } from './text-style.ts';

const ROLES: Readonly<Record<string, string>> = {
  table: 'table',
  tableRow: 'row',
  tableCell: 'cell',
  tableHeader: 'header_cell',
};
const TABLE_STYLE = 'border-collapse: collapse; margin: 8px 0';
const CELL_STYLE = 'border: 1px solid #a3abb8; padding: 4px 8px; vertical-align: top';
const HEADER_STYLE = `${CELL_STYLE}; font-weight: 600; text-align: start`;
/** Highlighted cells have dark text, so that they stay readable where mail is shown dark. */
const ON_BACKGROUND = 'color: #1b1f26';
const MAX_SPAN = 50;
const CELL_CONTENT = '(paragraph | heading | bulletList | orderedList | blockquote | codeBlock)+';

export const MAX_ROWS = 50;
export const MAX_COLUMNS = 12;

const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableRow+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: ({ HTMLAttributes }) => [
    'table',
    { 'data-style': TABLE_STYLE, ...HTMLAttributes },
    ['tbody', 0],
  ],
  extendNodeSchema: ({ name }) => (Object.hasOwn(ROLES, name) ? { tableRole: ROLES[name] } : {}),
  addProseMirrorPlugins: () => [tableEditing()],
  addKeyboardShortcuts() {
    const goTo = (direction: 1 | -1) =>
      this.editor.commands.command(({ state, dispatch }) => goToNextCell(direction)(state, dispatch));
    return {
      Tab: () => {
        if (!this.editor.isActive('table')) return false;
        // Tab in the last cell begins a row.
        if (!goTo(1) && runTable(this.editor, addRowAfter)) goTo(1);
        return true;
      },
      'Shift-Tab': () => this.editor.isActive('table') && goTo(-1),
    };
  },
});

const Row = Node.create({
  name: 'tableRow',
  content: '(tableCell | tableHeader)+',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: ({ HTMLAttributes }) => ['tr', HTMLAttributes, 0],
});

const span = (name: 'colspan' | 'rowspan') => ({
  default: 1,
  parseHTML: (element: HTMLElement) =>
    Math.min(MAX_SPAN, Math.max(1, Number.parseInt(element.getAttribute(name) ?? '1', 10) || 1)),
  renderHTML: (attributes: Record<string, unknown>) =>
    attributes[name] === 1 ? {} : { [name]: attributes[name] },
});

function cell(name: 'tableCell' | 'tableHeader', tag: 'td' | 'th', style: string) {
  return Node.create({
    name,
    content: CELL_CONTENT,
    isolating: true,
    addAttributes: () => ({
      colspan: span('colspan'),
      rowspan: span('rowspan'),
      // The library expects the attribute. Columns are as wide as their content.
      colwidth: { default: null, parseHTML: () => null, rendered: false },
      background: {
        default: null,
        parseHTML: (element) =>
          backgroundOf(element.dataset['style'] ?? '') ??
          backgroundOf(`background: ${element.getAttribute('bgcolor') ?? ''}`),
        rendered: false,
      },
    }),
    parseHTML: () => [{ tag }],
    renderHTML: ({ node, HTMLAttributes }) => {
      const { background } = node.attrs as { background: string | null };
      return [
        tag,
        {
          'data-style':
            background === null ? style : `${style}; background-color: ${background}; ${ON_BACKGROUND}`,
          ...(background !== null && { class: 'paper', style: `--paper: ${background}` }),
          ...HTMLAttributes,
        },
        0,
      ];
    },
  });
}

export const TABLE_NODES = [
  Table,
  Row,
  cell('tableCell', 'td', CELL_STYLE),
  cell('tableHeader', 'th', HEADER_STYLE),
];

/** Runs a command of the table library, as a change that is undone by itself. */
export function runTable(editor: Editor, run: typeof addRowAfter): boolean {
  return editor
    .chain()
    .focus()
    .command(({ state, dispatch, tr }) => {
      closeHistory(tr);
      return run(state, dispatch);
    })
    .run();
}

/** Inserts a table and puts the cursor into its first cell. */
export function insertTable(
  editor: Editor,
  size: { rows: number; columns: number; hasHeader: boolean },
): void {
  const row = (type: string) => ({
    type: 'tableRow',
    content: Array.from({ length: size.columns }, () => ({ type, content: [{ type: 'paragraph' }] })),
  });
  const content = Array.from({ length: size.rows }, (_, at) =>
    row(size.hasHeader && at === 0 ? 'tableHeader' : 'tableCell'),
  );
  const { from } = editor.state.selection;
  editor
    .chain()
    .focus()
    .insertContent([{ type: 'table', content }, { type: 'paragraph' }])
    .run();
  let first: number | null = null;
  editor.state.doc.descendants((node, at) => {
    if (
      first === null &&
      at >= from - 1 &&
      (node.type.name === 'tableCell' || node.type.name === 'tableHeader')
    )
      first = at;
    return first === null;
  });
  if (first !== null) editor.commands.setTextSelection(first + 2);
}
