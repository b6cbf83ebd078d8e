/**
 * The CodeMirror editor, loaded on first use. The editor is in a shadow root, where CodeMirror uses constructed style
 * sheets, because the page's content security policy forbids `<style>` elements.
 */
import { acceptCompletion } from '@codemirror/autocomplete';
import { insertNewlineKeepIndent } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { liquid } from '@codemirror/lang-liquid';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { useEffect, useRef } from 'react';

export interface CodeEditorProps {
  /** The accessible name. */
  label: string;
  /** The initial text. Later the editor has its own text, and changes to `value` have no effect. */
  value: string;
  /**
   * A new number makes the editor replace its text with `value`: after loading, restoring or discarding. Without a new
   * number the text stays, because the `value` from a late render may lack the newest keystrokes.
   */
  revision?: number;
  /** Called with the text after each change. Absent for a read-only editor. */
  onChange?: (value: string) => void;
  isLiquid?: boolean;
  /** The error in the service's format: `line 3, column 7: …`. */
  error?: string | undefined;
  /** The text to compare with. The editor marks the differences. */
  original?: string;
}

const LOOK = EditorView.theme({
  '&': {
    color: 'var(--color-text)',
    backgroundColor: 'var(--color-page)',
    fontSize: '13px',
    height: '100%',
  },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--color-accent)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--color-accent)' },
  // The frame around the editor shows the focus, because the gutter would cover part of an outline.
  '&.cm-focused': { outline: 'none' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-page)',
    color: 'var(--color-muted)',
    borderRight: '1px solid var(--color-line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--color-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--color-selected)',
  },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-text)',
    border: '1px solid var(--color-line)',
  },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--color-page)',
    backgroundImage: 'none',
    color: 'var(--color-text)',
    border: '1px solid var(--color-edge)',
    borderRadius: '4px',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--color-info-soft)' },
  '.cm-foldPlaceholder': { backgroundColor: 'transparent', color: 'var(--color-muted)', border: 'none' },
  '.cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--color-good-soft) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--color-bad-soft) !important', paddingLeft: '6px' },
  '.cm-changedText, .cm-deletedText, .cm-deletedLine': { background: 'none !important' },
});

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.tagName, tags.operatorKeyword], color: 'var(--color-accent)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--color-good)' },
  { tag: [tags.attributeName, tags.propertyName, tags.number, tags.bool], color: 'var(--color-warn)' },
  { tag: [tags.comment, tags.meta, tags.angleBracket], color: 'var(--color-muted)' },
  { tag: [tags.brace, tags.processingInstruction], color: 'var(--color-bad)' },
]);

/**
 * Makes the editor itself replace a selection with typed text, because the browser would keep the style of the old text in a style
 * attribute, which the page's content security policy forbids.
 */
const TYPING = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.state.readOnly) return false;
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/**
 * Enter starts a new line with the indentation of the previous line, and Tab accepts a completion. By default Enter also accepts
 * completions, and indents by the syntax. On a slow machine the parser lags behind the typing: Enter would insert a completion that the
 * user never saw, or the indentation of an element that is already closed.
 */
const KEYS = Prec.highest(
  keymap.of([
    { key: 'Enter', run: insertNewlineKeepIndent },
    { key: 'Tab', run: acceptCompletion },
  ]),
);

export default function CodeEditor(props: CodeEditorProps) {
  const { label, value, revision = 0, onChange, isLiquid, error, original } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // The editor has its own state, so it is created only once, with the initial values.
  const first = useRef({ value, label, isLiquid, original });
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { value, label, isLiquid, original } = first.current;
    const isRead = changed.current === undefined;
    const extensions: Extension[] = [
      // These key bindings come before the basic setup, so that they take precedence.
      KEYS,
      basicSetup,
      lintGutter(),
      EditorView.lineWrapping,
      LOOK,
      TYPING,
      syntaxHighlighting(COLORS),
      // The tab stop is explicit, so that read-only text and long text can be scrolled with the keyboard.
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed.current?.(update.state.doc.toString());
      }),
      EditorState.readOnly.of(isRead),
      EditorView.editable.of(!isRead),
      isLiquid === true ? liquid() : [],
      original === undefined
        ? []
        : unifiedMergeView({
            original,
            mergeControls: false,
            highlightChanges: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
          }),
    ];
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({ doc: value, extensions }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  const taken = useRef(revision);
  useEffect(() => {
    const shown = view.current;
    if (shown === null || taken.current === revision) return;
    taken.current = revision;
    if (shown.state.doc.toString() !== value)
      shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: value } });
  }, [revision, value]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null) return;
    shown.dispatch(
      setDiagnostics(shown.state, error === undefined ? [] : [diagnosticOf(error, shown.state)]),
    );
  }, [error]);
  return <div ref={host} className="h-full" />;
}

function diagnosticOf(error: string, { doc }: EditorState): Diagnostic {
  const [, line = '1', column = '1', message = error] = /^line (\d+), column (\d+): (.*)$/s.exec(error) ?? [];
  const at = doc.line(Math.min(Number(line), doc.lines));
  const from = Math.min(at.from + Number(column) - 1, at.to);
  return { from, to: Math.max(from, at.to), severity: 'error', message };
}
