import { Checkbox } from '../../ui/field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useWatched } from '../../ui/watched.ts';
import { changeLayout, layout } from './layout.ts';

/** The layout of the list, in the list itself and in the settings. */
export function LayoutFields() {
  const { rows, density, pane, hasGroups } = useWatched(layout);
  return (
    <>
      <Labelled text="Rows">
        <Segmented
          label="Rows"
          value={rows}
          options={[
            { value: 'auto', label: 'Automatic' },
            { value: 'lines', label: 'One line' },
            { value: 'cards', label: 'Cards' },
          ]}
          onChange={(value) => changeLayout({ rows: value })}
        />
      </Labelled>
      <Labelled text="Density">
        <Segmented
          label="Density"
          value={density}
          options={[
            { value: 'comfortable', label: 'Comfortable' },
            { value: 'compact', label: 'Compact' },
          ]}
          onChange={(value) => changeLayout({ density: value })}
        />
      </Labelled>
      <Labelled text="Open conversation">
        <Segmented
          label="Open conversation"
          value={pane}
          options={[
            { value: 'beside', label: 'Beside' },
            { value: 'below', label: 'Below' },
            { value: 'none', label: 'Full page' },
          ]}
          onChange={(value) => changeLayout({ pane: value })}
        />
      </Labelled>
      <Checkbox
        label="Group by date"
        checked={hasGroups}
        onChange={({ target }) => changeLayout({ hasGroups: target.checked })}
      />
    </>
  );
}

/** The visible label of a choice. The choice itself has the same name for screen readers. */
function Labelled({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div className="grid justify-items-start gap-1">
      <span aria-hidden="true" className="font-medium">
        {text}
      </span>
      {children}
    </div>
  );
}
