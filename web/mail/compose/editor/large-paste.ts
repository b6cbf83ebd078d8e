/** Pasted HTML that would make the editor slow is pasted as text. */
import type { EditorView } from '@tiptap/pm/view';

const MAX_LENGTH = 1_000_000;
const MAX_CELLS = 3_000;
/** The maximum length of pasted text, in characters. A message can have 1 MB of text. */
const MAX_TEXT = 500_000;

export function isTooLarge(html: string): boolean {
  return html.length > MAX_LENGTH || (html.match(/<t[dh]\b/gi)?.length ?? 0) > MAX_CELLS;
}

/** Inserts text. The rows of a spreadsheet have tabs between their cells, which only preformatted text shows. */
export function pasteText(view: EditorView, text: string): void {
  const bounded = text.slice(0, MAX_TEXT);
  const { schema, tr } = view.state;
  const { codeBlock } = schema.nodes;
  if (bounded.includes('\t') && codeBlock !== undefined)
    view.dispatch(
      tr
        .replaceSelectionWith(codeBlock.create(null, schema.text(bounded.replaceAll(/\r\n?/g, '\n'))))
        .scrollIntoView(),
    );
  else view.pasteText(bounded);
}
