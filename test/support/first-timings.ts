/** Restores the times that a file of tests shortened, so that the files after it in the process have those of the service. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCES = join(import.meta.dirname, '../../src');

/** Loads each `timings.ts` of `src`. @returns sets all of them to what they are now */
export async function keepTimings(): Promise<() => void> {
  const kept = await Promise.all(
    globSync(join(SOURCES, '**/timings.ts')).map(async (file) => {
      const { TIMINGS } = (await import(pathToFileURL(file).href)) as { TIMINGS: object };
      return { timings: TIMINGS, first: { ...TIMINGS } };
    }),
  );
  return () => {
    for (const { timings, first } of kept) Object.assign(timings, first);
  };
}
