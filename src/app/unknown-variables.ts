/** Finds environment variables that start with POSTHORN_ but are not settings. Most such variables are typing errors. */
import { type EnvironmentVariables, SETTING_NAMES } from './config.ts';

/** Variables that are used by examples in the documentation, by the SDK or by our tests. */
const OTHERS = /^POSTHORN_(?:KEY|API_KEY|CORPORA|TEST_[A-Z0-9_]*)$/;
/** Variables that Kubernetes and Docker set in every container for a service called `posthorn` or `posthorn-...`. */
const OF_A_SERVICE = /_(?:SERVICE_(?:HOST|PORT)(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_[A-Z]+)?)$/;
const SERVICE_URL = /^(?:tcp|udp|sctp):\/\//;
/** A mistyped name may differ from the name of the setting in at most this share of its letters. */
const MAX_SHARE = 0.3;
const MAX_LENGTH = 100;

export interface UnknownVariable {
  name: string;
  /** The setting that was probably meant. Null if no setting has a similar name. */
  nearest: string | null;
}

export function unknownVariables(env: EnvironmentVariables): UnknownVariable[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('POSTHORN_') && !SETTING_NAMES.includes(name) && !OTHERS.test(name))
    .filter((name) => !OF_A_SERVICE.test(name) && !SERVICE_URL.test(env[name] ?? ''))
    .toSorted()
    .map((name) => ({ name, nearest: nearestOf(name) }));
}

/** Describes the variable in a sentence for the operator. */
export function describeUnknown({ name, nearest }: UnknownVariable): string {
  return `${name} is set, but Posthorn has no such setting.${nearest === null ? '' : ` Did you mean ${nearest}?`}`;
}

function nearestOf(name: string): string | null {
  if (name.length > MAX_LENGTH) return null;
  const [best] = SETTING_NAMES.map((setting) => ({ setting, distance: distanceOf(name, setting) })).toSorted(
    (one, other) => one.distance - other.distance,
  );
  const suggestion = best?.setting ?? '';
  const own = Math.max(name.length, suggestion.length) - 'POSTHORN_'.length;
  return best !== undefined && best.distance <= Math.max(1, own * MAX_SHARE) ? suggestion : null;
}

/** The Levenshtein distance: the minimum number of letters to insert, delete or replace to turn one text into the other. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const changed = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
