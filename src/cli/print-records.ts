import type { ExpectedRecord } from '../domains/expected-records.ts';

/** Prints DNS records for people, below the lines of a heading. */
export function printRecords(
  heading: readonly string[],
  records: readonly Pick<ExpectedRecord, 'record' | 'type' | 'name' | 'value' | 'priority' | 'required'>[],
): void {
  const lines = records.map(
    ({ record, type, name, value, priority, required }) =>
      `${record}${required ? '' : ' (optional)'}\n  ${type} ${name}\n  ${priority === null ? '' : `${priority} `}${value}`,
  );
  process.stdout.write(`${[...heading, 'Publish these DNS records:', ...lines].join('\n')}\n`);
}
