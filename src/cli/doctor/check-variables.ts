import { describeUnknown, unknownVariables } from '../../app/unknown-variables.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { World } from './world.ts';

/** Whether every variable that looks like a setting is one. */
export async function checkVariables({ env }: World): Promise<Finding> {
  const unknown = unknownVariables(env);
  if (unknown.length === 0) return ok('Every variable with the name POSTHORN_... is a setting.');
  return warning(
    unknown.map(describeUnknown).join(' '),
    'Put the name right, or remove the variable: nothing reads it. "posthorn config" lists all settings.',
  );
}
