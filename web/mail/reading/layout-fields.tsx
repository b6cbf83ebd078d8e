import { classes } from '../../ui/classes.ts';
import { Checkbox } from '../../ui/field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useWatched } from '../../ui/watched.ts';
import { changeLayout, layout } from './layout.ts';

/** The layout of the list, in the list itself and in the settings. */
export function LayoutFields() {
  const { rows, density, pane, hasGroups } = useWatched(layout);
  return (
    <>
      <Labelled text="Rows" className="max-sm:hidden">
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
      <Labelled text="Density" className="">
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
      <Labelled text="Open conversation" className="max-[1099px]:hidden">
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

interface LabelledProps {
  text: string;
  /** Hides a choice that has no effect in narrow windows. */
  className: string;
  children: React.ReactNode;
}

/** The visible label of a choice. The choice itself has the same name for screen readers. */
function Labelled({ text, className, children }: LabelledProps) {
  return (
    <div className={classes('grid justify-items-start gap-1', className)}>
      <span aria-hidden="true" className="font-medium">
        {text}
      </span>
      {children}
    </div>
  );
}
