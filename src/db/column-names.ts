import { CamelCasePlugin } from 'kysely';

/** Columns whose names are not yet the words that the code uses, by the code's word. */
const COLUMN_OF: Readonly<Record<string, string>> = {
  leaseId: 'epoch',
  inFlight: 'in_hand',
  recipientIndex: 'n',
};
const NAME_OF = Object.fromEntries(Object.entries(COLUMN_OF).map(([name, column]) => [column, name]));

/** The one place that converts between names of columns (snake_case) and of properties (camelCase). */
export class ColumnNames extends CamelCasePlugin {
  constructor() {
    super({ maintainNestedObjectKeys: true });
  }

  protected override snakeCase(name: string): string {
    return COLUMN_OF[name] ?? super.snakeCase(name);
  }

  protected override camelCase(column: string): string {
    return NAME_OF[column] ?? super.camelCase(column);
  }
}
